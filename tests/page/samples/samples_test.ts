import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { bindingsOf } from "../../../lib/bindings/bindings.ts";
import type { Handler } from "../../../lib/http/handler.ts";
import { OPERATIONS } from "../../../lib/operations/operations.ts";
import { referenceHotp } from "../../support/reference_totp.ts";
import { FORMATS } from "../../../lib/page/snippets/language.ts";
import { getPage, handlerWith, paneOf } from "../pages.ts";

// The example secret, and a moment at which its pin is the example pin: so the sample replies are
// what the server answers then.
const SECRET = "REPLACETHISSECRETBY32RANDOMCHARS";
const STEP = 38_445_384;
const now = (): number => STEP * 30_000;

const CONFIGURATIONS: readonly Readonly<Record<string, string>>[] = [
  {},
  { "namespace": "urn:example:a:b/", "base-url": "https://pin.example.com:8443/otp" },
  { html: "image", window: "0" },
];

/** Sends a request as it stands on the page. */
async function send(handler: Handler, request: string): Promise<string> {
  const [head, ...rest] = request.split("\n\n");
  const [line, ...fields] = head!.split("\n");
  const [method, target, version] = line!.split(" ");
  assertEquals(version?.trim(), "HTTP/1.1");
  const headers = new Headers(
    fields.filter((field) => field !== "").map((field) => field.split(/: (.*)/s).slice(0, 2)) as [
      string,
      string,
    ][],
  );
  const body = method === "GET" ? null : rest.join("\n\n");
  const length = headers.get("content-length");
  assertEquals(length, body === null ? null : String(new TextEncoder().encode(body).length));
  // What a proxy leaves of a path below a base URL.
  const path = target!.slice(target!.indexOf("/api.asmx"));
  const reply = await handler(
    new Request(`http://${headers.get("host")}${path}`, { method: method!, headers, body }),
  );
  assertEquals(reply.status, 200, await reply.clone().text());
  return `HTTP/1.1 200 OK\nContent-Type: ${reply.headers.get("content-type")}\n\n` +
    (await reply.text()).replaceAll("\r\n", "\n");
}

/** The request and the reply of an operation in a format, as they stand on the page. */
async function sampleOf(
  handler: Handler,
  operation: string,
  format: string,
): Promise<readonly [request: string, reply: string]> {
  const query = new URLSearchParams({ op: operation, format });
  const { html } = await getPage(handler, `?${query}`);
  return [paneOf(html, `${operation}-request`), paneOf(html, `${operation}-reply`)];
}

Deno.test("the example pin is that of the moment of these tests", () => {
  assertEquals(referenceHotp(SECRET, STEP), "123456");
});

for (const flags of CONFIGURATIONS) {
  for (const operation of OPERATIONS.values()) {
    const options = Object.keys(flags).join(", ") || "the defaults";
    Deno.test(`every sample of ${operation.name} gets its sample reply with ${options}`, async () => {
      const handler = handlerWith(flags, {}, now);
      const names = bindingsOf("urn:x/").filter(({ writeCall }) => writeCall).map((b) => b.name);
      assertEquals([...FORMATS].sort(), [...names].sort());
      for (const name of FORMATS) {
        const [request, reply] = await sampleOf(handler, operation.name, name);
        const literals = reply.split("...").map((part) =>
          part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
        );
        assertMatch(await send(handler, request), new RegExp(`^${literals.join("[^]+?")}$`), name);
      }
    });
  }
}

Deno.test("the samples of Base32 secrets and longer pins get results", async () => {
  const handler = handlerWith({ "secret-encoding": "base32", digits: "8", algorithm: "SHA512" });
  for (const name of OPERATIONS.keys()) {
    for (const format of FORMATS) {
      const [request] = await sampleOf(handler, name, format);
      await send(handler, request);
      assert(name === "Pair" || request.includes("12345678"));
    }
  }
});

Deno.test("the values in a sample request are marked by the parameter they are of", async () => {
  const marked: string[] = [];
  for (const format of FORMATS) {
    const query = `?op=Pair&format=${encodeURIComponent(format)}`;
    const { html } = await getPage(handlerWith(), query);
    const [, request] = /id="Pair-request-title"[^]*?<pre[^>]*>([^]*?)<\/pre>/.exec(html)!;
    for (const [, name, value] of request!.matchAll(/<var data-name="([^"]+)">([^<]*)<\/var>/g)) {
      marked.push(`${name}=${value}`);
    }
  }
  assertEquals(
    new Set(marked.filter((pair) => !pair.startsWith("Content-Length"))),
    new Set([
      "appName=Example Corp",
      "appName=Example+Corp",
      "appInfo=jane@example.com",
      "appInfo=jane%40example.com",
      `secretCode=${SECRET}`,
    ]),
  );
  assertEquals(marked.length, 5 * 3 + 4);
});
