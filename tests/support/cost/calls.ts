/** Forms, queries, JSON texts, pairings, pictures and Hosts as expensive as the limits allow. */

import { MAX_JSON_BYTES } from "../../../lib/bindings/json.ts";
import { MAX_BODY_BYTES } from "../../../lib/http/body.ts";
import { MAX_QUERY_LENGTH } from "../../../lib/http/request_target.ts";
import { BINDINGS, writeCall } from "../calls.ts";
import {
  ALPHABETS,
  type CostlyRequest,
  fill,
  type Piece,
  post,
  request,
  type Row,
  sameHash,
} from "./request.ts";

const FORM = "application/x-www-form-urlencoded";
const CALL = "appName=a&appInfo=b&secretCode=c&";

/** The repeated part, the text before it, and the repeated text. */
type FormRow = readonly [part: string, before: string, piece: Piece];

const FORM_ROWS: readonly FormRow[] = [
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
  ["names of one hash", "", (i) => `${sameHash(i)}=&`],
  ["names that are escaped", "", "%41=%41&"],
  ["names that grow in lower case", "", "%C4%B0"],
  ["an appName that stands twice", "appName=&", "a=b&"],
];

const QUERY_ROWS: readonly FormRow[] = [
  ...FORM_ROWS,
  ...ALPHABETS.flatMap(([name, letter]): FormRow[] => [
    [`values in ${name}`, "x=", encodeURIComponent(letter)],
    [`one name in ${name}`, "", encodeURIComponent(letter)],
  ]),
];

/** Form bodies; unlike a query, a body may hold letters beyond ASCII as they are. */
export const COSTLY_FORMS: readonly CostlyRequest[] = [
  ...QUERY_ROWS,
  ...ALPHABETS.map(([name, letter]): FormRow => [`raw ${name}`, "x=", letter]),
].map(([part, before, piece]) => ({
  part,
  make: () => post("/api.asmx/Pair", FORM, fill(MAX_BODY_BYTES, CALL + before, piece, "")),
}));

/** Query strings to a path, each behind parameters that make it a complete call. */
export function costlyQueries(path: string, call = CALL): readonly CostlyRequest[] {
  return QUERY_ROWS.map(([part, before, piece]) => ({
    part,
    make: () => request(`GET ${path}?${fill(MAX_QUERY_LENGTH, call + before, piece, "")}`),
  }));
}

const MEMBERS = '"appName":"a","appInfo":"b","secretCode":"c"';

