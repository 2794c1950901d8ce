/** docs/showing-the-code.md: each snippet that can run here keeps the picture and the link. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import DOMPURIFY from "dompurify/dist/purify.min.js" with { type: "text" };
import type { Page } from "playwright-core";
import { rehype } from "rehype";
import rehypeSanitize from "rehype-sanitize";
import sanitizeHtml from "sanitize-html";
import VUE from "vue/dist/vue.global.prod.js" with { type: "text" };
import xss from "xss";
import { run } from "../../support/client_program.ts";
import { withFolder } from "../../support/folder.ts";
import { scanPng } from "../../support/scan.ts";
import { serverForTests } from "../../support/test_server.ts";
import { codeIn, fencesOf, read } from "../../support/pages.ts";
import { visit } from "./browser.ts";
import { scanScreenshot } from "./pairing.ts";

const PAGE = "docs/showing-the-code.md";
const NAMES = {
  appName: "Tom & Jerry's",
  appInfo: "jane@example.com",
  secretCode: "correct horse",
};

const server = serverForTests();

async function htmlOfPairing(): Promise<string> {
  const reply = await fetch(`${server.url}/api.asmx/Pair`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(NAMES),
  });
  return (await reply.json()).d.Html;
}

/** The snippet of JavaScript that calls a sanitizer by its name in the page. */
function snippetThat(calls: string): string {
  const found = fencesOf(PAGE).filter(({ info, text }) => info === "js" && text.includes(calls));
  assertEquals(found.length, 1, calls);
  return found[0]!.text;
}

/** What a browser shows of the markup: the code on the picture, and the address of the link. */
async function shownIn(page: Page, markup?: string): Promise<readonly (string | null)[]> {
  if (markup !== undefined) await page.setContent(`<!DOCTYPE html><main>${markup}</main>`);
  const picture = page.locator("svg[role=img]");
  if (await picture.count() === 0) return [null, await page.getAttribute("a", "href")];
  const code = scanScreenshot(await picture.screenshot());
  return [code ?? null, await page.getAttribute("a", "href")];
}

const KEY_URI = "otpauth://totp/Tom%20%26%20Jerry%27s:jane%40example.com" +
  "?secret=MNXXE4TFMN2CA2DPOJZWK&issuer=Tom%20%26%20Jerry%27s";

type Run = (html: string, snippet: string) => Promise<string>;

/** Runs a snippet with what it imports, and gives what it calls `safe`. */
function running(imports: Readonly<Record<string, unknown>>): Run {
  return async (html, snippet) => {
    const names = ["html", ...Object.keys(imports)];
    const body = `return (async () => { ${snippet}; return safe; })()`;
    return await new Function(...names, body)(html, ...Object.values(imports));
  };
}

const SANITIZERS = [
  {
    calls: "sanitizeHtml(",
    byDefault: (html: string) => sanitizeHtml(html),
    run: running({ sanitizeHtml }),
  },
  {
    calls: "rehypeSanitize",
    byDefault: async (html: string) =>
      String(
        await rehype().data("settings", { fragment: true }).use(rehypeSanitize).process(html),
      ),
    run: running({ rehype, rehypeSanitize }),
  },
  { calls: "xss(", byDefault: (html: string) => xss(html), run: running({ xss }) },
];

for (const { calls, byDefault, run } of SANITIZERS) {
  Deno.test(`${PAGE}: the setting for ${calls.replace("(", "")} keeps picture and link`, async () => {
    const html = await htmlOfPairing();
    const safe = await run(html, snippetThat(calls));
    const left = await byDefault(html);
    await visit("about:blank", async (page) => {
      assertEquals(await shownIn(page, safe), [KEY_URI, KEY_URI]);
      const [code, address] = await shownIn(page, left);
      assertEquals([code, address || null], [null, null]);
    });
  });

  Deno.test(`${PAGE}: the setting for ${calls.replace("(", "")} still removes scripts`, async () => {
    const hostile =
      "<a href='javascript:alert(1)' onclick='alert(1)'>x</a><script>alert(1)</script>";
    const safe = await run(hostile, snippetThat(calls));
    assert(!/<script|<a [^>]*(?:javascript|onclick)/.test(safe), safe);
  });
}

