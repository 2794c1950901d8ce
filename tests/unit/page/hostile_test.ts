import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { OPTIONS } from "../../../lib/config/options.ts";
import { choicesOf, getPage, panesOf, skeletonOf } from "../../support/service_page.ts";
import { handlerWith } from "../../support/handler.ts";

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
  "{{settings}}",
  '<p data-if="text">',
];

const QUERIES = ["", "?op=nothing"];

/** Whether a page is what it would be with another text in the place of the hostile one. */
function assertHarmless(html: string, harmless: string, payload: string): void {
  assertEquals(skeletonOf(html), skeletonOf(harmless), payload);
}

Deno.test("no base URL changes the elements of a page, even one that no option accepts", async () => {
  for (const query of QUERIES) {
    const at = async (text: string): Promise<string> => {
      const baseUrl = `http://localhost/${text}`;
      return (await getPage(handlerWith({ config: { baseUrl } }), query)).html;
    };
    const harmless = await at("x");
    for (const payload of PAYLOADS) {
      const html = await at(payload);
      assertHarmless(html, harmless, payload);
    }
  }
});

Deno.test("no namespace changes the elements of a page, even one that no option accepts", async () => {
  for (const query of QUERIES) {
    const at = async (text: string): Promise<string> =>
      (await getPage(handlerWith({ config: { namespace: `http://x/${text}/` } }), query)).html;
    const harmless = await at("x");
    for (const payload of PAYLOADS) {
      assertHarmless(await at(payload), harmless, payload);
    }
  }
});

Deno.test("no text of the query is repeated on a page", async () => {
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

// The programs quote the address each in its own way: it stands there percent-encoded.
Deno.test("no base URL ends a string in a program, even one that no option accepts", async () => {
  const hostile = "'$x$(id)${x}`id`\\\"\n\u2028%s{0}{{x}}<%";
  const encoded = "%27%24x%24(id)%24%7Bx%7D%60id%60%5C%22%0A%E2%80%A8%s%7B0%7D%7B%7Bx%7D%7D%3C%";
  const { html } = await getPage(handlerWith({ config: { baseUrl: `http://h/${hostile}` } }));
  const programs = panesOf(html, "login");
  assertEquals(programs.map(({ title }) => title), choicesOf(html, "language"));
  assert(programs.length > 1);
  for (const { title, text } of programs) {
    const [, literal] = /=\s*(['"]http:.*?['"])/.exec(text) ?? [];
    assertEquals(literal?.slice(1, -1), `http://h/${encoded}/api.asmx`, title);
  }
  for (const character of ["'", '"', "\\", "`", "\n", " ", "<", ">", "{", "}"]) {
    assertEquals(OPTIONS.baseUrl.parse(`http://h/a${character}b`), undefined, character);
  }
});
