/**
 * Typed values, by field name. They live only in the memory of this document: they move from view
 * to view, and end with the tab.
 *
 * @module
 */

import { KEY_HOLE, KEY_PLACEHOLDER } from "../samples/quoting.ts";
import { all, first, valuesOf } from "./dom.ts";

const typed = new Map<string, string>();

let isWorthKeeping = false;

/** Remembers the values of a form. */
export function remember(form: HTMLFormElement): void {
  for (const [name, value] of Object.entries(valuesOf(form))) typed.set(name, value);
}

/** Value last typed into a field. */
export function remembered(name: string): string | undefined {
  return typed.get(name);
}

/** Remembers that the user has begun to use the page. */
export function markUsed(): void {
  isWorthKeeping = true;
}

/** Asks before leaving or reloading a page that would lose a secret. */
export function warnBeforeUnload(): void {
  addEventListener("beforeunload", (event) => {
    if (isWorthKeeping && (typed.get("secretCode") ?? "") !== "") event.preventDefault();
  });
}

/** Values for the marked places of samples: those of a form, and the key. */
export function holesOf(form: HTMLFormElement): Readonly<Record<string, string>> {
  return { ...valuesOf(form), [KEY_HOLE]: keyShown() ?? KEY_PLACEHOLDER };
}

/** Typed key; undefined without a key field or when it is empty. */
export function keyShown(): string | undefined {
  return first<HTMLInputElement>("#key")?.value.trim() || undefined;
}

/** Puts remembered values into the fields of the page. */
export function restore(): void {
  for (const field of all<HTMLInputElement>("form input[name], #key")) {
    const value = typed.get(field.name);
    if (value !== undefined) field.value = value;
  }
}

/** Remembers the key field, if there is one, and follows its changes. */
export function setUpKey(follow: () => void): void {
  const field = first<HTMLInputElement>("#key");
  field?.addEventListener("input", () => {
    typed.set(field.name, field.value);
    follow();
  });
}
