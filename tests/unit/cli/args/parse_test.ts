import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import { type Command, parseCommand } from "../../../../lib/cli/args/parse.ts";
import { COMMANDS } from "../../../../lib/cli/args/commands.ts";
import { namesOf, UsageError, variableOf } from "../../../../lib/config/option.ts";
import { OPTIONS } from "../../../../lib/config/options.ts";

function parse(args: readonly string[], env: Readonly<Record<string, string>> = {}): Command {
  return parseCommand(args, (name) => env[name]);
}

Deno.test("parseCommand() returns the origin of each value for check", () => {
  const env = { AUTHENTICATOR_PORT: "1", AUTHENTICATOR_TRUST_PROXY: "true" };
  const command = parse(["check", "--port", "2"], env);
  assert(command.kind === "check");
  assertEquals(
    ["port", "trustProxy", "host"].map((name) => command.sources.get(name)),
    ["flag", "environment", "default"],
  );
});

Deno.test("parseCommand() skips a leading --, and no other", () => {
  assertEquals(parse(["--", "--help"]), parse(["--help"]));
  assertEquals(parse(["--", "pair", "--new-secret"]), parse(["pair", "--new-secret"]));
  const serve = parse(["--", "--port", "9000"]);
  assert(serve.kind === "serve");
  assertEquals(serve.config.port, 9000);
  for (const args of [["--", "--", "--help"], ["--metrics", "--", "--help"]]) {
    assertThrows(() => parse(args), UsageError, "unexpected word");
  }
});

Deno.test("parseCommand() accepts a value that begins with hyphens after an equals sign", () => {
  const command = parse(["pair", "--app-name=--x", "--app-info=-"]);
  assert(command.kind === "pair");
  assertEquals([command.options.appName, command.options.appInfo], ["--x", "-"]);
});

const NO_SUCH_COMMAND =
  "unknown command; the commands are serve, pair, code, seal, unseal, keygen, doctor, " +
  "compare, healthcheck, check, status, guard unlock, guard name, licenses, help and version";

// A command line, and what is wrong with it.
const WRONG: readonly (readonly [readonly string[], string])[] = [
  [
    ["canary"],
    NO_SUCH_COMMAND,
  ],
  [
    ["serve", "canary"],
    "unexpected word: the command comes first, and options begin with --",
  ],
  [
    ["--metrics", "canary"],
    "unexpected word after --metrics: write --metrics, --metrics=true or --metrics=false",
  ],
  [
    ["pair", "--app-name", "Example", "canary"],
    "unexpected word after the value of --app-name: put quotes around a value with spaces; a " +
    "command comes first",
  ],
  [["--app-name", "x"], "unknown option --app-name"],
  [["help", "canary"], NO_SUCH_COMMAND],
  [
    ["compare", "http://canary", "canary"],
    "unexpected word: give URL, and quotes around a value with spaces",
  ],
  [
    ["keygen", "seal", "file", "name", "canary"],
    "unexpected word: give KIND FILE [NAME], and quotes around a value with spaces",
  ],
  ...[["keygen"], ["keygen", "canary", "file"]].map((args) =>
    [args, "keygen needs a KIND: seal, api or guard"] as const
  ),
  [["keygen", "seal"], "keygen seal needs a FILE"],
  [["keygen", "api", "file"], "keygen api needs a NAME"],
  [["keygen", "guard", "file", "name"], "keygen guard takes no NAME"],
  [["keygen", "seal", "file", "--port", "1"], "unknown option --port"],
  [["-v"], "unknown option -v; did you mean -V?"],
  [["-H"], "unknown option -H; did you mean -h?"],
  [["pair", "-p", "1"], "unknown option -p"],
  [["--verison"], "unknown option --verison; did you mean --version?"],
  [["--hlep"], "unknown option --hlep; did you mean --help?"],
  [["help", "piar"], "unknown command; did you mean pair?"],
  [["help", "--port", "1"], "unknown option --port"],
  [["--port"], "--port needs a value: PORT"],
  [["--host", "--port", "1"], "--host needs a value: ADDRESS"],
  [
    ["doctor", "--at", "canary"],
    "--at must be a time as 2026-01-31T12:00:00Z, or seconds since 1970",
  ],
  ...["2026-01-31T12:00:00", "2026-01-31 12:00", "2026-01-31"].map((time) =>
    [
      ["doctor", "--at", time],
      "--at must be a time with its zone: 2026-01-31T12:00:00Z for UTC, or +01:00 in place of Z",
    ] as const
  ),
  [
    ["code", "--at", "+002026-01-31T12:00:00Z"],
    "--at must be a time as 2026-01-31T12:00:00Z, or seconds since 1970",
  ],
  [
    ["code", "--at", "1".repeat(12)],
    "--at must be a time as 2026-01-31T12:00:00Z, or seconds since 1970",
  ],
  [
    ["doctor", "--at", "2026-13-31T12:00:00Z"],
    "--at must be a time as 2026-01-31T12:00:00Z, or seconds since 1970",
  ],
  [
    ["doctor", "--at", "2026-02-30T12:00:00Z"],
    "--at must be a time as 2026-01-31T12:00:00Z, or seconds since 1970",
  ],
  [
    ["code", "--at", "1969-12-31T23:59:59Z"],
    "--at must be a time as 2026-01-31T12:00:00Z, or seconds since 1970",
  ],
];

