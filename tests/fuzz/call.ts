/** The calls that cases begin with: legal ones, with values that are hard to carry. */

import { pick, type Random, randomText } from "../support/random.ts";
import { referenceBase32 } from "../support/reference_base32.ts";
import { codeAt, type House, isRight, keyBytes } from "./house.ts";

/** A call. */
export interface FuzzCall {
  /** The name of the operation. */
  readonly operation: "Pair" | "ValidatePin";
  /** Its arguments. */
  readonly args: Readonly<Record<string, string>>;
  /** A word that stands in whatever the caller chose, and that no error may repeat. */
  readonly canary: string;
  /** Whether it asks about a right pin. */
  readonly isRight: boolean;
}

// deno-fmt-ignore
const TEXTS = [
  "", " ", "  ", "a b", "&", "<b>", "]]>", "&amp;", "'", '"', "%", "%25", "+", "=", "&x=1", ";", "#", "?",
  "\t", "\n", "\r\n", "\r", "é", "e\u0301", "ß", "ı", "Ω", "鍵", "🔑", "👩‍👩‍👧", "\u202e", "\u200b", "\ufeff",
  "\u0085", "\u007f", "\u2028", "\ud7ff", "\ue000", "\ufffd", "\u{10ffff}", "__proto__", "%u0041", "\\",
];

/** Makes a call of which a server at that time must make something. */
export function makeCall(random: Random, house: House, nowMs: number): FuzzCall {
  const canary = `hush${randomText(random, "bcdfghjklmnpqrstvwxyz", 8)}`;
  const secretCode = secretOf(random, canary, house);
  if (random(4) === 0) {
    const name = (): string => `${canary}${pick(random, TEXTS)}`;
    const args = { appName: name(), appInfo: name(), secretCode };
    return { operation: "Pair", args, canary, isRight: false };
  }
  const key = keyBytes(secretCode, house)!;
  const pin = pinOf(random, key, house, nowMs);
  const args = { pin, secretCode };
  return { operation: "ValidatePin", args, canary, isRight: isRight(pin, key, nowMs, house) };
}

function secretOf(random: Random, canary: string, { base32 }: House): string {
  if (base32) {
    const digits = `${canary}${referenceBase32(randomText(random, "abc", random(20)))}`;
    const whole = digits.slice(0, digits.length - ([1, 3, 6].includes(digits.length % 8) ? 1 : 0));
    return pick(random, [
      whole,
      whole.toUpperCase(),
      whole.replace(/(.{4})/g, "$1 "),
      `${whole}==`,
    ]);
  }
  const text = `${canary}${pick(random, TEXTS)}${pick(random, TEXTS)}`;
  return random(20) === 0 ? text.padEnd(1000, "x") : text;
}

function pinOf(random: Random, key: Uint8Array, house: House, nowMs: number): string {
  const { window, digits } = house.otp;
  const right = codeAt(key, nowMs, random(2 * window + 1) - window, house);
  return pick(random, [
    () => right,
    () => right,
    () => `${right.slice(0, 3)} ${right.slice(3)}`,
    () => `\t${right}\n `,
    () => codeAt(key, nowMs, window + 1 + random(3), house),
    () => codeAt(key, nowMs, -window - 1 - random(3), house),
    () => randomText(random, "0123456789", digits),
    () => right.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
    () =>
      pick(random, ["", " ", "abc", `+${right}`, `${right}0`, right.slice(1), `0${right}`, "1e5"]),
  ])();
}
