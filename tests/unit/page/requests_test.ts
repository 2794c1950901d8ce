import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import type { Handler } from "../../../lib/http/handler.ts";
import { PAIR, VALIDATE_PIN } from "../../../lib/operations/operations.ts";
import { referenceHotp } from "../../support/reference_totp.ts";
import { choicesOf, getPage, type Pane, panesOf } from "../../support/service_page.ts";
import { handlerWith } from "../../support/handler.ts";

const SECRET = "REPLACETHISSECRETBY32RANDOMCHARS";

// A moment at which the pin of the example secret is the example pin, so that the reply is true.
const STEP = 38_445_384;
const now = (): number => STEP * 30_000;
const KEY = "0123456789abcdef";

/** Sends a request as it stands on the page; `length` stands for its Content-Length. */
async function send(handler: Handler, request: string): Promise<string> {
  const [head, ...rest] = request.split("\n\n");
  const [line, ...fields] = head!.trim().split("\n");
  const [method, target, version] = line!.split(" ");
  assertEquals(version, "HTTP/1.1");
  const headers = new Headers(
    fields.map((field) => field.split(/: (.*)/s).slice(0, 2) as [string, string]),
  );
  const body = method === "GET" ? null : rest.join("\n\n");
  assertEquals(headers.get("content-length"), body === null ? null : "length");
  headers.delete("content-length");
  if (headers.has("x-api-key")) headers.set("x-api-key", KEY);
  // What a proxy leaves of a path below a base URL.
  const path = target!.slice(target!.indexOf("/api.asmx"));
  const reply = await handler(
    new Request(`http://${headers.get("host")}${path}`, { method: method!, headers, body }),
  );
  const { status } = reply;
  const reason = { 200: "OK", 400: "Bad Request", 500: "Internal Server Error" }[status];
  const jsonError = reply.headers.has("jsonerror") ? "jsonerror: true\n" : "";
  return `HTTP/1.1 ${status} ${reason}\nContent-Type: ${reply.headers.get("content-type")}\n` +
    `${jsonError}\n${(await reply.text()).replaceAll("\r\n", "\n").trimEnd()}`;
}

/** Asserts that a reply is the one shown; `...` stands for a picture or a query. */
function assertShown(reply: string, shown: string, message: string): void {
  const literals = shown.split("...").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  assertMatch(reply, new RegExp(`^${literals.join("[^]+?")}$`), message);
}

const CONFIGURATIONS: readonly Readonly<Record<string, string>>[] = [
  {},
  { namespace: "urn:example:a&b/", "base-url": "https://pin.example.com:8443/otp" },
  { html: "image", window: "0" },
  { html: "image", "base-url": "https://pin.example.com/o$p" },
];

Deno.test("the example pin is right at the moment of these tests", () => {
  assertEquals(referenceHotp(SECRET, STEP), "123456");
});

for (const flags of CONFIGURATIONS) {
  for (const operation of ["Pair", "ValidatePin"]) {
    const options = Object.entries(flags).map((option) => option.join(" ")).join(", ");
    Deno.test(`every request of ${operation} gets the reply and the error beside it: ${options || "defaults"}`, async () => {
      const handler = handlerWith({ flags, apiKeys: [KEY], now });
      const { html } = await getPage(handler, "", { headers: { "x-api-key": KEY } });
      const panes = panesOf(html, operation);
      const formats = choicesOf(html, `${operation}-format`);
      assertEquals(panes.length, 3 * formats.length);
      for (const [i, format] of formats.entries()) {
        const [request, reply, fault] = panes.slice(3 * i, 3 * i + 3) as [Pane, Pane, Pane];
        assertEquals([request.kind, reply.kind, fault.kind], ["request", "reply", "fault"]);
        assertShown(await send(handler, request.text), reply.text, `${format}: reply`);
        // A picture in it would fill the page.
        assert(reply.text.length < 1000, reply.text);
        const broken = request.text.replaceAll("secretCode", "another");
        assertShown(await send(handler, broken), fault.text, `${format}: fault`);
      }
    });
  }
}

Deno.test("the requests of Base32 secrets and longer pins get results", async () => {
  const flags = { "secret-encoding": "base32", digits: "8", algorithm: "SHA512" };
  const handler = handlerWith({ flags });
  const { html } = await getPage(handler);
  for (const name of ["Pair", "ValidatePin"]) {
    for (const [i, { kind, text }] of panesOf(html, name).entries()) {
      if (kind !== "request") continue;
      const reply = panesOf(html, name)[i + 1]!.text.replace("true", "false");
      assertShown(await send(handler, text), reply, text);
      if (name === "ValidatePin") assertMatch(text, /12345678/);
    }
  }
});

Deno.test("the values in a request are marked by the parameter they are of", async () => {
  const { html } = await getPage(handlerWith());
  for (const { name, parameters } of [PAIR, VALIDATE_PIN]) {
    const [, section] = new RegExp(`<section id="${name}"([^]*?)</section>`).exec(html)!;
    const requests = [...section!.matchAll(/<pre[^>]*data-encoding="(\w+)"[^>]*>([^]*?)<\/pre>/g)];
    assertEquals(requests.length, choicesOf(html, `${name}-format`).length);
    for (const [, encoding, request] of requests) {
      const [, type = "form"] = /data-header="Content-Type">[^<]*(xml|json)/.exec(request!) ?? [];
      assertEquals(encoding, type, request);
      const marked = [...request!.matchAll(/<var data-name="([^"]+)">/g)].map(([, each]) => each);
      assertEquals(marked, parameters.map((parameter) => parameter.name));
    }
  }
});
