/**
 * The digits in a pin, whatever else was typed or pasted with them.
 *
 * @module
 */

/** What can be wrong with how a pin is written. */
export type PinFlaw =
  /** There is nothing in it. */
  | "empty"
  /** It contains hyphens or dashes. */
  | "hyphens"
  /** It holds blanks other than those that the server drops, or characters that are not seen. */
  | "blanks"
  /** It holds digits of another script, or full-width ones. */
  | "foreign-digits"
  /** It holds what is no digit at all. */
  | "no-digits"
  /** It has fewer digits than a code. */
  | "too-short"
  /** It has more digits than a code. */
  | "too-long";

/** A pin, read with good will. */
export interface PinReading {
  /** What is wrong with it, in the order of the type. */
  readonly flaws: readonly PinFlaw[];
  /** Its digits as ASCII; undefined when it holds something that is no digit. */
  readonly digits: string | undefined;
}

// Each kind of character that does not belong into a pin. What the server drops itself is no flaw.
const INTRUDERS: readonly (readonly [PinFlaw, RegExp])[] = [
  ["hyphens", /[\p{Pd}\u2212]/gu],
  ["blanks", /[\s\p{Z}\p{Cf}]/gu],
];

/**
 * Reads a pin.
 *
 * @param digitsWanted Digits in a code.
 */
export function readPin(pin: string, digitsWanted: number): PinReading {
  let rest = pin.replace(/[ \t\r\n]/g, "");
  if (rest === "") return { flaws: ["empty"], digits: undefined };
  const flaws: PinFlaw[] = [];
  for (const [flaw, characters] of INTRUDERS) {
    const cleaned = rest.replace(characters, "");
    if (cleaned !== rest) flaws.push(flaw);
    rest = cleaned;
  }
  const digits = rest.replace(/\p{Nd}/gu, digitValue);
  if (digits !== rest) flaws.push("foreign-digits");
  if (!/^[0-9]+$/.test(digits)) return { flaws: [...flaws, "no-digits"], digits: undefined };
  if (digits.length < digitsWanted) flaws.push("too-short");
  if (digits.length > digitsWanted) flaws.push("too-long");
  return { flaws, digits };
}

/**
 * The value of a decimal digit of any script. Unicode (The Unicode Standard, §4.6) encodes them in
 * runs of ten from zero up, so the value is how many of them stand before it.
 */
function digitValue(digit: string): string {
  const codePoint = digit.codePointAt(0)!;
  let before = 0;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(codePoint - before - 1))) before++;
  return String(before % 10);
}
