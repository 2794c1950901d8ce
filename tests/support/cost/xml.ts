/** Envelopes that repeat each construct of XML, within the limits of the service. */

import type { SoapVersion } from "../../../lib/bindings/soap/versions.ts";
import { MAX_BODY_BYTES } from "../../../lib/http/body.ts";
import { ALPHABETS, type CostlyRequest, fill, type Piece, post, type Row } from "./request.ts";

const PAIR = '<Pair xmlns="http://authenticatorapi.com/">';
const PARAMETERS = "<appName>a</appName><appInfo>b</appInfo><secretCode>c</secretCode></Pair>";

/** The texts before and behind the pieces; `e` is the prefix of the version's namespace. */
type Place = readonly [before: string, after: string];

const IN_HEADER: Place = ["<e:Header>", `</e:Header><e:Body>${PAIR}${PARAMETERS}</e:Body>`];
const IN_OPERATION: Place = [`<e:Body>${PAIR}`, `${PARAMETERS}</e:Body>`];
const IN_VALUE: Place = [
  `<e:Body>${PAIR}<secretCode>`,
  "</secretCode><appName>a</appName><appInfo>b</appInfo></Pair></e:Body>",
];
const IN_TAG: Place = [`<e:Body>${PAIR}<x`, `/>${PARAMETERS}</e:Body>`];
const IN_ATTRIBUTE: Place = [`<e:Body>${PAIR}<x y="`, `"/>${PARAMETERS}</e:Body>`];
const UNDERSTAND = 'e:mustUnderstand="1"';

// The envelope has some elements of its own.
const ELEMENTS = 1_000;

/** The repeated part, its place, the repeated text, and how often it may stand there. */
type PlacedRow = readonly [part: string, place: Place, piece: Piece, most?: number];

