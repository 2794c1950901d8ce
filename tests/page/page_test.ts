import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { FORMATS } from "../../lib/page/snippets/language.ts";
import { fieldOf } from "../../lib/page/samples/fields.ts";
import { OPERATIONS } from "../../lib/operations/operations.ts";
import { getPage, handlerWith, pagesByLanguage, paneOf, skeletonOf, textOf } from "./pages.ts";

const QUERIES = ["", ...[...OPERATIONS.keys()].map((name) => `?op=${name}`), "?op=nothing"];
const handler = handlerWith();

for (const query of QUERIES) {
  const name = query || "the overview";

  Deno.test(`${name} is one document that needs nothing but the script and the style`, async () => {
    const { html } = await getPage(handler, query);
    assertMatch(html, /^[\n\x20-\x7E]*$/);
    const attributes = skeletonOf(html).flatMap((tag) => tag.split(" ").slice(1));
    const fetched = ["src", "srcset", "data", "poster", "background", "xlink:href"];
    assertEquals(attributes.filter((attribute) => fetched.includes(attribute)), ["src"]);
    const links = [...html.matchAll(/<link rel="([a-z]+)"[^>]* href="([^"]*)"/g)];
    assertEquals(links.map(([, rel]) => rel), ["icon", "alternate", "stylesheet"]);
    assertEquals(links[2]![2], "?style");
    assert(links[0]![2]!.startsWith("data:image/svg+xml,"));
  });

  Deno.test(`${name} lets its one style and its own scripts run, and nothing else`, async () => {
    const { reply, html } = await getPage(handler, query);
    assert(!html.includes("<style"));
    assertEquals(html.match(/<script[^>]*>/g), ['<script src="?script">']);
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
    const attributes = skeletonOf(html).flatMap((tag) => tag.split(" ").slice(1));
    assertEquals(attributes.filter((name) => name === "style" || name.startsWith("on")), []);
  });

  Deno.test(`${name} names every operation and every description`, async () => {
    const { html } = await getPage(handler, query);
    const isUnknown = query === "?op=nothing";
    for (const operation of OPERATIONS.keys()) {
      assert(html.includes(`href="${isUnknown ? "?op=" : "#"}${operation}"`));
    }
    assert(html.includes("#wsdl") && html.includes('href="?disco"'));
    assert(isUnknown || html.includes('href="?wsdl"'));
    assertEquals(html.match(/<h1>/g)?.length, 1);
  });

  Deno.test(`${name} is the same at every call, whatever the clock says`, async () => {
    const later = handlerWith({}, {}, () => 1e12);
    assertEquals((await getPage(later, query)).html, (await getPage(handler, query)).html);
  });

  Deno.test(`${name} has an id once, and every label and description has its element`, async () => {
    const { html } = await getPage(handler, query);
    const values = (attribute: string): string[] =>
      [...html.matchAll(new RegExp(` ${attribute}="([^"]*)"`, "g"))].map(([, value]) => value!);
    const ids = values("id");
    assertEquals(ids.length, new Set(ids).size);
    const used = ["for", "aria-labelledby", "aria-describedby", "data-copy"].flatMap(values);
    for (const id of used.flatMap((value) => value.split(" "))) {
      assert(id === "" || ids.includes(id), id);
    }
    assert(used.length > 0 || query === "?op=nothing");
  });
}

Deno.test("every operation has a form that posts to it, with a field for every parameter", async () => {
  const rows = [["", ["Pair", "ValidatePin"]], ["?op=ValidatePin", [
    "ValidatePin",
    "Pair",
  ]]] as const;
  for (const [query, names] of rows) {
    const { html } = await getPage(handler, query);
    const forms = [...html.matchAll(/<form [^]*?<\/form>/g)].map(([form]) => form);
    assertEquals(forms.length, names.length);
    for (const [i, name] of names.entries()) {
      assert(forms[i]!.includes(`action="api.asmx/${name}" method="post" autocomplete="off"`));
      assertEquals(
        [...forms[i]!.matchAll(/<input [^>]*name="([^"]+)" type="text"/g)].map(([, n]) => n),
        OPERATIONS.get(name)!.parameters.map((parameter) => parameter.name),
      );
    }
  }
});

