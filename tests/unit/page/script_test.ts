import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { SCRIPT_FILE, sources, withDigest } from "../../../release/page_script.ts";

const SCRIPT = Deno.readTextFileSync(SCRIPT_FILE);
const BUNDLE = SCRIPT.replace(/^(?:\/\/.*\n)+/, "");

// tests/integration/machines/ bundles the sources anew.
Deno.test("the page's script was bundled from the sources that are there, and not changed since", () => {
  const heads = [SCRIPT, withDigest(BUNDLE)].map((text) => text.slice(0, -BUNDLE.length));
  assertEquals(heads[0], heads[1], "run: deno task generate");
});

Deno.test("the digest of the page's script changes with each of its sources, and with the bundle", () => {
  const digests = new Set([SCRIPT, withDigest(`${BUNDLE};`)].map(digestIn));
  const urls = sources();
  for (const changed of urls) {
    const read = (url: string | URL): string =>
      `${Deno.readTextFileSync(url)}${String(url) === changed ? "//\n" : ""}`;
    digests.add(digestIn(withDigest(BUNDLE, read)));
  }
  assertEquals(digests.size, urls.length + 2);
  // Of its own folder, and of those that it shares with the server.
  for (const folder of ["page/browser", "page/shared", "otp", "sealing"]) {
    assert(urls.some((url) => url.includes(`/lib/${folder}/`)), folder);
  }
});

function digestIn(script: string): string {
  return /^\/\/ SHA-256 .*: ([0-9a-f]{64})$/m.exec(script)![1]!;
}
