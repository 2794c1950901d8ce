import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { parseCommand } from "../../../lib/cli/args/parse.ts";
import { COMMANDS } from "../../../lib/cli/args/commands.ts";
import { help } from "../../../lib/cli/args/help.ts";
import { flagOf, namesOf, variableOf } from "../../../lib/config/option.ts";
import { OPTIONS } from "../../../lib/config/options.ts";
import { helpTexts } from "./help_texts.ts";

Deno.test("help() is what stands in help.txt, for all commands and for each", () => {
  assertEquals(helpTexts(), Deno.readTextFileSync(new URL("help.txt", import.meta.url)));
});

Deno.test("help() has a line for each option of serve, with its default in parentheses", () => {
  const lines = help(undefined).split("\n");
  for (const name of namesOf(OPTIONS)) {
    const { placeholder, defaultText, description } = OPTIONS[name];
    const left = placeholder === undefined ? flagOf(name) : `${flagOf(name)} ${placeholder}`;
    const shown = placeholder === undefined || defaultText === "" ? "" : ` (${defaultText})`;
    const line = `  ${left.padEnd(24)} ${description}${shown}`;
    assert(lines.includes(line), line);
  }
});

Deno.test("help() of a command has the options that change what it does, and no other", () => {
  for (const [name, { options, uses }] of COMMANDS) {
    const flags = new Set(
      [...help(name).matchAll(/^ {2}(--[a-z0-9-]+)/gm)].map(([, flag]) => flag!),
    );
    assertEquals(flags, new Set([...namesOf(options), ...uses].map(flagOf)), name);
    for (const option of uses) assert(help(name).includes(variableOf(option)), name);
  }
  assertEquals(COMMANDS.get("serve")!.uses, namesOf(OPTIONS));
});

// What each command takes besides its own options; serve and check take all.
const CODE = ["--algorithm", "--digits", "--period", "--secret-encoding"];
const STORE = [
  ...[
    "--guard",
    "--guard-key-file",
    "--guard-password-file",
    "--guard-tls-ca",
    "--guard-tls-cert",
    "--guard-tls-key",
  ],
];
const OPERATOR = ["--metrics-port", "--metrics-host", "--api-keys-file"];
const OF_SECRETS = [...STORE, "--algorithm", "--secret-encoding", ...OPERATOR];
const USES: ReadonlyMap<string, readonly string[]> = new Map([
  ["pair", CODE],
  ["code", CODE],
  ["doctor", [...CODE, ...STORE, "--window", "--max-failures", "--single-use", ...OPERATOR]],
  ["guard status", [...STORE, "--max-failures", "--window", "--period", ...OPERATOR]],
  ["guard unlock", OF_SECRETS],
  ["guard name", OF_SECRETS],
]);

Deno.test("help() of a command shows the options of the service that matter there", () => {
  for (const [name, flags] of USES) {
    const { uses } = COMMANDS.get(name)!;
    assertEquals(uses.map(flagOf).toSorted(), flags.toSorted(), name);
  }
  const address = ["--host", "--port", "--socket", "--tls-cert", "--tls-key"];
  for (const flag of address) {
    assert(COMMANDS.get("healthcheck")!.uses.map(flagOf).includes(flag), flag);
  }
  assertEquals(COMMANDS.get("check")!.uses, namesOf(OPTIONS));
  for (const name of ["man", "licenses", "help", "version"]) {
    assertEquals([COMMANDS.get(name)!.uses, COMMANDS.get(name)!.options], [[], {}], name);
  }
});

// A clause, and whole sentences, in which nothing is missing.
const CLAUSE = /^[A-Z](?:\S| (?! ))+[a-z0-9)]$/;
const SENTENCES = /^(?:(?:[A-Z/]|--)(?:[^. ]|\.(?! )| (?! ))+\.(?: (?=\S)|$))+$/;

Deno.test("help() says of each command and option what it does, in whole sentences", () => {
  for (const [name, { summary, details, options, operand, examples }] of COMMANDS) {
    assert(CLAUSE.test(summary), `${name}: ${summary}`);
    assert(SENTENCES.test(details), `${name}: ${details}`);
    for (const option of namesOf(options)) {
      const { description, placeholder, expected, defaultText } = options[option]!;
      assert(CLAUSE.test(description), `${name}: ${description}`);
      if (placeholder === undefined) continue;
      assert(/^[A-Z]+$/.test(placeholder), `${name}: ${placeholder}`);
      assert(/^a \S/.test(expected), `${name}: ${expected}`);
      assertEquals(defaultText, "", name);
    }
    if (operand !== undefined) assert(/^[A-Z]+$/.test(operand.placeholder));
    for (const example of examples) assert(help(name).includes(`\n  ${example}\n`), example);
  }
});

Deno.test("every example in the help is a command line that can be read", () => {
  for (const [name, { examples }] of COMMANDS) {
    assert(examples.length > 0, name);
    for (const example of examples) {
      const [, line = ""] = /\bauthenticator ([^<>|)]*)/.exec(example)!;
      const words = line.trim().split(" ");
      const { kind } = parseCommand(words, () => undefined);
      assertEquals(kind, name, example);
    }
  }
});

Deno.test("no line of the help is wider than 110 columns", () => {
  for (const name of [undefined, ...COMMANDS.keys()]) {
    const lines = help(name).split("\n").filter((line) => line.length > 110);
    assertEquals(lines, []);
  }
});
