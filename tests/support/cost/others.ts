/**
 * The dearest pictures of `/qr.aspx`, secrets in Base32, and the longest Host.
 *
 * @module
 */

import { ALPHABETS, type DearRequest, fill, type Piece, request } from "./request.ts";

/** What is repeated, and how often it fits. */
type Row = readonly [of: string, piece: Piece, count: number];

const TEXTS: readonly Row[] = [
  ["Latin letters", "a", 2953],
  // Percent-encoded, these are all that the query holds.
  ...ALPHABETS.slice(1).map(([name, letter]): Row => {
    const escaped = encodeURIComponent(letter);
    return [name, escaped, Math.floor(8_100 / escaped.length)];
  }),
  // Of all texts that were tried, the one with the most edges between dark and light.
  ["letters whose bits alternate", "UUf", 984],
  ["digits", "7", 7089],
  ["capital letters", "A", 4296],
  ["letters and digits in turn", (i) => i % 8 < 6 ? "7" : "a", 4000],
  ["capital letters and others in turn", (i) => i % 12 < 10 ? "A" : "a", 3000],
  ["more than fits", "a", 8000],
  ["more digits than fit", "7", 8100],
];

const FORMS = ["size=1000x1000", "size=1000x180", "size=180x1000", "format=svg"];

/** The largest QR codes in the largest pictures; the size is in characters of the text. */
export const DEAR_PICTURES: readonly DearRequest[] = FORMS.flatMap((form) =>
  TEXTS.map(([of, piece, count]) => ({
    of: `${of}, ${form}`,
    size: count,
    make: (size: number) =>
      request(`GET /qr.aspx?${form}&data=${fill(Infinity, "", piece, "", size)}`),
  }))
);

const SECRETS: readonly (readonly [of: string, before: string, piece: string, after: string])[] = [
  ["letters", "", "a", ""],
  ["padding", "", "=", ""],
  ["padding before a letter", "", "=", "a"],
  ["blanks", "", "+", ""],
  ["hyphens before a letter", "", "-", "a"],
  ["blanks between letters", "a", "+", "a"],
  ["letters with marks", "", "\u00df", ""],
];

/** The dearest secrets that may be Base32; the size is in characters. */
export const DEAR_SECRETS: readonly DearRequest[] = SECRETS.map(([of, ...texts]) => ({
  of,
  size: 1024,
  make: (size: number) =>
    request(
      "POST /api.asmx/Pair",
      { "Content-Type": "application/x-www-form-urlencoded" },
      `appName=a&appInfo=b&secretCode=${fill(size, ...texts)}`,
    ),
}));
/** The longest Host, as one label and as many; the size is in characters. */
export function dearHosts(target: string): readonly DearRequest[] {
  return ["a", "a.", "-"].map((piece) => ({
    of: `${JSON.stringify(piece)} as Host, GET ${target}`,
    size: 255,
    make: (size: number) => request(`GET ${target}`, { Host: fill(size, "", piece, "") }),
  }));
}
