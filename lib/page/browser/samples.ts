/**
 * Values of the forms in the requests and programs of the page.
 *
 * @module
 */

import { KEY_HOLE, KEY_PLACEHOLDER } from "../samples/quoting.ts";
import { all, first, valuesOf } from "./dom.ts";
import { fillIn, keyShown } from "./request.ts";

/** Values for the marked places of samples: those of a form, and the key. */
export function holesOf(form: HTMLFormElement): Readonly<Record<string, string>> {
  return { ...valuesOf(form), [KEY_HOLE]: keyShown() ?? KEY_PLACEHOLDER };
}

/** Puts the values of the fields into all samples; those outside a form's section take any form's. */
export function followForms(): void {
  const forms = all<HTMLFormElement>("form");
  for (const pane of all("pre[data-values]")) {
    const own = first<HTMLFormElement>("form", pane.closest("section") ?? document);
    const sources = own === undefined ? forms : [own];
    fillIn(pane, Object.assign({}, ...sources.map(holesOf)), false);
  }
}