Deno.test("every parameter is described for people", () => {
  const otp = { algorithm: "SHA1", digits: 6, period: 30, window: 1 } as const;
  const service = { otp, secretEncoding: "text", html: "svg", now: () => 0 } as const;
  for (const { name } of [...OPERATIONS.values()].flatMap(({ parameters }) => parameters)) {
    const { label, hint } = fieldOf(name, service);
    assert(label !== name && hint !== "", name);
  }
  assertEquals(fieldOf("another", service).label, "another");
});

Deno.test("the page shows the operation's documentation", async () => {
  const overview = textOf((await getPage(handler)).html);
  for (const { name, documentation } of OPERATIONS.values()) {
    assert(overview.includes(documentation));
    assert(textOf((await getPage(handler, `?op=${name}`)).html).includes(documentation));
  }
});

Deno.test("a pin is typed as text, and no secret is filled in or remembered", async () => {
  const { html } = await getPage(handler);
  const input = (id: string): string => new RegExp(`<input id="${id}"[^>]*>`).exec(html)![0];
  for (const attribute of ['type="text"', 'inputmode="numeric"', 'autocomplete="one-time-code"']) {
    assert(input("ValidatePin-pin").includes(attribute), attribute);
  }
  for (const id of ["Pair-secretCode", "ValidatePin-secretCode"]) {
    assert(input(id).includes('autocomplete="off"') && !input(id).includes("value="), id);
  }
});

Deno.test("every operation has a snippet in fourteen ways, with the address of the page", async () => {
  const base = "https://pin.example.com/otp";
  const pages = await pagesByLanguage(handlerWith({ "base-url": base }), "ValidatePin");
  assertEquals(
    [...pages.keys()],
    [
      "curl",
      "C#",
      "C# from the WSDL",
      "PHP",
      "Python",
      "Java",
      "JavaScript",
      "TypeScript",
      "Go",
      "Ruby",
      "PowerShell",
      "VB",
      "Classic ASP",
      "Delphi",
    ],
  );
  for (const [language, html] of pages) {
    assert(paneOf(html, "ValidatePin-program").includes(`${base}/api.asmx`), language);
  }
});

Deno.test("no shell takes the question mark of an address for a pattern", async () => {
  const { html } = await getPage(handler);
  const cells = [...html.matchAll(/<td[^>]*><code>([^<]*\?wsdl[^<]*)<\/code>/g)];
  assertEquals(cells.length, 4);
  for (const [, cell] of cells) assertMatch(textOf(cell!), /(['"])http:[^ ]*\?wsdl\1/);
});

Deno.test("links and forms are right below a prefix and behind a slash", async () => {
  const reply = await handler(new Request("http://localhost/api.asmx/"));
  const html = await reply.text();
  assertEquals(reply.status, 200);
  for (const path of ["/api.asmx/", "/otp/api.asmx/"]) {
    const action = /<form action="([^"]+)"/.exec(html)![1]!;
    const url = new URL(action, `http://localhost${path}`);
    assertEquals(url.pathname, `${path}Pair`);
  }
});

const WARNING = 'class="warning"';

// Where there is a script, it knows better: see tests/browser/.
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
    for (const query of ["", "?op=Pair"]) {
      const { html } = await getPage(handlerWith({ "base-url": base }), query);
      const [, hidden] = /class="warning in-the-clear"[^>]*?( hidden)?>/.exec(html)!;
      assertEquals([base, hidden === undefined], [base, isWarned]);
    }
  }
});

Deno.test("the page warns of a window wider than two", async () => {
  for (
    const [window, isWarned] of [["0", false], ["2", false], ["3", true], ["10", true]] as const
  ) {
    const { html } = await getPage(handlerWith({ window }));
    assertEquals([window, html.includes(WARNING)], [window, isWarned]);
  }
  const { html } = await getPage(handlerWith({ window: "10" }));
  assert(html.includes("for 630 seconds"));
});

