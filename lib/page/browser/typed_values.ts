/**
 * Typed values of the fields, which the page keeps from view to view.
 *
 * @module
 */

import { KEY_HOLE, KEY_PLACEHOLDER } from "../samples/quoting.ts";
import { all, first, valuesOf } from "./dom.ts";
import type { PageState } from "./page_state.ts";

/** Remembers the values of a form. */
export function remember({ typed }: PageState, form: HTMLFormElement): void {
  for (const [name, value] of Object.entries(valuesOf(form))) typed.set(name, value);
}

/** Asks before leaving or reloading a page that would lose a secret. */
export function warnBeforeUnload(state: PageState): void {
  addEventListener("beforeunload", (event) => {
    if (state.isUsed && (state.typed.get("secretCode") ?? "") !== "") event.preventDefault();
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
export function restore({ typed }: PageState): void {
  for (const field of all<HTMLInputElement>("form input[name], #key")) {
    const value = typed.get(field.name);
    if (value !== undefined) field.value = value;
  }
}

/** Remembers the key field, if there is one, and follows its changes. */
export function setUpKey({ typed }: PageState, follow: () => void): void {
  const field = first<HTMLInputElement>("#key");
  field?.addEventListener("input", () => {
    typed.set(field.name, field.value);
    follow();
  });
}
