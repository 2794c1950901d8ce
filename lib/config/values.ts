/**
 * Kinds of option values.
 *
 * @module
 */

import type { DefaultedKind, ValueKind } from "./option.ts";

/** Switch: off unless given. */
export const SWITCH: DefaultedKind<boolean> = {
  defaultText: "false",
  expected: "true, 1, false or 0",
  expectedValue: "true or false",
  isValid: (value) => typeof value === "boolean",
  parse: (text) => {
    if (text === "true" || text === "1") return { value: true };
    return text === "false" || text === "0" ? { value: false } : undefined;
  },
};

/** Makes the kind of one word of a closed set, case-sensitive. */
export function oneOf<Value extends string>(...values: readonly Value[]): ValueKind<Value> {
  return {
    values,
    expected: new Intl.ListFormat("en-GB", { type: "disjunction" }).format(values),
    parse: (text) => {
      const value = values.find((known) => known === text);
      return value && { value };
    },
    isValid: (value) => values.some((known) => known === value),
  };
}

/** Makes the kind of a whole number from `min` to `max`, both included. */
export function wholeNumber(min: number, max: number): ValueKind<number> {
  return {
    expected: `a whole number from ${min} to ${max}`,
    parse: (text) => {
      const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : NaN;
      return value >= min && value <= max ? { value } : undefined;
    },
    isValid: (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
  };
}

/** Makes the kind of a path of a file with a secret, or of a file that anyone may read. */
export function optionalFile(file: "secret" | "public"): DefaultedKind<string | undefined> {
  return { placeholder: "FILE", file, ...optionalText("the path of a file") };
}

/** Makes the kind of an optional text. A path need not exist. */
export function optionalText(expected: string): DefaultedKind<string | undefined> {
  return {
    defaultText: "",
    expected,
    parse: (value) => value.includes("\0") ? undefined : { value: value || undefined },
  };
}
