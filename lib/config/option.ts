/**
 * Options and the parser of a table of options: a flag wins over its environment variable, the
 * variable over the file of options, and the file over the default.
 *
 * @module
 */

/**
 * Value of a text. For a wrong text it is undefined, or the exact requirement that a nearly right
 * one fails, in place of `expected`.
 */
export type Parsed<T> = { readonly value: T } | string | undefined;

/** Kind of value. */
export interface ValueKind<T> {
  /** The placeholder of the value in the usage text; a switch has no value. */
  readonly placeholder?: string;
  /** The requirement on a value, to follow "must be". */
  readonly expected: string;
  /** Contents of the file that the value names; undefined where it names none. */
  readonly file?: "secret" | "public";
  /** All values of an option with a closed set. */
  readonly values?: readonly string[];
  /** Parses a text. */
  readonly parse: (text: string) => Parsed<T>;
  /** Whether a value that a program gives is right; by default, a text that `parse` takes is. */
  readonly isValid?: (value: unknown) => boolean;
  /** The requirement on a value that a program gives, where `expected` names texts. */
  readonly expectedValue?: string;
}

/** Kind of value with a default. */
export interface DefaultedKind<T> extends ValueKind<T> {
  /** The default as typed; empty without a default. */
  readonly defaultText: string;
}

/** Option of a command line. */
export interface Option<T> extends DefaultedKind<T> {
  /** Whether the library has the option too. */
  readonly isOfLibrary?: true;
  /** A description: a clause that begins with a capital letter and has no full stop. */
  readonly description: string;
}

/** Table of options by name; the flag of an option is its name with hyphens. */
export type OptionTable<T> = { readonly [Name in keyof T]: Option<T[Name]> };

/** Values of the options of a table, by name. */
export type ValuesOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Option<infer Value> ? Value : never;
};

/** Line of a file of options. */
export interface OptionLine {
  /** The place, for instance `line 3 of the file of --config`. */
  readonly place: string;
  /** The value. */
  readonly value: string;
}

/** Source of an option's value. */
export type OptionSource = "flag" | "environment" | "file" | "default";

/** Sources of the values of options. */
export interface OptionSources {
  /** The typed values, by flag without hyphens. */
  readonly flags: ReadonlyMap<string, string>;
  /** Returns the value of an environment variable, or undefined. */
  readonly env: (name: string) => string | undefined;
  /** The lines of the file of options, by variable. */
  readonly file?: ReadonlyMap<string, OptionLine>;
}

/** Error of a command line or an environment; the message is a clause for a person. */
export class UsageError extends Error {
  /** The name of the class. */
  override readonly name: string = "UsageError";
}

/** Error of an option's file. The option itself is right, so its help is no remedy. */
export class OptionFileError extends UsageError {
  /** The name of the class. */
  override readonly name = "OptionFileError";
}

/** Returns the flag of an option, with hyphens. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Returns the environment variable of an option. */
export function variableOf(name: string): string {
  return `AUTHENTICATOR_${flagOf(name).slice(2).replaceAll("-", "_").toUpperCase()}`;
}

/** Returns the names of the options of a table, in its order. */
export function namesOf<T>(table: OptionTable<T>): readonly (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[];
}

/** Text of an option with its source. */
export interface SourcedText {
  /** The source. */
  readonly source: OptionSource;
  /** The text; undefined for the default. */
  readonly text: string | undefined;
  /** The name in errors: the flag, the variable, or the place of the line. */
  readonly label: string;
}

/** Finds the text of an option: of its flag, else of its variable, else of its line. */
export function sourcedText(name: string, { flags, env, file }: OptionSources): SourcedText {
  const [flag, variable] = [flagOf(name), variableOf(name)];
  const typed = flags.get(flag.slice(2));
  if (typed !== undefined) return { source: "flag", text: typed, label: flag };
  // An empty variable counts as unset: container files often write it so. A value from a mounted
  // secret often ends with a line break.
  const inherited = env(variable)?.replace(/\r?\n$/, "");
  if (inherited) return { source: "environment", text: inherited, label: variable };
  const line = file?.get(variable);
  return line === undefined
    ? { source: "default", text: undefined, label: flag }
    : { source: "file", text: line.value, label: `${variable} in ${line.place}` };
}

/**
 * Reads the options of a table.
 *
 * @throws {UsageError} At the first wrong value.
 */
export function parseOptions<T>(table: OptionTable<T>, sources: OptionSources): T {
  const entries = namesOf(table).map((name) => {
    const { parse, expected, defaultText } = table[name];
    const { text = defaultText, label } = sourcedText(name, sources);
    const parsed = parse(text);
    if (typeof parsed !== "object") {
      const flaw = hiddenFlaw(text);
      throw new UsageError(
        `${label} must be ${parsed ?? expected}` + (flaw && `: its value ${flaw}`),
      );
    }
    return [name, parsed.value];
  });
  return Object.freeze(Object.fromEntries(entries));
}

/**
 * Checks options that a program gives: by the ranges and choices of their rows, not as texts.
 *
 * @param values Values by name; undefined for a default.
 * @param defaults Options of the same table.
 * @throws {TypeError} At the first wrong value; the message names the option and the requirement.
 */
export function checkOptions<T>(
  table: OptionTable<T>,
  values: Readonly<Record<string, unknown>>,
  defaults: T,
): T {
  const checked = Object.entries(values).filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, checkedValue(name, table[name as keyof T], value)]);
  return Object.freeze({ ...defaults, ...Object.fromEntries(checked) });
}

function checkedValue<T>(name: string, kind: ValueKind<T>, value: unknown): unknown {
  const { isValid, parse, expected, expectedValue = expected } = kind;
  if (isValid?.(value)) return value;
  const isText = isValid === undefined && typeof value === "string" && value !== "";
  const parsed = isText ? parse(value) : undefined;
  if (typeof parsed === "object") return parsed.value;
  throw new TypeError(`${name} must be ${parsed ?? expectedValue}.`);
}

const FLAWS: readonly (readonly [RegExp, string])[] = [
  [/^\uFEFF/, "begins with a byte order mark"],
  [/[\r\n]$/, "ends with a line break"],
  [/[\r\n]/, "has a line break in it"],
  [/^(["'“]).*["'”]$/, "is in quotes"],
  [/^\s/, "begins with white space"],
  [/\s$/, "ends with white space"],
];

/** Returns a flaw of a value that is hard to see, as a clause; empty without one. */
export function hiddenFlaw(text: string): string {
  return FLAWS.find(([pattern]) => pattern.test(text))?.[1] ?? "";
}
