import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { COMMANDS } from "../../lib/cli/args/commands.ts";
import { manPage } from "../../release/man_page.ts";
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

const HEAD = `.SH NAME
authenticator - pairs authenticator apps and checks their pins
.SH SYNOPSIS
authenticator serve [options]
.br
authenticator pair [options]
`;

const { summary, details, options } = COMMANDS.get("code")!;

const OF_CODE = `.SS "code"
${summary}.
${details.replaceAll(". ", ".\n")}
.TP
--secret-file FILE
${options.secretFile!.description}.
.TP
--at TIME
${options.at!.description}.
${options.at!.expected.replace("a", "A")}.
.PP
Options of the service that matter here: --algorithm, --digits, --period, --secret-encoding.
.PP
.EX
authenticator code < secret.txt
.EE
.SS "seal"
`;

const MIDDLE = `.SH DESCRIPTION
Pairs authenticator apps and checks their pins, over SOAP 1.1, SOAP 1.2, HTTP GET, HTTP POST and JSON.
Without a command it serves.
.SH COMMANDS
.SS "serve"
`;

const OPTIONS_HEAD = `.SH OPTIONS
These are the options of the service.
Each can be set in the environment and in a file too; a flag wins over both.
One without a value is switched on with true: AUTHENTICATOR_METRICS=true.
.TP
--config FILE
`;

const TAIL = `.SH EXIT STATUS
.TP
.B 0
Success.
.TP
.B 1
Failure.
.TP
.B 2
Wrong usage or settings.
`;

Deno.test("manPage() has its sections, and each command's options in that of the command", () => {
  for (const part of [HEAD, MIDDLE, OF_CODE, OPTIONS_HEAD]) assert(TEXT.includes(part), part);
  assertEquals(TEXT.slice(-TAIL.length), TAIL);
  // A command that takes all options, or none, names none of them.
  const sections = TEXT.split('.SS "').slice(1);
  const silent = sections.filter((section) => !section.includes("Options of the service that"));
  assertEquals(silent.map((section) => section.split('"')[0]), [
    ...["serve", "keygen", "check", "licenses", "help", "version"],
  ]);
  // Backslashes are characters, and a switch has no value.
  assert(PAGE.includes("printf '%s\\en' 123456"));
  assert(PAGE.includes("\n\\fB\\-\\-metrics\\fR\n"));
  assert(PAGE.includes("\n\\fB\\-\\-at\\fR \\fITIME\\fR\n"));
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
