import { assertEquals } from "@std/assert/equals";
import { nearestOf } from "../../../lib/config/did_you_mean.ts";

// What was typed, the names there are, and the one that is near.
const NEAR: readonly (readonly [string, readonly string[], string | undefined])[] = [
  // Its first words, before any that is like it.
  ["api", ["apis", "api-keys-file", "api-url"], "api-url"],
  ["guard", ["guard-tls-ca", "guards", "guard-key-file"], "guard-tls-ca"],
  // The fewest changes, and of several names the first.
  ["hots", ["hats", "dots"], "hats"],
  ["port", ["ports", "port"], "port"],
  ["abcdef", ["abcxyf", "abcxef"], "abcxef"],
  // A character put in, left out or replaced is one change, and so are two that are swapped.
  ["prot", ["post", "port"], "port"],
  ["badcef", ["abcdef"], "abcdef"],
  ["badcfe", ["abcdef"], undefined],
  ["xab", ["xca"], undefined],
  ["abcdef", ["abcdefgh"], "abcdefgh"],
  ["abcdef", ["abcd"], "abcd"],
  ["abcdef", ["abcdyz"], "abcdyz"],
  ["abcdef", ["xbcdef"], "xbcdef"],
  // No more than three, and no more than a third of what was typed.
  ["abcdef", ["abcdefghi", "abcxyz"], undefined],
  ["abcdefghijkl", ["abcdefghixyz"], "abcdefghixyz"],
  ["abcdefghijkl", ["abcdefghwxyz"], undefined],
  ["nope", ["code"], undefined],
  ["abc", ["abx"], "abx"],
  ["abc", ["axy"], undefined],
  ["ab", ["ax"], undefined],
  // Whatever their case.
  ["v", ["h", "V"], "V"],
  ["PROT", ["port"], "port"],
  ["", ["a"], undefined],
  ["abc", [], undefined],
];

for (const [typed, known, near] of NEAR) {
  Deno.test(`nearestOf() finds ${near} for "${typed}" of ${known.join(", ")}`, () => {
    assertEquals(nearestOf(typed, known), near);
  });
}
