/**
 * Parameters in query strings and form bodies (`application/x-www-form-urlencoded`), with the
 * deviations of the original stack's own clients.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { type Decode, readAs } from "./charset.ts";
import { Fault } from "../operations/fault.ts";
import { type Arguments, duplicateParameter, type Operation } from "../operations/operations.ts";

/** Media type of form bodies. */
export const FORM = "application/x-www-form-urlencoded";

/** Decoded names and values. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/**
 * Reads the parameters of an operation from a query string or form body. Names are compared without
 * case; unknown names are ignored and counted.
 *
 * @throws {Fault} When a parameter is repeated, or a name or value is not text.
 */
export function readParameters(
  operation: Operation,
  pairs: Pairs,
): { readonly args: Arguments; readonly ignored: number } {
  const args = new Map<string, string>();
  let ignored = 0;
  for (const [sent, value] of pairs) {
    const name = parameterNamed(operation, sent);
    if (name === undefined) {
      ignored++;
      continue;
    }
    if (args.has(name)) throw duplicateParameter(name);
    args.set(name, value);
  }
  return { args, ignored };
}

// Tries the exact name first: almost every caller writes it.
function parameterNamed({ parameters }: Operation, sent: string): string | undefined {
  for (const { name } of parameters) if (name === sent) return name;
  // Compare lengths first: most names match no parameter.
  return parameters.find(({ name }) =>
    name.length === sent.length && name.toLowerCase() === sent.toLowerCase()
  )?.name;
}

/**
 * Reads a query string as UTF-8, regardless of the media type of the request.
 *
 * @throws {Fault} When a name or value is not UTF-8.
 */
export function readQuery(query: string): Pairs {
  // Almost every query has no escape and needs no decoder.
  if (UNESCAPED_TEXT.test(query)) return pairsOf(partsOf(query));
  // An empty pair in front: `readForm` would drop a byte order mark, which is part of a name here.
  return readForm(Buffer.from(`&${query}`), "utf-8");
}

/**
 * Reads a form body in its charset, which also applies to its escapes; UTF-8 by default (WHATWG URL
 * §5.1).
 *
 * @param charset Charset parameter in lower case without quotes; undefined when absent.
 * @throws {Fault} When the charset is not compatible with ASCII, or a name or value is not valid in
 * it.
 */
export function readForm(bytes: Uint8Array, charset: string | undefined): Pairs {
  return readAs(bytes, charset ?? "utf-8", (text, decode, encoding) => {
    if (/^utf-16|^iso-2022-jp$/.test(encoding)) {
      throw new Fault(
        "unsupported-media-type",
        "The charset of a form must be compatible with ASCII, as utf-8 is.",
      );
    }
    return readPairs(Buffer.from(text).toString("latin1"), decode);
  });
}

/** Visible ASCII but the per cent sign. */
const UNESCAPED_TEXT = /^[!-$&-~]*$/;

// Reads the encoded text, one byte a character.
function readPairs(encoded: string, decode: Decode): Pairs {
  const parts = partsOf(encoded);
  return pairsOf(encoded.includes("%u") ? decodeUnits(parts, decode) : decodeBytes(parts, decode));
}

// Splits the encoded text into names and values, one after the other. A name without an equals sign
// has an empty value (WHATWG URL §5.1), so that a parameter that another reader of the request finds
// twice counts as repeated here too.
function partsOf(encoded: string): readonly string[] {
  const parts: string[] = [];
  for (const pair of encoded.replaceAll("+", " ").split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const end = equals < 0 ? pair.length : equals;
    parts.push(pair.slice(0, end), pair.slice(end + 1));
  }
  return parts;
}

function pairsOf(texts: readonly string[]): Pairs {
  const pairs: [string, string][] = [];
  for (let i = 0; i < texts.length; i += 2) pairs.push([texts[i]!, texts[i + 1]!]);
  return pairs;
}

// UTF-16 escapes, sent by .NET's HttpGet and HttpPost proxies.
const UNITS = /((?:%u[0-9A-Fa-f]{4})+)/;

function decodeUnits(parts: readonly string[], decode: Decode): readonly string[] {
  const pieces = parts.map((part) => part.split(UNITS));
  const texts = decodeBytes(pieces.flatMap((some) => some.filter((_, i) => i % 2 === 0)), decode);
  let at = 0;
  return pieces.map((some) =>
    some.map((piece, i) => i % 2 === 0 ? texts[at++]! : textOfUnits(piece)).join("")
  );
}

// Characters that are the same in every encoding compatible with ASCII.
const ASCII_TEXT = /^[\n -~]*$/;

// Decodes each escape as a byte, and keeps a per cent sign that starts no escape, as `unescape`
// does (ECMA-262 §B.2.1.2). The parts are decoded as lines of one text, which is ten times faster;
// in all these encodings a line feed is one byte and part of no other character.
function decodeBytes(parts: readonly string[], decode: Decode): readonly string[] {
  const texts = parts.map((part) => part.includes("%") ? unescape(part) : part);
  const all = texts.join("\n");
  if (ASCII_TEXT.test(all)) return texts;
  const lines = decode(Buffer.from(all, "latin1")).split("\n");
  let at = 0;
  return texts.map((text) =>
    text.includes("\n") ? lines.slice(at, at += text.split("\n").length).join("\n") : lines[at++]!
  );
}

function textOfUnits(run: string): string {
  const units = run.split("%u").slice(1).map((digits) => parseInt(digits, 16));
  const text = String.fromCharCode(...units);
  if (!text.isWellFormed()) {
    throw new Fault("unreadable", "A %u escape in the parameters is half of a surrogate pair.");
  }
  return text;
}
