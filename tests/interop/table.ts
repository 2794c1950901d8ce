/**
 * The table of clients and bindings, from the list that the tests go by.
 *
 * `deno run --allow-write=docs tests/interop/table.ts` writes `docs/interop.md`.
 *
 * @module
 */

import { type Binding, BINDINGS } from "./call.ts";
import { type Client, CLIENTS } from "./clients.ts";

/** Where the table stands. */
export const TABLE_FILE = new URL("../../docs/interop.md", import.meta.url);

const HEAD = `# Clients that work

Each check mark stands for five tests of \`deno task test:interop\`. The client, as its makers publish
it, calls the running server over TCP: it pairs with names and secrets outside ASCII, checks a right
pin and a wrong one, and makes a mistake in each operation, which must become the client's own
exception with the server's code and message. All tests run against the server on Deno, on Bun and
as an executable. "Bun" means that the binding works with the server on Bun and not on Deno. A dash
means that the client does not have the binding.

`;

const FOOT = `
What to know about some of them:

- Apache Axis 1 writes characters beyond the Basic Multilingual Plane (emoji) as two halves, which
  is not XML. It gets a fault that says so. All other characters work.
- The stubs that SOAP::Lite makes from a WSDL put parameters in no namespace, and get a fault that
  names the right one. With \`SOAP::Data\` and an \`xmlns\` attribute it works, in both versions of
  SOAP.
- suds takes the SOAP 1.2 port of a WSDL but sends SOAP 1.1 to it; that works too.
- \`wsimport\` needs \`-extension\` for SOAP 1.2, as for every ASP.NET WSDL. \`wsdl2h\` needs \`-R\` and
  \`-N\`; without them it warns that it joins the ports and leaves out HTTP GET and HTTP POST.
- \`java.net.http\`, and with it Spring's RestClient and CXF 4, asks for an upgrade to HTTP/2 (h2c)
  with each request over plain HTTP, which in Java 17 always has a \`Content-Length\`. Deno answers
  that with an empty 400 before the server sees it: since 2.8.3, and still in 2.9.6, the newest.
  Tell the client \`HTTP_1_1\`, or use TLS, a reverse proxy, or the server on Bun. \`curl --http2\` and
  PHP's \`CURL_HTTP_VERSION_2_0\` ask for the same with a POST; without them both work.
- soap4r fails with REXML 3.3.9, which Debian 12 has had since November 2026, wherever a server
  writes \`charset=utf-8\` in small letters, as ASP.NET does too: "Malformed XML: Content at the start
  of the document". Set \`driver.mandatorycharset = "UTF-8"\`, as the tests do.
- NuSOAP (PHP) sends Latin-1 unless told otherwise, and gets 415. Set
  \`$client->soap_defencoding = 'UTF-8'\` and give it the WSDL. In Java, \`ContentType.TEXT_XML\` of
  Apache's \`org.apache.http\` is Latin-1 too: use \`ContentType.create("text/xml", "UTF-8")\`.
- The proxies of Mono's \`svcutil\` send \`*\` as the SOAPAction, and get a fault. Use \`wsdl\`, or a
  contract written by hand: the channels of WCF work in both versions of SOAP.

This page is generated: \`deno run --allow-write=docs tests/interop/table.ts\`.
`;

/** The text of the file. */
export function interopPage(): string {
  return HEAD + interopTable() + FOOT;
}

/** The table alone. */
export function interopTable(): string {
  const rows = [
    ["Client", ...BINDINGS, "How it makes its requests"],
    ...CLIENTS.map(rowOf),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |\n`;
  const [head, ...body] = rows.map(line);
  return head + line(widths.map((width) => "-".repeat(width))) + body.join("");
}

function rowOf({ name, bindings, onlyOnBun = [], made }: Client): readonly string[] {
  const cell = (binding: Binding): string => {
    if (!bindings.includes(binding)) return "–";
    return onlyOnBun.includes(binding) ? "Bun" : "✓";
  };
  return [name, ...BINDINGS.map(cell), made];
}

if (import.meta.main) await Deno.writeTextFile(TABLE_FILE, interopPage());