Deno.test("the page says how to show a key when one is wanted", async () => {
  const apiKeys = ["0123456789abcdef"];
  const headers = { "x-api-key": apiKeys[0]! };
  assertEquals((await getPage(handlerWith({}, { apiKeys }), "?op=Pair")).reply.status, 401);
  const { html } = await getPage(handlerWith({}, { apiKeys }), "?op=Pair", { headers });
  assert(html.includes('id="key"') && !html.includes(apiKeys[0]!));
  assert(paneOf(html, "Pair-request").includes("X-Api-Key: YOUR-API-KEY"));
  for (
    const [language, page] of await pagesByLanguage(
      handlerWith({}, { apiKeys }),
      "Pair",
      "HTTP POST",
      { headers },
    )
  ) {
    const program = paneOf(page, "Pair-program");
    assert(program.includes("YOUR-API-KEY"), language);
    assert(/^(?:PHP|C# from the WSDL)$/.test(language) || program.includes("X-Api-Key"), language);
  }
  const { html: open } = await getPage(handler, "?op=Pair");
  assert(!open.includes('id="key"') && !open.includes("YOUR-API-KEY"));
});

Deno.test("no page is larger than 45 KB, or 10 KB compressed, and its script than 85 and 22, with the longest of everything", async () => {
  const host = `${"h".repeat(63)}.`.repeat(4).slice(0, 253);
  const pages = handlerWith({
    "namespace": `http://${"n".repeat(240)}/`,
    "window": "100",
    "digits": "8",
    "algorithm": "SHA512",
    "period": "3600",
    "max-failures": "1000000",
    "single-use": "true",
  }, { apiKeys: ["0123456789abcdef"] });
  const headers = { "x-api-key": "0123456789abcdef" };
  const sizes: number[] = [];
  const formats = [...OPERATIONS.keys()].flatMap((name) =>
    FORMATS.map((format) => `?op=${name}&format=${encodeURIComponent(format)}`)
  );
  for (const query of [...QUERIES, ...formats, "?script", "?style"]) {
    const { html } = await getPage(pages, query, { base: `http://${host}:65535`, headers });
    const zipped = new Blob([html]).stream().pipeThrough(new CompressionStream("gzip"));
    const zippedLength = (await new Response(zipped).bytes()).length;
    const [most, mostZipped] = query === "?script" ? [85_000, 22_000] : [45_000, 10_000];
    assert(html.length < most, `${query}: ${html.length} bytes`);
    assert(zippedLength < mostZipped, `${query}: ${zippedLength} bytes compressed`);
    sizes.push(html.length);
  }
  assert(Math.max(...sizes) > 30_000);
});

Deno.test("the reference has every parameter with its limit, every field, and a fault in every format", async () => {
  for (const { name, parameters, result } of OPERATIONS.values()) {
    const { html } = await getPage(handler, `?op=${name}`);
    const text = textOf(html);
    for (const { name: parameter, max, unit } of parameters) {
      assert(text.includes(`${max.toLocaleString("en")} ${unit}`), parameter);
    }
    if (result.kind === "record") {
      for (const field of result.fields) assert(text.includes(field));
    }
  }
});

Deno.test("request and error are in the format that is asked for, and its link says so", async () => {
  for (const format of FORMATS) {
    const { html } = await getPage(handler, `?format=${encodeURIComponent(format)}`);
    for (const name of OPERATIONS.keys()) {
      const error = paneOf(html, `${name}-fault`);
      assertMatch(error, /^HTTP\/1\.1 [45]00 [^]*Missing parameter: secretCode\./, format);
      assertEquals(error.includes("500"), format.startsWith("SOAP"), format);
    }
    const chosen = [...html.matchAll(/aria-current="true">([^<]+)/g)].map(([, text]) => text);
    assertEquals(chosen, ["curl", format, "curl", format, "curl"]);
  }
});

Deno.test("a page is the same for every host, and says which address is an example", async () => {
  const at = (host: string): Promise<string> =>
    getPage(handler, "?op=Pair", { base: `http://${host}` }).then(({ html }) => html);
  const page = await at("a");
  assertEquals(await at("b:81"), page);
  assertMatch(page, /<body data-base="http:\/\/localhost:8080"\s+data-op="Pair">/);
  assert(page.includes("http://localhost:8080/api.asmx"));
});
