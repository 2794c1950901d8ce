/**
 * Elements of the page, addresses, and values of forms.
 *
 * @module
 */

import { literalUrl } from "../shared/address.ts";
import type { ScriptSettings } from "../shared/settings.ts";

/** All elements for a selector, in document order. */
export function all<E extends Element = HTMLElement>(
  selector: string,
  root: ParentNode = document,
): E[] {
  return [...root.querySelectorAll<E>(selector)];
}

/** First element for a selector, if any. */
export function first<E extends Element = HTMLElement>(
  selector: string,
  root: ParentNode = document,
): E | undefined {
  return root.querySelector<E>(selector) ?? undefined;
}

/**
 * First element for a selector.
 *
 * @throws {Error} When there is none: the page differs from the server's.
 */
export function one<E extends Element = HTMLElement>(
  selector: string,
  root: ParentNode = document,
): E {
  const found = first<E>(selector, root);
  if (found === undefined) throw new Error(`The page has no ${selector}`);
  return found;
}

/** Makes an element with a text. */
export function textElement(name: string, text: string): HTMLElement {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

/** Sets a text if it changes: screen readers would repeat a text that is set again. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Resolves a relative address against this page, without user name and password: `fetch` refuses
 * them, and the browser sends them by itself.
 */
export function absoluteUrl(relative: string): string {
  const url = new URL(relative, document.baseURI);
  url.username = "";
  url.password = "";
  return url.href;
}

/**
 * Replaces the example address by the address that this browser uses: the server writes one document
 * for all hosts.
 */
export function showAddress(): void {
  const example = document.body.dataset["base"];
  if (!example) return;
  const prefix = literalUrl(location.pathname.replace(/\/+(?:api\.asmx\/?)?$/i, ""));
  for (const place of all(".host")) place.textContent = location.host;
  for (const place of all(".prefix")) place.textContent = prefix;
  for (const element of all("code, pre, pre *")) {
    for (const node of element.childNodes) {
      if (!(node instanceof Text)) continue;
      node.data = node.data.replaceAll(example, location.origin + prefix);
    }
  }
}

/** Values of a form, by field name. */
export function valuesOf(form: HTMLFormElement): Readonly<Record<string, string>> {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
}

/** Reads the settings of the server from the document. */
export function readSettings(): ScriptSettings {
  return JSON.parse(document.body.dataset["settings"] ?? "{}");
}
