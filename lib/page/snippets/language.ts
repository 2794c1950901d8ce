/**
 * Languages of the programs on the service page, and their common parts.
 *
 * @module
 */

import type { TextKind } from "../samples/quoting.ts";

/** Format of a call, by the name of its binding in the contract. */
export type Format = "SOAP 1.1" | "SOAP 1.2" | "HTTP GET" | "HTTP POST" | "JSON";

/** Default format of a page: the format that the form itself sends. */
export const DEFAULT_FORMAT: Format = "HTTP POST";

/** All formats. */
export const FORMATS: readonly Format[] = ["SOAP 1.1", "SOAP 1.2", "HTTP GET", "HTTP POST", "JSON"];

/** Formats without SOAP, whose Envelope a program should not build by hand; form data comes first. */
export const WITHOUT_SOAP: readonly Format[] = ["HTTP POST", "HTTP GET", "JSON"];

/** Formats of a language without a JSON reader short enough for a small program. */
export const FORMS: readonly Format[] = ["HTTP POST", "HTTP GET"];

/** Comment above the lines that make a secret. */
export const KEEP_SECRET =
  "Keep the secret encrypted with the user's account; ValidatePin needs it.";

/** A language: its encoding of values, and its program. */
export interface Language {
  /** Name of the language or tool. */
  readonly language: string;
  /** Encoding of values, possibly by format. */
  readonly values: TextKind | ((format: Format) => string);
  /** Requirements, a clause. */
  readonly needs: string;
  /** Sensible formats; the first replaces any other. */
  readonly formats: readonly Format[];
  /**
   * Lines that make a random secret and print it: 32 letters of Base32, which is 20 bytes where
   * secrets are Base32, and strong where they are text.
   */
  readonly secret: string;
  /** Variable with the secret; `secret` by default. */
  readonly variable?: string;
  /** Writes the program. */
  readonly write: (call: SnippetCall) => string;
}

/** Facts for a program. */
export interface SnippetCall {
  /** Name of the operation. */
  readonly name: string;
  /** Format of the call. */
  readonly format: Format;
  /** Address of the service. */
  readonly url: string;
  /** Arguments by name; the value is undefined for a secret that the program makes. */
  readonly args: readonly (readonly [name: string, value: string | undefined])[];
  /** Lines that make the secret; empty in a program that makes none. */
  readonly secret: string;
  /** Names of the arguments that are secrets of an earlier pairing. */
  readonly earlier: readonly string[];
  /** Fields of a record result; undefined for other results. */
  readonly fields: readonly string[] | undefined;
  /** Whether the result is a boolean. */
  readonly isBoolean: boolean;
  /** Caller's key; undefined when no key is required. */
  readonly key: string | undefined;
  /** Namespace name of the service. */
  readonly namespace: string;
  /** Namespace name of the service, escaped for XML. */
  readonly namespaceInXml: string;
  /** Writes a string literal; for undefined, the variable with the secret. */
  readonly quote: (text: string | undefined) => string;
}

/** Whether the arguments are form data, in the query or the body. */
export function isForm({ format }: SnippetCall): boolean {
  return format === "HTTP GET" || format === "HTTP POST";
}

/** Returns the URL of a call that is not SOAP, without a query. */
export function callUrl({ name, url }: SnippetCall): string {
  return `${url}/${name}`;
}

/** Writes the header field with the caller's key. */
export function keyHeader({ key }: SnippetCall): readonly (readonly [string, string])[] {
  return key === undefined ? [] : [["X-Api-Key", key]];
}

/** Writes the header fields of a call that is not SOAP. */
export function headersOf(call: SnippetCall): readonly (readonly [string, string])[] {
  if (call.format === "HTTP GET") return keyHeader(call);
  const type = isForm(call) ? "application/x-www-form-urlencoded" : "application/json";
  return [["Content-Type", type], ...keyHeader(call)];
}

/** Makes a line for each item. */
export function lines<T>(
  items: readonly T[],
  line: (item: T) => string,
  separator = "\n",
): string {
  return items.map(line).join(separator);
}

/** Writes the comment on each secret of an earlier pairing, with `start` before it. */
export function secretComment({ earlier }: SnippetCall, start: string): string {
  return linesOf(
    ...earlier.map((name) =>
      `${start}${name} is the secret that was made for this user before Pair.`
    ),
  );
}

/** Makes a line for each argument, with the comment on a secret of an earlier pairing above it. */
export function argumentLines(
  call: SnippetCall,
  start: string,
  line: (arg: SnippetCall["args"][number]) => string,
  separator = "\n",
): string {
  return lines(call.args, (arg) => {
    const earlier = call.earlier.filter((name) => name === arg[0]);
    return secretComment({ ...call, earlier }, start) + line(arg);
  }, separator);
}

/**
 * Makes the lines that print the values of a result. A boolean goes into a variable first, for an
 * `if`: in many languages the text `false` of an XML reply would be true there.
 *
 * @param print Line that prints the value at `%`.
 * @param keep Line that stores whether the value at `%` is true.
 */
export function printing(
  { isBoolean }: SnippetCall,
  values: readonly string[],
  print: string,
  keep: string,
  kept = "accepted",
): string {
  const line = (text: string, value: string): string => text.replace("%", () => value);
  return isBoolean
    ? `${line(keep, values[0]!)}\n${line(print, kept)}`
    : lines(values, (value) => line(print, value));
}

/** Joins lines, each with its line end; empty without lines. */
export function linesOf(...items: readonly string[]): string {
  return items.map((item) => `${item}\n`).join("");
}
