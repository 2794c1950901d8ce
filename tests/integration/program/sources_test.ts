/** Whom a caller asks for, by the bytes of a field, to what TEST_PROGRAM names. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { pinOf, wrongPinOf } from "../../support/two_servers.ts";
import { exchangeRaw } from "../../support/http.ts";
import { PROGRAM, startProgram } from "../../support/program.ts";

const LONG = "x".repeat(4_000);

/** Fields as they are sent, each character a byte, and whether those who send them are one source. */
const SOURCES: readonly (readonly [
  guesser: readonly string[],
  asks: readonly string[],
  isOne: boolean,
])[] = [
  [["203.0.113.7"], ["203.0.113.7"], true],
  [["203.0.113.7"], ["203.0.113.8"], false],
  [["203.0.113.7"], [], false],
  [["203.0.113.7"], [""], false],
  [["203.0.113.7"], [" \t203.0.113.7 "], true],
  [["a", "b"], ["a, b"], true],
  [["a", "b"], ["a"], false],
  [["\xc3\xa9"], ["\xc3\xa9"], true],
  [["\xc3\xa9"], ["\xe9"], false],
  [["\xff\xfe"], ["\xff\xfe"], true],
  [[LONG], [LONG], true],
  [[LONG], [`${LONG}y`], false],
];

Deno.test(`sources differ by their bytes (${PROGRAM})`, async () => {
  const program = await startProgram(["--port", "0", "--max-failures", "4"]);
  const { hostname, port } = new URL(program.url);
  const check = async (
    pin: string,
    secret: string,
    sources: readonly string[],
  ): Promise<string> => {
    const query = `Pin=${pin}&SecretCode=${encodeURIComponent(secret)}`;
    const fields = sources.map((source) => `X-Authenticator-Source: ${source}`);
    const head = [`GET /Validate.aspx?${query} HTTP/1.1`, "Host: localhost", ...fields];
    const request = { head, body: new Uint8Array() };
    const { status, body } = await exchangeRaw({ hostname, port: Number(port) }, request);
    return `${status} ${new TextDecoder().decode(body)}`;
  };
  for (const [number, [guesser, asks, isOne]] of SOURCES.entries()) {
    const secret = `the secret of row ${number}`;
    // Of four wrong pins, one who asks has two.
    const wrong = [1, 2, 3].map(() => check(wrongPinOf(secret), secret, guesser));
    assertEquals(new Set(await Promise.all(wrong)), new Set(["200 False"]));
    const answer = await check(pinOf(secret), secret, asks);
    assertEquals(answer, isOne ? "200 False" : "200 True", `row ${number}`);
  }
  program.signal("SIGTERM");
  const { code, stderr } = await program.outcome;
  assertEquals(code, 0, stderr);
  assert(!/203\.0\.113|xxxx|row/.test(stderr), stderr);
});

Deno.test(`without a field, each key is a source, with a name and without (${PROGRAM})`, async () => {
  const [first, second, named] = ["f", "s", "n"].map((letter) => letter.repeat(16));
  const folder = await Deno.makeTempDir();
  const file = `${folder}/keys`;
  await Deno.writeTextFile(file, `${first}\n${second}\nshop:${named}\n`);
  const args = ["--port", "0", "--max-failures", "4", "--api-keys-file", file];
  const program = await startProgram(args);
  const check = async (pin: string, secret: string, key: string): Promise<string> => {
    const fields = new URLSearchParams({ Pin: pin, SecretCode: secret });
    const headers = { "x-api-key": key };
    return await (await fetch(`${program.url}/Validate.aspx?${fields}`, { headers })).text();
  };
  for (const guesser of [first!, named!]) {
    const secret = `the secret for ${guesser}`;
    // Of four wrong pins, one who asks has two.
    for (let i = 0; i < 3; i++) {
      assertEquals(await check(wrongPinOf(secret), secret, guesser), "False");
    }
    assertEquals(await check(pinOf(secret), secret, guesser), "False");
    assertEquals(await check(pinOf(secret), secret, second!), "True");
  }
  program.signal("SIGTERM");
  const { code, stderr } = await program.outcome;
  await Deno.remove(folder, { recursive: true });
  assertEquals(code, 0, stderr);
  assert(!/ffff|ssss|nnnn/.test(stderr), stderr);
});

Deno.test(`--log-peer logs the address of a caller, or the one that a proxy names (${PROGRAM})`, async () => {
  const fields: readonly Record<string, string>[] = [
    {},
    { "X-Forwarded-For": "198.51.100.1, 203.0.113.9" },
    { "X-Forwarded-For": "canary" },
    { "X-Forwarded-For": "203.0.113.9:1234" },
    { "X-Forwarded-For": "[2001:db8::9]:1234" },
    { "X-Forwarded-For": "2001:db8::9" },
  ];
  const peers = async (args: readonly string[]): Promise<readonly string[]> => {
    const program = await startProgram(["--port", "0", "--log-probes", ...args]);
    for (const headers of fields) {
      await (await fetch(`${program.url}/healthz`, { headers })).body?.cancel();
    }
    program.signal("SIGTERM");
    const { stderr } = await program.outcome;
    assert(!stderr.includes("canary"), stderr);
    return [...stderr.matchAll(/^\S+ info request .*$/gm)]
      .map(([line]) => / peer=(\S+)/.exec(line)?.[1] ?? "none");
  };
  assertEquals(await peers([]), fields.map(() => "none"));
  assertEquals(await peers(["--log-peer"]), fields.map(() => "127.0.0.1"));
  assertEquals(await peers(["--log-peer", "--trust-proxy"]), [
    "127.0.0.1",
    "203.0.113.9",
    "127.0.0.1",
    "203.0.113.9",
    "2001:db8::9",
    "2001:db8::9",
  ]);
});
