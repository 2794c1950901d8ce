import { assertEquals } from "@std/assert/equals";
import { charsetOf, parseMediaType } from "../../../lib/bindings/media_type.ts";

// A Content-Type, its essence, and its parameters.
const ROWS: readonly (readonly [string | null, string, Readonly<Record<string, string>>])[] = [
  [null, "", {}],
  ["", "", {}],
  ["text/xml", "text/xml", {}],
  [" Text/XML ", "text/xml", {}],
  ["text/xml; charset=utf-8", "text/xml", { charset: "utf-8" }],
  ['text/xml ; CharSet = "UTF-8"', "text/xml", { charset: "UTF-8" }],
  ["text/xml;charset=utf-8 ; x=y", "text/xml", { charset: "utf-8", x: "y" }],
  [
    'application/soap+xml; action="http://example.com/;a=b"; charset=utf-8',
    "application/soap+xml",
    { action: "http://example.com/;a=b", charset: "utf-8" },
  ],
  ["application/soap+xml;action=urn:x/Pair", "application/soap+xml", { action: "urn:x/Pair" }],
  ['a/b; q="x\\"y\\\\z"', "a/b", { q: 'x"y\\z' }],
  ["a/b; x=1; X=2", "a/b", { x: "1, 2" }],
  ["a/b; x=1; X=1", "a/b", { x: "1" }],
  ["a/b; x=u; x=U; x=v; x=w", "a/b", { x: "U, v" }],
  ["a/b; ; novalue; =v; ok=1", "a/b", { ok: "1" }],
  // Two fields of the name.
  ["a/b; x=1, a/b; x=1", "a/b", { x: "1" }],
  ["a/b, a/b ", "a/b", {}],
  ["a/b; x=1, a/b; x=2", "", {}],
  ["a/b, c/d; x=1", "", {}],
  ['a/b; x="1, 2"; y=3, 4', "a/b", { x: "1, 2", y: "3, 4" }],
  ["a/b; constructor=1", "a/b", { constructor: "1" }],
];

const NAMES = [
  ...new Set(ROWS.flatMap(([, , parameters]) => Object.keys(parameters))),
  "novalue",
  "",
];

for (const [contentType, essence, parameters] of ROWS) {
  Deno.test(`parseMediaType() reads ${JSON.stringify(contentType)}`, () => {
    const mediaType = parseMediaType(contentType);
    assertEquals(mediaType.essence, essence);
    const wanted = new Map(Object.entries(parameters));
    for (const name of NAMES) assertEquals(mediaType.parameter(name), wanted.get(name), name);
  });
}

Deno.test("parseMediaType() accepts two equal fields, and refuses two that differ", () => {
  assertEquals(parseMediaType("a/b, a/b").isAmbiguous, false);
  assertEquals(parseMediaType("a/b, a/b, c/d").isAmbiguous, true);
  assertEquals(parseMediaType(null).isAmbiguous, false);
});

Deno.test("charsetOf() removes quotes and lower-cases the name", () => {
  for (
    const value of ["utf-8", "UTF-8", "'utf-8'", '"utf-8"', "\"'Utf-8'\"", " utf-8 ", '"utf-8']
  ) {
    assertEquals(charsetOf(parseMediaType(`a/b; charset=${value}; x=y`)), "utf-8", value);
  }
  for (const value of ["a/b", "a/b; charset=", "a/b; charset=''", 'a/b; charset=""']) {
    assertEquals(charsetOf(parseMediaType(value)), undefined, value);
  }
});
