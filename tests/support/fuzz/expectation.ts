/** What the reply to a request must say. */

import { referenceBase32 } from "../reference_base32.ts";
import { type House, isRight, keyBytes } from "./house.ts";
import { readCall } from "./reader.ts";
import { OPERATIONS, type ReadCall, REFUSED, UNSURE } from "./reading.ts";
import type { FuzzRequest } from "./request.ts";

/**
 * What the reply must say: `true`, `false`, or a setup code; `refused` when it must be an error, and
 * undefined when nobody can tell but that `true` would be wrong.
 */
export type Expectation = string | undefined;

/** Reads a request and says what must come of it at a time. */
export function expectReply(request: FuzzRequest, house: House, nowMs: number): Expectation {
  return expectation(() => readCall(request, house), house, nowMs);
}

/** Says what must come of a call that was written as a legal request. */
export function expectResult(call: ReadCall, house: House, nowMs: number): Expectation {
  return expectation(() => call, house, nowMs);
}

function expectation(read: () => ReadCall, house: House, nowMs: number): Expectation {
  try {
    const call = read();
    checkArguments(call);
    return resultOf(call, house, nowMs);
  } catch (error) {
    if (error === REFUSED) return "refused";
    if (error === UNSURE) return undefined;
    throw error;
  }
}

// In bytes, in characters; the two names are of as many characters as an issuer and an account.
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

function resultOf({ operation, args }: ReadCall, house: House, nowMs: number): Expectation {
  const key = keyBytes(args.get("secretCode")!, house);
  if (key === undefined) throw REFUSED;
  if (operation === "ValidatePin") return String(isRight(args.get("pin")!, key, nowMs, house));
  const [appName, appInfo] = [args.get("appName")!, args.get("appInfo")!];
  // ISO/IEC 18004 table 7: what a QR code holds of bytes at level M, and of letters at level L.
  const length = 100 + escapedLength(appName) * 2 + escapedLength(appInfo) + key.length * 1.6;
  if (length > 2331) throw UNSURE;
  return referenceBase32(key);
}

function escapedLength(text: string): number {
  return 3 * new TextEncoder().encode(text).length;
}
