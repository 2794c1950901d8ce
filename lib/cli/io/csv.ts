/**
 * CSV (RFC 4180) over bytes, in UTF-8: a strict reader, so that a cut or misread table is an error
 * and each field keeps its bytes, and a writer that quotes every field.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { isUtf16, UTF_16 } from "../../server/files/option_file.ts";
import { utf8Text } from "../../system/foreign_text.ts";
import { CommandError } from "./io.ts";

/** Longest record in bytes: ids of any database, and the longest secret. */
const MAX_RECORD_BYTES = 16_384;

/** Record of a table. */
export interface CsvRecord {
  /** Number of the record, from 1. */
  readonly number: number;
  /** Fields: at least two, as many as in each other record. */
  readonly fields: readonly string[];
}

/** Makes the error about a record; `clause` never repeats its last field, which is the secret. */
export function recordError(
  { number, fields: [first, ...others] }: CsvRecord,
  clause: string,
): CommandError {
  // A record of one field may be a secret without an id.
  const shown = others.length === 0 ? "" : ` ("${first!.slice(0, 64).replace(/\p{C}/gu, "?")}")`;
  return new CommandError(`record ${number}${shown} ${clause}`);
}

/** Writes a record with quotes around every field. */
export function csvLine(fields: readonly string[]): string {
  return `${fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(",")}\n`;
}

/** Only field of the last record of an export, which its program writes after all others. */
export const END = "end";

/**
 * Reads records in groups, as their bytes arrive.
 *
 * @param needsEnd Whether the last record must be the one of `END`, so that an export that was cut
 * between two records is an error; it is not yielded.
 * @throws {CommandError} At the first error, behind the records before it.
 */
export async function* csvRecords(
  source: AsyncIterable<Uint8Array>,
  needsEnd = false,
): AsyncGenerator<readonly CsvRecord[]> {
  const table = new Table(needsEnd);
  for await (const chunk of source) yield* table.read(chunk);
  table.end();
}

const [QUOTE, COMMA, LF, CR] = Buffer.from('",\n\r') as unknown as [number, number, number, number];
const BOM = Buffer.from("\uFEFF");

/** Record so far: its fields, and where it goes on; `end` is undefined while bytes are missing. */
interface Parsed {
  readonly fields: Buffer[];
  readonly end: number | undefined;
  readonly flaw?: string;
}

class Table {
  #isEnded = false;
  #number = 0;
  #width = 0;
  #rest: Buffer = Buffer.alloc(0);

  constructor(readonly needsEnd: boolean) {}

