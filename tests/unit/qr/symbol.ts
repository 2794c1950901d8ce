import { encodeQr } from "../../../lib/qr/encode.ts";
import {
  createSegment,
  type Mode,
  optimalSegments,
  type Segment,
  VERSION_RANGES,
} from "../../../lib/qr/segments.ts";
import { createSymbol, type QrCode, smallestVersion } from "../../../lib/qr/symbol.ts";
import type { ErrorCorrectionLevel } from "../../../lib/qr/tables.ts";

/** Version and mask pattern in place of those that the encoder takes. */
export interface Forced {
  readonly version?: number;
  readonly mask?: number;
}

/** The symbol of a text in ASCII; undefined where it does not fit in the version. */
export function symbol(
  text: string,
  level: ErrorCorrectionLevel,
  { version = encodeQr(text, level)?.version ?? 40, mask }: Forced,
): QrCode | undefined {
  const range = VERSION_RANGES.find(({ max }) => version <= max)!;
  const segments = optimalSegments(new TextEncoder().encode(text), range);
  return symbolOf(segments, version, level, mask);
}

/** The symbol of segments; undefined where they do not fit in the version. */
export function symbolOf(
  segments: readonly Segment[],
  version: number,
  level: ErrorCorrectionLevel,
  mask?: number,
): QrCode | undefined {
  const fits = smallestVersion(segments, level, { min: version, max: version }) !== undefined;
  if (!fits) return undefined;
  return createSymbol({ segments, version, level, mask });
}

/** The segment of a text in a mode. */
export function segment(mode: Mode, text: string): Segment {
  return createSegment(mode, new TextEncoder().encode(text));
}