// deno-fmt-ignore
const ROWS: readonly PlacedRow[] = [
  ...ALPHABETS.flatMap(([name, letter]): PlacedRow[] => [
    [`elements named in ${name}`, IN_OPERATION, `<${letter.repeat(256)}/>`, ELEMENTS],
    [`attributes named in ${name}`, IN_TAG, (i) => ` ${letter.repeat(200)}${i}=""`, 64],
    [`header blocks to be understood, named in ${name}`, IN_HEADER, (i) => `<${letter.repeat(250)}${i} ${UNDERSTAND}/>`, ELEMENTS],
    [`text in ${name}`, IN_VALUE, letter],
    [`an attribute value in ${name}`, IN_ATTRIBUTE, letter],
  ]),
  ["elements", IN_OPERATION, "<a/>", ELEMENTS],
  ["elements with an end-tag", IN_OPERATION, "<a></a>", ELEMENTS],
  ["elements that have text", IN_OPERATION, "<a>text</a>\n", ELEMENTS],
  ["elements 62 deep", IN_OPERATION, "<a>".repeat(61) + "</a>".repeat(61), 16],
  ["elements 62 deep that declare a namespace each", IN_OPERATION, '<a xmlns="u">'.repeat(61) + "</a>".repeat(61), 16],
  ["parameters of another namespace", IN_OPERATION, '<pin xmlns=""/>', ELEMENTS],
  ["attributes, 64 an element", IN_OPERATION, `<a${attributes(64)}/>`, ELEMENTS],
  ["attributes with a prefix, 60 an element", IN_OPERATION, `<a xmlns:p="u"${attributes(60, "p:")}/>`, ELEMENTS],
  ["attributes of a namespace with a long name, 32 an element", IN_OPERATION, `<a xmlns:p="${"u".repeat(1_024)}"${attributes(32, "p:")}/>`, ELEMENTS],
  ["attributes of one namespace with a long name, 32 an element", underNamespace("u".repeat(1_024)), `<a${attributes(32, "p:")}/>`, ELEMENTS],
  ["declarations, 64 an element", IN_OPERATION, `<a${attributes(64, "xmlns:")}/>`, ELEMENTS],
  ["white space in a tag", IN_TAG, " "],
  ["white space in an end-tag", ["<e:Header></e:Header", `><e:Body>${PAIR}${PARAMETERS}</e:Body>`], "\n"],
  ["white space in an attribute value", IN_ATTRIBUTE, "\t"],
  ["references in an attribute value", IN_ATTRIBUTE, "&lt;"],
  ["decimal references", IN_VALUE, "&#9;"],
  ["hexadecimal references", IN_VALUE, "&#x10FFFF;"],
  ["references of many digits", IN_VALUE, `&#${"0".repeat(900)}65;`],
  ["one reference of many digits", [`${IN_VALUE[0]}&#`, `65;${IN_VALUE[1]}`], "0"],
  ["predefined entities", IN_VALUE, "&amp;"],
  ["CDATA sections", IN_VALUE, "<![CDATA[]]>"],
  ["CDATA sections of one bracket", IN_VALUE, "<![CDATA[]]]>"],
  ["one CDATA section", [`${IN_VALUE[0]}<![CDATA[`, `]]>${IN_VALUE[1]}`], "]]"],
  ["comments", IN_OPERATION, "<!---->"],
  ["comments between letters", IN_VALUE, "a<!---->"],
  ["one comment", [`${IN_OPERATION[0]}<!--`, `-->${IN_OPERATION[1]}`], "- "],
  ["processing instructions", IN_OPERATION, "<?a?>"],
  ["one processing instruction", [`${IN_OPERATION[0]}<?a `, `?>${IN_OPERATION[1]}`], "?"],
  ["brackets", IN_VALUE, "]"],
  ["line ends of two characters", IN_OPERATION, "\r\n"],
  ["line ends of one character", IN_OPERATION, "\r"],
  ["blanks between the elements of the Envelope", ["", `<e:Body>${PAIR}${PARAMETERS}</e:Body>`], " "],
  ["header blocks", IN_HEADER, "<a/>", ELEMENTS],
  ["header blocks to be understood", IN_HEADER, `<a ${UNDERSTAND}/>`, ELEMENTS],
  ["header blocks to be understood, each of another name", IN_HEADER, (i) => `<a${i} ${UNDERSTAND}/>`, ELEMENTS],
  ["header blocks aimed at others", IN_HEADER, '<a e:mustUnderstand="1" e:role="urn:r" e:actor="urn:r"/>', ELEMENTS],
  ["header blocks of a namespace of 256 quotes", underNamespace('"'.repeat(256)), (i) => `<p:a${i} ${UNDERSTAND}/>`, ELEMENTS],
  ["header blocks of a namespace of 256 letters beyond U+FFFF", underNamespace("\u{10FFFF}".repeat(256)), (i) => `<p:a${i} ${UNDERSTAND}/>`, ELEMENTS],
  ["header blocks of a namespace of 10,000 quotes", underNamespace('"'.repeat(10_000)), (i) => `<p:a${i} ${UNDERSTAND}/>`, ELEMENTS],
  // Errors at the end of the text.
  ["text, and a parameter that stands twice", [`<e:Body>${PAIR}<appName/><appName>`, `</appName>${PARAMETERS}</e:Body>`], "a"],
  ["text in Body", ["<e:Body>", "</e:Body>"], "a"],
  ["texts in Body", ["<e:Body>", "a</e:Body>"], " <!---->"],
  ["elements in Body", ["<e:Body>", "</e:Body>"], "<a/>", ELEMENTS],
  ["lines before an error", [IN_OPERATION[0], "<"], "\n"],
  ["letters beyond U+FFFF before an error", [IN_OPERATION[0], "<"], "𐀀"],
  ["letters beyond U+FFFF before a character that XML forbids", [IN_OPERATION[0], "\u0001"], "𐀀"],
  ["tags without end", [IN_OPERATION[0], ""], "<a".padEnd(300, "a")],
  ["less-than signs", IN_OPERATION, "<"],
  ["ampersands", IN_VALUE, "&"],
  ["a tag without end", [`<e:Body>${PAIR}<x`, ""], "\t"],
  ["a value without end", [`<e:Body>${PAIR}<x y="`, ""], "'"],
  ["a comment without end", [`<e:Body>${PAIR}<!--`, ""], "- "],
  ["a CDATA section without end", [`<e:Body>${PAIR}<![CDATA[`, ""], "]"],
  ["an element without end", [IN_OPERATION[0], ""], "<a>".repeat(60) + "</a>".repeat(60), 16],
];

function underNamespace(name: string): Place {
  return [`<e:Header xmlns:p='${name}'>`, IN_HEADER[1]];
}

function attributes(count: number, prefix = ""): string {
  return Array.from({ length: count }, (_, i) => ` ${prefix}a${i}="u"`).join("");
}

// Bodies that are no Envelope.
const OTHER_ROWS: readonly Row[] = [
  ["white space in an XML declaration", '<?xml version="1.0"', " ", "?><a/>"],
  ["blanks", "", " ", ""],
  ["line ends", "", "\n", ""],
  ["comments before the root", "", "<!---->", "<a/>"],
  ["processing instructions behind the root", "<a/>", "<?a?>", "<"],
  ["less-than signs alone", "", "<", ""],
  ["letters", "", "é", ""],
  ["text in an unknown root", "<a>", "é", "</a>"],
];

/** Requests in a version of SOAP. */
export function costlyEnvelopes({ envelope, mediaType }: SoapVersion): readonly CostlyRequest[] {
  const start = `<e:Envelope xmlns:e="${envelope}">`;
  const rows: readonly (readonly [...Row, most?: number | undefined])[] = [
    ...ROWS.map(([part, [before, after], piece, most]) =>
      [part, start + before, piece, `${after}</e:Envelope>`, most] as const
    ),
    ...OTHER_ROWS,
  ];
  return rows.map(([part, ...texts]) => ({
    part,
    make: () => post("/api.asmx", `${mediaType}; charset=utf-8`, fill(MAX_BODY_BYTES, ...texts)),
  }));
}
