/**
 * Decoding of text: by byte order mark, by the charset parameter of the Content-Type, or by a
 * fallback. Encodings and labels are the platform's (WHATWG Encoding Standard §4.2).
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { Fault } from "../operations/fault.ts";
import { placeAfter } from "../system/foreign_text.ts";

/** Decodes bytes strictly. */
export type Decode = (bytes: Uint8Array) => string;

// Labels of ASCII, tried as UTF-8 first. Client libraries add such a label on their own, then send
// UTF-8 or Windows-1252, as which the WHATWG standard reads the label.
const ASCII_LABELS: ReadonlySet<string> = new Set(["ascii", "us-ascii", "ansi_x3.4-1968"]);

const MARKS: readonly (readonly [encoding: string, mark: readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16be", [0xfe, 0xff]],
  ["utf-16le", [0xff, 0xfe]],
];

/** Bytes that are not valid in an encoding. */
class Undecodable extends Error {}

/**
 * Decodes bytes as text.
 *
 * @param charset Charset parameter in lower case without quotes; undefined when absent.
 * @throws {Fault} When the bytes are not valid in any candidate encoding.
 */
export function textOf(bytes: Uint8Array, charset: string | undefined): string {
  return readAs(bytes, charset, (text, decode) => decode(text));
}

/**
 * Decodes and reads bytes, trying each candidate encoding in turn.
 *
 * @param charset Charset parameter in lower case without quotes; undefined when absent.
 * @param read Reads the bytes, without their byte order mark, with a decoder of the encoding.
 * @throws {Fault} When the bytes are not valid in any candidate encoding.
 */
export function readAs<T>(
  bytes: Uint8Array,
  charset: string | undefined,
  read: (bytes: Uint8Array, decode: Decode, encoding: string) => T,
): T {
  const mark = MARKS.find(([, mark]) => mark.every((byte, i) => bytes[i] === byte));
  const text = mark === undefined ? bytes : bytes.subarray(mark[1].length);
  const named = mark?.[0] ?? (ASCII_LABELS.has(charset ?? "") ? undefined : encodingOf(charset));
  const first = named ?? "utf-8";
  try {
    return read(text, decoderOf(first), first);
  } catch (error) {
    if (!(error instanceof Undecodable)) throw error;
  }
  const second = named === undefined ? replacementOf(text, charset) : undefined;
  if (second === undefined) throw undecodable(text, first, named !== undefined);
  try {
    return read(text, decoderOf(second), second);
  } catch (error) {
    throw error instanceof Undecodable ? undecodable(text, second, true) : error;
  }
}

function encodingOf(label: string | undefined): string | undefined {
  if (label === undefined || label === "utf-8") return label;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

const DECLARATION = /^<\?xml[ \t\r\n][^>]*?[ \t\r\n]encoding[ \t\r\n]*=[ \t\r\n]*["']([^"'>]*)["']/;

// Returns the fallback encoding for bytes that are not UTF-8 and have no known charset. An XML
// declaration that can be read as ASCII is not in UTF-16, so a label of UTF-16 in it is ignored.
function replacementOf(bytes: Uint8Array, charset: string | undefined): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 256)).toString("latin1");
  const declared = encodingOf(DECLARATION.exec(start)?.[1]?.toLowerCase());
  if (declared !== undefined && !declared.startsWith("utf-16")) return declared;
  return ASCII_LABELS.has(charset ?? "") ? "windows-1252" : undefined;
}

// Decoders by encoding; there are forty at most.
const decoders = new Map<string, Decode>();

function decoderOf(encoding: string): Decode {
  const known = decoders.get(encoding);
  if (known !== undefined) return known;
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  const decode = (bytes: Uint8Array): string => {
    try {
      return decoder.decode(bytes);
    } catch {
      throw new Undecodable();
    }
  };
  decoders.set(encoding, decode);
  return decode;
}

function undecodable(bytes: Uint8Array, encoding: string, isNamed: boolean): Fault {
  const place = placeOf(bytes, encoding);
  const what = place === "" ? "A percent-encoded text in the parameters" : "The body";
  if (!isNamed) {
    return new Fault(
      "unsupported-media-type",
      `${what} is not UTF-8${place}, and the Content-Type names no other known charset.`,
    );
  }
  const wanted = encoding === "utf-8" ? "UTF-8" : "in the charset that is named for it";
  return new Fault("unreadable", `${what} is not ${wanted}${place}.`);
}

// Describes the position of the first invalid byte, for the message; empty when all are valid.
function placeOf(bytes: Uint8Array, encoding: string): string {
  const good = longestPrefix(bytes, encoding);
  if (good === undefined) return "";
  const { line, column } = placeAfter(good);
  return ` (line ${line}, column ${column})`;
}

// Bisects over prefixes. A streaming decoder tolerates no error but a truncated character at the
// end, so a prefix decodes exactly when the first invalid byte lies behind it.
function longestPrefix(bytes: Uint8Array, encoding: string): string | undefined {
  const decode = (length: number, stream: boolean): string | undefined => {
    try {
      return new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
        .decode(bytes.subarray(0, length), { stream });
    } catch {
      return undefined;
    }
  };
  if (decode(bytes.length, false) !== undefined) return undefined;
  let good = "";
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const text = decode(middle, true);
    if (text === undefined) high = middle - 1;
    else [low, good] = [middle, text];
  }
  return good;
}
