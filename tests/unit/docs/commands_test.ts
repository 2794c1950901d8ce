// Every command, option, variable and file that the documentation names exists.

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import configuration from "../../../deno.json" with { type: "json" };
import { parseCommand } from "../../../lib/cli/args/parse.ts";
import { COMMANDS, CONFIG_OPTION, optionsOf } from "../../../lib/cli/args/commands.ts";
import { flagOf, namesOf, variableOf } from "../../../lib/config/option.ts";
import { OPTIONS } from "../../../lib/config/options.ts";
import { codeIn, fencesOf, PAGES, read, ROOT } from "../../support/pages.ts";

const COMPILE = read("compile.sh");
const TASKS: ReadonlySet<string> = new Set(Object.keys(configuration.tasks));
const VARIABLES: ReadonlySet<string> = new Set(
  [CONFIG_OPTION, ...namesOf(OPTIONS)].map(variableOf),
);

/** Tasks that run the program with the arguments behind their name. */
const PROGRAM_TASKS: ReadonlySet<string> = new Set(["start", "dev", "cli"]);

/** A simple command of a shell: the variables set for it, and its words. */
interface ShellCommand {
  readonly variables: readonly string[];
  readonly words: readonly string[];
}

/** The simple commands in a script, as far as the pages go. */
function commandsIn(script: string): readonly ShellCommand[] {
  const lines = script.replace(/\\\n/g, " ").split(/\n|&&|\|\|?|[;&()]/);
  return lines.map((line) => {
    const words = line.replace(/(?:^|\s)#.*|\s[0-9]?[<>].*/, "").match(
      /(?:[^\s'"]|'[^']*'|"[^"]*")+/g,
    );
    const plain = words?.map((word) => word.replace(/^(['"])(.*)\1$/, "$2")) ?? [];
    const first = plain.findIndex((word) => !/^\w+=/.test(word));
    const assignments = plain.slice(0, first < 0 ? plain.length : first);
    return {
      variables: assignments.map((word) => word.split("=")[0]!),
      words: first < 0 ? [] : plain.slice(first),
    };
  });
}

/** What is wrong with a command that a page shows; nothing for programs of other makers. */
function complaintOf({ variables, words: [program, ...args] }: ShellCommand): string | undefined {
  const strange = variables.find((name) =>
    name.startsWith("AUTHENTICATOR_") && !VARIABLES.has(name)
  );
  if (strange !== undefined) return `there is no variable ${strange}`;
  switch (program?.split("/").at(-1)) {
    case "npx":
      return complaintOfNpx(args);
    case "deno":
      return complaintOfDeno(args);
    case "authenticator":
      return complaintOfProgram(args);
    case "compile.sh":
      return args.filter((arg) => arg.startsWith("-")).find((flag) => !COMPILE.includes(flag));
  }
  return undefined;
}

function complaintOfNpx(args: readonly string[]): string | undefined {
  const [packageName, ...rest] = args.filter((arg) => arg !== "--yes");
  if (!packageName?.startsWith("deno@")) return undefined;
  const [, version] = /DENO_VERSION=(\S+)/.exec(COMPILE)!;
  return packageName === `deno@${version}` ? complaintOfDeno(rest) : `not Deno ${version}`;
}

function complaintOfDeno([subcommand, ...rest]: readonly string[]): string | undefined {
  const [name = "", ...args] = rest.filter((arg, at) => !(arg.startsWith("-") && at === 0));
  if (subcommand === "task") {
    if (!TASKS.has(name)) return `there is no task ${name}`;
    return PROGRAM_TASKS.has(name) ? complaintOfProgram(args) : undefined;
  }
  const file = rest.find((arg) => arg.endsWith(".ts"));
  return file === undefined || exists(file) ? undefined : `there is no file ${file}`;
}

function complaintOfProgram(args: readonly string[]): string | undefined {
  try {
    parseCommand(args, () => undefined);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "it throws";
  }
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(new URL(path, ROOT)) !== undefined;
  } catch {
    return false;
  }
}

Deno.test("the documentation: every command that a page shows can be typed", () => {
  const shown = PAGES.flatMap((page) =>
    fencesOf(page).filter(({ info }) => /^(?:sh|shell|bash|console)$/.test(info))
      .flatMap(({ text }) => commandsIn(text)).map((command) => ({ page, command }))
  );
  assert(shown.length > 30);
  const wrong = shown.flatMap(({ page, command }) => {
    const complaint = complaintOf(command);
    return complaint === undefined ? [] : [`${page}: ${command.words.join(" ")}: ${complaint}`];
  });
  assertEquals(wrong, []);
});

/** Code whose options are those of this program, and not of another. */
const OURS = /^(?:--|AUTHENTICATOR_|authenticator\b|dist\/authenticator\b|\.\/compile\.sh|serve\b)/;

/** Options of other programs and of tests that stand alone on a page. */
const FOREIGN_FLAGS: ReadonlySet<string> = new Set([
  ...[
    "--appendonly",
    "--cacert",
    "--cert",
    "--format",
    "--key",
    "--minutes",
    "--sample",
    "--seed",
    // Of authenticator-as-service.
    "--unit",
    "--yes",
  ],
]);

Deno.test("the documentation: every option and variable that a page names exists", () => {
  const flags = new Set([
    ...[...COMMANDS.values()].flatMap((facts) => namesOf(optionsOf(facts)).map(flagOf)),
    ...["--help", "--version"],
  ]);
  const wrong = PAGES.flatMap((page) =>
    codeIn(page).filter((code) => OURS.test(code)).flatMap((code) => [
      ...[...code.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([flag]) => flag).filter((flag) =>
        !flags.has(flag) && !FOREIGN_FLAGS.has(flag) && !COMPILE.includes(flag)
      ),
      ...[...code.matchAll(/\bAUTHENTICATOR_[A-Z_]*[A-Z]\b/g)].map(([name]) => name)
        .filter((name) => !VARIABLES.has(name)),
    ]).map((name) => `${page}: ${name}`)
  );
  assertEquals(wrong, []);
});

Deno.test("the documentation: every file and task that a page names exists", () => {
  const wrong = PAGES.flatMap((page) => {
    const made = fencesOf(page).map(({ info }) => info.split(" ").at(-1));
    return codeIn(page).filter((code) => !made.includes(code)).filter((code) => {
      const [, task] = /^deno task ([\w:]+)/.exec(code) ?? [];
      if (task !== undefined) return !TASKS.has(task);
      const isPath = /^(?:lib|tests|docs|deploy|bench|types|\.ci)\/[\w./-]*[\w/]$/.test(code);
      return isPath && !/^docs\/\.|\boutput\b/.test(code) && !exists(code);
    }).map((code) => `${page}: ${code}`);
  });
  assertEquals(wrong, []);
});
