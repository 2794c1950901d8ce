// The form of the blocks that people paste; tests/integration/deploy/blocks_test.ts runs those of a shell.

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { PAGES, read } from "../../support/pages.ts";
import { blocksOfComments, blocksOfPages, titleOf } from "../../support/shell_blocks.ts";

/** The statements of PowerShell on lines of their own. */
function statementsIn(text: string): readonly string[] {
  return text.replaceAll(/`\n\s*/g, " ").trimEnd().split("\n");
}

/** A program of its own, whose failure PowerShell only leaves in $LASTEXITCODE. */
const NATIVE = /^\s*(?:&\s+["'$]|\.\\|(?:bcp|cmd|curl\.exe|icacls|powershell|sqlcmd|wacs)\b)/;

/** What is wrong with a block of PowerShell, which no test runs on Windows. */
function complaintsOf(text: string): readonly string[] {
  const lines = statementsIn(text);
  if (lines.length < 2) return [];
  const [first, second] = lines;
  // Line by line, as a console reads it, an error would not end the block.
  const isWhole = first === "& {" && lines.at(-1) === "}" &&
    second === "  $ErrorActionPreference = 'Stop'";
  return [
    ...isWhole ? [] : ["it is no `& { … }` with $ErrorActionPreference = 'Stop'"],
    ...lines.slice(1).flatMap((line, i) =>
      NATIVE.test(line) && !lines[i + 2]?.includes("if ($LASTEXITCODE")
        ? [`unchecked: ${line}`]
        : []
    ),
  ];
}

Deno.test("a block of PowerShell ends at its first error", () => {
  const blocks = blocksOfPages("powershell");
  assert(blocks.length > 10);
  const wrong = blocks.flatMap((block) =>
    complaintsOf(block.text).map((complaint) => `${titleOf(block)}: ${complaint}`)
  );
  assertEquals(wrong, []);
});

Deno.test("complaintsOf() sees an error that a block of PowerShell would pass over", () => {
  const block = (lines: string): string => `& {\n  $ErrorActionPreference = 'Stop'\n${lines}}\n`;
  assertEquals(complaintsOf(block("  icacls a\n  if ($LASTEXITCODE) { throw 'a' }\n")), []);
  assertEquals(complaintsOf(block("  icacls a\n  Copy-Item a b\n")).length, 1);
  assertEquals(complaintsOf("Copy-Item a b\nCopy-Item b c\n").length, 1);
});

/** A command that does not end by itself. */
const SERVER =
  /^(?:\w+=\S* )*(?:(?:\S*[/\\])?authenticator(?:-windows\S*)?(?: serve)?(?: --.*)?|redis-server .*|.*deno\S* task start\b.*|bun .*\.js)$/;

Deno.test("a server is the last command of its block, and the page states that it keeps running", () => {
  const blocks = [...blocksOfPages("sh"), ...blocksOfPages("powershell"), ...blocksOfComments()];
  const servers = blocks.filter(({ text }) =>
    text.trimEnd().split(/\n|&&/).some((line) => SERVER.test(line.trimEnd()))
  );
  assert(servers.length > 5);
  const wrong = servers.filter(({ source, text }) => {
    const lines = text.replaceAll(/\\\n\s*/g, " ").trimEnd().split(/\n|&&/);
    const isLast = lines.findIndex((line) => SERVER.test(line.trimEnd())) === lines.length - 1;
    const [around = ""] = PAGES.includes(source)
      ? read(source).split(text)[0]!.split("\n\n").slice(-2)
      : [read(source)];
    const behind = read(source).split(text)[1]?.split("\n\n")[1] ?? "";
    return !isLast || !/Ctrl-C|until you/.test(around + behind);
  });
  assertEquals(wrong.map(titleOf), []);
});
