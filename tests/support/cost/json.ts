/**
 * The dearest JSON texts.
 *
 * @module
 */

import { MAX_JSON_BYTES } from "../../../lib/bindings/json.ts";
import { ALPHABETS, dearBody, type DearRequest, fill, oneHash, type Piece } from "./request.ts";

const MEMBERS = '"appName":"a","appInfo":"b","secretCode":"c"';

/** What is repeated between two texts. */
type Row = readonly [of: string, before: string, piece: Piece, after: string];

const ROWS: readonly Row[] = [
  ["letters", `{${MEMBERS},"x":"`, "a", '"}'],
  ["escapes of a unit", `{${MEMBERS},"x":"`, "\\u0041", '"}'],
  ["escapes of a sign", `{${MEMBERS},"x":"`, '\\"', '"}'],
  ["escapes of a backslash", `{${MEMBERS},"x":"`, "\\\\", '"}'],
  ["signs of structure in a string", `{${MEMBERS},"x":"`, "{[:]}", '"}'],
  ["blanks", `{${MEMBERS}`, " ", "}"],
  ["line ends", `{${MEMBERS}`, "\n", "}"],
  ["digits", `{${MEMBERS},"x":`, "1", "}"],
  ["digits behind a point", `{${MEMBERS},"x":0.`, "1", "}"],
  ["digits of a pin", `{"secretCode":"c","appName":"a","appInfo":"b","pin":`, "1", "}"],
  ["arrays", `{${MEMBERS},"x":[0`, ",[]", "]}"],
  ["objects", `{${MEMBERS},"x":[0`, ",{}", "]}"],
  ["numbers", `{${MEMBERS},"x":[0`, ",1", "]}"],
  ["strings", `{${MEMBERS},"x":[0`, ',""', "]}"],
  ["members of one name", `{${MEMBERS}`, ',"a":1', "}"],
  ["members of an empty name", `{${MEMBERS}`, ',"":1', "}"],
  ["members that are the operation's", `{${MEMBERS}`, ',"appName":1', "}"],
  ["members of their own names", `{${MEMBERS}`, (i) => `,"a${i}":1`, "}"],
  ["members whose names are numbers", `{${MEMBERS}`, (i) => `,"${i}":1`, "}"],
  [
    "members whose names are far numbers",
    `{${MEMBERS}`,
    (i) => `,"${4_000_000_000 - i * 1001}":1`,
    "}",
  ],
  // To V8, texts like these have one hash.
  [
    "members whose names are far numbers of one hash",
    `{${MEMBERS}`,
    (i) => `,"${oneHash(i)}":1`,
    "}",
  ],
  ["strings that are numbers of one hash", `{${MEMBERS},"x":[0`, (i) => `,"${oneHash(i)}"`, "]}"],
  // And to JavaScriptCore texts like these: what it multiplies with the rest of them is 0.
  [
    "members of names of one hash",
    `{${MEMBERS}`,
    (i) => `,"\x93K\xB8\x8B${String(i).padStart(8, "0")}\xC9\xAC.\x96":1`,
    "}",
  ],
  ["members whose names are escaped", `{${MEMBERS}`, (i) => `,"\\u0061${i}":1`, "}"],
  ["members of the platform's names", `{${MEMBERS}`, ',"__proto__":{}', "}"],
  ["members of the members", `{${MEMBERS},"x":{"y":0`, ',"a":1', "}}"],
  ["what is not JSON, at the end", `{${MEMBERS}`, ',"a":1', ""],
  ["brackets that do not close", "", "[", ""],
  ["braces that do not close", "", '{"a":', ""],
  ["a string that does not close", `{"x":"`, "a", ""],
  ["signs in a string that does not close", `{"x":"`, '\\"', ""],
  ["backslashes that do not close", `{"x":"`, "\\", ""],
];

// As deep as it is long.
function nested(size: number, opening: string, closing: string): string {
  const depth = Math.floor((size - MEMBERS.length - 8) / (opening.length + closing.length));
  return `{${MEMBERS},"x":${opening.repeat(depth)}0${closing.repeat(depth)}}`;
}

const LETTERS = ALPHABETS.flatMap(([name, letter]): Row[] => [
  [`text in ${name}`, `{${MEMBERS},"x":"`, letter, '"}'],
  [`a name in ${name}`, `{${MEMBERS},"`, letter, '":0}'],
]);

/** The dearest JSON texts. */
export const DEAR_JSON: readonly DearRequest[] = [
  ...[...ROWS, ...LETTERS].map(([of, ...texts]) => dearJson(of, (size) => fill(size, ...texts))),
  dearJson("arrays in one another", (size) => nested(size, "[", "]")),
  dearJson("objects in one another", (size) => nested(size, '{"a":', "}")),
];

function dearJson(of: string, body: (size: number) => string): DearRequest {
  return dearBody(of, "/api.asmx/Pair", "application/json", body, MAX_JSON_BYTES);
}
