import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { parseCommand } from "../../../../lib/cli/args/parse.ts";
import { COMMANDS } from "../../../../lib/cli/args/commands.ts";
import { help } from "../../../../lib/cli/args/help.ts";
import { namesOf } from "../../../../lib/config/option.ts";
import { helpTexts } from "./help_texts.ts";

Deno.test("help() is the text of help.txt, for all commands and for one of each kind", () => {
  const written = Deno.readTextFileSync(new URL("help.txt", import.meta.url));
  assertEquals(helpTexts(), written, "run `deno task generate`");
});

// A clause, and whole sentences, in which nothing is missing.
const CLAUSE = /^[A-Z](?:\S| (?! ))+[a-z0-9)]$/;
const SENTENCES = /^(?:(?:[A-Z/]|--)(?:[^. ]|\.(?! )| (?! ))+\.(?: (?=\S)|$))+$/;

Deno.test("help() describes each command and option in whole sentences", () => {
  for (const [name, { summary, details, options, operands, examples }] of COMMANDS) {
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
    for (const operand of operands ?? []) assert(/^(?:[A-Z]+|\[[A-Z]+\])$/.test(operand));
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
    assertEquals(lines, [], `help of ${name ?? "the program"}`);
  }
});

// The window in which Windows opens a terminal has 30 lines, that of most others 24.
const SCREEN_LINES = 30;

Deno.test("the help of all commands is on one screen", () => {
  const lines = help(undefined).split("\n").length;
  assert(
    lines <= SCREEN_LINES,
    `${lines} of ${SCREEN_LINES} lines: give commands of one kind a first word, as guard has`,
  );
});
