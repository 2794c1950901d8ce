/**
 * Encoding of a value inside another text: a request, or a string of a programming language. The
 * server encodes the examples with it, and the browser the typed values.
 *
 * @module
 */

/** Placeholder of the caller's key. */
export const KEY_PLACEHOLDER = "YOUR-API-KEY";

/** Name of the marked place of a key; no parameter can have this name. */
export const KEY_HOLE = "X-Api-Key";

/** Encodes a value for a kind of text. */
export type Encoder = (value: string) => string;

/** Kind of text around a value. */
export type TextKind =
  | "xml"
  | "json"
  | "form"
  | "shell"
  | "c"
  | "php"
  | "powershell"
  | "basic"
  | "delphi";

/** Characters of a program that are invisible, or that some editor or compiler misreads. */
const UNPRINTABLE = /[^\x20-\x7E]/g;

const hexOf = (unit: string): string =>
  unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");

/** Encoders by kind, for the inside of a string or a request. */
const ENCODERS: Readonly<Record<TextKind, Encoder>> = {
  /** XML 1.0 §2.4. */
  xml: (value) => value.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`),
  /** RFC 8259 §7. */
  json: (value) => JSON.stringify(value).slice(1, -1),
  /** The URL Standard, application/x-www-form-urlencoded. */
  form: (value) => new URLSearchParams([["", value]]).toString().slice(1),
  /** A POSIX shell, in single quotes. */
  shell: (value) => value.replaceAll("'", String.raw`'\''`),
  /** C#, Go, Java, JavaScript, Python, in double quotes. For C#, U+0085 and two more end a line. */
  c: (value) =>
    JSON.stringify(value).slice(1, -1)
      .replace(/[\x7F-\x9F\u2028\u2029]/g, (unit) => `\\u${hexOf(unit)}`),
  /** PHP and Ruby, in single quotes. */
  php: (value) => value.replace(/[\\']/g, String.raw`\$&`),
  /** PowerShell, in single quotes; Windows PowerShell 5 reads a file without a mark as ANSI. */
  powershell: (value) =>
    value.replaceAll("'", "''").replace(UNPRINTABLE, (unit) => `' + [char]0x${hexOf(unit)} + '`),
  /** The Basics, in double quotes; characters outside ASCII are joined by code unit. */
  basic: (value) =>
    value.replaceAll('"', '""')
      .replace(UNPRINTABLE, (unit) => `" & ChrW(&H${hexOf(unit)}) & "`),
  /** Delphi, in single quotes. */
  delphi: (value) =>
    value.replaceAll("'", "''")
      .replace(UNPRINTABLE, (unit) => `'#$${hexOf(unit)}'`),
};

/** Returns the kind of a body by its media type; without one it is a query, encoded like a form. */
export function textKindOf(mediaType: string | undefined): TextKind {
  const [, suffix] = /^[^;]*[/+](xml|json) *(?:;|$)/i.exec(mediaType ?? "") ?? [];
  return suffix === undefined ? "form" : suffix.toLowerCase() as TextKind;
}

/**
 * Returns the encoder for a kind, or for several with blanks between: text of the first kind stands
 * inside the next, such as XML in a shell word.
 */
export function encoderOf(kinds = "form"): Encoder {
  const encoders = kinds.split(" ").map((kind) => ENCODERS[kind as TextKind]);
  return (value) => encoders.reduce((text, encode) => encode(text), value);
}

/** Returns the encoder for a key, which is in a header field and never in the body. */
export function keyEncoderOf(kinds = "form"): Encoder {
  const [last = ""] = kinds.split(" ").slice(-1);
  return ["xml", "json", "form"].includes(last) ? (key) => key : encoderOf(last);
}
