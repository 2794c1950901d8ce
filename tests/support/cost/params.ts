/**
 * The dearest form bodies and query strings.
 *
 * @module
 */

import {
  ALPHABETS,
  dearBody,
  dearQuery,
  type DearRequest,
  fill,
  oneHash,
  type Piece,
} from "./request.ts";

const FORM = "application/x-www-form-urlencoded";
const CALL = "appName=a&appInfo=b&secretCode=c&";

/** What is repeated, and what stands before it. */
type Row = readonly [of: string, before: string, piece: Piece];

const ROWS: readonly Row[] = [
  ["plus signs", "x=", "+"],
  ["escapes of a byte", "x=", "%41"],
  ["escapes of two bytes", "x=", "%C3%A9"],
  ["escapes of four bytes", "x=", "%F0%9F%94%91"],
  ["escapes of a unit", "x=", "%u0041"],
  ["escapes of two units", "x=", "%uD83D%uDD11"],
  ["escapes of a byte and of a unit in turn", "x=", "%41%u0041"],
  ["escapes between letters", "x=", "a%41"],
  ["escapes that are none", "x=", "%"],
  ["escapes that break off", "x=", "%4"],
  ["escapes of a unit that break off", "x=", "%u004"],
  ["escapes that are not UTF-8, at the end", "x=%ff&x=", "a"],
  ["escapes in a secretCode that is too long", "x=&secretCode=", "%41"],
  ["ampersands", "", "&"],
  ["equals signs", "", "="],
  ["names", "", "a&"],
  ["names and values", "", "a=b&"],
  ["names of their own", "", (i) => `${i}=&`],
  ["names of one hash", "", (i) => `${oneHash(i)}=&`],
  ["names that are escaped", "", "%41=%41&"],
  ["names that grow in lower case", "", "%C4%B0"],
  ["an appName that stands twice", "appName=&", "a=b&"],
];

const LETTERS: readonly Row[] = ALPHABETS.flatMap(([name, letter]): Row[] => [
  [`values in ${name}`, "x=", encodeURIComponent(letter)],
  [`one name in ${name}`, "", encodeURIComponent(letter)],
]);

const ALL_ROWS = [...ROWS, ...LETTERS];

// Letters as they are; a query holds ASCII alone.
const RAW_LETTERS = ALPHABETS.map(([name, letter]): Row => [`raw ${name}`, "x=", letter]);

/** The dearest form bodies. */
export const DEAR_FORMS: readonly DearRequest[] = [...ALL_ROWS, ...RAW_LETTERS]
  .map(([of, before, piece]) =>
    dearBody(of, "/api.asmx/Pair", FORM, (size) => fill(size, CALL + before, piece, ""))
  );

/** The dearest query strings to a path, each behind what makes it a good call. */
export function dearQueries(path: string, call = CALL): readonly DearRequest[] {
  return ALL_ROWS.map(([of, before, piece]) =>
    dearQuery(of, path, (size) => fill(size, call + before, piece, ""))
  );
}
