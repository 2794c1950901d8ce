import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { getPage, panesOf, skeletonOf, textOf } from "../../support/service_page.ts";
import { handlerWith } from "../../support/handler.ts";

const handler = handlerWith();
const KEY = "0123456789abcdef";

for (const query of ["", "?op=nothing"]) {
  const name = query === "" ? "the page" : "the page of an unknown operation";

  Deno.test(`${name} is one document that loads its script and its style, and nothing else`, async () => {
    const { reply, html } = await getPage(handler, query);
    const attributes = skeletonOf(html).flatMap((tag) => tag.split(" ").slice(1));
    const fetched = ["src", "srcset", "data", "poster", "background", "xlink:href"];
    assertEquals(attributes.filter((attribute) => fetched.includes(attribute)), ["src"]);
    const links = [...html.matchAll(/<link rel="([a-z]+)"[^>]*\shref="([^"]*)"/g)];
    assertEquals(links.map(([, rel]) => rel), ["icon", "alternate", "stylesheet"]);
    assertEquals(links[2]![2], "?style");
    assert(links[0]![2]!.startsWith("data:image/svg+xml,"));
    assertEquals(html.match(/<script[^>]*>/g), ['<script src="?script">']);
    assertEquals(
      attributes.filter((each) => each === "style" || /^on[a-z]/.test(each)),
      [],
    );
    assertEquals(reply.headers.get("content-security-policy")?.split("; "), [
      "default-src 'none'",
      "style-src 'self'",
      "script-src 'self'",
      "img-src data:",
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]);
    assertEquals(reply.headers.get("x-content-type-options"), "nosniff");
    assertEquals(reply.headers.get("referrer-policy"), "no-referrer");
  });

  Deno.test(`${name} has an id once, and every link, label and description has its element`, async () => {
    const { html } = await getPage(handler, query);
    const values = (attribute: string): string[] =>
      [...html.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, "g"))].map(([, value]) => value!);
    const ids = values("id");
    assertEquals(ids.length, new Set(ids).size);
    const links = values("href").filter((href) => href.startsWith("#")).map((href) =>
      href.slice(1)
    );
    const used = ["for", "aria-labelledby", "aria-describedby", "data-copy"].flatMap(values);
    assert(used.length > 20 && links.length > 8);
    for (const id of [...links, ...used.flatMap((value) => value.split(" "))]) {
      assert(ids.includes(id), id);
    }
  });
}

Deno.test("every placeholder and every condition of the page is filled in, under each setting", async () => {
  for (const flags of [{}, { "secret-encoding": "base32", "single-use": "true", html: "image" }]) {
    const { html } = await getPage(handlerWith({ flags }));
    assert(!/\{\{|data-if|undefined|NaN/.test(html));
  }
});

Deno.test("an unknown operation is 404 with the page below a heading that names the fault", async () => {
  const { reply, html } = await getPage(handler, "?op=nothing");
  assertEquals(reply.status, 404);
  assertMatch(html, /<h2>No such operation<\/h2>/);
  const { html: page } = await getPage(handler);
  assert(!page.includes("<h2>No such operation"));
  assertEquals(panesOf(html, "login"), panesOf(page, "login"));
});

Deno.test("the forms of the page work without script, and disable autocompletion", async () => {
  const { html } = await getPage(handler);
  const forms = [...html.matchAll(/<form ([^>]*)>/g)].map(([, attributes]) => attributes!);
  assertEquals(forms.map((form) => /action="([^"]+)"/.exec(form)![1]), [
    "api.asmx/Pair",
    "api.asmx/ValidatePin",
  ]);
  for (const form of forms) assertMatch(form, /method="post"\s+autocomplete="off"/);
  const input = (id: string): string => new RegExp(`<input\\s+id="${id}"[^>]*>`).exec(html)![0];
  for (const attribute of ['type="text"', 'inputmode="numeric"', 'autocomplete="one-time-code"']) {
    assert(input("ValidatePin-pin").includes(attribute), attribute);
  }
  for (const id of ["Pair-secretCode", "ValidatePin-secretCode"]) {
    assert(input(id).includes('autocomplete="off"') && !input(id).includes("value="), id);
  }
  for (const [radio] of html.matchAll(/<input\s+type="radio"[^>]*>/g)) {
    assert(radio.includes('autocomplete="off"'), radio);
  }
});

Deno.test("links and forms are right below a prefix and behind a slash", async () => {
  for (const [path, root] of [["/api.asmx", "/"], ["/api.asmx/", "/"]] as const) {
    const html = await (await handler(new Request(`http://localhost${path}`))).text();
    for (const prefix of ["", "/otp"]) {
      const base = `http://localhost${prefix}${path}`;
      const hrefs = [...html.matchAll(/\s(?:href|action)="(?!#|data:|\?|http)([^"]+)"/g)]
        .map(([, href]) => new URL(href!, base).pathname);
      assertEquals(
        new Set(hrefs),
        new Set(
          ["api.asmx", "api.asmx/Pair", "api.asmx/ValidatePin", "openapi.json", "healthz"]
            .map((each) => prefix + root + each),
        ),
        base,
      );
    }
  }
});

