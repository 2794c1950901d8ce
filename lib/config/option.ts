/**
 * What an option is, and how a table of them is read: a flag wins over its environment variable, and
 * that over the default.
 *
 * @module
 */

/** One option. */
export interface Option<T> {
  /** What stands for the value in the usage text; a switch has none. */
  readonly placeholder?: string;
  /** The default as it would be typed; empty when there is none. */
  readonly defaultText: string;
  /** What it does: a clause that begins with a capital letter and has no full stop. */
  readonly description: string;
  /** What a value must be, to follow "must be". */
  readonly expected: string;
  /** The same for a value that is nearly right, more exactly. */
  readonly wanted?: (text: string) => string | undefined;
  /** All values, where they are few words. */
  readonly values?: readonly string[];
  /** Reads a value; undefined when it is not what is expected. */
  readonly parse: (text: string) => { readonly value: T } | undefined;
}

/** A table of options by their names; the flag of each is its name with hyphens. */
export type OptionTable<T> = { readonly [Name in keyof T]: Option<T[Name]> };

/** Where the values of options come from. */
export interface OptionSources {
  /** What was typed, by flag without its hyphens. */
  readonly flags: ReadonlyMap<string, string>;
  /** Gives the value of an environment variable, or undefined. */
  readonly env: (name: string) => string | undefined;
}

/** A command line or an environment that cannot be used; the message is a clause for a person. */
export class UsageError extends Error {
  /** The name of the class. */
  override readonly name: string = "UsageError";
}

/** A file that an option names cannot be used. The option is right: its help says nothing about it. */
export class OptionFileError extends UsageError {
  /** The name of the class. */
  override readonly name = "OptionFileError";
}

/** The flag of an option, with its hyphens. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The environment variable of an option. */
export function variableOf(name: string): string {
  return `AUTHENTICATOR_${flagOf(name).slice(2).replaceAll("-", "_").toUpperCase()}`;
}

/** The names of the options in a table, in its order. */
export function namesOf<T>(table: OptionTable<T>): readonly (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[];
}

/**
 * Reads the options of a table.
 *
 * @throws {UsageError} At the first value that is wrong.
 */
export function parseOptions<T>(table: OptionTable<T>, { flags, env }: OptionSources): T {
  const entries = namesOf(table).map((name) => {
    const typed = flags.get(flagOf(name).slice(2));
    // A variable that is set to nothing is one that is not set: container files often write it so.
    const inherited = env(variableOf(name)) || undefined;
    const source = typed === undefined && inherited !== undefined ? variableOf(name) : flagOf(name);
    const { parse, wanted, expected, defaultText } = table[name];
    const text = typed ?? inherited ?? defaultText;
    const parsed = parse(text);
    if (parsed === undefined) {
      throw new UsageError(`${source} must be ${wanted?.(text) ?? expected}`);
    }
    return [name, parsed.value];
  });
  return Object.freeze(Object.fromEntries(entries));
}
