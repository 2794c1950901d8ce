/** Documents that nobody would write, from a generator of numbers: broken ones and good ones. */

import { pick, type Random } from "../support/random.ts";
import { ENVELOPES, PIECES } from "./envelopes.ts";

/** Changes a document in one place. */
const MUTATIONS: readonly ((document: string, random: Random) => string)[] = [
  // Put a piece in.
  (document, random) => {
    const at = random(document.length + 1);
    return document.slice(0, at) + pick(random, PIECES) + document.slice(at);
  },
  // Put a piece where a token begins or ends: most other places are in the middle of a word.
  (document, random) => {
    const places = [...document.matchAll(/(?=[<>&;='"\s])|(?<=[>;='"\s])/g)];
    const at = places.length === 0 ? 0 : pick(random, places).index;
    return document.slice(0, at) + pick(random, PIECES) + document.slice(at);
  },
  // Take a piece out.
  (document, random) => {
    const at = random(document.length);
    return document.slice(0, at) + document.slice(at + 1 + random(8));
  },
  // Repeat or move a piece.
  (document, random) => {
    const from = random(document.length);
    const piece = document.slice(from, from + 1 + random(60));
    const at = random(document.length + 1);
    return document.slice(0, at) + piece + document.slice(at);
  },
  // Change a character.
  (document, random) => {
    const at = random(document.length);
    return document.slice(0, at) + pick(random, PIECES).slice(0, 1) + document.slice(at + 1);
  },
  // Go on with another document.
  (document, random) => {
    const other = pick(random, ENVELOPES);
    return document.slice(0, random(document.length)) + other.slice(random(other.length));
  },
];

/** A document changed in one or two places; a good envelope unless another is given. */
export function mutated(random: Random, original: string = pick(random, ENVELOPES)): string {
  let document = original;
  for (let times = 1 + random(2); times > 0; times--) {
    document = pick(random, MUTATIONS)(document, random);
  }
  return document;
}

/** A small document of pieces alone, where nearly every production meets every other. */
export function assembled(random: Random): string {
  const pieces = Array.from({ length: random(4) }, () => pick(random, PIECES));
  return pick(random, [
    () => pieces.join(""),
    () => `<a xmlns:p='u'>${pieces.join("")}</a>`,
    () => `<a${pieces.join("")}/>`,
    () => `<a b='${pieces.join("")}'/>`,
  ])();
}

// The characters at both ends of each range of [4] NameStartChar and [4a] NameChar.
const NAME_STARTS = "AZ_az\xC0\xD6\xD8\xF6\xF8\u02FF\u0370\u037D\u037F\u1FFF\u200C\u200D\u2070" +
  "\u218F\u2C00\u2FEF\u3001\uD7FF\uF900\uFDCF\uFDF0\uFFFD\u{10000}\u{EFFFF}";
const NAME_CHARS = `${NAME_STARTS}-.09\xB7\u0300\u036F\u203F\u2040`;

const SPACES = [" ", "\t", "\n", "\r\n", "\r", " \n\t"];

// deno-fmt-ignore
const TEXTS = [
  "a", " ", "\n", "\r\n", "\r", "\t", "]]", "]", ">", "'", '"', "=", "\x7F", "\x85", "\xA0",
  "\uD7FF", "\uE000", "\uFFFD", "\u{10000}", "\u{10FFFF}", "\uFEFF", "\u2028", "&amp;", "&lt;",
  "&gt;", "&apos;", "&quot;", "&#9;", "&#10;", "&#13;", "&#x20;", "&#x3c;", "&#38;", "&#x10FFFF;",
  "&#xD7FF;", "&#0000065;", "&#x00000e9;",
];

// Of which no two make a section end.
const SECTION_PIECES = ["a", "]", ">", "<", "&", "&amp;", "\r\n", "\r", "\u{10000}", "<!--"];

const NAMESPACES = ["u", "U", "urn:a", "urn:a/", "http://authenticatorapi.com/"];
// saxes trims these, so that a document with one of them is compared with others alone.
const BLANK_NAMESPACES = ["u ", " u", "u&#32;"];

interface Scope {
  readonly prefixes: readonly string[];
  readonly depth: number;
}

/** A document that is well-formed, with its namespaces, and within the limits. */
export function wellFormed(random: Random): string {
  const declaration = pick(random, [
    "",
    "<?xml version='1.0'?>",
    '<?xml\tversion = "1.0"\r\nencoding="UTF-8"  standalone=\'yes\' ?>',
  ]);
  return declaration + misc(random) + element(random, { prefixes: ["xml"], depth: 0 }) +
    misc(random);
}

function misc(random: Random): string {
  return repeated(
    random,
    3,
    () =>
      pick(random, [
        () => pick(random, SPACES),
        () => comment(random),
        () => instruction(random),
      ])(),
  );
}

function element(random: Random, outer: Scope): string {
  const declared = Array.from({ length: random(3) }, () => ncName(random));
  const prefixes = [...outer.prefixes, ...declared];
  const attributes = new Map(declared.map((prefix) => [`xmlns:${prefix}`, namespaceName(random)]));
  if (random(4) === 0) attributes.set("xmlns", random(3) === 0 ? "" : namespaceName(random));
  // One prefix for the attributes of an element: two could be bound to one namespace.
  const prefix = pick(random, [undefined, ...prefixes]);
  for (let count = random(4); count > 0; count--) {
    const value = repeated(random, 3, () => pick(random, TEXTS).replace(/['"]/g, "|"));
    attributes.set(qualified(random, prefix), value);
  }
  const name = qualified(random, pick(random, [undefined, ...prefixes]));
  const tag = name + [...attributes].map((attribute) => written(random, attribute)).join("");
  if (random(4) === 0) return `<${tag}${space(random)}/>`;
  const children = outer.depth > 5 ? "" : repeated(random, 5, () =>
    content(random, {
      prefixes,
      depth: outer.depth + 1,
    }));
  return `<${tag}${space(random)}>${children}</${name}${space(random)}>`;
}

function written(random: Random, [name, value]: readonly [string, string]): string {
  const quote = pick(random, ['"', "'"]);
  const equals = `${space(random)}=${space(random)}`;
  return `${pick(random, SPACES)}${name}${equals}${quote}${value}${quote}`;
}

// A comment behind each text keeps two of them from making a section end.
function content(random: Random, scope: Scope): string {
  return pick(random, [
    () => element(random, scope),
    () => element(random, scope),
    () => `${pick(random, TEXTS)}${comment(random)}`,
    () => `<![CDATA[${repeated(random, 3, () => pick(random, SECTION_PIECES))}]]>`,
    () => comment(random),
    () => instruction(random),
  ])();
}

function comment(random: Random): string {
  return `<!--${repeated(random, 3, () => pick(random, ["a", "- ", "<", "&b;", "]]>", " ?>"]))}-->`;
}

function instruction(random: Random): string {
  const target = ncName(random);
  if (/^xml$/i.test(target)) return "";
  const data = repeated(random, 3, () => pick(random, ["a", "?", "<", "&b;", "--", "xml"]));
  return `<?${target}${data === "" ? "" : `${pick(random, SPACES)}x${data}`}?>`;
}

function namespaceName(random: Random): string {
  return pick(random, random(30) === 0 ? BLANK_NAMESPACES : NAMESPACES);
}

function qualified(random: Random, prefix: string | undefined): string {
  return prefix === undefined ? ncName(random) : `${prefix}:${ncName(random)}`;
}

function ncName(random: Random): string {
  const name = pick(random, [...NAME_STARTS]) +
    repeated(random, 3, () => pick(random, [...NAME_CHARS]));
  return /^xml/i.test(name) ? `_${name}` : name;
}

function space(random: Random): string {
  return random(3) === 0 ? pick(random, SPACES) : "";
}

function repeated(random: Random, limit: number, make: () => string): string {
  return Array.from({ length: random(limit) }, make).join("");
}
