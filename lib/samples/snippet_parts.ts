/**
 * What the programs on the service page are made of.
 *
 * @module
 */

import { encoderOf } from "./quoting.ts";

/** What a template is filled with. */
export interface Call {
  /** The name of the operation. */
  readonly name: string;
  /** The address of the service. */
  readonly url: string;
  /** Its arguments by name. */
  readonly args: readonly (readonly [name: string, value: string])[];
  /** The fields of the result when it is a record. */
  readonly fields: readonly string[] | undefined;
  /** The caller's key, where one is wanted. */
  readonly key: string | undefined;
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

/** A line, where there is something to write it of. */
export function lineOf<T>(value: T | undefined, write: (value: T) => string): string {
  return value === undefined ? "" : `${write(value)}\n`;
}
