import { assertEquals } from "@std/assert/equals";
import { type PinFlaw, readPin } from "../../../lib/otp/diagnosis/pin_reading.ts";

// What was typed, where a code has six digits; its digits, and what is wrong with it.
const PINS: readonly (readonly [string, string | undefined, ...PinFlaw[]])[] = [
  ["123456", "123456"],
  [" 123\t456\r\n", "123456"],
  ["", undefined, "empty"],
  [" \n", undefined, "empty"],
  ["123-456", "123456", "hyphens"],
  ["123–456", "123456", "hyphens"],
  ["−123456", "123456", "hyphens"],
  ["123\u00a0456", "123456", "blanks"],
  ["\ufeff123456\u200b", "123456", "blanks"],
  ["123\u3000456\v", "123456", "blanks"],
  ["\uff11\uff12\uff13\uff14\uff15\uff16", "123456", "foreign-digits"],
  ["٠١٢٣٤٥", "012345", "foreign-digits"],
  ["۶۷۸۹۰۱", "678901", "foreign-digits"],
  ["०१२९८७", "012987", "foreign-digits"],
  // Mathematical digits: five runs of ten without a gap.
  ["𝟎𝟗𝟘𝟡𝟶𝟿", "090909", "foreign-digits"],
  ["\uff11-2\u00a03456", "123456", "hyphens", "blanks", "foreign-digits"],
  ["12345", "12345", "too-short"],
  ["1234567", "1234567", "too-long"],
  ["+123456", undefined, "no-digits"],
  ["12345O", undefined, "no-digits"],
  ["12-45O", undefined, "hyphens", "no-digits"],
  ["½23456", undefined, "no-digits"],
  ["-", undefined, "hyphens", "no-digits"],
];

for (const [pin, digits, ...flaws] of PINS) {
  Deno.test(`readPin() reads ${JSON.stringify(pin)}`, () => {
    assertEquals(readPin(pin, 6), { flaws, digits });
  });
}

Deno.test("readPin() tells short and long by the digits wanted", () => {
  assertEquals(readPin("1234567", 8).flaws, ["too-short"]);
  assertEquals(readPin("12345678", 8).flaws, []);
});
