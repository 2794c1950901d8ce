/** A server as fuzzing knows it: its options, and what it should make of a secret and a pin. */

import type { PinClock } from "../placeholders.ts";
import { bytesOfBase32 } from "../reference_base32.ts";
import { referenceHotp } from "../reference_totp.ts";

/** A server. */
export interface House {
  /** The command line options that it is started with. */
  readonly args: readonly string[];
  /** The callers' keys; none when it wants none. */
  readonly keys: readonly string[];
  /** Whether a secret is Base32. */
  readonly base32: boolean;
  /** What pins depend on. */
  readonly otp: Omit<PinClock, "now">;
}

const DEFAULT_OTP = { algorithm: "SHA1", digits: 6, period: 30, window: 1 } as const;

/** The servers that requests are sent to. */
export const HOUSES: readonly House[] = [
  { args: [], keys: [], base32: false, otp: DEFAULT_OTP },
  {
    args: "--secret-encoding base32 --digits 8 --algorithm SHA256 --window 3".split(" "),
    keys: [],
    base32: true,
    otp: { ...DEFAULT_OTP, digits: 8, algorithm: "SHA256", window: 3 },
  },
  {
    args: "--html image --trust-proxy --max-failures 5".split(" "),
    keys: ["key-of-a-caller-1", "key-of-a-caller-2"],
    base32: false,
    otp: DEFAULT_OTP,
  },
];

/** The key bytes of a secret; undefined when it is none. */
export function keyBytes(secret: string, { base32 }: House): Uint8Array | undefined {
  const key = base32
    ? bytesOfBase32(secret.replace(/[ -]/g, "").replace(/=+$/, "").replace(/[a-z]/g, upper))
    : new TextEncoder().encode(secret);
  return key === undefined || key.length === 0 ? undefined : key;
}

function upper(letter: string): string {
  return String.fromCharCode(letter.charCodeAt(0) - 32);
}

/** The code of a time step, by its distance to that of a time. */
export function codeAt(key: Uint8Array, nowMs: number, distance: number, { otp }: House): string {
  return referenceHotp(key, Math.floor(nowMs / 1000 / otp.period) + distance, otp);
}

/** Whether a pin is right at a time. */
export function isRight(pin: string, key: Uint8Array, nowMs: number, house: House): boolean {
  const code = pin.replace(/[ \t\r\n]/g, "");
  const { window } = house.otp;
  return Array.from({ length: 2 * window + 1 }, (_, i) => i - window)
    .some((distance) => codeAt(key, nowMs, distance, house) === code);
}
