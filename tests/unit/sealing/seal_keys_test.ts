import { Buffer } from "node:buffer";
import { createCipheriv, randomBytes } from "node:crypto";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import fc from "fast-check";
import { parseSealKeys, SealKeys, UnopenedError } from "../../../lib/sealing/seal_keys.ts";
import { KeyFileError } from "../../../lib/system/key_file.ts";
import { runOptions } from "../../support/property.ts";
import { keyBytesOf, openByJose, SEAL_KEY_LINES, sealByJose } from "../../support/seal_keys.ts";

const [NEW, OLD] = SEAL_KEY_LINES;
const HEX = "ab".repeat(32);

function ringOf(...lines: readonly string[]): SealKeys {
  return new SealKeys(parseSealKeys(lines.join("\n")), randomBytes);
}

const RING = ringOf(NEW, OLD);

/** Outcome of an attempt to open a text. */
function open(sealed: string, ring = RING): string {
  try {
    return `opened: ${ring.open(sealed).text}`;
  } catch (error) {
    assert(error instanceof UnopenedError, `${error}`);
    return error.code;
  }
}

/** Seals a text under a protected header that is written out, with the key of the first line. */
function sealUnder(header: string, text = "secret"): string {
  const iv = randomBytes(12);
  const encoded = Buffer.from(header).toString("base64url");
  const cipher = createCipheriv("aes-256-gcm", keyBytesOf(NEW), iv);
  cipher.setAAD(Buffer.from(encoded));
  const ciphertext = Buffer.concat([cipher.update(text), cipher.final()]);
  const parts = [iv, ciphertext, cipher.getAuthTag()].map((part) => part.toString("base64url"));
  return [encoded, "", ...parts].join(".");
}

Deno.test("parseSealKeys() reads a name and a key per line, and skips empty lines and comments", () => {
  const text = `# of 2026\r\n\r\na.B_1-c:${HEX.toUpperCase()}\r\n\n#\nold:${"01".repeat(32)}\n`;
  assertEquals(parseSealKeys(text).map(({ name, key }) => [name, key.toString("hex")]), [
    ["a.B_1-c", HEX],
    ["old", "01".repeat(32)],
  ]);
});

Deno.test("parseSealKeys() refuses any other line, by its number and never by its text", () => {
  const form = "must be a name, a colon, and a key of 64 hexadecimal digits";
  const rows: readonly (readonly [string, string])[] = [
    [HEX, form],
    [`:${HEX}`, form],
    [`1st:${HEX}`, form],
    ["canary", form],
    [`b:${HEX.slice(1)}`, form],
    [`b:${HEX}0`, form],
    [`b:${HEX.slice(1)}g`, form],
    [`b: ${HEX}`, form],
    [`b:${HEX} `, form],
    [` b:${HEX}`, form],
    [`b:${"7".repeat(64)}`, "has one digit repeated: a key must be random"],
    [`b:${"aA".repeat(32)}`, "has one digit repeated: a key must be random"],
    [`a:${HEX}`, "has a name that is above it"],
    [`b:${"CD".repeat(32)}`, "has a key that is above it"],
    [`${"n".repeat(65)}:${HEX}`, "has a name of more than 64 characters"],
  ];
  for (const [line, expected] of rows) {
    const { message } = assertThrows(
      () => parseSealKeys(`a:${"cd".repeat(32)}\n\n${line}`),
      KeyFileError,
    );
    assertEquals(message, `line 3 ${expected}`, line);
  }
  assertEquals(parseSealKeys(`${"n".repeat(64)}:${HEX}`).length, 1);
  assertThrows(() => parseSealKeys("# none\n"), KeyFileError, "it has no keys");
});

Deno.test("a sealed text begins with the header of its key, and is never the same twice", () => {
  const header = `{"alg":"dir","enc":"A256GCM","kid":"new"}`;
  const sealed = RING.seal("secret");
  assertEquals(Buffer.from(sealed.split(".")[0]!, "base64url").toString(), header);
  assertEquals(sealed.split(".").map((part) => part.length), [55, 0, 16, 8, 22]);
  assert(RING.seal("secret").split(".")[2] !== sealed.split(".")[2]);
});

const TEXTS = ["x", "correct horse battery", "Bü©hse 🔑", "\uFEFFwith a mark", "x".repeat(1024)];

Deno.test("jose opens what is sealed here, and what jose seals is opened here", async () => {
  for (const text of TEXTS) {
    assertEquals((await openByJose(RING.seal(text))).text, text);
    const [given, old] = [await sealByJose(text), await sealByJose(text, OLD)];
    assertEquals(RING.open(given), { text, form: "sealed", given });
    assertEquals(RING.open(old), { text, form: "older-key", given: old });
  }
  const { header } = await openByJose(ringOf(OLD, NEW).seal("x"), OLD);
  assertEquals(header, { alg: "dir", enc: "A256GCM", kid: "old" });
});

