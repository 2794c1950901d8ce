import { assertEquals } from "@std/assert/equals";
import { optionRisks, variableRisks, WATCHED_VARIABLES } from "../../lib/findings/risks.ts";
import { namesOf, OPTIONS as ALL } from "../../lib/config.ts";
import { configOf } from "../cli/command.ts";

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
  [`--host 0.0.0.0 ${KEYS.join(" ")}`, PLAIN],
  [`--host 0.0.0.0 ${TLS.join(" ")}`, OPEN],
  ["--host 0.0.0.0 --trust-proxy", OPEN],
  [`--host 0.0.0.0 ${TLS.join(" ")} ${KEYS.join(" ")}`],
  ["--host 0.0.0.0 --socket /run/pin.sock"],
  ["--metrics-port 9101"],
  ["--metrics-host 0.0.0.0"],
  ["--metrics-port 9101 --metrics-host 0.0.0.0", "--metrics-port asks nobody for a key"],
  ["--socket /run/pin.sock --socket-mode 0666", "--socket-mode lets everybody"],
  ["--socket-mode 0666"],
  ["--window 2"],
  ["--window 3", "--window is more than 2"],
  ["--share-port", "--share-port without --guard"],
  ["--share-port --guard redis://127.0.0.1 --guard-key-file key"],
  ["--max-failures 0", "--max-failures 0:"],
  ["--guard redis://127.0.0.1 --guard-key-file key"],
  ["--guard redis://127.0.0.1", "--guard without --guard-key-file"],
  ["--guard rediss://cache.example.com --guard-key-file key"],
  ["--guard redis://cache.example.com --guard-key-file key", "--guard crosses the network"],
  ["--guard redis://n@cache.example.com --guard-key-file key", "--guard crosses the network"],
  [
    "--guard redis://u:p@cache.example.com --guard-key-file key",
    "--guard sends its password",
    "--guard has a password",
  ],
  ["--guard rediss://:p@cache.example.com --guard-key-file key", "--guard has a password"],
  ["--guard redis://:p@127.0.0.1 --guard-key-file key", "--guard has a password"],
  ["--html image", "--html image puts the secret"],
  ["--base-url http://pin.example.com", "--base-url sends callers"],
  ["--base-url https://pin.example.com"],
  ["--base-url http://127.0.0.1:9000"],
  ["--base-url http://[::1]:9000/pin"],
];

// Sentences to their end.
const WHOLE = /^\S.*[a-zA-Z/]\.$/;

for (const [line, ...beginnings] of OPTIONS) {
  Deno.test(`optionRisks() warns ${beginnings.length} times of "${line}"`, () => {
    const flags = namesOf(ALL).map((name) => [name, "flag"] as const);
    const risks = optionRisks(configOf(line === "" ? [] : line.split(" ")), new Map(flags));
    const matching = beginnings.map((beginning) =>
      risks.find((risk) => risk.startsWith(beginning))
    );
    assertEquals(risks, matching.filter((risk) => risk !== undefined));
    assertEquals(risks.length, beginnings.length);
    assertEquals(risks.filter((risk) => !WHOLE.test(risk)), []);
  });
}

Deno.test("variableRisks() warns of each variable when its value does something", () => {
  const warned = (name: string, value: string | undefined): boolean =>
    variableRisks([{ name, value, readable: true }]).some((risk) => /: \S.*[a-z]\.$/.test(risk));
  for (const { name } of WATCHED_VARIABLES) {
    assertEquals([name, warned(name, "true"), warned(name, ""), warned(name, undefined)], [
      name,
      true,
      false,
      false,
    ]);
  }
  assertEquals([warned("OTEL_DENO", "1"), warned("OTEL_DENO", "false")], [true, false]);
  assertEquals(warned("PATH", "/bin"), false);
});

Deno.test("variableRisks() repeats no value", () => {
  const variables = WATCHED_VARIABLES.map(({ name }) => ({
    name,
    value: "canary\ntrue",
    readable: true,
  }));
  assertEquals(variableRisks(variables).filter((risk) => risk.includes("canary")), []);
});
