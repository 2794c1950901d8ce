/**
 * What the programs on the service page are made of.
 *
 * @module
 */

import { encoderOf, type ValueKind } from "../samples/quoting.ts";

/** A format that programs call in, by the name that the contract gives its binding. */
export type Format = "SOAP 1.1" | "SOAP 1.2" | "HTTP GET" | "HTTP POST" | "JSON";

/** The format of a page that is asked for none: as the form itself goes. */
export const DEFAULT_FORMAT: Format = "HTTP POST";

/** All formats. */
export const FORMATS: readonly Format[] = ["SOAP 1.1", "SOAP 1.2", "HTTP GET", "HTTP POST", "JSON"];

/**
 * The formats of a language whose library has no reader of JSON that a program of a few lines would
 * use; a form comes first.
 */
export const WITHOUT_JSON: readonly Format[] = ["HTTP POST", "HTTP GET", "SOAP 1.1", "SOAP 1.2"];

/** A language: how it writes values in its strings, and its program. */
export interface Language {
  /** The language, or the program that takes it. */
  readonly language: string;
  /** How it writes values, by the format where that differs. */
  readonly values: ValueKind | ((format: Format) => string);
  /** What it needs, a clause. */
  readonly needs: string;
  /** The formats that it sensibly calls in; in any other, the first of them is shown. */
  readonly formats: readonly Format[];
  /** Writes the program. */
  readonly write: (call: SnippetCall) => string;
}

/** What a program is made from. */
export interface SnippetCall {
  /** The name of the operation. */
  readonly name: string;
  /** The format. */
  readonly format: Format;
  /** The address of the service. */
  readonly url: string;
  /** Its arguments by name. */
  readonly args: readonly (readonly [name: string, value: string])[];
  /** The fields of the result when it is a record. */
  readonly fields: readonly string[] | undefined;
  /** Whether the result is true or false. */
  readonly isBoolean: boolean;
  /** The caller's key, where one is wanted. */
  readonly key: string | undefined;
  /** What SOAP takes beside that; undefined in any other format. */
  readonly soap: SoapCall | undefined;
}

/** What a call by SOAP takes. */
export interface SoapCall {
  /** The media type of the request. */
  readonly mediaType: string;
  /** The namespace name of the Envelope. */
  readonly envelope: string;
  /** The namespace name of the service. */
  readonly namespace: string;
  /** The same as it stands in XML. */
  readonly namespaceInXml: string;
  /** The value of the header SOAPAction; undefined where the version has none. */
  readonly action: string | undefined;
}

/** The media type of the body; undefined where there is none. */
export function mediaTypeOf({ format, soap }: SnippetCall): string | undefined {
  if (soap !== undefined) return `${soap.mediaType}; charset=utf-8`;
  if (format === "HTTP GET") return undefined;
  return format === "JSON" ? "application/json" : "application/x-www-form-urlencoded";
}

/** Whether the arguments are a form, in the query or in the body. */
export function isForm({ format }: SnippetCall): boolean {
  return format === "HTTP GET" || format === "HTTP POST";
}

/** The address that the call goes to, without a query. */
export function callUrl({ name, url, soap }: SnippetCall): string {
  return soap === undefined ? `${url}/${name}` : url;
}

/** The header fields of the call beside its media type. */
export function moreHeaders({ soap, key }: SnippetCall): readonly (readonly [string, string])[] {
  return [
    ...(soap?.action === undefined ? [] : [["SOAPAction", soap.action] as const]),
    ...(key === undefined ? [] : [["X-Api-Key", key] as const]),
  ];
}

/** The header fields of the call. */
export function headersOf(call: SnippetCall): readonly (readonly [string, string])[] {
  const type = mediaTypeOf(call);
  return [...(type === undefined ? [] : [["Content-Type", type] as const]), ...moreHeaders(call)];
}

/** What stands before and behind the parameters in an Envelope. */
export function envelopeOf(
  { name }: SnippetCall,
  soap: SoapCall,
): readonly [before: string, behind: string] {
  return [
    `<soap:Envelope xmlns:soap="${soap.envelope}"><soap:Body><${name} xmlns="${soap.namespaceInXml}">`,
    `</${name}></soap:Body></soap:Envelope>`,
  ];
}

/** The elements of an XML reply that hold the result; undefined where its root does. */
export function resultElements({ name, fields, soap }: SnippetCall): readonly string[] | undefined {
  return fields ?? (soap === undefined ? undefined : [`${name}Result`]);
}

/** A string of C#, Go, Java, JavaScript, Python and TypeScript. */
export function quoted(text: string): string {
  return `"${encoderOf("c")(text)}"`;
}

/** A word of a shell. */
export function shellQuoted(text: string): string {
  return `'${encoderOf("shell")(text)}'`;
}

/** A string of PHP or Ruby. */
export function phpQuoted(text: string): string {
  return `'${encoderOf("php")(text)}'`;
}

/** A string of PowerShell. */
export function powershellQuoted(text: string): string {
  return `'${encoderOf("powershell")(text)}'`;
}

/** A string of a Basic. */
export function basicQuoted(text: string): string {
  return `"${encoderOf("basic")(text)}"`;
}

/** A string of Delphi. */
export function delphiQuoted(text: string): string {
  return `'${encoderOf("delphi")(text)}'`;
}

/** A line for each of some things. */
export function lines<T>(
  items: readonly T[],
  line: (item: T) => string,
  separator = "\n",
): string {
  return items.map(line).join(separator);
}

/**
 * The lines that print the values of a result. One that is true or false they keep in a variable
 * first, to be asked in an `if`: there the text `false` of an XML reply is true in many languages.
 *
 * @param print A line that prints what stands for `%`.
 * @param keep A line that keeps whether it is true.
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

/** Some lines, each with its line end; none where there are none. */
export function linesOf(...items: readonly string[]): string {
  return items.map((item) => `${item}\n`).join("");
}
