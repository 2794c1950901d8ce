import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { optionRisks, variableRisks } from "../../../../lib/cli/check/risks.ts";
import { parseCommand } from "../../../../lib/cli/args/parse.ts";
import { configOf } from "../../../support/command.ts";

const PLAIN = "pins and secrets cross";
const OPEN = "everybody who can reach";
const TLS = ["--tls-cert", "c.pem", "--tls-key", "k.pem"];
const KEYS = ["--api-keys-file", "keys"];

// Options, and how the sentences begin that warn of them.
const OPTIONS: readonly (readonly [string, ...string[]])[] = [
  [""],
  ["--host ::1"],
  ["--host localhost"],
  ["--host 127.8.9.1"],
  ["--host 127.10.200.255"],
  ["--host 0.0.0.0", PLAIN, OPEN],
  ["--host ::", PLAIN, OPEN],
  ["--host 192.0.2.7", PLAIN, OPEN],
  ["--host 127.example.com", PLAIN, OPEN],
  ["--host 127.0.0.1.example.com", PLAIN, OPEN],
  ["--host localhost.example.com", PLAIN, OPEN],
  ["--host not-localhost", PLAIN, OPEN],
  [`--host 0.0.0.0 ${KEYS.join(" ")}`, PLAIN],
  [`--host 0.0.0.0 ${TLS.join(" ")}`, OPEN],
  ["--host 0.0.0.0 --trust-proxy", OPEN],
  [`--host 0.0.0.0 ${TLS.join(" ")} ${KEYS.join(" ")}`],
  ["--metrics-port 9101"],
  ["--metrics-host 0.0.0.0", "--metrics-host has no effect without --metrics-port."],
  ["--metrics-host 127.0.0.1 --metrics-port 9101"],
  ["--metrics-port 9101 --metrics-host 0.0.0.0", "--metrics-port requires no API key"],
  ["--socket /run/pin.sock --socket-mode 0666", "--socket-mode lets everybody"],
  ["--socket /run/pin.sock --socket-mode 0664"],
  ["--max-failures 3"],
  ["--max-failures 4 --api-keys-file keys"],
  [
    "--max-failures 3 --api-keys-file keys",
    "--max-failures is below 4, and a caller with an API key has half of them for a secret: one or " +
    "two wrong pins make it wait.",
  ],
  [
    "--guard-key-file guard.key",
    "--guard-key-file without --guard: it keeps the names of secrets in the log, and wrong pins are " +
    "remembered by this process alone.",
  ],
  ["--socket-mode 0666", "--socket-mode has no effect without --socket."],
  ["--socket /run/pin.sock --port 8080", "--port has no effect with --socket."],
  ["--socket /run/pin.sock --host 0.0.0.0"],
  ["--socket /run/pin.sock --share-port", "--share-port has no effect with --socket."],
  ["--port 8080"],
  ["--window 2"],
  ["--window 3", "--window is more than 2"],
  ["--share-port", "--share-port without --guard"],
  ["--share-port --max-failures 0", "--max-failures 0:"],
  ["--seal-keys-file keys"],
  [
    "--seal-keys-file keys --max-failures 0",
    "--max-failures 0:",
    "--seal-keys-file with --max-failures 0: a copy of sealed secrets and a way to the port",
  ],
  [
    "--share-port --max-failures 0 --single-use",
    "--max-failures 0:",
    "--share-port without --guard",
  ],
  ["--share-port --max-failures 0 --metrics", "--max-failures 0:", "--metrics with --share-port"],
  ["--share-port --max-failures 0 --metrics --metrics-port 1", "--max-failures 0:"],
  ["--socket /run/pin.sock --share-port --metrics", "--share-port has no effect with --socket."],
  ["--share-port --guard redis://127.0.0.1 --guard-key-file key"],
  ["--max-failures 0", "--max-failures 0:"],
  ["--guard redis://127.0.0.1 --guard-key-file key"],
  ["--guard redis://127.0.0.1", "--guard without --guard-key-file"],
  ["--guard rediss://cache.example.com --guard-key-file key"],
  ["--guard redis://cache.example.com --guard-key-file key", "--guard crosses the network"],
  ["--guard redis://n@cache.example.com --guard-key-file key", "--guard crosses the network"],
  [
    "--guard redis+sentinel://127.0.0.1,cache.example.com/pin --guard-key-file key",
    "--guard crosses the network",
  ],
  [
    "--guard redis://u:p@cache.example.com --guard-key-file key",
    "--guard sends its password",
    "--guard has a password",
  ],
  ["--guard rediss://:p@cache.example.com --guard-key-file key", "--guard has a password"],
  ["--guard redis://:p@127.0.0.1 --guard-key-file key", "--guard has a password"],
  ["--html image", "--html image without --base-url", "--html image puts the secret"],
  ["--html image --trust-proxy", "--html image puts the secret"],
  ["--html image --base-url https://pin.example.com", "--html image puts the secret"],
  ["--base-url http://pin.example.com", "--base-url sends callers"],
  ["--base-url https://pin.example.com"],
  ["--base-url https://pin.example.com/http:"],
  ["--base-url http://127.0.0.1:9000"],
  ["--base-url http://[::1]:9000/pin"],
];

