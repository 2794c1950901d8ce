import { assertEquals } from "@std/assert/equals";
import { keyReadings, type SecretReading } from "../../../../lib/otp/diagnosis/secret_readings.ts";
import type { SecretEncoding } from "../../../../lib/otp/secret.ts";

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0));
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The keys that are read in one way. */
function keysOf(
  secret: SecretReading,
  secretCode: string,
  encoding: SecretEncoding = "text",
): readonly Uint8Array[] {
  return keyReadings(secretCode, encoding)
    .filter((reading) => reading.secret === secret)
    .map(({ bytes }) => bytes);
}

// What is sent, and the texts whose bytes an app may have instead.
const ROWS: readonly (readonly [SecretReading, string, readonly string[]])[] = [
  ["as-configured", "a secret", ["a secret"]],
  ["key-uri", "otpauth://totp/a?secret=GEZDGNBV", ["12345"]],
  ["key-uri", " otpauth://totp/a:b?issuer=a&secret=gezdgnbv&digits=6", ["12345"]],
  ["key-uri", "OTPAUTH://totp/a?Secret=GEZDGNBV\n", ["12345"]],
  ["key-uri", "otpauth://totp/a?secret=GEZDGNBV#end", ["12345"]],
  ["key-uri", "otpauth://totp/a?issuer=a&SECRET=GEZDGNBV", ["12345"]],
  ["key-uri", "otpauth://totp/a?xsecret=GEZDGNBV", []],
  ["key-uri", "otpauth://totp/a?x=1#&secret=GEZDGNBV", []],
  ["key-uri", "otpauth://totp/a?issuer=a", []],
  ["key-uri", "see otpauth://totp/a?secret=GEZDGNBV", []],
  ["base32", "GEZDGNBV", ["12345"]],
  ["base32", "GEZDGNBVA", ["12345"]],
  ["base32", "A", []],
  ["base32", "a secret!", []],
  ["text", "a secret!", []],
  ["trimmed", " \ta secret\r\n", ["a secret"]],
  ["trimmed", "a secret", []],
  ["trimmed", "a secret\u200B", ["a secret"]],
  ["line-end", "a!", ["a!\n", "a!\r\n", "a! ", "a!\n\n", "a!\r\n\r\n"]],
  ["line-end", "a!\n", ["a!\r\n", "a! ", "a!\n\n", "a!\r\n\r\n", "a!\n\r\n", "a!\n "]],
  ["line-end", "a!\n\n", [
    ...["a!\n", "a!\r\n", "a! ", "a!\r\n\r\n"],
    ...["a!\n\n\n", "a!\n\n\r\n", "a!\n\n "],
  ]],
  ["quotes", "a!", ['"a!"', "'a!'"]],
  ["quotes", '"a!"', ["a!", '""a!""', `'"a!"'`]],
  ["quotes", " 'a!'\n", ["a!", `" 'a!'\n"`, "' 'a!'\n'"]],
  ["quotes", "`a\n!`", ["a\n!", '"`a\n!`"', "'`a\n!`'"]],
  ["quotes", '"a"!', ['""a"!"', `'"a"!'`]],
  ["backslash", "a!", []],
  ["backslash", 'a\\"!', ['a"!', 'a\\\\\\"!']],
  ["backslash", "it's", ["it\\'s"]],
  ["cut", "0123456789 0123456789!", ["0123456789 01234", "0123456789 012345678"]],
  ["cut", "0123456789 0123", []],
  ["delimiter", "0123456789&012#3", ["0123456789"]],
  ["delimiter", "0123456789#012&3", ["0123456789"]],
  ["delimiter", "0123456789", []],
  ["plus", "a+b+!", ["a b !"]],
  ["plus", "a b !", ["a+b+!"]],
  ["plus", "a!", []],
  ["percent", "a%2F!", ["a/!", "a%252F!"]],
  ["percent", "100%", ["100%25"]],
  ["case", "Key!", ["KEY!", "key!"]],
  ["case", "key!", ["KEY!"]],
  ["hex", "6b6579", ["key"]],
  ["hex", "0x6B6579", ["key"]],
  ["hex", "6b:65-79 21", ["key!"]],
  ["hex", "6b657", []],
  ["hex", "6b65zz", []],
  ["hex", "zz6b65", []],
  ["base64", "a2V5IQ==", ["key!"]],
  ["base64", " a2V5IQ\n", ["key!"]],
  ["base64", "a2V5Pz8/Pg==", ["key???>"]],
  ["base64", "Pj4-Pz8_", [">>>???"]],
  ["base64", "a2V5I", []],
  ["base64", "a2V5=IQ", []],
  ["base64", "a2V5I!==", []],
  ["base64", "!a2V5I==", []],
  ["normalization", "caf\u00e9", ["cafe\u0301"]],
  ["normalization", "cafe\u0301", ["caf\u00e9"]],
  ["guid", "0f8fad5b-d9cb-469f-a165-70867728950e", [
    "0f8fad5bd9cb469fa16570867728950e",
    "{0f8fad5b-d9cb-469f-a165-70867728950e}",
    "(0f8fad5b-d9cb-469f-a165-70867728950e)",
    "0F8FAD5BD9CB469FA16570867728950E",
    "0F8FAD5B-D9CB-469F-A165-70867728950E",
    "{0F8FAD5B-D9CB-469F-A165-70867728950E}",
    "(0F8FAD5B-D9CB-469F-A165-70867728950E)",
  ]],
  ["guid", "{0F8FAD5BD9CB469FA16570867728950E}", [
    "0F8FAD5BD9CB469FA16570867728950E",
    "0F8FAD5B-D9CB-469F-A165-70867728950E",
    "{0F8FAD5B-D9CB-469F-A165-70867728950E}",
    "(0F8FAD5B-D9CB-469F-A165-70867728950E)",
    "0f8fad5bd9cb469fa16570867728950e",
    "0f8fad5b-d9cb-469f-a165-70867728950e",
    "{0f8fad5b-d9cb-469f-a165-70867728950e}",
    "(0f8fad5b-d9cb-469f-a165-70867728950e)",
  ]],
  ["guid", "0f8fad5b-d9cb-469f-a165-70867728950", []],
  ["guid", "0f8fad5b-d9cb-469f-a165-70867728950e1", []],
  ["html", "a&lt;b&amp;lt;", ["a<b&lt;", "a&amp;lt;b&amp;amp;lt;"]],
  ["html", "a&apos;b", ["a'b", "a&amp;apos;b"]],
  ["html", "&gt;&quot;&#39;", [`>"'`, "&amp;gt;&amp;quot;&amp;#39;"]],
  ["html", `<>"'`, ["&lt;&gt;&quot;&#39;"]],
  ["utf-16", "a!", ["\0a\0!", "a\0!\0"]],
  ["latin-1", "key!", []],
  ["latin-1", "\u20ac!", ["\u00e2\u0082\u00ac!"]],
];