for (const [args, message] of WRONG) {
  Deno.test(`parseCommand() refuses ${args.join(" ")}: ${message}`, () => {
    assertEquals(assertThrows(() => parse(args), UsageError).message, message);
  });
}

Deno.test("parseCommand() has no values for options of doctor and pair that are not given", () => {
  const doctor = parse(["doctor"]);
  const pair = parse(["pair", "--new-secret"]);
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
  assertEquals(
    refusal(["--api-key-file", "x"]),
    "unknown option --api-key-file; did you mean --api-keys-file?",
  );
  assertEquals(refusal(["--nothing-like-it"]), "unknown option --nothing-like-it");
  assertEquals(refusal(["sreve"]), "unknown command; did you mean serve?");
});

Deno.test("parseCommand() requires the second word of a command that has two", () => {
  const all = "unknown command; the commands are guard unlock and guard name";
  assertEquals(refusal(["guard", "canary"]), all);
  const needs = "guard needs unlock or name";
  assertEquals([refusal(["guard"]), refusal(["guard", "--port", "1"])], [needs, needs]);
  assertEquals(
    refusal(["guard", "unlok"]),
    "unknown command; did you mean guard unlock?",
  );
});

Deno.test("parseCommand() refuses an option that is given twice", () => {
  assertEquals(refusal(["--port", "1", "--port", "2"]), "--port is given twice");
  assertEquals(refusal(["--metrics", "--metrics=false"]), "--metrics is given twice");
});

Deno.test("parseCommand() refuses a variable of ours that there is not", () => {
  assertEquals(
    refusal([], ["PATH", "AUTHENTICATOR_API_KEY_FILE"]),
    "AUTHENTICATOR_API_KEY_FILE is set, but there is no such variable; did you mean " +
      "AUTHENTICATOR_API_KEYS_FILE?",
  );
  assertEquals(
    refusal([], ["AUTHENTICATOR_NOPE"]),
    "AUTHENTICATOR_NOPE is set, but there is no such variable",
  );
  assertEquals(
    refusal([], ["AUTHENTICATOR_"]),
    "AUTHENTICATOR_ is set, but there is no such variable",
  );
  parseCommand([], () => undefined, namesOf(OPTIONS).map(variableOf));
});

Deno.test("parseCommand() refuses a variable that is one edit, its case or its signs from one of ours", () => {
  const near = [
    ["AUTHENTICATR_API_KEYS_FILE", "AUTHENTICATOR_API_KEYS_FILE"],
    ["UTHENTICATOR_PORT", "AUTHENTICATOR_PORT"],
    ["AUTHENTICATOR2_PORT", "AUTHENTICATOR_PORT"],
    ["authenticator_single_use", "AUTHENTICATOR_SINGLE_USE"],
    ["Authenticator_Config", "AUTHENTICATOR_CONFIG"],
    ["authenticator_prot", "AUTHENTICATOR_PORT"],
    ["AUTHENTICATOR-SINGLE-USE", "AUTHENTICATOR_SINGLE_USE"],
    [" AUTHENTICATOR_WINDOW", "AUTHENTICATOR_WINDOW"],
    ["AUTHENTICATORWINDOW", "AUTHENTICATOR_WINDOW"],
  ] as const;
  for (const [name, meant] of near) {
    const shown = /^[!-~]+$/.test(name) ? name : `"${name}"`;
    assertEquals(
      refusal([], [name]),
      `${shown} is set, but there is no such variable; did you mean ${meant}?`,
    );
  }
  const ofOthers = [
    ...["AUTHENTICATORS", "AUTHENTICATOR", "AUTHENTICATOR2_SERVICE_HOST", "AuthenticatorApi__Key"],
    ...["AUTHENTICATOR2_PORT_80_TCP", "MY_AUTHENTICATOR_PORT", "PORT", "HOST"],
  ];
  parseCommand([], () => undefined, ofOthers);
  // Kubernetes, for a Service named authenticator2.
  const link = (name: string): string | undefined =>
    name === "AUTHENTICATOR2_PORT" ? "tcp://10.0.0.1:80" : undefined;
  parseCommand([], link, ["AUTHENTICATOR2_PORT"]);
});

