import { assertEquals } from "@std/assert/equals";
import { nearestOf } from "../../lib/command_line/nearest.ts";

// What was typed, the names there are, and the one that is near.
const NEAR: readonly (readonly [string, readonly string[], string | undefined])[] = [
  // Its first words, before any that is like it.
  ["api", ["apis", "api-keys-file", "api-url"], "api-url"],
  ["guard", ["guard-tls-ca", "guards", "guard-key-file"], "guard-tls-ca"],
  // The fewest changes, and of several names the first.
  ["prot", ["port", "proto", "post"], "proto"],
  ["hots", ["host", "hosts", "hats"], "hosts"],
  ["hots", ["hats", "dots"], "hats"],
  ["port", ["ports", "port"], "port"],
  // A character put in, left out or replaced is one change.
  ["abcdef", ["abcdefghi"], "abcdefghi"],
  ["abcdef", ["abc"], "abc"],
  ["abcdef", ["abcxyz"], "abcxyz"],
  ["abcdef", ["xbcdef"], "xbcdef"],
  // No more than three, and no more than half of what was typed.
  ["abcdef", ["abcdefghij"], undefined],
  ["abcdefghijkl", ["abcdefghwxyz"], undefined],
  ["abcd", ["abxy"], "abxy"],
  ["abcd", ["axyz"], undefined],
  ["abc", ["axy"], "axy"],
  ["ab", ["ax"], "ax"],
  ["ab", ["xy"], undefined],
  ["a", ["b"], "b"],
  ["", ["a"], undefined],
  ["abc", [], undefined],
];

for (const [typed, known, near] of NEAR) {
  Deno.test(`nearestOf() takes "${typed}" for ${near} of ${known.join(", ")}`, () => {
    assertEquals(nearestOf(typed, known), near);
  });
}