Deno.test("open() refuses any other header", () => {
  const headers = [
    "",
    '{"alg":"dir","enc":"A256GCM","kid":"new","cty":"text/plain"}',
    '{"enc":"A256GCM","alg":"dir","kid":"new"}',
    '{"alg":"dir","kid":"new","enc":"A256GCM"}',
    '{"alg":"dir", "enc":"A256GCM","kid":"new"}',
    '{"alg":"dir","enc":"A256GCM","kid":"n\\u0065w"}',
    '{"alg":"dir","enc":"A256GCM","kid":"1st"}',
    `{"alg":"dir","enc":"A256GCM","kid":"${"n".repeat(65)}"}`,
    '{"alg":"dir","enc":"A256GCM","kid":""}',
    "{",
    "null",
    '"text"',
    '[{"alg":"dir","enc":"A256GCM","kid":"new"}]',
    '{"enc":"A256GCM","kid":"new"}',
    '{"alg":"dir","kid":"new"}',
    '{"alg":"dir","enc":"A256GCM"}',
    '{"alg":"dir","enc":"A256GCM","kid":1}',
    '{"alg":"dir","enc":"A256GCM","kid":["new"]}',
    '{"alg":"Dir","enc":"A256GCM","kid":"new"}',
    '{"alg":"A256KW","enc":"A256GCM","kid":"new"}',
    '{"alg":"dir","enc":"A128GCM","kid":"new"}',
    '{"alg":"dir","enc":"A256CBC-HS512","kid":"new"}',
    '{"alg":"dir","enc":"A256GCM","kid":"new","zip":"DEF"}',
    '{"alg":"dir","enc":"A256GCM","kid":"old","kid":"new"}',
    '\uFEFF{"alg":"dir","enc":"A256GCM","kid":"new"}',
    '{"alg":"dir","enc":"A256GCM","kid":"new"} x',
  ];
  for (const header of headers) assertEquals(open(sealUnder(header)), "not-of-this-format", header);
});

Deno.test("open() distinguishes an unknown key, another key of the name and a text that is not UTF-8", async () => {
  const other = `new:${"17".repeat(32)}`;
  assertEquals(open(await sealByJose("x", `newer:${"17".repeat(32)}`)), "no-key-of-that-name");
  assertEquals(open(await sealByJose("x", "NEW" + NEW.slice(3))), "no-key-of-that-name");
  assertEquals(open(await sealByJose("x", other)), "not-authentic");
  assertEquals(open(await sealByJose(Uint8Array.of(0x78, 0xff))), "not-of-this-format");
  const error = assertThrows(
    () => ringOf(OLD).open(RING.seal("x")),
    UnopenedError,
  );
  assertEquals([error.keyId, error.message], ["new", "no-key-of-that-name"]);
});

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

Deno.test("a text that is changed in any character is never opened", () => {
  for (const text of ["x", "xy", "xyz", "REPLACETHISSECRETBY32RANDOMCHARS"]) {
    const sealed = RING.seal(text);
    for (let at = 0; at < sealed.length; at++) {
      for (const character of `${ALPHABET}.=+/ \n\0é`) {
        if (character === sealed[at]) continue;
        const changed = sealed.slice(0, at) + character + sealed.slice(at + 1);
        assert(!open(changed).startsWith("opened"), changed);
      }
    }
    for (let end = 0; end < sealed.length; end++) {
      assert(!open(sealed.slice(0, end)).startsWith("opened"), `cut at ${end}`);
    }
    for (const more of [...ALPHABET, ".", "=", "==", "\n", " ", ".AAAA"]) {
      assert(!open(sealed + more).startsWith("opened"), `with ${more}`);
    }
  }
});

Deno.test("a text with a part of another, another tag or a key in the second part is never opened", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 40 }),
      fc.nat(4),
      fc.integer({ min: 1, max: 15 }),
      (text, part, tagLength) => {
        const [one, other] = [RING.seal(text), ringOf(OLD).seal(text)].map((each) =>
          each.split(".")
        );
        const swapped = one!.with(part, other![part]!).join(".");
        // The second parts are both empty, and ciphertexts of one byte are equal by chance.
        if (part !== 1 && one![part] !== other![part]) {
          assert(!open(swapped).startsWith("opened"), swapped);
        }
        const tag = Buffer.from(one![4]!, "base64url").subarray(0, tagLength);
        assertEquals(open(one!.with(4, tag.toString("base64url")).join(".")), "not-of-this-format");
        assertEquals(open(one!.with(1, "AAAA").join(".")), "not-of-this-format");
        assertEquals(open(one!.join("."), ringOf(`new:${"19".repeat(32)}`)), "not-authentic");
      },
    ),
    runOptions(100),
  );
});

Deno.test("open() returns every text that was sealed", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (text) => {
      const given = RING.seal(text);
      assertEquals(RING.open(given), { text, form: "sealed", given });
    }),
    runOptions(100),
  );
});

Deno.test("replace() changes the keys at once, and reports whether they or their order differ", () => {
  const ring = ringOf(NEW);
  const sealed = ring.seal("x");
  const put = (...lines: readonly string[]): boolean =>
    ring.replace(parseSealKeys(lines.join("\n")));
  assertEquals(put(NEW), false);
  assertEquals(put(NEW, OLD), true);
  assertEquals([ring.names, ring.open(sealed).form], [["new", "old"], "sealed"]);
  assertEquals(put(OLD, NEW), true);
  assertEquals([ring.names, ring.open(sealed).form], [["old", "new"], "older-key"]);
  assertEquals(put(OLD), true);
  assertEquals(open(sealed, ring), "no-key-of-that-name");
  assertEquals(put(`old:${HEX}`), true);
  assertEquals(put(`older:${HEX}`), true);
});
