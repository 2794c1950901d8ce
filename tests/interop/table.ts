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

Every cell with a check mark is five tests of \`deno task test:interop\`, in which the client, as its
makers publish it, calls the running server over TCP: a pairing with names and secrets beyond ASCII,
the right pin, a wrong pin, and a mistake in each operation, which must come out as the client's own
exception with our code and sentence. All of them run against the server on Deno, on Bun and as an
executable. "Bun" is a binding that works there and not on Deno; a dash is one that the client does
not speak.

`;

const FOOT = `
What is peculiar to one of them:

- Apache Axis 1 writes characters beyond the Basic Multilingual Plane (emoji) as two halves, which
  is not XML. It gets a fault that says so; anything else in Unicode works.
- The stubs that SOAP::Lite makes from a WSDL put parameters into no namespace, and get a fault that
  names the one they belong to. With \`SOAP::Data\` and an \`xmlns\` attribute it works, in both
  versions of SOAP.
- suds takes the SOAP 1.2 port of a WSDL but sends SOAP 1.1 to it; that works too.
- \`wsimport\` wants \`-extension\` for SOAP 1.2, as for every WSDL of the original stack; \`wsdl2h\`
  wants \`-R\` and \`-N\`, or it warns that it joins the ports and leaves HTTP GET and HTTP POST out.
- \`java.net.http\`, and with it Spring's RestClient and CXF 4, asks for an upgrade to HTTP/2 (h2c)
  with each request over plain HTTP, which in Java 17 always has a \`Content-Length\`. Deno answers
  that with an empty 400 before the server sees it: since 2.8.3, and still in 2.9.6, the newest.
  Tell the client \`HTTP_1_1\`, or use TLS, a reverse proxy, or the server on Bun.

This page is generated: \`deno run --allow-write=docs tests/interop/table.ts\`.
`;

/** The text of the file. */
export function interopPage(): string {
  return HEAD + interopTable() + FOOT;
}

/** The table alone. */
export function interopTable(): string {
  const rows = [
    ["Client", ...BINDINGS, "How it comes by its requests"],
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
