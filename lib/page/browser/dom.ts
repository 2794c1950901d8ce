/**
 * Finding elements of the page.
 *
 * @module
 */

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

/** The form's values by the names of its fields. */
export function valuesOf(form: HTMLFormElement): Readonly<Record<string, string>> {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
}
