/**
 * QR Code symbols, ISO/IEC 18004:2015, of every version at error correction levels L and M.
 *
 *     text → segments → codewords → matrix → mask → QrCode
 *
 * @module
 */

import { optimalSegments, UTF_8_HEADER, VERSION_RANGES } from "./segments.ts";
import { createSymbol, type QrCode, smallestVersion, type SymbolPlan } from "./symbol.ts";
import type { ErrorCorrectionLevel } from "./tables.ts";

export { isDark, rowWords } from "./symbol.ts";
export type { ErrorCorrectionLevel, QrCode };

// Numeric capacity of version 40 at level L (table 7): no longer text can fit, so it is refused
// unread.
const MAX_CHARACTERS = 7089;

/**
 * Encodes `text` at `level` in the smallest symbol. Characters beyond ASCII become UTF-8, marked by
 * an ECI header; lone surrogates become U+FFFD.
 *
 * @returns `undefined` when the text does not fit
 */
export function encodeQr(text: string, level: ErrorCorrectionLevel): QrCode | undefined {
  const plan = planOf(text, level);
  return plan && createSymbol(plan);
}

function planOf(text: string, level: ErrorCorrectionLevel): SymbolPlan | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const bytes = new TextEncoder().encode(text);
  // Only text beyond ASCII has more bytes in UTF-8 than code units in UTF-16.
  const header = bytes.length > text.length ? [UTF_8_HEADER] : [];
  for (const range of VERSION_RANGES) {
    const segments = [...header, ...optimalSegments(bytes, range)];
    const version = smallestVersion(segments, level, range);
    if (version !== undefined) return { segments, version, level };
  }
  return undefined;
}

/**
 * Encodes text in the smallest symbol for a screen: at level M, or at L if it does not fit at M.
 *
 * @returns `undefined` when the text does not fit at L either
 */
export function encodeForScreen(text: string): QrCode | undefined {
  return encodeQr(text, "M") ?? encodeQr(text, "L");
}

/** Whether `encodeForScreen` has a symbol for a text. */
export function fitsScreen(text: string): boolean {
  return planOf(text, "L") !== undefined;
}
