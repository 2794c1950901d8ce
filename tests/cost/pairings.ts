/**
 * The dearest pairings: the longest names and secrets that fit into a QR code, in every binding.
 *
 * @module
 */

import { bindingsOf } from "../../lib/bindings/bindings.ts";
import { PAIR } from "../../lib/operations/operations.ts";
import type { RawRequest } from "../support/http.ts";
import { type DearRequest, request } from "./request.ts";

/** A letter, and how often it stands in appName, appInfo and secretCode. */
type Row = readonly [of: string, letter: string, counts: readonly [number, number, number]];

const ROWS: readonly Row[] = [
  ["Latin letters, and a secretCode of 1,024 bytes", "a", [256, 256, 1024]],
  ["letters with marks", "é", [200, 60, 1]],
  ["Han", "漢", [140, 20, 1]],
  ["letters beyond U+FFFF", "🔑", [110, 10, 1]],
  ["letters beyond U+FFFF in appInfo alone", "🔑", [1, 220, 1]],
  ["ampersands", "&", [256, 256, 10]],
  ["quotes", "'", [256, 256, 10]],
  ["digits", "7", [256, 256, 1024]],
  ["blanks", " ", [256, 256, 1024]],
  ["colons", ":", [255, 256, 10]],
  ["more than fits", "漢", [256, 256, 340]],
];

const BINDINGS = bindingsOf("http://authenticatorapi.com/");

/** Pairings by the callers of each binding; the size is in hundredths of the longest names. */
export const DEAR_PAIRINGS: readonly DearRequest[] = BINDINGS.flatMap(({ name, writeCall }) => {
  if (writeCall === undefined) return [];
  return ROWS.map(([of, letter, counts]): DearRequest => ({
    of: `${of}, by ${name}`,
    size: 100,
    make: (size): RawRequest => {
      const [appName, appInfo, secretCode] = counts
        .map((count) => letter.repeat(Math.ceil(count * size / 100)));
      const args = { appName: `x${appName!.slice(1)}`, appInfo: appInfo!, secretCode: secretCode! };
      const { method, path, headers, body } = writeCall(PAIR, new Map(Object.entries(args)));
      return request(`${method} /api.asmx${path}`, headers, body);
    },
  }));
});