Deno.test("parseCommand() ignores exactly the variables that Kubernetes sets for a service of this name", () => {
  const ours = (name: string): string => `AUTHENTICATOR_${name}`;
  const ofKubernetes = ["SERVICE_HOST", "SERVICE_PORT", "SERVICE_PORT_HTTP", "PORT_8080_TCP_ADDR"];
  const others = ["PORT_1_TCP", "X_PORT_1_UDP", "PIN_PORT_5_SCTP_PROTO", "PIN_SERVICE_HOST"];
  parseCommand([], () => undefined, [...ofKubernetes, ...others].map(ours));
  const mistaken = ["SERVICE_HOSTS", "SERVICE", "PORT_TCP", "PORT_X_TCP", "PORT_1_TCPS"];
  for (const name of [...mistaken, "PORT_1", "MYSERVICE_PORT", "A-AUTHENTICATOR_SERVICE_HOST"]) {
    assertEquals(
      refusal([], [ours(name)]).startsWith(`${ours(name)} is set, but there is no`),
      true,
      name,
    );
  }
});

Deno.test("parseCommand() ignores the address of a service of Kubernetes in any variable that ends in _PORT", () => {
  const names = ["AUTHENTICATOR_PORT", "AUTHENTICATOR_METRICS_PORT", "AUTHENTICATOR_WEB_PORT"];
  for (const scheme of ["tcp", "udp", "sctp"]) {
    const env = (name: string): string | undefined =>
      names.includes(name) ? `${scheme}://10.0.0.1:80` : undefined;
    const command = parseCommand([], env, names);
    assert(command.kind === "serve");
    assertEquals([command.config.port, command.config.metricsPort], [8080, undefined]);
    assertEquals(command.sources.get("port"), "default");
  }
  for (const value of ["http://10.0.0.1:80", "tcp:80", "8080", ""]) {
    const env = (name: string): string | undefined => name === names[2] ? value : undefined;
    assertThrows(() => parseCommand([], env, names), UsageError, names[2]);
  }
  const env = (name: string): string | undefined =>
    name === "AUTHENTICATOR_PORT" ? "http://10.0.0.1:80" : undefined;
  assertThrows(() => parseCommand([], env, names.slice(0, 1)), UsageError, "AUTHENTICATOR_PORT");
});

Deno.test("parseCommand() accepts help and version as words too", () => {
  assertEquals(parse(["help"]), { kind: "help", about: undefined });
  assertEquals(parse(["help", "pair"]), { kind: "help", about: "pair" });
  assertEquals(parse(["help", "help"]), { kind: "help", about: "help" });
  for (const args of [["help", "guard"], ["guard", "--help"], ["guard", "-h"]]) {
    assertEquals(parse(args), { kind: "help", about: "guard" });
  }
  for (const args of [["version"], ["--version"], ["-V"], ["pair", "--version"]]) {
    assertEquals(parse(args), { kind: "version" });
  }
});

Deno.test("parseCommand() accepts --help after every command, even beside errors", () => {
  for (const name of COMMANDS.keys()) {
    assertEquals(parse([...name.split(" "), "--help"]), { kind: "help", about: name });
    assertEquals(parse([...name.split(" "), "canary", "-h"]), { kind: "help", about: name });
  }
  for (const flag of ["--help", "-h"]) {
    assertEquals(parse([flag]), { kind: "help", about: undefined });
  }
});

Deno.test("parseCommand() reads no variable for a command without options of the service", () => {
  for (const args of [["help"], ["version"], ["licenses"]]) {
    parseCommand(args, () => "canary", ["AUTHENTICATOR_CANARY"]);
  }
});

Deno.test("parseCommand() reads the options of code", () => {
  const command = parse(["code", "--at", "59", "--secret-file", "x", "--digits", "8"]);
  assert(command.kind === "code");
  assertEquals(command.options, { at: 59_000, secretFile: "x" });
  assertEquals(command.config.digits, 8);
});