Deno.test("URLs with a question mark are quoted for the shell", async () => {
  const { html } = await getPage(handler);
  const cells = [...html.matchAll(/<td[^>]*><code>([^<]*\?wsdl[^<]*)<\/code>/g)];
  assertEquals(cells.length, 5);
  for (const [, cell] of cells) assertMatch(textOf(cell!), /(['"])http:[^ ]*\?wsdl\1/);
});

// Where there is a script, it knows better: see tests/integration/browser/.
Deno.test("without script, the page warns of a base URL by which secrets come in the clear", async () => {
  const rows: readonly (readonly [string, boolean])[] = [
    ["http://127.0.0.1:8080", false],
    ["http://127.1.2.3", false],
    ["http://localhost:8080", false],
    ["http://a.localhost", false],
    ["http://[::1]:8080", false],
    ["https://pin.example.com", false],
    ["http://pin.example.com", true],
    ["http://192.168.1.2:8080", true],
    ["http://[2001:db8::1]", true],
    ["http://127.0.0.1.example.com", true],
    ["http://localhost.example.com", true],
    ["http://notlocalhost", true],
  ];
  for (const [base, isWarned] of rows) {
    const { html } = await getPage(handlerWith({ flags: { "base-url": base } }));
    assert(html.includes('class="warning in-the-clear"'));
    assert(html.includes(`data-in-the-clear="${isWarned}"`), base);
  }
});

Deno.test("the page warns of a window wider than two", async () => {
  for (
    const [window, isWarned] of [["0", false], ["2", false], ["3", true], ["10", true]] as const
  ) {
    const { html } = await getPage(handlerWith({ flags: { window } }));
    assertEquals([window, html.includes("A wide window")], [window, isWarned]);
  }
  const { html } = await getPage(handlerWith({ flags: { window: "10" } }));
  assert(html.includes("for 630 seconds"));
});

Deno.test("the page has a placeholder for the API key where one is required, and no key of the server", async () => {
  assertEquals((await getPage(handlerWith({ apiKeys: [KEY] }))).reply.status, 401);
  const headers = { "x-api-key": KEY };
  const { html } = await getPage(handlerWith({ apiKeys: [KEY] }), "", { headers });
  assert(html.includes('id="key"') && !html.includes(KEY));
  for (const { title, text } of panesOf(html, "login")) {
    assert(text.includes("YOUR-API-KEY"), title);
  }
  for (const section of ["Pair", "ValidatePin"]) {
    const requests = panesOf(html, section).filter(({ kind }) => kind === "request");
    for (const { text } of requests) assert(text.includes("\nX-Api-Key: YOUR-API-KEY\n"), text);
  }
  const { html: open } = await getPage(handler);
  assert(!open.includes('id="key"') && !open.includes('data-header="X-Api-Key"'));
  for (const { text } of panesOf(open, "login")) assert(!text.includes("YOUR-API-KEY"), text);
});

Deno.test("the codes beside the current one are named accepted or refused by the settings", async () => {
  const rows = [
    [{ window: "0" }, [["-1", "refused"], ["1", "refused"]]],
    [{ window: "1" }, [["-2", "refused"], ["-1", "accepted"], ["1", "accepted"], ["2", "refused"]]],
    [{ window: "3", "single-use": "true" }, [
      ["-4", "refused"],
      ["-1", "accepted once"],
      ["1", "accepted once"],
      ["4", "refused"],
    ]],
  ] as const;
  for (const [flags, expected] of rows) {
    const { html } = await getPage(handlerWith({ flags }));
    const pattern = /data-step="([^"]+)">(?:[^]*?)class="taken">([^<]+)</g;
    const found = [...html.split('class="row others"')[1]!.split("</div>")[0]!.matchAll(pattern)];
    assertEquals(found.map(([, step, taken]) => [step!, taken!]), expected.map((row) => [...row]));
  }
});

Deno.test("the page has at most 80 KB, 16 compressed, and its script 45, with the longest of everything", async () => {
  const flags = {
    "base-url": "https://authenticator.example.com:8443/two-factor",
    "namespace": `http://${"n".repeat(240)}/`,
    "window": "100",
    "digits": "8",
    "algorithm": "SHA512",
    "period": "3600",
    "max-failures": "1000000",
    "single-use": "true",
    "html": "image",
  };
  const pages = handlerWith({ flags, apiKeys: [KEY] });
  const headers = { "x-api-key": KEY };
  const sizesOf = async (query: string): Promise<readonly [number, number]> => {
    const { html } = await getPage(pages, query, { headers });
    const zipped = new Blob([html]).stream().pipeThrough(new CompressionStream("gzip"));
    return [html.length, (await new Response(zipped).bytes()).length];
  };
  const [[page, zipped], [script]] = [await sizesOf(""), await sizesOf("?script")];
  const rows = [
    ["the page", page, 60_000, 80 * 1024],
    ["the page, compressed", zipped, 0, 16 * 1024],
    ["its script", script, 20_000, 45_000],
  ] as const;
  const free = rows.map(([what, bytes, , most]) =>
    `${what} has ${bytes} of ${most} bytes: ${most - bytes} are free`
  );
  for (const [, bytes, least, most] of rows) {
    assert(bytes > least && bytes <= most, free.join("\n"));
  }
});

Deno.test("the page is the same for every host and at every time, and marks an address that is an example", async () => {
  const later = handlerWith({ now: () => 1e12 });
  const { html } = await getPage(handler, "", { base: "http://a" });
  assertEquals((await getPage(handler, "", { base: "http://b:81" })).html, html);
  assertEquals((await getPage(later)).html, html);
  assert(html.includes('data-base="http://127.0.0.1:8080"') && html.includes("is an example"));
  const { html: named } = await getPage(
    handlerWith({ flags: { "base-url": "https://pin.example.com/otp" } }),
  );
  assert(named.includes('data-base=""') && !named.includes("is an example"));
  assert(named.includes(">https://pin.example.com/otp/api.asmx<"));
});
