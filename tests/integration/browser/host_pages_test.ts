/** The Html of a pairing in pages that style their own pictures, read off the screen by two decoders. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import type { Page } from "playwright-core";
import { pair, type PairArguments } from "../../../lib/operations/pair.ts";
import { scanPng } from "../../support/scan.ts";
import { visit } from "./browser.ts";
import { scanScreenshot } from "./pairing.ts";

const CONTEXT = {
  algorithm: "SHA1",
  digits: 6,
  period: 30,
  window: 1,
  secretEncoding: "text",
  html: "svg",
  now: () => 0,
  base: () => "http://localhost",
} as const;

// An ordinary pairing, and three whose modules are small.
const PAIRINGS: readonly PairArguments[] = [
  { appName: "Example Corp", appInfo: "jane@example.com", secretCode: "correct horse battery" },
  {
    appName: "Example Corp",
    appInfo: "jane@example.com",
    secretCode: "0123456789abcdef".repeat(64),
  },
  { appName: "例".repeat(20), appInfo: "子".repeat(40), secretCode: "correct horse battery" },
  { appName: "Пример", appInfo: "я".repeat(40), secretCode: "0123456789abcdef".repeat(32) },
];

// Icon styles that reach the picture by inheritance; each page made it unreadable, or could.
const STYLES: ReadonlyMap<string, string> = new Map([
  ["no style", ""],
  ["wide strokes of pictures", "svg{stroke-width:2}"],
  [
    "Feather and Lucide icons",
    "svg{fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}",
  ],
  ["wide, square strokes of a part of the page", "main{stroke-width:2;stroke-linecap:square}"],
  ["a dark page", "body{background:#000;color:#fff}svg{fill:currentColor;stroke:currentColor}"],
  ["dashes", "svg{stroke-dasharray:3 2;stroke-dashoffset:1}"],
  ["pale pictures", "body{background:#222}svg{fill-opacity:.1;stroke-opacity:.1}"],
  [
    "markers, and smooth edges",
    "svg{marker:url(#dot);shape-rendering:geometricPrecision;paint-order:markers}",
  ],
  ["white on red", "main{fill:red;stroke:#fff;stroke-width:.5px;fill-rule:evenodd}"],
]);

const MARKER =
  "<svg width='0' height='0'><marker id='dot' markerUnits='userSpaceOnUse' markerWidth='3' " +
  "markerHeight='3' refX='1' refY='1'><circle cx='1' cy='1' r='1' fill='red'/></marker></svg>";

for (const [name, style] of STYLES) {
  Deno.test(`two decoders read every picture on a page with ${name}`, async () => {
    for (const pairing of PAIRINGS) {
      const { uri, screenshot } = await show(pairing, style);
      assertEquals(scanScreenshot(screenshot), uri);
      assertEquals(await scanPng(screenshot), uri);
    }
  });
}

Deno.test("two decoders read the picture on a narrow page that shrinks it", async () => {
  const style = "body{margin:4px}svg{max-width:100%;height:auto}";
  const options = { viewport: { width: 240, height: 400 }, deviceScaleFactor: 2 };
  const { uri, screenshot } = await show(PAIRINGS[0]!, style, options);
  assertEquals(scanScreenshot(screenshot), uri);
  assertEquals(await scanPng(screenshot), uri);
});

Deno.test("two decoders read the picture in a high contrast theme", async () => {
  const { uri, screenshot } = await show(PAIRINGS[0]!, "", {
    forcedColors: "active",
    colorScheme: "dark",
  });
  assertEquals(scanScreenshot(screenshot), uri);
  assertEquals(await scanPng(screenshot), uri);
});

Deno.test("a rule that selects the path itself is stronger, as docs/showing-the-code.md has it", async () => {
  const { screenshot } = await show(PAIRINGS[0]!, "svg *{stroke-width:3}");
  assertEquals(scanScreenshot(screenshot), undefined);
});

/** The picture as a browser shows it in a page, and the Key URI that the link around it has. */
async function show(
  pairing: PairArguments,
  style: string,
  options: Parameters<typeof visit>[2] = {},
): Promise<{ readonly uri: string; readonly screenshot: Uint8Array }> {
  const { Html } = pair(pairing, CONTEXT);
  let shown: { uri: string; screenshot: Uint8Array } | undefined;
  const act = async (page: Page): Promise<void> => {
    await page.setContent(
      `<!DOCTYPE html><style>${style}</style>${MARKER}<main><p>Scan this:</p>${Html}</main>`,
    );
    const uri = await page.getAttribute("a", "href");
    const screenshot = await page.locator("a > svg").screenshot();
    shown = { uri: uri!, screenshot };
  };
  await visit("about:blank", act, options);
  assert(shown !== undefined);
  return shown;
}
