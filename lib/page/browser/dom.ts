/**
 * Finding elements of the page, addresses, and what forms hold.
 *
 * @module
 */

import type { PageSettings } from "../shared/settings.ts";

/** All elements that a selector finds, in the order of the document. */
export function all<E extends Element = HTMLElement>(
  selector: string,
  root: ParentNode = document,
): E[] {
  return [...root.querySelectorAll<E>(selector)];
}

/** The first element that a selector finds, if there is one. */
export function first<E extends Element = HTMLElement>(
  selector: string,
  root: ParentNode = document,
): E | undefined {
  return root.querySelector<E>(selector) ?? undefined;
}

/**
 * The first element that a selector finds.
 *
 * @throws {Error} When there is none: the page is not as the server writes it.
 */
export function one<E extends Element = HTMLElement>(
  selector: string,
  root: ParentNode = document,
): E {
  const found = first<E>(selector, root);
  if (found === undefined) throw new Error(`The page has no ${selector}`);
  return found;
}

/** An element with a text in it. */
export function textElement(name: string, text: string): HTMLElement {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

/** Sets a text where it is another: what is set again would be read out again. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * The address that a relative one stands for on this page. A user name and a key in the page's
 * address are left out: `fetch` refuses them, and the browser shows them by itself.
 */
export function absoluteUrl(relative: string): string {
  const url = new URL(relative, document.baseURI);
  url.username = "";
  url.password = "";
  return url.href;
}

/** The form's values by the names of its fields. */
export function valuesOf(form: HTMLFormElement): Readonly<Record<string, string>> {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
}

/** The settings of the server that a form's operation follows. */
export function settingsOf(form: HTMLFormElement): PageSettings {
  return JSON.parse(form.dataset["settings"] ?? "{}");
}
