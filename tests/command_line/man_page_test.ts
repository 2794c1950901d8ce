import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { COMMANDS } from "../../lib/command_line/commands.ts";
import { manPage } from "../../lib/command_line/man_page.ts";
import { flagOf, namesOf, variableOf } from "../../lib/config/option.ts";
import { OPTIONS } from "../../lib/config/options.ts";

const PAGE = manPage("1.2.3");

/** The page without its macros and escapes. */
const TEXT = PAGE.replaceAll("\\-", "-").replaceAll("\\&", "").replaceAll("\\e", "\\")
  .replace(/\\f[BIR]/g, "");

Deno.test("manPage() has every command, and every option with its variable", () => {
  for (const name of COMMANDS.keys()) assert(TEXT.includes(`.SS "${name}"\n`), name);
  for (const name of namesOf(OPTIONS)) {
    const { placeholder } = OPTIONS[name];
    assert(TEXT.includes(`\n${flagOf(name)}${placeholder ? ` ${placeholder}` : ""}\n`), name);
    assert(TEXT.includes(variableOf(name)), name);
  }
  for (const { options } of COMMANDS.values()) {
    for (const name of namesOf(options)) assert(TEXT.includes(`\n${flagOf(name)}`), name);
  }
});

Deno.test("manPage() names program, section and version", () => {
  assertEquals(PAGE.split("\n")[0], '.TH AUTHENTICATOR 1 "" "authenticator 1.2.3"');
});

Deno.test("manPage() has no line that begins a macro by mistake, and no bare hyphen", () => {
  const macros = ["TH", "SH", "SS", "TP", "PP", "EX", "EE", "B", "br"];
  for (const line of PAGE.split("\n")) {
    const [, macro] = /^[.']([^ ]*)/.exec(line) ?? [];
    assert(macro === undefined || macros.includes(macro), line);
    assert(!/(?<!\\)-/.test(line), line);
  }
});