for (const [secret, sent, texts] of ROWS) {
  Deno.test(`keyReadings() reads ${JSON.stringify(sent)}: ${secret}`, () => {
    assertEquals(keysOf(secret, sent), texts.map(utf8));
  });
}

Deno.test("keyReadings() reads a letter beyond ASCII as ISO 8859-1, and UTF-8 taken for it", () => {
  assertEquals(keysOf("latin-1", "\u00e9\u00ff"), [
    latin1("\u00e9\u00ff"),
    utf8("\u00c3\u00a9\u00c3\u00bf"),
  ]);
  assertEquals(keysOf("latin-1", "\u20ac\u00e9"), [utf8("\u00e2\u0082\u00ac\u00c3\u00a9")]);
});

Deno.test("keyReadings() reads texts as the server does", () => {
  assertEquals(keysOf("as-configured", "GEZDGNBV", "base32"), [utf8("12345")]);
  assertEquals(keysOf("quotes", '"GEZDGNBV"', "base32"), [utf8("12345")]);
  assertEquals(keysOf("percent", "GEZDGNBV%3D", "base32"), [utf8("12345")]);
  assertEquals(keysOf("percent", "GEZDGNBV%", "base32"), []);
  assertEquals(keysOf("text", "GEZDGNBV", "base32"), [utf8("GEZDGNBV")]);
  assertEquals(keysOf("key-uri", "otpauth://totp/a?secret=GEZDGNBV", "base32"), [utf8("12345")]);
});

Deno.test("keyReadings() has each key once, the most plausible first, and none that is empty", () => {
  for (const sent of ["", " ", '""', "GEZDGNBV", "Caf\u00e9+1 %41", '"6b6579"']) {
    const readings = keyReadings(sent, "text");
    const names = readings.map(({ bytes }) => bytes.join());
    assertEquals(new Set(names).size, names.length, sent);
    assertEquals(names.includes(""), false, sent);
  }
  // A key that two ways lead to is called by the more plausible one.
  assertEquals(keyReadings("abc", "text")[0]!.secret, "as-configured");
});
