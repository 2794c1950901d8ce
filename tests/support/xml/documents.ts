/** Generators of hostile documents, well-formed and not. */

import * as fc from "fast-check";
import { ENVELOPES, PIECES } from "./envelopes.ts";
import { decode, readW3cSuite, withoutDocumentType } from "./w3c_suite.ts";

/** A change of a text in one place. */
export type Change = (text: string) => string;

/** Documents of the W3C's suite that are UTF-8, without their document types. */
export const W3C_DOCUMENTS: readonly string[] = readW3cSuite()
  .map(decode)
  .filter((text) => text !== undefined)
  .map(withoutDocumentType);

/** A place in a text, as it is taken modulo the length of that text. */
export const PLACE: fc.Arbitrary<number> = fc.noBias(fc.nat(0xfffff));

/**
 * Makes changes of a text by pieces.
 *
 * @param others Texts that one may go on with; its own parts unless given.
 */
export function changesBy(
  pieces: fc.Arbitrary<string>,
  others: fc.Arbitrary<string | undefined> = fc.constant(undefined),
): readonly fc.Arbitrary<Change>[] {
  return [
    // A piece more, anywhere.
    fc.tuple(PLACE, pieces).map(([at, piece]) => (text) => put(text, at, piece)),
    // A piece more where a token begins or ends: most other places are in the middle of a word.
    fc.tuple(PLACE, pieces).map(([at, piece]) => (text) => {
      const places = [...text.matchAll(/(?=[<>&;='"\s])|(?<=[>;='"\s])/g)];
      return put(text, places[at % places.length]?.index ?? 0, piece);
    }),
    // A part less.
    fc.tuple(PLACE, fc.nat(7)).map(([at, more]) => (text) => put(text, at, "", 1 + more)),
    // A part twice.
    fc.tuple(PLACE, PLACE, fc.nat(80)).map(([at, from, length]) => (text) =>
      put(text, at, part(text, from, length))
    ),
    // Another character.
    fc.tuple(PLACE, pieces).map(([at, piece]) => (text) => put(text, at, piece[0]!, 1)),
    // Another text from some place on.
    fc.tuple(PLACE, PLACE, others).map(([at, from, other]) => (text) =>
      put(text, at, part(other ?? text, from), text.length)
    ),
  ];
}

/** A change of XML. */
export const XML_CHANGE: fc.Arbitrary<Change> = fc.oneof(
  ...changesBy(fc.constantFrom(...PIECES), fc.constantFrom(...ENVELOPES)),
);

/** Puts a piece into a text, over some characters. */
export function put(text: string, place: number, piece: string, over = 0): string {
  const at = place % (text.length + 1);
  return text.slice(0, at) + piece + text.slice(at + over);
}

/** A part of a text, to its end unless shorter. */
export function part(text: string, place: number, length = text.length): string {
  return text.slice(place % (text.length + 1)).slice(0, length);
}

function changed(document: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const changes = fc.array(XML_CHANGE, { minLength: 1, maxLength: 2 });
  return fc.tuple(document, changes).map(([text, list]) => list.reduce((t, c) => c(t), text));
}

function texts(pieces: readonly string[], maxLength = 2): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...pieces), { maxLength }).map((list) => list.join(""));
}

// The characters at both ends of each range of [4] NameStartChar and [4a] NameChar.
const NAME_STARTS = "AZ_az\xC0\xD6\xD8\xF6\xF8\u02FF\u0370\u037D\u037F\u1FFF\u200C\u200D\u2070" +
  "\u218F\u2C00\u2FEF\u3001\uD7FF\uF900\uFDCF\uFDF0\uFFFD\u{10000}\u{EFFFF}";
const NAME_CHARS = `${NAME_STARTS}-.09\xB7\u0300\u036F\u203F\u2040`;

// deno-fmt-ignore
const TEXTS = [
  "a", " ", "\n", "\r\n", "\r", "\t", "]]", "]", ">", "'", '"', "=", "\x7F", "\x85", "\xA0",
  "\uD7FF", "\uE000", "\uFFFD", "\u{10000}", "\u{10FFFF}", "\uFEFF", "\u2028", "&amp;", "&lt;",
  "&gt;", "&apos;", "&quot;", "&#9;", "&#10;", "&#13;", "&#x20;", "&#x3c;", "&#38;", "&#x10FFFF;",
  "&#xD7FF;", "&#0000065;", "&#x00000e9;",
];

const SPACES = [" ", "\t", "\n", "\r\n", "\r", " \n\t"];
const SPACE = fc.oneof({ weight: 2, arbitrary: fc.constant("") }, fc.constantFrom(...SPACES));
const NAME = fc.tuple(fc.constantFrom(...NAME_STARTS), texts([...NAME_CHARS])).map((parts) =>
  parts.join("").replace(/^xml/i, "_$&")
);
const COMMENT = texts(["a", "- ", "<", "&b;", "]]>", " ?>"]).map((text) => `<!--${text}-->`);
const INSTRUCTION = fc.tuple(
  NAME,
  fc.constantFrom(...SPACES),
  texts(["a", "?", "<", "&b;", "--", "xml"]),
).map(([target, space, data]) => `<?${target}${data === "" ? "" : `${space}x${data}`}?>`);
// Pieces of which no two make a section end.
const SECTION = texts(["a", "]", ">", "<", "&", "&amp;", "\r\n", "\r", "\u{10000}", "<!--"]).map(
  (text) => `<![CDATA[${text}]]>`,
);
const VALUE = texts(TEXTS).map((text) => text.replace(/['"]/g, "|"));
const NAMES = ["u", "U", "urn:a", "urn:a/", "http://authenticatorapi.com/"];
const NAMESPACE = fc.oneof(
  { weight: 29, arbitrary: fc.constantFrom(...NAMES) },
  // Not compared with saxes, which trims them.
  { weight: 1, arbitrary: fc.constantFrom("u ", " u", "u&#32;") },
);

/** Writes content with the prefixes that are declared around it. */
type Content = (prefixes: readonly string[]) => string;

const { element: ELEMENT } = fc.letrec<{ element: Content; content: Content }>((tie) => ({
  element: fc.record({
    declared: fc.array(fc.tuple(NAME, NAMESPACE), { maxLength: 2 }),
    unprefixed: fc.array(fc.oneof(NAMESPACE, NAMESPACE, fc.constant("")), { maxLength: 1 }),
    attributes: fc.array(fc.tuple(NAME, VALUE), { maxLength: 3 }),
    name: NAME,
    places: fc.tuple(PLACE, PLACE),
    spaces: fc.tuple(fc.constantFrom(...SPACES), SPACE, SPACE, SPACE),
    quote: fc.constantFrom('"', "'"),
    children: fc.option(fc.array(tie("content"), { maxLength: 4 }), { freq: 4 }),
  }).map(
    ({ declared, unprefixed, spaces: [space, before, after, end], quote, ...drawn }) => (outer) => {
      const prefixes = [...outer, ...declared.map(([prefix]) => prefix)];
      const places = ["", ...prefixes.map((prefix) => `${prefix}:`)];
      // One prefix for the attributes of an element: two could be bound to one namespace.
      const [mine, theirs] = drawn.places.map((place) => places[place % places.length]);
      const name = `${mine}${drawn.name}`;
      const attributes = new Map([
        ...declared.map(([prefix, namespace]) => [`xmlns:${prefix}`, namespace] as const),
        ...unprefixed.map((namespace) => ["xmlns", namespace] as const),
        ...drawn.attributes.map(([local, value]) => [`${theirs}${local}`, value] as const),
      ]);
      const written = [...attributes].map(([name, value]) =>
        `${space}${name}${before}=${after}${quote}${value}${quote}`
      );
      const tag = `<${name}${written.join("")}${end}`;
      if (drawn.children === null) return `${tag}/>`;
      return `${tag}>${drawn.children.map((child) => child(prefixes)).join("")}</${name}${end}>`;
    },
  ),
  content: fc.oneof(
    { maxDepth: 5 },
    // A comment behind each text keeps two of them from making a section end.
    fc.tuple(fc.constantFrom(...TEXTS), COMMENT).map((parts) => () => parts.join("")),
    ...[SECTION, COMMENT, INSTRUCTION].map((leaf) => leaf.map((text) => () => text)),
    { weight: 2, arbitrary: tie("element") },
  ),
}));

const DECLARATION = fc.constantFrom(
  "",
  "<?xml version='1.0'?>",
  '<?xml\tversion = "1.0"\r\nencoding="UTF-8"  standalone=\'yes\' ?>',
);
const MISC = fc.array(fc.oneof(fc.constantFrom(...SPACES), COMMENT, INSTRUCTION), { maxLength: 2 })
  .map((list) => list.join(""));

/** A document that is well-formed, with its namespaces, and within the limits. */
export const WELL_FORMED: fc.Arbitrary<string> = fc.tuple(DECLARATION, MISC, ELEMENT, MISC).map(
  ([declaration, before, root, after]) => declaration + before + root(["xml"]) + after,
);

/** A small document of pieces alone, where nearly every production meets every other. */
export const ASSEMBLED: fc.Arbitrary<string> = fc.tuple(
  texts(PIECES, 3),
  fc.constantFrom("?", "<a xmlns:p='u'>?</a>", "<a?/>", "<a b='?'/>"),
).map(([text, frame]) => frame.replace("?", () => text));

/** An envelope, broken or not. */
export const CHANGED_ENVELOPE: fc.Arbitrary<string> = changed(fc.constantFrom(...ENVELOPES));

/** A document of any kind. */
export const DOCUMENT: fc.Arbitrary<string> = fc.oneof(
  ASSEMBLED,
  CHANGED_ENVELOPE,
  changed(fc.constantFrom(...W3C_DOCUMENTS)),
  WELL_FORMED,
  changed(WELL_FORMED),
);
