/**
 * Writes the WSDL of all operations into the exchange that has the whole of it: `deno task generate`.
 *
 * @module
 */

import { wsdl } from "../../../../lib/bindings/description/wsdl.ts";
import { OPERATIONS } from "../../../../lib/operations/operations.ts";

const PAGE = new URL("../../../exchanges/named.md", import.meta.url);
const [BASE, NAMESPACE] = ["http://address", "urn:namespace/"];
// Up to the empty line below the head of the reply, and from the end of its block.
const BLOCK = /^(## 200 whole WSDL\n[^]*?\n```http[^]*?\n\n)[^]*?(\n```\n)/m;

const written = wsdl({ base: BASE, namespace: NAMESPACE }, [...OPERATIONS.values()])
  .replaceAll("\r\n", "\n")
  .replaceAll(`${BASE}/api.asmx`, "{{text 1}}")
  .replaceAll(NAMESPACE, "{{text 2}}");
const page = Deno.readTextFileSync(PAGE);
Deno.writeTextFileSync(
  PAGE,
  page.replace(BLOCK, (_, before: string, after: string) => before + written + after),
);
