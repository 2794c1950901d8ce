import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { servicePage } from "../../../lib/page/page.ts";

const { script: SCRIPT, style: STYLE } = servicePage;

/** Colours `#rrggbb` of the light scheme, and those that differ in the dark one, by name. */
const [LIGHT, DIFFERENT] = [...STYLE.matchAll(/:root \{[^}]*\}/g)].map(([rule]) =>
  new Map(
    [...rule.matchAll(/--(\w+): (#[0-9a-f]{6});/g)].map(([, name, colour]) => [name!, colour!]),
  )
);

/** WCAG 2.2, relative luminance. */
function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((i) => {
    const part = parseInt(colour.slice(i, i + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

/** WCAG 2.2, contrast ratio. */
function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high! + 0.05) / (low! + 0.05);
}

/** A ground with a layer of white over it, as opaque as the last two digits say. */
function lit(ground: string, alpha: string): string {
  const share = parseInt(alpha, 16) / 255;
  const parts = [1, 3, 5].map((i) => {
    const part = parseInt(ground.slice(i, i + 2), 16);
    return Math.round(part + (255 - part) * share).toString(16).padStart(2, "0");
  });
  return `#${parts.join("")}`;
}

// 1.4.3: text. Every colour of text with every ground that it stands on.
const TEXT: readonly (readonly [string, readonly string[]])[] = [
  ["ink", ["ground", "card", "field", "soft"]],
  ["muted", ["ground", "card"]],
  ["accent", ["ground", "card", "soft"]],
  ["onAccent", ["accent"]],
  ["bad", ["card", "badGround"]],
  ["warn", ["warnGround"]],
  ["onBand", ["band"]],
  ["mutedOnBand", ["band"]],
  ["onCode", ["code"]],
  ["valueOnCode", ["code"]],
];

// 1.4.11: borders of fields and buttons, and the focus around them.
const EDGES: readonly (readonly [string, readonly string[]])[] = [
  ["edge", ["ground", "card", "field"]],
  ["accent", ["ground", "card"]],
  ["onBand", ["band"]],
  ["onCode", ["code"]],
];

for (const scheme of ["light", "dark"]) {
  const colours = new Map([...LIGHT!, ...scheme === "dark" ? DIFFERENT! : []]);
  const colour = (name: string): string => colours.get(name)!;

  Deno.test(`text and edges stand out in the ${scheme} scheme`, () => {
    for (const [rows, least] of [[TEXT, 4.5], [EDGES, 3]] as const) {
      for (const [name, grounds] of rows) {
        for (const ground of grounds) {
          const ratio = contrast(colour(name), colour(ground));
          assert(ratio >= least, `${name} on ${ground}: ${ratio.toFixed(2)}`);
        }
      }
    }
  });

  Deno.test(`text has contrast on layered backgrounds in the ${scheme} scheme`, () => {
    const layers = [...STYLE.matchAll(/#ffffff([0-9a-f]{2})\b/g)].map(([, alpha]) => alpha!);
    const underText = layers.filter((alpha) => alpha < "40");
    assert(underText.length >= 3);
    for (const alpha of underText) {
      assert(contrast(colour("mutedOnBand"), lit(colour("band"), alpha)) >= 4.5, alpha);
      assert(contrast(colour("onCode"), lit(colour("code"), alpha)) >= 4.5, alpha);
    }
  });
}

Deno.test("every colour has a name, the dark scheme has no other names, and every name is used", () => {
  for (const [name, colour] of DIFFERENT!) {
    assert(LIGHT!.has(name) && LIGHT!.get(name) !== colour, name);
  }
  assert(LIGHT!.size > 15 && DIFFERENT!.size > 10);
  for (const name of LIGHT!.keys()) assert(STYLE.includes(`var(--${name})`), name);
  const rules = STYLE.replace(/:root \{[^}]*\}/g, "");
  // Black and white with an opacity shade what is below; the tile is paper in every scheme.
  const others = [...rules.matchAll(/#[0-9a-f]{3,8}\b/g)].map(([colour]) => colour)
    .filter((colour) => !/^#(?:000|0000|0004|(?:ffffff|000000)[0-9a-f]{2})$/.test(colour));
  assertEquals([...new Set(others)].sort(), ["#54625c", "#fff"]);
  assert(contrast("#54625c", "#ffffff") >= 4.5);
});

Deno.test("the style has both schemes, print, reduced motion, and fetches nothing", () => {
  for (const query of ["prefers-color-scheme:dark", "print", "prefers-reduced-motion"]) {
    assert(STYLE.includes(query), query);
  }
  assert(!/url\((?!"data:)|@import|@font-face/.test(STYLE));
});

Deno.test("the script stores nothing, and inserts no text as markup", () => {
  const banned =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval|localStorage|sessionStorage|indexedDB|cookie|pushState|replaceState|location\.(?:href|assign|replace)\b|https?:\/\//;
  assertEquals(banned.exec(SCRIPT), null);
  // It is one that an engine can read, without the tables of packages that it does not use.
  assert(!/npm:|crockford/.test(SCRIPT));
  new Function(SCRIPT);
});