Deno.test(`${PAGE}: DOMPurify keeps the picture, and with its setting the link`, async () => {
  const html = await htmlOfPairing();
  await visit("about:blank", async (page) => {
    await page.addScriptTag({ content: DOMPURIFY });
    const sanitized = (code: string): Promise<string> =>
      page.evaluate<string>(`(() => { const html = ${JSON.stringify(html)}; ${code} })()`);
    const left = await sanitized("return DOMPurify.sanitize(html);");
    const safe = await sanitized(`${snippetThat("DOMPurify")} return safe;`);
    const hostile = JSON.stringify("<a href='javascript:alert(1)' onclick='alert(1)'>x</a>");
    const harmless = await page.evaluate<string>(
      `(() => { const html = ${hostile}; ${snippetThat("DOMPurify")} return safe; })()`,
    );
    assertEquals(harmless, "<a>x</a>");
    assertEquals(await shownIn(page, left), [KEY_URI, null]);
    assertEquals(await shownIn(page, safe), [KEY_URI, KEY_URI]);
  });
});

Deno.test(`${PAGE}: v-html of Vue shows picture and link`, async () => {
  const html = await htmlOfPairing();
  const template = codeIn(PAGE).find((code) => code.includes("v-html"));
  await visit("about:blank", async (page) => {
    await page.setContent("<!DOCTYPE html><main></main>");
    await page.addScriptTag({ content: VUE });
    const options = `{ template: ${JSON.stringify(template)}, data: () => (${
      JSON.stringify({ html })
    }) }`;
    await page.evaluate(`void Vue.createApp(${options}).mount("main")`);
    assertEquals(await shownIn(page), [KEY_URI, KEY_URI]);
  });
});

Deno.test(`${PAGE}: the short tag of PHP, and innerHTML, show picture and link`, async () => {
  const html = await htmlOfPairing();
  const tag = codeIn(PAGE).find((code) => code.startsWith("<?="))!;
  const { text } = await run("php", ["-r", `$html = stream_get_contents(STDIN); ?>${tag}`], html);
  await visit("about:blank", async (page) => {
    assertEquals(await shownIn(page, text), [KEY_URI, KEY_URI]);
    await page.setContent("<!DOCTYPE html><main></main>");
    const assignment = codeIn(PAGE).find((code) => code.startsWith("element.innerHTML"))!;
    await page.evaluate(
      `((element, html) => { ${assignment}; })(document.querySelector("main"), ${
        JSON.stringify(html)
      })`,
    );
    assertEquals(await shownIn(page), [KEY_URI, KEY_URI]);
  });
});

Deno.test(`${PAGE}: with trusted types, innerHTML needs the policy of the page`, async () => {
  const html = await htmlOfPairing();
  const policy = "require-trusted-types-for 'script'; trusted-types code";
  await visit("about:blank", async (page) => {
    await page.setContent(
      `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="${policy}"><main></main>`,
    );
    const [plain, trusted] = codeIn(PAGE).filter((code) => code.startsWith("element.innerHTML"));
    const insert = (assignment: string): Promise<string> =>
      page.evaluate(`((element, html) => { try { ${assignment}; } catch (e) { return e.name; } })(
        document.querySelector("main"), ${JSON.stringify(html)})`);
    assertEquals(await insert(plain!), "TypeError");
    assertEquals(await insert(trusted!), undefined);
    assertEquals(await shownIn(page), [KEY_URI, KEY_URI]);
  }, { complaints: 1 });
});

Deno.test(`${PAGE}: curl fetches a picture with the same Key URI`, async () => {
  const script = fencesOf(PAGE).find(({ text }) => text.includes("qr.aspx"))!.text;
  await withFolder(async (folder) => {
    const here = script.replaceAll("http://127.0.0.1:8080", server.url);
    await run("bash", ["-c", `cd "$0"; ${here}`, folder]);
    const [, uri] = /'data=([^']+)'/.exec(script)!;
    assertMatch(read("README.md"), new RegExp(`${/secret=(\w+)/.exec(uri!)![1]}`));
    assertEquals(await scanPng(await Deno.readFile(`${folder}/code.png`)), uri);
  });
});
