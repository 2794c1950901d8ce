// A figure stands on one page, and others link to it; the few that stand twice are equal.

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { parseSealKeys, SealKeys } from "../../../lib/sealing/seal_keys.ts";
import { fencesOf, PAGES, prose, read } from "../../support/pages.ts";

const PERFORMANCE = read("docs/performance.md");

function numberOf(text: string): number {
  return Number(text.replaceAll(",", ""));
}

/** The numbers of the row of a table whose first cell is a text. */
function rowOf(page: string, first: string): readonly number[] {
  const line = page.split("\n").find((text) => text.startsWith(`| ${first} `));
  assert(line !== undefined, first);
  return line.split("|").slice(2, -1).map((cell) => numberOf(cell.trim()));
}

Deno.test("how many pins a server checks a second stands in docs/performance.md alone", () => {
  const rate = /\d[\d,]*(?: and [\d,]+)?(?: right| wrong)? (?:pins|checks|calls|requests) a second/;
  const others = PAGES.filter((page) => page !== "docs/performance.md");
  assertEquals(others.filter((page) => rate.test(read(page).replaceAll(/\s+/g, " "))), []);
  // Of the other direction: the costs of a pin in proportion to another way to check it.
  assertEquals(others.filter((page) => /takes? (?:about )?\d[\d.]* times/.test(prose(page))), []);
});

Deno.test("docs/performance.md: the pins a second are the reciprocals of the processor times", () => {
  for (
    const [rate, cost] of [
      ["By GET", "ValidatePin GET, right"],
      ["By POST", "ValidatePin POST"],
      ["By SOAP 1.1", "ValidatePin SOAP 1.1"],
    ] as const
  ) {
    const costs = rowOf(PERFORMANCE, cost);
    for (const [i, pins] of rowOf(PERFORMANCE, rate).entries()) {
      assert(Math.abs(pins * costs[i]! / 1_000_000 - 1) < 0.02, `${rate}: ${pins}`);
    }
  }
});

Deno.test("docs/options.md: the memory of a secret is that of the full tables of docs/performance.md", () => {
  const [, low, high] = /(\d+) to (\d+) KB each/.exec(read("docs/options.md"))!.map(Number);
  const [, deno, bun] = /bring it to (\d+) MB on Deno and (\d+) MB on Bun/.exec(
    PERFORMANCE.replaceAll(/\s+/g, " "),
  )!.map(Number);
  const [, denoIdle, bunIdle] = /Memory is (\d+) MB after the start on Deno and (\d+) MB/.exec(
    PERFORMANCE.replaceAll(/\s+/g, " "),
  )!.map(Number);
  // 100,000 secrets: ten bytes of each are a megabyte.
  const each = [(deno! - denoIdle!) / 100, (bun! - bunIdle!) / 100];
  assertEquals(each.filter((kb) => kb < low! || kb > high!), []);
});

Deno.test("docs/security.md: both tables have the same chances of a guesser", () => {
  const text = read("docs/security.md").replaceAll(/\s+/g, " ");
  for (const row of ["the default, `--max-failures 100` |", "`--max-failures 5` |"]) {
    const [, chance, attempts] = new RegExp(
      `\\| ${RegExp.escape(row)} 1 in ([\\d,]+) \\| ([\\d,]+)`,
    )
      .exec(text)!;
    assert(text.includes(`1 in ${chance}, by ${attempts}`), row);
  }
});

Deno.test("docs/sealing.md: a sealed secret has the length that the page states", () => {
  const text = read("docs/sealing.md").replaceAll(/\s+/g, " ");
  const keys = new SealKeys(
    parseSealKeys(`k01234567:${"0123456789abcdef".repeat(4)}`),
    (length) => new Uint8Array(length),
  );
  const lengths = [20, 64, 1024].map((bytes) => keys.seal("x".repeat(bytes)).length);
  const shown = lengths.map((length) => length.toLocaleString("en"));
  assert(
    text.includes(
      `${shown[0]} characters for a secret of 20 bytes, ${shown[1]} for 64, ${shown[2]} for 1,024`,
    ),
  );
  const [, column, bytes] = /`VARCHAR\((\d+)\)` takes secrets of up to (\d+) bytes/.exec(text)!
    .map(Number);
  assertEquals(
    [bytes!, bytes! + 1].map((count) => keys.seal("x".repeat(count)).length <= column!),
    [true, false],
  );
});

Deno.test("a page that makes a key of several servers states that all get the same file", () => {
  const makers = ["docs/sealing.md", "docs/instances.md", "docs/containers.md"];
  for (const page of makers) {
    const paragraphs = read(page).split("\n\n").filter((text) =>
      /keygen (?:seal|guard)|`guard\.key`|Make (?:a key|it once)/.test(text)
    );
    const text = read(page).replaceAll(/\s+/g, " ");
    assert(paragraphs.length > 0 && /copy|once for all/.test(text), page);
  }
  const rotate = read("docs/sealing.md").split("\n## ").find((each) => each.startsWith("Rotate"))!;
  assert(/copy it to all others/.test(rotate) && rotate.indexOf("copy") < rotate.indexOf("keygen"));
});

Deno.test("docs/sealing.md removes the call from the application before the block that unseals", () => {
  const leave = read("docs/sealing.md").split("\n## ").find((each) => each.startsWith("Leave"))!;
  const order = [
    "call of `/seal`",
    "`unseal` in place",
    "last line of the block",
    "Drop the option",
  ];
  const places = order.map((words) => leave.indexOf(words));
  assertEquals(places, places.toSorted((a, b) => a - b));
  assert(places[0]! > 0);
});

Deno.test("an export of a page ends with its record only after a success", () => {
  const exports = fencesOf("docs/sealing.md").filter(({ text }) => text.includes("seal --csv"));
  assertEquals(exports.length, 2);
  for (const { text } of exports) {
    assert(/&&\s+echo end\n\}/.test(text) && !text.includes("||"), text);
    assert(text.includes("old = 'end'"), text);
  }
});
