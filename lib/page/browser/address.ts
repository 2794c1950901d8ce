/**
 * The address of the service in the texts of the page. The server writes each page once, with an
 * example in place of the address that this browser reaches it by.
 *
 * @module
 */

import { all } from "./dom.ts";

/** Puts the address of the page in place of the example in a part of it. */
export function showAddress(part: ParentNode): void {
  const example = document.body.dataset["base"];
  if (example === undefined) return;
  const prefix = location.pathname.replace(/\/+(?:api\.asmx\/?)?$/i, "");
  const exampleHost = new URL(example).host;
  for (const element of all("code, pre, pre *", part)) {
    for (const node of element.childNodes) {
      if (!(node instanceof Text)) continue;
      node.data = node.data.replaceAll(example, location.origin + prefix)
        .replaceAll(`\nHost: ${exampleHost}\n`, `\nHost: ${location.host}\n`)
        .replace(/^(GET|POST) \/api\.asmx/, `$1 ${prefix}/api.asmx`);
    }
  }
}
