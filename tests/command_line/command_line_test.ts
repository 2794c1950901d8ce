import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import { type Command, parseCommand, usage } from "../../lib/command_line/command_line.ts";
import { UsageError } from "../../lib/config.ts";
import { runCommand } from "../cli/command.ts";

function parse(args: readonly string[], env: Readonly<Record<string, string>> = {}): Command {
  return parseCommand(args, (name) => env[name]);
}

Deno.test("parseCommand() says to check where each value is from", () => {
  const env = { AUTHENTICATOR_PORT: "1", AUTHENTICATOR_TRUST_PROXY: "true" };
  const command = parse(["check", "--port", "2"], env);
  assert(command.kind === "check");
  assertEquals(
    ["port", "trustProxy", "host"].map((name) => command.sources.get(name)),
    ["flag", "environment", "default"],
  );
});

Deno.test("parseCommand() takes a value that begins with hyphens behind an equals sign", () => {
  const command = parse(["pair", "--app-name=--x", "--app-info=-"]);
  assert(command.kind === "pair");
  assertEquals([command.options.appName, command.options.appInfo], ["--x", "-"]);
});

Deno.test("usage() has an example of every command", () => {
  const examples = usage().slice(usage().indexOf("Examples:"));
  for (const name of ["pair", "doctor", "healthcheck", "check"]) {
    assert(examples.includes(`authenticator ${name}`), name);
  }
});

const COMMANDS = `Usage: authenticator [command] [options]

Commands:
  serve                    Serve until told to stop; the default command
  pair                     Show a QR code for a secret from standard input
    --app-name TEXT        The application, as the app shows it
    --app-info TEXT        The account, as the app shows it
    --secret-file FILE     Where the secret is, instead of standard input
    --new-secret           Make a random secret of 160 bits and print it
    --svg FILE             Write the QR code as SVG too
    --png FILE             Write the QR code as PNG too
  doctor                   Say why a pin fails; pin and secret on two lines of standard input
    --at TIME              When the pin was typed, as 2026-01-31T12:00:00Z or seconds since 1970
  healthcheck              Ask the running server whether it is well
  check                    Show the options in effect and what is risky in them

Options (defaults in brackets):
  --host ADDRESS           Address to listen on; 0.0.0.0 or :: for all (127.0.0.1)
`;

const LAST_LINES = `
  -h, --help               Show this text
  -V, --version            Show version, commit, runtime and target

The options of the second list can be set in the environment too: --base-url as
AUTHENTICATOR_BASE_URL. A flag wins over its variable.

Examples:
  authenticator --port 9000
  authenticator --host 0.0.0.0 --base-url https://pin.example.com --window 2
  authenticator pair --app-name Example --app-info jane --new-secret
  printf '%s\\n' 123456 'the secret' | authenticator doctor --at 2026-01-31T12:00:00Z
  authenticator healthcheck --port 9000
  authenticator check --host 0.0.0.0

Exit codes: 0 done, or stopped when asked to; 1 could not, or not well; 2 wrong usage.`;

Deno.test("usage() says what each command does, in lines that align", () => {
  const [first, , ...rest] = usage().split("\n");
  assertEquals(
    first,
    "Pairs authenticator apps and checks their pins, over SOAP 1.1, SOAP 1.2, HTTP GET and HTTP POST.",
  );
  assertEquals(rest.join("\n").slice(0, COMMANDS.length), COMMANDS);
  assertEquals(usage().slice(-LAST_LINES.length), LAST_LINES);
});

