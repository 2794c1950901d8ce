/**
 * What was typed, by the names of the fields. It is in the memory of this document and nowhere else:
 * it goes from one view of the page to another, and is gone with the tab.
 *
 * @module
 */

import { KEY_HOLE, KEY_PLACEHOLDER } from "../samples/quoting.ts";
import { all, first, valuesOf } from "./dom.ts";

const typed = new Map<string, string>();

let isWorthKeeping = false;

/** Remembers what the fields of a form hold. */
export function remember(form: HTMLFormElement): void {
  for (const [name, value] of Object.entries(valuesOf(form))) typed.set(name, value);
}

/** What was typed last into a field of a name. */
export function remembered(name: string): string | undefined {
  return typed.get(name);
}

/** Remembers that a person has begun to use what is on the page. */
export function markUsed(): void {
  isWorthKeeping = true;
}

/** Asks before a page is left or loaded again with which a secret would be lost. */
export function warnBeforeUnload(): void {
  addEventListener("beforeunload", (event) => {
    if (isWorthKeeping && (typed.get("secretCode") ?? "") !== "") event.preventDefault();
  });
}

/** What the marked places of samples hold for a form: its values, and the key. */
export function holesOf(form: HTMLFormElement): Readonly<Record<string, string>> {
  return { ...valuesOf(form), [KEY_HOLE]: keyShown() ?? KEY_PLACEHOLDER };
}

/** The key that was typed, if the page has a field for it and there is something in it. */
export function keyShown(): string | undefined {
  return first<HTMLInputElement>("#key")?.value.trim() || undefined;
}

/** Puts what was typed before into the fields of the page. */
export function restore(): void {
  for (const field of all<HTMLInputElement>("form input[name], #key")) {
    const value = typed.get(field.name);
    if (value !== undefined) field.value = value;
  }
}

/** Makes the field of the key, where there is one, be remembered and followed. */
export function setUpKey(follow: () => void): void {
  const field = first<HTMLInputElement>("#key");
  field?.addEventListener("input", () => {
    typed.set(field.name, field.value);
    follow();
  });
}
