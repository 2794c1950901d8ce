/**
 * Languages of the programs on the service page, and the call that each writes.
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
export const KEEP_SECRET = "Keep the secret encrypted: ValidatePin needs it.";

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

/** An argument; the value is undefined for a secret that the program makes. */
export type SnippetArgument = readonly [name: string, value: string | undefined];

/** Facts for a program. */
export interface SnippetFacts {
  /** Name of the operation. */
  readonly name: string;
  /** Format of the call. */
  readonly format: Format;
  /** Address of the service. */
  readonly url: string;
  /** Arguments by name. */
  readonly args: readonly SnippetArgument[];
  /** Lines that make the secret; empty in a program that makes none. */
  readonly secret: string;
  /** Names of the arguments that are secrets of an earlier pairing. */
  readonly earlier: readonly string[];
  /** Fields of a record result; undefined for a boolean. */
  readonly fields: readonly string[] | undefined;
  /** Caller's key; undefined when no key is required. */
  readonly key: string | undefined;
  /** Namespace name of the service. */
  readonly namespace: string;
  /** Namespace name of the service, escaped for XML. */
  readonly namespaceInXml: string;
  /** Writes a string literal; for undefined, the variable with the secret. */
  readonly quote: (text: string | undefined) => string;
}

/** Facts for a program, and the parts that programs have in common. */
export interface SnippetCall extends SnippetFacts {
  /** Whether the arguments are JSON. */
  readonly isJson: boolean;
  /** Whether the arguments are in the query. */
  readonly isGet: boolean;
  /** URL of a call that is not SOAP, without a query. */
  readonly callUrl: string;
  /** Header field with the caller's key, if any. */
  readonly keyHeader: readonly (readonly [name: string, value: string])[];
  /** Header fields of a call that is not SOAP. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Writes the comment on each secret of an earlier pairing, with `start` before it. */
  readonly comment: (start: string) => string;
  /**
   * Writes a line for each argument, with the comment on a secret of an earlier pairing above it.
   *
   * @param separator Text between two lines; a line end by default.
   */
  readonly lines: (
    start: string,
    line: (arg: SnippetArgument) => string,
    separator?: string,
  ) => string;
  /**
   * Writes the lines that print the result. A boolean goes into a variable first, for an `if`: in
   * many languages the text `false` of an XML reply would be true there.
   *
   * @param fieldOf Writes the value of a field of a record.
   * @param whole Value of a boolean result.
   * @param print Line that prints the value at `%`.
   * @param keep Line that stores whether the value at `%` is true.
   * @param kept Value to print of what is stored; `accepted` by default.
   */
  readonly printing: (
    fieldOf: (field: string) => string,
    whole: string,
    print: string,
    keep: string,
    kept?: string,
  ) => string;
}

/** Adds the common parts to the facts for a program. */
export function snippetCall(facts: SnippetFacts): SnippetCall {
  const { name, format, url, args, earlier, fields, key } = facts;
  const isJson = format === "JSON";
  const isGet = format === "HTTP GET";
  const keyHeader = key === undefined ? [] : [["X-Api-Key", key] as const];
  const type = isJson ? "application/json" : "application/x-www-form-urlencoded";
  const commentOn = (names: readonly string[], start: string): string =>
    linesOf(
      names.map((each) => `${start}${each} is what was made for this user before Pair.`),
    );
  const line = (text: string, value: string): string => text.replace("%", () => value);
  return {
    ...facts,
    isJson,
    isGet,
    callUrl: `${url}/${name}`,
    keyHeader,
    headers: isGet ? keyHeader : [["Content-Type", type], ...keyHeader],
    comment: (start) => commentOn(earlier, start),
    lines: (start, lineOf, separator = "\n") =>
      args.map((arg) => commentOn(earlier.filter((each) => each === arg[0]), start) + lineOf(arg))
        .join(separator),
    printing: (fieldOf, whole, print, keep, kept = "accepted") =>
      fields === undefined
        ? `${line(keep, whole)}\n${line(print, kept)}`
        : fields.map((field) => line(print, fieldOf(field))).join("\n"),
  };
}

/** Joins lines, each with its line end; empty without lines. */
export function linesOf(items: readonly string[]): string {
  return items.map((item) => `${item}\n`).join("");
}
