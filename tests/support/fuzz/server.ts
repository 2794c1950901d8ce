/** A server as fuzzing knows it: its options, and the reply that each call must get. */

import type { PinClock } from "../placeholders.ts";
import { bytesOfBase32, referenceBase32 } from "../reference_base32.ts";
import { referenceHotp } from "../reference_totp.ts";
import { OPERATIONS, type ReadCall, REFUSED, UNSURE } from "./request.ts";

/** A server. */
export interface FuzzServer {
  /** Its command line options. */
  readonly args: readonly string[];
  /** The API keys; none when it requires none. */
  readonly keys: readonly string[];
  /** Whether a secret is Base32. */
  readonly base32: boolean;
  /** The parameters of its pins. */
  readonly otp: Omit<PinClock, "now">;
}

const DEFAULT_OTP = { algorithm: "SHA1", digits: 6, period: 30, window: 1 } as const;

/** The servers. */
export const SERVERS: readonly FuzzServer[] = [
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

/** The key bytes of a secret; undefined for a text that is no secret. */
export function keyBytes(secret: string, { base32 }: FuzzServer): Uint8Array | undefined {
  const key = base32
    ? bytesOfBase32(secret.replace(/[ \t\r\n-]/g, "").replace(/=+$/, "").replace(/[a-z]/g, upper))
    : new TextEncoder().encode(secret);
  return key === undefined || key.length === 0 ? undefined : key;
}

function upper(letter: string): string {
  return String.fromCharCode(letter.charCodeAt(0) - 32);
}

/** The code of a time step, by its distance to that of a time. */
export function codeAt(
  key: Uint8Array,
  nowMs: number,
  distance: number,
  { otp }: FuzzServer,
): string {
  return referenceHotp(key, Math.floor(nowMs / 1000 / otp.period) + distance, otp);
}

/** Whether a pin is right at a time. */
export function isRight(pin: string, key: Uint8Array, nowMs: number, server: FuzzServer): boolean {
  const code = pin.replace(/[ \t\r\n]/g, "");
  const { window } = server.otp;
  return Array.from({ length: 2 * window + 1 }, (_, i) => i - window)
    .some((distance) => codeAt(key, nowMs, distance, server) === code);
}

/**
 * The result that a reply must have: `true`, `false`, or a setup code; `refused` for an error, and
 * undefined when more than one reply is legal, but for `true` where no pin was right.
 */
export type Expectation = string | undefined;

/** Returns the expectation for a call, which a function reads. */
export function expectationOf(
  read: () => ReadCall,
  server: FuzzServer,
  nowMs: number,
): Expectation {
  try {
    const call = read();
    checkArguments(call);
    return resultOf(call, server, nowMs);
  } catch (error) {
    if (error === REFUSED) return "refused";
    if (error === UNSURE) return undefined;
    throw error;
  }
}

// In bytes, and in characters; 256 characters for the other parameters.
const LIMITS: ReadonlyMap<string, number> = new Map([["secretCode", 1024], ["pin", 64]]);

function lengthOf(name: string, value: string): number {
  return name === "secretCode" ? new TextEncoder().encode(value).length : [...value].length;
}

function checkArguments({ operation, args }: ReadCall): void {
  for (const name of OPERATIONS.get(operation)!) {
    const value = args.get(name);
    if (value === undefined || (value === "" && name !== "pin")) throw REFUSED;
    // [2] Char of XML 1.0.
    if (/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.test(value)) throw REFUSED;
    if (lengthOf(name, value) > (LIMITS.get(name) ?? 256)) throw REFUSED;
  }
}

function resultOf({ operation, args }: ReadCall, server: FuzzServer, nowMs: number): Expectation {
  const key = keyBytes(args.get("secretCode")!, server);
  if (key === undefined) throw REFUSED;
  if (operation === "ValidatePin") return String(isRight(args.get("pin")!, key, nowMs, server));
  const [appName, appInfo] = [args.get("appName")!, args.get("appInfo")!];
  // ISO/IEC 18004 table 7: what a QR code holds of bytes at level M, and of letters at level L.
  const length = 100 + escapedLength(appName) * 2 + escapedLength(appInfo) + key.length * 1.6;
  if (length > 2331) throw UNSURE;
  return referenceBase32(key);
}

function escapedLength(text: string): number {
  return 3 * new TextEncoder().encode(text).length;
}