// Sentences to their end.
const WHOLE = /^\S.*[a-zA-Z/]\.$/;

for (const [line, ...beginnings] of OPTIONS) {
  Deno.test(`optionRisks() warns ${beginnings.length} times of "${line}"`, () => {
    const command = parseCommand(line === "" ? [] : line.split(" "), () => undefined);
    assert(command.kind === "serve");
    const risks = optionRisks(command.config, command.sources);
    const matching = beginnings.map((beginning) =>
      risks.find((risk) => risk.startsWith(beginning))
    );
    assertEquals(risks, matching.filter((risk) => risk !== undefined));
    assertEquals(risks.length, beginnings.length);
    assertEquals(risks.filter((risk) => !WHOLE.test(risk)), []);
  });
}

Deno.test("optionRisks() treats an option without an origin as not given", () => {
  assertEquals(optionRisks(configOf([]), new Map()), []);
});

Deno.test("optionRisks() names the variable for the password of a store", () => {
  const config = configOf(["--guard", "rediss://:p@127.0.0.1", "--guard-key-file", "key"]);
  const [risk] = optionRisks(config, new Map([["guard", "flag"]]));
  assertEquals(risk?.endsWith(" Give it as AUTHENTICATOR_GUARD in the environment."), true, risk);
});

// Variables, a value that does something, and how the sentence goes on.
const VARIABLES: readonly (readonly [string, string, string])[] = [
  ["DENO_SERVE_ADDRESS", "tcp:0.0.0.0:80", "Deno listens there"],
  ["OTEL_DENO", "true", "Deno sends the address of every request"],
  ["DENO_SERVE_AUTOMATIC_COMPRESSION", "1", "Deno compresses replies"],
  ["NODE_TLS_REJECT_UNAUTHORIZED", "0", "it is meant to switch off the check of certificates"],
  ["DENO_V8_FLAGS", "--jitless", "it changes Deno's engine"],
  ["SSLKEYLOGFILE", "keys", "Deno writes the keys of TLS connections"],
  ["NODE_OPTIONS", "--import=other.js", "Deno can load other code"],
  ["BUN_OPTIONS", "--preload=other.js", "Bun can load other code"],
  ["BUN_INSPECT_PRELOAD", "other.js", "Bun loads other code"],
];

Deno.test("variableRisks() warns of each variable when its value does something", () => {
  const risksOf = (name: string, value: string | undefined): readonly string[] =>
    variableRisks((read) => read === name ? value : undefined);
  const watched: string[] = [];
  variableRisks((name) => void watched.push(name));
  assertEquals(watched, VARIABLES.map(([name]) => name));
  for (const [name, value, risk] of VARIABLES) {
    const [sentence = "", ...others] = risksOf(name, value);
    assertEquals(sentence.startsWith(`${name} is set in the environment: ${risk}`), true, name);
    assertEquals([WHOLE.test(sentence), others], [true, []], name);
    assertEquals([risksOf(name, ""), risksOf(name, undefined)], [[], []], name);
  }
  for (const name of ["OTEL_DENO", "DENO_SERVE_AUTOMATIC_COMPRESSION"]) {
    const warned = ["1", "TRUE", "0", "false", "untrue", "truest"]
      .filter((value) => risksOf(name, value).length > 0);
    assertEquals(warned, ["1", "TRUE"], name);
  }
  assertEquals(risksOf("PATH", "/bin"), []);
});

Deno.test("variableRisks() repeats no value", () => {
  const risks = variableRisks(() => "canary\ntrue");
  assertEquals(risks.filter((risk) => risk.includes("canary")), []);
  assert(risks.length > 0);
});