  /** Yields the records that a chunk completes. */
  *read(chunk: Uint8Array): Generator<readonly CsvRecord[]> {
    const bytes = Buffer.concat([this.#rest, chunk]);
    const records: CsvRecord[] = [];
    let start = this.#number === 0 && bytes.indexOf(BOM) === 0 ? BOM.length : 0;
    let flaw: CommandError | undefined;
    while (start < bytes.length) {
      const parsed = recordAt(bytes, start);
      if (this.#isEndRecord(parsed)) {
        this.#isEnded = true;
        start = parsed.end!;
        continue;
      }
      flaw = this.#flawOf(parsed, bytes, start);
      if (flaw !== undefined || parsed.end === undefined) break;
      records.push({
        number: ++this.#number,
        fields: parsed.fields.map((field) => utf8Text(field)!),
      });
      start = parsed.end;
    }
    if (records.length > 0) yield records;
    if (flaw !== undefined) throw flaw;
    this.#rest = bytes.subarray(start);
  }

  #isEndRecord({ fields, end }: Parsed): boolean {
    return this.needsEnd && !this.#isEnded && end !== undefined && fields.length === 1 &&
      utf8Text(fields[0]!) === END;
  }

  #flawOf(parsed: Parsed, bytes: Buffer, start: number): CommandError | undefined {
    const { fields, end, flaw } = parsed;
    if (this.#isEnded) return new CommandError(`standard input goes on behind the line "${END}"`);
    if (this.#number === 0 && isUtf16(bytes)) return new CommandError(`standard input ${UTF_16}`);
    if (flaw !== undefined) return this.#error(parsed, flaw);
    if ((end ?? bytes.length) - start > MAX_RECORD_BYTES) {
      const clause = `is longer than ${MAX_RECORD_BYTES} bytes, or a quote in it does not close`;
      return this.#error(parsed, clause);
    }
    if (end === undefined) return undefined;
    if (fields.length < 2) {
      return this.#error(parsed, "has one field: it must have an id, and the secret as the last");
    }
    this.#width ||= fields.length;
    if (fields.length !== this.#width) {
      return this.#error(parsed, `has ${fields.length} fields, and the first has ${this.#width}`);
    }
    const isText = fields.every((field) => utf8Text(field) !== undefined);
    return isText ? undefined : this.#error(parsed, "is not UTF-8 text");
  }

  /** Ends the table. */
  end(): void {
    if (this.#rest.length > 0) {
      const isQuoted = this.#rest.includes(QUOTE);
      const clause = `is cut off: it has no line end${
        isQuoted ? ", or a quote does not close" : ""
      }`;
      throw this.#error(recordAt(this.#rest, 0), clause);
    }
    if (this.#number === 0) throw new CommandError("standard input has no record");
    if (this.needsEnd && !this.#isEnded) {
      throw new CommandError(
        `standard input does not end with the line "${END}": what writes it must add the line ` +
          "after a success, and only then",
      );
    }
  }

  #error({ fields: [first, ...others], end }: Parsed, clause: string): CommandError {
    // The first field of several, or one with a comma behind it, is no secret.
    const isId = first !== undefined && (others.length > 0 || end === undefined);
    const shown = isId ? utf8Text(first) : undefined;
    const fields = shown === undefined ? [] : [shown, ""];
    return recordError({ number: this.#number + 1, fields }, clause);
  }
}

/** Parses the record that begins at a byte. */
function recordAt(bytes: Buffer, start: number): Parsed {
  const fields: Buffer[] = [];
  for (let at = start;;) {
    const isQuoted = bytes[at] === QUOTE;
    const end = isQuoted ? closingQuote(bytes, at + 1) : endOfBare(bytes, at);
    if (end === undefined) return { fields, end };
    const after = isQuoted ? end + 1 : end;
    const isLast = bytes[after] === LF || bytes[after] === CR && bytes[after + 1] === LF;
    if (!isLast && bytes[after] !== COMMA) {
      if (bytes[after] === CR && after + 1 === bytes.length) return { fields, end: undefined };
      const flaw = isQuoted
        ? "has text behind a closing quote"
        : "has a quote or a carriage return in a field without quotes";
      return { fields, end: undefined, flaw };
    }
    fields.push(isQuoted ? unquoted(bytes.subarray(at + 1, end)) : bytes.subarray(at, end));
    if (isLast) return { fields, end: after + (bytes[after] === LF ? 1 : 2) };
    at = after + 1;
  }
}

// Finds the quote that closes a field; undefined before the byte behind it has arrived.
function closingQuote(bytes: Buffer, from: number): number | undefined {
  let at = bytes.indexOf(QUOTE, from);
  while (at >= 0 && bytes[at + 1] === QUOTE) at = bytes.indexOf(QUOTE, at + 2);
  return at < 0 || at + 1 === bytes.length ? undefined : at;
}

function endOfBare(bytes: Buffer, from: number): number | undefined {
  const length = bytes.subarray(from).findIndex((byte) =>
    byte === COMMA || byte === LF || byte === CR || byte === QUOTE
  );
  return length < 0 ? undefined : from + length;
}

function unquoted(bytes: Buffer): Buffer {
  return bytes.includes(QUOTE)
    ? Buffer.from(bytes.toString("latin1").replaceAll('""', '"'), "latin1")
    : bytes;
}