// deno-fmt-ignore
const JSON_ROWS: readonly Row[] = [
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
  ["members whose names are far numbers", `{${MEMBERS}`, (i) => `,"${4_000_000_000 - i * 1001}":1`, "}"],
  // V8 computes one hash for all of these.
  ["members whose names are far numbers of one hash", `{${MEMBERS}`, (i) => `,"${sameHash(i)}":1`, "}"],
  ["strings that are numbers of one hash", `{${MEMBERS},"x":[0`, (i) => `,"${sameHash(i)}"`, "]}"],
  // JavaScriptCore too: it multiplies the rest of each with 0.
  ["members of names of one hash", `{${MEMBERS}`, (i) => `,"\x93K\xB8\x8B${String(i).padStart(8, "0")}\xC9\xAC.\x96":1`, "}"],
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

function nested(opening: string, closing: string): string {
  const depth = Math.floor(
    (MAX_JSON_BYTES - MEMBERS.length - 8) / (opening.length + closing.length),
  );
  return `{${MEMBERS},"x":${opening.repeat(depth)}0${closing.repeat(depth)}}`;
}

const JSON_TEXTS: readonly (readonly [part: string, write: () => string])[] = [
  ...[
    ...JSON_ROWS,
    ...ALPHABETS.flatMap(([name, letter]): Row[] => [
      [`text in ${name}`, `{${MEMBERS},"x":"`, letter, '"}'],
      [`a name in ${name}`, `{${MEMBERS},"`, letter, '":0}'],
    ]),
  ].map(([part, ...texts]) => [part, () => fill(MAX_JSON_BYTES, ...texts)] as const),
  ["arrays in one another", () => nested("[", "]")],
  ["objects in one another", () => nested('{"a":', "}")],
];

/** JSON texts. */
export const COSTLY_JSON: readonly CostlyRequest[] = JSON_TEXTS.map(([part, write]) => ({
  part,
  make: () => post("/api.asmx/Pair", "application/json", write()),
}));

// A letter, and how often it stands in appName, appInfo and secretCode: as often as fits.
const PAIRINGS: readonly (readonly [part: string, letter: string, counts: readonly number[]])[] = [
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

/** The longest names and secrets that fit in a QR code, in each binding. */
export const COSTLY_PAIRINGS: readonly CostlyRequest[] = BINDINGS.flatMap((binding) =>
  PAIRINGS.map(([part, letter, counts]) => ({
    part: `${part}, by ${binding}`,
    make: () => {
      const [appName, appInfo, secretCode] = counts
        .map((count) => letter.repeat(count)) as [string, string, string];
      const names = { appName: `x${appName.slice(1)}`, appInfo, secretCode };
      const { method, path, headers, body } = writeCall(binding, "Pair", names);
      return request(`${method} ${path}`, headers, body);
    },
  }))
);

// The repeated text, and how often it fits.
const TEXTS: readonly (readonly [part: string, piece: Piece, count: number])[] = [
  ["Latin letters", "a", 2953],
  // As many as the query holds, percent-encoded.
  ...ALPHABETS.slice(1).map(([name, letter]): [string, string, number] => {
    const escaped = encodeURIComponent(letter);
    return [name, escaped, Math.floor(8_100 / escaped.length)];
  }),
  // The text with the most edges between dark and light modules of those that were tried.
  ["letters whose bits alternate", "UUf", 984],
  ["digits", "7", 7089],
  ["capital letters", "A", 4296],
  ["letters and digits in turn", (i) => i % 8 < 6 ? "7" : "a", 4000],
  ["capital letters and others in turn", (i) => i % 12 < 10 ? "A" : "a", 3000],
  ["more than fits", "a", 8000],
  ["more digits than fit", "7", 8100],
];

const PICTURE_FORMS = ["size=1000x1000", "size=1000x180", "size=180x1000", "format=svg"];

/** The largest QR codes in the largest pictures. */
export const COSTLY_PICTURES: readonly CostlyRequest[] = PICTURE_FORMS.flatMap((form) =>
  TEXTS.map(([text, piece, count]) => ({
    part: `${text}, ${form}`,
    make: () => request(`GET /qr.aspx?${form}&data=${fill(Infinity, "", piece, "", count)}`),
  }))
);

const SECRETS: readonly Row[] = [
  ["letters", "", "a", ""],
  ["padding", "", "=", ""],
  ["padding before a letter", "", "=", "a"],
  ["blanks", "", "+", ""],
  ["hyphens before a letter", "", "-", "a"],
  ["blanks between letters", "a", "+", "a"],
  ["letters with marks", "", "\u00df", ""],
];

/** Secrets that may be Base32. */
export const COSTLY_SECRETS: readonly CostlyRequest[] = SECRETS.map(([part, ...texts]) => ({
  part,
  make: () =>
    post("/api.asmx/Pair", FORM, `appName=a&appInfo=b&secretCode=${fill(1024, ...texts)}`),
}));

/** The longest Host, as one label and as many. */
export function costlyHosts(target: string): readonly CostlyRequest[] {
  return ["a", "a.", "-"].map((piece) => ({
    part: `${JSON.stringify(piece)} as Host, GET ${target}`,
    make: () => request(`GET ${target}`, { Host: fill(255, "", piece, "") }),
  }));
}
