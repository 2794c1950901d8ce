import { assertEquals } from "@std/assert/equals";
import { readPin } from "../../../../lib/otp/diagnosis/diagnosis.ts";

const FLAWS = {
  "empty": "The pin is empty.",
  "hyphens": "The pin contains hyphens or dashes. Send only the digits.",
  "blanks":
    "The pin contains spaces or invisible characters other than ASCII, as copied text often does. Send only the digits.",
  "foreign-digits":
    "The pin has full-width digits or those of another script. Send ASCII digits, 0 to 9.",
  "letters": "The pin has a letter that looks like a digit: O for 0, or l for 1. Type the digits.",
  "no-digits": "The pin contains characters that are not digits.",
};

// What was typed, its digits, and what is wrong with it.
const PINS: readonly (readonly [string, string | undefined, ...(keyof typeof FLAWS)[]])[] = [
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
  ["12345", "12345"],
  ["+123456", undefined, "no-digits"],
  ["12345O", "123450", "letters"],
  ["l2-45o", "12450", "hyphens", "letters"],
  ["12345A", undefined, "no-digits"],
  ["1234SO", undefined, "no-digits"],
  ["O12345x", undefined, "no-digits"],
  ["½23456", undefined, "no-digits"],
  ["-", undefined, "hyphens", "no-digits"],
];

for (const [pin, digits, ...flaws] of PINS) {
  Deno.test(`readPin() reads ${JSON.stringify(pin)}`, () => {
    const sentences = flaws.map((flaw) => FLAWS[flaw]);
    assertEquals(readPin(pin), { flaws: sentences, ...(digits && { digits }) });
  });
}
