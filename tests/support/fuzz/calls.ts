/** Generator of calls: legal ones, with values that are hard to carry. */

import * as fc from "fast-check";
import { referenceBase32 } from "../reference_base32.ts";
import { codeAt, type House, isRight, keyBytes } from "./house.ts";

/** A call. */
export interface FuzzCall {
  /** The name of the operation. */
  readonly operation: "Pair" | "ValidatePin";
  /** Its arguments. */
  readonly args: Readonly<Record<string, string>>;
  /** A word in all that the caller chose, which no error may repeat. */
  readonly canary: string;
  /** Whether it asks about a right pin. */
  readonly isRight: boolean;
}

/** Makes a call to a server at a time. */
export type MakeCall = (house: House, nowMs: number) => FuzzCall;

type Rewrite = (text: string) => string;

// deno-fmt-ignore
const TEXT = fc.constantFrom(
  "", " ", "  ", "a b", "&", "<b>", "]]>", "&amp;", "'", '"', "%", "%25", "+", "=", "&x=1", ";", "#", "?",
  "\t", "\n", "\r\n", "\r", "é", "e\u0301", "ß", "ı", "Ω", "鍵", "🔑", "👩‍👩‍👧", "\u202e", "\u200b", "\ufeff",
  "\u0085", "\u007f", "\u2028", "\ud7ff", "\ue000", "\ufffd", "\u{10ffff}", "__proto__", "%u0041", "\\",
);

const BASE32_FORM = fc.constantFrom<Rewrite[]>(
  (digits) => digits,
  (digits) => digits.toUpperCase(),
  (digits) => digits.replace(/(.{4})/g, "$1 "),
  (digits) => `${digits}==`,
);

const PIN_FORM = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Rewrite>((code) => code) },
  fc.constantFrom<Rewrite[]>(
    (code) => `${code.slice(0, 3)} ${code.slice(3)}`,
    (code) => `\t${code}\n `,
    (code) => code.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
  ),
  fc.constantFrom<Rewrite[]>(
    (code) => `+${code}`,
    (code) => `${code}0`,
    (code) => `0${code}`,
    (code) => code.slice(1),
    ...["", " ", "abc", "1e5"].map((pin) => () => pin),
  ),
);

// Another word in each call, since a server takes a pin of a secret once.
const CANARY = fc.noBias(
  fc.string({ unit: fc.constantFrom(..."bcdfghjklmnpqrst"), minLength: 8, maxLength: 8 }),
).map((word) => `hush${word}`);

/** A call. */
export const CALL: fc.Arbitrary<MakeCall> = fc.record({
  isPair: fc.constantFrom(false, false, false, true),
  canary: CANARY,
  texts: fc.tuple(TEXT, TEXT),
  length: fc.oneof({ weight: 19, arbitrary: fc.constant(0) }, fc.constant(1000)),
  key: fc.string({ maxLength: 19 }),
  base32Form: BASE32_FORM,
  distance: fc.noBias(fc.nat()),
  pinForm: PIN_FORM,
}).map(({ isPair, canary, texts: [first, second], ...drawn }) => (house, nowMs) => {
  const digits = canary + referenceBase32(drawn.key);
  const whole = digits.length - ([1, 3, 6].includes(digits.length % 8) ? 1 : 0);
  const secretCode = house.base32
    ? drawn.base32Form(digits.slice(0, whole))
    : (canary + first + second).padEnd(drawn.length, "x");
  if (isPair) {
    const args = { appName: canary + first, appInfo: canary + second, secretCode };
    return { operation: "Pair", args, canary, isRight: false };
  }
  const key = keyBytes(secretCode, house)!;
  // Up to three steps beyond the window.
  const reach = house.otp.window + 3;
  const pin = drawn.pinForm(codeAt(key, nowMs, drawn.distance % (2 * reach + 1) - reach, house));
  const args = { pin, secretCode };
  return { operation: "ValidatePin", args, canary, isRight: isRight(pin, key, nowMs, house) };
});