// A command line, and what is wrong with it.
const WRONG: readonly (readonly [readonly string[], string])[] = [
  [
    ["canary"],
    "there is no such command; the commands are serve, pair, doctor, healthcheck and check",
  ],
  [
    ["--metrics", "canary"],
    "a word stands where an option is expected: the command comes first, and options begin with --",
  ],
  [["--app-name", "x"], "there is no option --app-name here"],
  [["--port"], "--port needs a value: PORT"],
  [["--host", "--port", "1"], "--host needs a value: ADDRESS"],
  [
    ["doctor", "--at", "canary"],
    "--at must be a time as 2026-01-31T12:00:00Z, or seconds since 1970",
  ],
  [
    ["doctor", "--at", "2026-13-31T12:00:00Z"],
    "--at must be a time as 2026-01-31T12:00:00Z, or seconds since 1970",
  ],
];

for (const [args, message] of WRONG) {
  Deno.test(`parseCommand() says of ${args.join(" ")}: ${message}`, () => {
    assertEquals(assertThrows(() => parse(args), UsageError).message, message);
  });
}

Deno.test("parseCommand() takes options of doctor and pair for none when they are empty", () => {
  const doctor = parse(["doctor", "--at="]);
  const pair = parse(["pair", "--app-name=", "--new-secret"]);
  assert(doctor.kind === "doctor" && pair.kind === "pair");
  assertEquals(doctor.options, { at: undefined });
  const none = undefined;
  const options = { appName: none, appInfo: none, secretFile: none, svg: none, png: none };
  assertEquals(pair.options, { ...options, newSecret: true });
});

function refusal(args: readonly string[], variables: readonly string[] = []): string {
  return assertThrows(() => parseCommand(args, () => undefined, variables), UsageError).message;
}

Deno.test("parseCommand() suggests the option or command that was meant", () => {
  assertEquals(refusal(["--prot", "1"]), "there is no option --prot here; did you mean --port?");
  assertEquals(
    refusal(["--api-key-file", "x"]),
    "there is no option --api-key-file here; did you mean --api-keys-file?",
  );
  assertEquals(refusal(["--nothing-like-it"]), "there is no option --nothing-like-it here");
  assertEquals(refusal(["sreve"]), "there is no such command; did you mean serve?");
  assertEquals(
    refusal(["xyzzy"]),
    "there is no such command; the commands are serve, pair, doctor, healthcheck and check",
  );
});

Deno.test("parseCommand() takes no option twice", () => {
  assertEquals(refusal(["--port", "1", "--port", "2"]), "--port stands twice");
  assertEquals(refusal(["--metrics", "--metrics=false"]), "--metrics stands twice");
});

Deno.test("parseCommand() refuses a variable of ours that there is not", () => {
  assertEquals(
    refusal([], ["PATH", "AUTHENTICATOR_API_KEY_FILE"]),
    "AUTHENTICATOR_API_KEY_FILE is set, and there is no such variable; did you mean " +
      "AUTHENTICATOR_API_KEYS_FILE?",
  );
  assertEquals(
    refusal([], ["AUTHENTICATOR_"]),
    "AUTHENTICATOR_ is set, and there is no such variable",
  );
  const ofKubernetes = ["SERVICE_HOST", "SERVICE_PORT_HTTP", "PORT_8080_TCP_ADDR", "X_PORT_1_UDP"];
  parseCommand([], () => undefined, [
    ...ofKubernetes.map((name) => `AUTHENTICATOR_${name}`),
    ...["AUTHENTICATOR_PORT", "AUTHENTICATORS", "authenticator_prot"],
  ]);
});

Deno.test("parseCommand() knows help and version as words too", () => {
  assertEquals(parse(["help"]), { kind: "help" });
  assertEquals(parse(["version"]), { kind: "version" });
});

Deno.test("a mistyped variable keeps the program from starting", async () => {
  const env = { AUTHENTICATOR_API_KEY_FILE: "keys" };
  assertEquals(await runCommand(["serve", "--port", "0"], { env }), {
    code: 2,
    stdout: "",
    stderr: "authenticator: error: AUTHENTICATOR_API_KEY_FILE is set, and there is no such " +
      "variable; did you mean AUTHENTICATOR_API_KEYS_FILE? Try --help.\n",
  });
});
