import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { DEFAULTS } from "../../../lib/config/options.ts";
import { servicePage } from "../../../lib/page/page.ts";

// Options whose values callers may read: they decide about pins, or stand in the page's text.
const SHOWN: ReadonlySet<string> = new Set([
  ...["algorithm", "baseUrl", "digits", "html", "maxFailures", "namespace", "period"],
  ...["secretEncoding", "singleUse", "window"],
]);

Deno.test("the page shows callers no other option than its own", () => {
  const marked = Object.keys(DEFAULTS).filter((name) => !SHOWN.has(name));
  const marks = Object.fromEntries(marked.map((name) => [name, `marked-${name}`]));
  const settings = { ...DEFAULTS, ...marks, now: () => 0, apiKeys: { marked: "marked-apiKeys" } };
  for (const isUnknownOperation of [false, true]) {
    const html = servicePage.document(settings, { root: "", isUnknownOperation });
    assert(html.includes(DEFAULTS.namespace));
    assertEquals(html.match(/marked-\w+/g), null);
  }
});
