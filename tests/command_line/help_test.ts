import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { parseCommand } from "../../lib/command_line/command_line.ts";
import { COMMANDS } from "../../lib/command_line/commands.ts";
import { help } from "../../lib/command_line/help.ts";
import { flagOf, namesOf, variableOf } from "../../lib/config/option.ts";
import { OPTIONS } from "../../lib/config/options.ts";

const COMMANDS_AND_FIRST_OPTION = `Usage: authenticator [command] [options]

Commands:
  serve                    Serve until you stop it; the default command
  pair                     Show a QR code for a secret from standard input
  code                     Print the current code of a secret from standard input, as an app would
  doctor                   Say why a pin fails; pin and secret on two lines of standard input
  healthcheck              Ask the running server whether it is healthy
  check                    Show the options in effect and what is risky in them
  guard status             Show the secrets whose pins are refused
  guard unlock             End the wait of a secret from standard input
  guard name               Print the name that a secret has in the log
  completion               Print the completion script for bash, zsh or fish
  man                      Print the manual page
  licenses                 Print the licences of the program and its parts
  help                     Show help, or the help of one command
  version                  Show version, commit, runtime and target

authenticator help COMMAND shows the options of a command, with examples.

Options of serve:
  --host ADDRESS           Address to listen on; 0.0.0.0 or :: for all (127.0.0.1)
`;

const LAST_LINES = `
  -h, --help               Show help
  -V, --version            Show version, commit, runtime and target

You can also set each of them in the environment: --base-url as AUTHENTICATOR_BASE_URL.
A flag wins over its variable. Defaults are in parentheses.

Exit codes: 0 success; 1 failure; 2 wrong usage or settings.`;

Deno.test("help() says what each command does, in lines that align", () => {
  const text = help(undefined);
  const [first, , ...rest] = text.split("\n");
  assertEquals(
    first,
    "Pairs authenticator apps and checks their pins, over SOAP 1.1, SOAP 1.2, HTTP GET and HTTP POST.",
  );
  assertEquals(
    rest.join("\n").slice(0, COMMANDS_AND_FIRST_OPTION.length),
    COMMANDS_AND_FIRST_OPTION,
  );
  assertEquals(text.slice(-LAST_LINES.length), LAST_LINES);
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

const OF_CODE = `Print the current code of a secret from standard input, as an app would.

Usage: authenticator code [options]

Prints the code, and on standard error how many seconds remain until the next one. Use it in tests,
or when you have no phone.

Options:
  --secret-file FILE       File with the secret, instead of standard input
  --at TIME                When the code is shown, if not now
                           A time as 2026-01-31T12:00:00Z, or seconds since 1970

Options of the service:
  --algorithm NAME         Hash of the codes: SHA1, SHA256 or SHA512; many apps know only SHA1
                           SHA1, SHA256 or SHA512; SHA1 unless given; AUTHENTICATOR_ALGORITHM
  --digits N               Digits in a code, 6 to 8; many apps know only 6
                           A whole number from 6 to 8; 6 unless given; AUTHENTICATOR_DIGITS
  --period SECONDS         Length of a time step; many apps know only 30
                           A whole number from 1 to 3600; 30 unless given; AUTHENTICATOR_PERIOD
  --secret-encoding NAME   What a secretCode is: text, whose UTF-8 bytes are the key, or base32
                           text or base32; text unless given; AUTHENTICATOR_SECRET_ENCODING

Examples:
  authenticator code < secret.txt

Exit codes: 0 success; 1 failure; 2 wrong usage or settings.`;

Deno.test("help() of a command has its options with their ranges, and examples", () => {
  assertEquals(help("code"), OF_CODE);
  assert(help("completion").includes("\nUsage: authenticator completion SHELL\n"));
  assert(help("help").includes("\nUsage: authenticator help [COMMAND]\n"));
  assert(help("serve").includes("                           AUTHENTICATOR_METRICS\n"));
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
  ...["--guard", "--guard-key-file", "--guard-tls-ca", "--guard-tls-cert", "--guard-tls-key"],
];
const OF_SECRETS = [...STORE, "--algorithm", "--secret-encoding", "--admin-socket"];
const USES: ReadonlyMap<string, readonly string[]> = new Map([
  ["pair", CODE],
  ["code", CODE],
  ["doctor", [...CODE, ...STORE, "--window", "--max-failures", "--single-use"]],
  ["guard status", [...STORE, "--max-failures", "--window", "--period", "--admin-socket"]],
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
  for (const name of ["completion", "man", "licenses", "help", "version"]) {
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
