/**
 * Address of the service in the texts of the page. The server renders each page once with an
 * example address; the script replaces it with the address that this browser uses.
 *
 * @module
 */

import { all } from "./dom.ts";

/** Replaces the example address by the address of the page in a part of it. */
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
