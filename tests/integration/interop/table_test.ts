/** The page about clients lists what the tests try. */

import { assert } from "@std/assert/assert";
import { type Binding, BINDINGS, type Client, CLIENTS } from "./clients.ts";

Deno.test("docs/interop.md has the clients and bindings that are tested", async () => {
  const page = await Deno.readTextFile(new URL("../../../docs/interop.md", import.meta.url));
  assert(page.includes(`\n\n${interopTable()}\n`), `docs/interop.md lacks:\n\n${interopTable()}`);
});

function interopTable(): string {
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
