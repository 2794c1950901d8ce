/**
 * Parameters as query strings and form bodies carry them (`application/x-www-form-urlencoded`),
 * with what the original stack's own clients make of it.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { type Decode, readAs } from "./charset.ts";
import { Fault } from "../operations/fault.ts";
import { type Arguments, duplicateParameter, type Operation } from "../operations/operations.ts";

/** The media type of form bodies. */
export const FORM = "application/x-www-form-urlencoded";

/** Names and values, decoded. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/**
 * Reads the parameters of an operation from a query string or form body. Names are compared without
 * case, and names that the operation does not have are passed over.
 *
 * @throws {Fault} When a parameter stands twice, or a name or value is not text.
 */
export function readParameters(operation: Operation, pairs: Pairs): Arguments {
  const args = new Map<string, string>();
  for (const [sent, value] of pairs) {
    const name = parameterNamed(operation, sent);
    if (name === undefined) continue;
    if (args.has(name)) throw duplicateParameter(name);
    args.set(name, value);
  }
  return args;
}

// Almost every caller writes it as it is.
function parameterNamed({ parameters }: Operation, sent: string): string | undefined {
  for (const { name } of parameters) if (name === sent) return name;
  // Of another length there is no other spelling of a name in ASCII, and many names are of none.
  return parameters.find(({ name }) =>
    name.length === sent.length && name.toLowerCase() === sent.toLowerCase()
  )?.name;
}

/** Writes the parameters of an operation as a query string or form body; what is missing is empty. */
export function writeParameters({ parameters }: Operation, args: Arguments): string {
  return new URLSearchParams(parameters.map(({ name }) => [name, args.get(name) ?? ""])).toString();
}

/**
 * Reads a query string, which is UTF-8 whatever the media type of the request says.
 *
 * @throws {Fault} When a name or value is not UTF-8.
 */
export function readQuery(query: string): Pairs {
  return readPairs(Buffer.from(query).toString("latin1"), (bytes) => {
    try {
      return strictUtf8.decode(bytes);
    } catch {
      throw new Fault("unreadable", "A percent-encoded text in the parameters is not UTF-8.");
    }
  });
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads a form body in its charset, which counts for its escapes as well; without one, it is UTF-8
 * (WHATWG URL §5.1).
 *
 * @param charset The charset parameter in lower case without quotes; undefined when there is none.
 * @param read Takes the names and values.
 * @throws {Fault} When the charset is not compatible with ASCII, or a name or value is not in it.
 */
export function readForm<T>(
  bytes: Uint8Array,
  charset: string | undefined,
  read: (pairs: Pairs) => T,
): T {
  return readAs(bytes, charset ?? "utf-8", (text, decode, encoding) => {
    if (/^utf-16|^iso-2022-jp$/.test(encoding)) {
      throw new Fault(
        "unsupported-media-type",
        "The charset of a form must be compatible with ASCII, as utf-8 is.",
      );
    }
    return read(readPairs(Buffer.from(text).toString("latin1"), decode));
  });
}

// The value of a name without an equals sign is empty (WHATWG URL §5.1), so that what stands twice for
// another reader of the request stands twice here. Each character of the encoded text is a byte.
function readPairs(encoded: string, decode: Decode): Pairs {
  const parts: string[] = [];
  for (const pair of encoded.replaceAll("+", " ").split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const end = equals < 0 ? pair.length : equals;
    parts.push(pair.slice(0, end), pair.slice(end + 1));
  }
  const texts = encoded.includes("%u") ? decodeUnits(parts, decode) : decodeBytes(parts, decode);
  return Array.from({ length: texts.length / 2 }, (_, i) => [texts[2 * i]!, texts[2 * i + 1]!]);
}

// What .NET's HttpGet and HttpPost proxies send: each escape a UTF-16 unit.
const UNITS = /((?:%u[0-9A-Fa-f]{4})+)/;

function decodeUnits(parts: readonly string[], decode: Decode): readonly string[] {
  const pieces = parts.map((part) => part.split(UNITS));
  const texts = decodeBytes(pieces.flatMap((some) => some.filter((_, i) => i % 2 === 0)), decode);
  let at = 0;
  return pieces.map((some) =>
    some.map((piece, i) => i % 2 === 0 ? texts[at++]! : textOfUnits(piece)).join("")
  );
}

// What means itself in every encoding that is compatible with ASCII.
const ASCII = /^[\n -~]*$/;

// Each escape is a byte; a per cent sign that begins none stays as it is, which is what `unescape` does
// (ECMA-262 §B.2.1.2). The bytes are decoded as lines of one text, since to decode each part by itself
// takes ten times as long: a line feed is one in all these encodings, and part of no other character.
function decodeBytes(parts: readonly string[], decode: Decode): readonly string[] {
  const texts = parts.map((part) => part.includes("%") ? unescape(part) : part);
  const all = texts.join("\n");
  if (ASCII.test(all)) return texts;
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
