/**
 * Objects that the program around the library gives: options, parts, arguments.
 *
 * @module
 */

import { nearestOf } from "../config/did_you_mean.ts";

/** Names that an object can have. */
export interface KnownNames {
  /** The object, as the subject of a sentence. */
  readonly what: string;
  /** The kind of a name: an option, a part, an argument. */
  readonly kind: string;
  /** The names. */
  readonly names: readonly string[];
  /** Sentence about a name that belongs elsewhere; undefined for any other name. */
  readonly elsewhere?: (name: string) => string | undefined;
}

/**
 * Reads the values of an object by name, without undefined ones. Inherited values and those of getters
 * count: an option of a class must not be lost.
 *
 * @throws {TypeError} When it is no object, or has an unknown name.
 */
export function givenValues(
  given: unknown,
  { what, kind, names, elsewhere = () => undefined }: KnownNames,
): ReadonlyMap<string, unknown> {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new TypeError(`${what} must be an object.`);
  }
  const values = given as Readonly<Record<string, unknown>>;
  if (typeof values["then"] === "function") {
    throw new TypeError(`${what} must be an object, not a promise: await it.`);
  }
  const found = new Map<string, unknown>();
  for (const name of namesIn(given)) {
    const value = values[name];
    const isKnown = names.includes(name);
    // A class has other methods than those that are wanted.
    const isMethod = typeof value === "function" && !Object.hasOwn(given, name);
    if (value === undefined || !isKnown && isMethod) continue;
    if (!isKnown) throw new TypeError(elsewhere(name) ?? unknownName(kind, name, names));
    found.set(name, value);
  }
  return found;
}

/** Returns the names of an object and its prototypes, except for what all objects have. */
function namesIn(given: object): ReadonlySet<string> {
  const names = new Set(Object.getOwnPropertyNames(given));
  for (let from = Object.getPrototypeOf(given); from !== null;) {
    const next = Object.getPrototypeOf(from);
    if (next === null && Object.hasOwn(from, "hasOwnProperty")) break;
    for (const name of Object.getOwnPropertyNames(from)) names.add(name);
    from = next;
  }
  return names;
}

// A name may come from a request, and is repeated only where it is a word.
function unknownName(kind: string, name: string, names: readonly string[]): string {
  if (!/^\w{1,40}$/.test(name)) return `There is no ${kind} of that name.`;
  const near = nearestOf(name, names) ?? names.find((known) => name === `${known}File`);
  return `There is no ${kind} ${name}${near === undefined ? "." : `; did you mean ${near}?`}`;
}
