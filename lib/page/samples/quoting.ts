/**
 * How a value is written inside of something else: a request, or a string of a programming language.
 * The server writes the examples with it, and the browser puts in what was typed.
 *
 * @module
 */

/** What stands where the key of a caller has to. */
export const KEY_PLACEHOLDER = "YOUR-API-KEY";

/** The name of the hole that a key stands in; no parameter can have its name. */
export const KEY_HOLE = "X-Api-Key";

/** Writes a value so that it can stand in a text of some kind. */
export type Encoder = (value: string) => string;

/** A kind of text that values stand in. */
export type ValueKind =
  | "xml"
  | "json"
  | "form"
  | "shell"
  | "c"
  | "php"
  | "powershell"
  | "basic"
  | "delphi";

/** A character of a program that is not seen, or that some editor or compiler takes for another. */
const UNPRINTABLE = /[^\x20-\x7E]/g;

const hexOf = (unit: string): string =>
  unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");

/** What stands between the quotes of a string, or in a request, by the kind of text. */
const ENCODERS: Readonly<Record<ValueKind, Encoder>> = {
  /** XML 1.0 §2.4. */
  xml: (value) => value.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`),
  /** RFC 8259 §7. */
  json: (value) => JSON.stringify(value).slice(1, -1),
  /** The URL Standard, application/x-www-form-urlencoded. */
  form: (value) => new URLSearchParams([["", value]]).toString().slice(1),
  /** A POSIX shell, in single quotes. */
  shell: (value) => value.replaceAll("'", String.raw`'\''`),
  /** C#, Go, Java, JavaScript, Python, in double quotes. C# takes U+0085 and two more for line ends. */
  c: (value) =>
    JSON.stringify(value).slice(1, -1)
      .replace(/[\x7F-\x9F\u2028\u2029]/g, (unit) => `\\u${hexOf(unit)}`),
  /** PHP and Ruby, in single quotes. */
  php: (value) => value.replace(/[\\']/g, String.raw`\$&`),
  /** PowerShell, in single quotes; it takes typographic ones for the same. */
  powershell: (value) => value.replace(/['\u2018-\u201B]/g, "$&$&"),
  /** The Basics, in double quotes; what is not ASCII is put together by its code units. */
  basic: (value) =>
    value.replaceAll('"', '""')
      .replace(UNPRINTABLE, (unit) => `" & ChrW(&H${hexOf(unit)}) & "`),
  /** Delphi, in single quotes. */
  delphi: (value) =>
    value.replaceAll("'", "''")
      .replace(UNPRINTABLE, (unit) => `'#$${hexOf(unit)}'`),
};

/** The kind of the body that a media type names; what has none is a query, written as a form is. */
export function valueKindOf(mediaType: string | undefined): ValueKind {
  const [, suffix] = /^[^;]*[/+](xml|json) *(?:;|$)/i.exec(mediaType ?? "") ?? [];
  return suffix === undefined ? "form" : suffix.toLowerCase() as ValueKind;
}

/**
 * The encoder of a kind, or of several with blanks between them: what is written in the first stands
 * in the next, as XML in the words of a shell.
 */
export function encoderOf(kinds = "form"): Encoder {
  const encoders = kinds.split(" ").map((kind) => ENCODERS[kind as ValueKind]);
  return (value) => encoders.reduce((text, encode) => encode(text), value);
}

/** The encoder of a key, which stands in a header field and never in the body. */
export function keyEncoderOf(kinds = "form"): Encoder {
  const [last = ""] = kinds.split(" ").slice(-1);
  return ["xml", "json", "form"].includes(last) ? (key) => key : encoderOf(last);
}
