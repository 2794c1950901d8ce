/** Sources of pins, by the bytes of a header field, to the program that TEST_PROGRAM names. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { validateTarget } from "../../support/calls.ts";
import { exchangeRaw } from "../../support/http.ts";
import { withFolder } from "../../support/folder.ts";
import { PROGRAM, withProgram } from "../../support/program.ts";
import { pinOf, wrongPinOf } from "../../support/reference_totp.ts";

const LONG = "x".repeat(4_000);

/** Fields as they are sent, each character a byte, and whether they name one source. */
const SOURCES: readonly (readonly [
  guesser: readonly string[],
  user: readonly string[],
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
  const { stderr } = await withProgram(["--port", "0", "--max-failures", "4"], async ({ url }) => {
    const check = async (
      pin: string,
      secret: string,
      sources: readonly string[],
    ): Promise<string> => {
      const fields = sources.map((source) => `X-Authenticator-Source: ${source}`);
      const head = [`GET ${validateTarget(pin, secret)} HTTP/1.1`, "Host: localhost", ...fields];
      const { status, body } = await exchangeRaw(url, { head });
      return `${status} ${new TextDecoder().decode(body)}`;
    };
    for (const [number, [guesser, user, isOne]] of SOURCES.entries()) {
      const secret = `the secret of row ${number}`;
      // Of the four wrong pins allowed, one source has two.
      const wrong = [1, 2, 3].map(() => check(wrongPinOf(secret), secret, guesser));
      assertEquals(new Set(await Promise.all(wrong)), new Set(["200 False"]));
      const answer = await check(pinOf(secret), secret, user);
      assertEquals(answer, isOne ? "200 False" : "200 True", `row ${number}`);
    }
  });
  assert(!/203\.0\.113|xxxx|row/.test(stderr), stderr);
});

Deno.test(`without the field, each API key is a source, with a name and without (${PROGRAM})`, async () => {
  const [first, second, named] = ["f", "s", "n"].map((letter) => letter.repeat(16));
  await withFolder(async (folder) => {
    const file = `${folder}/keys`;
    await Deno.writeTextFile(file, `${first}\n${second}\nshop:${named}\n`);
    const args = ["--port", "0", "--max-failures", "4", "--api-keys-file", file];
    const { stderr } = await withProgram(args, async ({ url }) => {
      const check = async (pin: string, secret: string, key: string): Promise<string> => {
        const fields = new URLSearchParams({ Pin: pin, SecretCode: secret });
        const headers = { "x-api-key": key };
        return await (await fetch(`${url}/Validate.aspx?${fields}`, { headers })).text();
      };
      for (const guesser of [first!, named!]) {
        const secret = `the secret for ${guesser}`;
        for (let i = 0; i < 3; i++) {
          assertEquals(await check(wrongPinOf(secret), secret, guesser), "False");
        }
        assertEquals(await check(pinOf(secret), secret, guesser), "False");
        assertEquals(await check(pinOf(secret), secret, second!), "True");
      }
    });
    assert(!/ffff|ssss|nnnn/.test(stderr), stderr);
  });
});

Deno.test(`--log-peer logs the address of a caller, or the one that a proxy names (${PROGRAM})`, async () => {
  const fields: readonly Record<string, string>[] = [
    {},
    { "X-Forwarded-For": "198.51.100.1, 203.0.113.9" },
  ];
  const peers = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { stderr } = await withProgram(
      ["--port", "0", "--log-probes", ...args],
      async ({ url }) => {
        for (const headers of fields) {
          await (await fetch(`${url}/healthz`, { headers })).body?.cancel();
        }
      },
    );
    return [...stderr.matchAll(/^\S+ info request .*$/gm)]
      .map(([line]) => / peer=(\S+)/.exec(line)?.[1] ?? "none");
  };
  assertEquals(await peers(), fields.map(() => "none"));
  assertEquals(await peers("--log-peer"), fields.map(() => "127.0.0.1"));
  assertEquals(await peers("--log-peer", "--trust-proxy"), ["127.0.0.1", "203.0.113.9"]);
});
