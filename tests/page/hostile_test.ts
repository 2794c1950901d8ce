import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { OPTIONS } from "../../lib/config/options.ts";
import { OPERATIONS } from "../../lib/operations/operations.ts";
import { getPage, handlerWith, pagesByLanguage, paneOf, skeletonOf, textOf } from "./pages.ts";

// What broke the service pages of others (CVE-2018-8032, CVE-2019-17573, CVE-2020-13954), and what
// could break this one.
const PAYLOADS: readonly string[] = [
  "<script>alert(1)</script>",
  "</style><script>alert(1)</script>",
  "</script><img src=x onerror=alert(1)>",
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '" autofocus onfocus="alert(1)',
  "<!--",
  "-->",
  "]]>",
  "</pre></figure><iframe srcdoc=x>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "&#60;script&#62;",
  "javascript:alert(1)//",
  "\u2028alert(1)",
  "\r\nSet-Cookie: a=b",
  "0secretCode0",
];

const QUERIES = [
  "",
  ...[...OPERATIONS.keys()].map((name) => `?op=${name}`),
  ...["SOAP 1.1", "JSON"].map((format) => `?op=Pair&format=${encodeURIComponent(format)}`),
  "?op=nothing",
];

/** Whether a page is what it would be with another text in the place of the hostile one. */
function assertHarmless(html: string, harmless: string, payload: string): void {
  assertEquals(skeletonOf(html), skeletonOf(harmless), payload);
  for (const tag of ["style", "script"]) {
    const asset = new RegExp(`<${tag}>[^]*?</${tag}>`);
    assertEquals(asset.exec(html)?.[0], asset.exec(harmless)?.[0]);
  }
}

Deno.test("no base URL changes the elements of a page, even one that no option lets in", async () => {
  for (const query of QUERIES) {
    const at = async (text: string): Promise<string> => {
      const baseUrl = `http://localhost/${text}`;
      return (await getPage(handlerWith({}, { baseUrl }), query)).html;
    };
    const harmless = await at("x");
    for (const payload of PAYLOADS) {
      const html = await at(payload);
      assertHarmless(html, harmless, payload);
      if (query === "") assert(textOf(html).includes(payload.replaceAll("\r", "")), payload);
    }
  }
});

Deno.test("no namespace changes the elements of a page, even one that no option lets in", async () => {
  for (const query of QUERIES) {
    const at = async (text: string): Promise<string> =>
      (await getPage(handlerWith({}, { namespace: `http://x/${text}/` }), query)).html;
    const harmless = await at("x");
    for (const payload of PAYLOADS.filter((text) => text !== "0secretCode0")) {
      assertHarmless(await at(payload), harmless, payload);
    }
  }
});

Deno.test("nothing of the query comes back on a page", async () => {
  for (const payload of PAYLOADS) {
    const encoded = encodeURIComponent(payload);
    const unknown = await getPage(handlerWith(), `?op=${encoded}`);
    assertEquals(unknown.reply.status, 404);
    assertEquals(unknown.html, (await getPage(handlerWith(), "?op=nothing")).html);
    for (const query of [`?${encoded}=1`, `?x=${encoded}`]) {
      assertEquals((await getPage(handlerWith(), query)).html, (await getPage(handlerWith())).html);
    }
  }
  for (const name of ["__proto__", "constructor", "toString", "pair", "Pair%20", ""]) {
    assertEquals((await getPage(handlerWith(), `?op=${name}`)).reply.status, 404, name);
  }
});

// The languages quote the address each in its own way; an operator's address can hold these at worst.
Deno.test("no address that the option lets in ends a string in a snippet", async () => {
  for (const character of ["'", '"', "\\", "`", "\n", " ", "<", ">", "{", "}"]) {
    assertEquals(OPTIONS.baseUrl.parse(`http://h/a${character}b`), undefined, character);
  }
  const path = "/a$(id)$x%27!*;=@~";
  const pages = await pagesByLanguage(handlerWith({ "base-url": `http://h${path}` }), "Pair");
  for (const [language, html] of pages) {
    const text = paneOf(html, "Pair-program");
    // In these two, a dollar sign in double quotes stands for a value.
    const quote = /^(?:curl|PHP|PowerShell|Ruby|Delphi)$/.test(language) ? "'" : '"';
    assert(text.includes(`${quote}http://h${path}/api.asmx`), language);
  }
});
