import { decide, storeThat } from "../../support/guard_store.ts";
import { assertEquals } from "@std/assert/equals";
import { shortName } from "../../../lib/guard/fingerprint.ts";
import { guardRules } from "../../../lib/guard/guard.ts";
import { MemoryStore } from "../../../lib/guard/memory_store.ts";
import type { Handler } from "../../../lib/http/handler.ts";
import { OPERATOR_ROUTES } from "../../../lib/http/routes.ts";
import type { RequestEvent } from "../../../lib/telemetry/request_event.ts";
import type { ServerStatus } from "../../../lib/telemetry/status.ts";
import { handlerWith } from "../../support/handler.ts";
import { SEAL_KEY_LINES, sealByJose } from "../../support/seal_keys.ts";

const RULES = guardRules({ maxFailures: 1, singleUse: false, window: 1, period: 30 });

const STATUS: ServerStatus = {
  problems: [],
  version: "1.2.3",
  since: "2026-01-31T12:00:00.000Z",
  address: undefined,
  protections: [],
  certificateUntil: undefined,
  keys: undefined,
  sealKeys: undefined,
  secrets: undefined,
  reload: undefined,
  store: "memory",
  guardKey: undefined,
  guard: undefined,
};

function setup(flags: Readonly<Record<string, string>> = {}): Handler {
  const store = new MemoryStore({ rules: RULES, monotonicMs: () => 0 });
  decide(store, "canary", undefined);
  const guard = {
    fingerprint: (key: Uint8Array) => new TextDecoder().decode(key),
    source: () => "",
    store,
    memory: store,
  };
  const config = { metricsHost: "Metrics.Internal" };
  return handlerWith({ pinGuard: guard, config, flags, status: () => STATUS }, OPERATOR_ROUTES);
}

async function answer(
  host: string,
  method: string,
  path: string,
  body?: string,
  handler = setup(),
): Promise<readonly [number, string]> {
  const init = { method, headers: { host }, ...(body !== undefined && { body }) };
  const reply = await handler(new Request(`http://localhost${path}`, init));
  return [reply.status, await reply.text()];
}

const HOSTS: readonly (readonly [host: string, status: number])[] = [
  ["127.0.0.1:9101", 200],
  ["10.0.0.9", 200],
  ["[::1]:9101", 200],
  ["localhost:9101", 200],
  ["LOCALHOST", 200],
  ["metrics.internal:9101", 200],
  ["", 200],
  ["evil.example:9101", 403],
  ["localhost.evil.example", 403],
  ["127.0.0.1.evil.example", 403],
];

const REFUSED =
  "The Host of this request must be an IP address, localhost or the --metrics-host.\r\n";

Deno.test("the status and the guard's endpoints accept only an IP address, localhost and the metrics host as Host", async () => {
  for (const [host, status] of HOSTS) {
    const [is, text] = await answer(host, "GET", "/status");
    assertEquals([is, text === REFUSED], [status, status === 403], host);
    assertEquals((await answer(host, "POST", "/guard/unlock", "canary"))[0], status, host);
    assertEquals((await answer(host, "GET", "/healthz"))[0], 200, host);
  }
});

Deno.test("the operator port decides by the target too, where that has another host than the field", async () => {
  const statusOf = async (url: string, host?: string): Promise<number> =>
    (await setup()(new Request(url, host === undefined ? {} : { headers: { host } }))).status;
  assertEquals(await statusOf("http://127.0.0.1:9101/status"), 200);
  assertEquals(await statusOf("http://metrics.internal/status", "localhost"), 200);
  for (const host of ["localhost", "", undefined, "evil.example"]) {
    assertEquals(await statusOf("http://evil.example:9101/status", host), 403, host);
  }
});

const FETCHES: readonly (readonly [fields: Readonly<Record<string, string>>, allowed: string])[] = [
  [{}, "status unlock"],
  [{ "sec-fetch-site": "none", "sec-fetch-mode": "navigate" }, "status unlock"],
  [{ "sec-fetch-site": "same-origin" }, "status unlock"],
  [{ "sec-fetch-site": "same-site" }, ""],
  [{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }, ""],
  [{ "sec-fetch-site": "same-site", "sec-fetch-mode": "navigate" }, "status"],
  [{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, "status"],
  [{ "sec-fetch-site": "unknown" }, ""],
  [{ origin: "http://127.0.0.1:8080" }, ""],
  [{ origin: "http://127.0.0.1:9101", "sec-fetch-site": "same-origin" }, ""],
  [{ origin: "null" }, ""],
];

Deno.test("a page cannot call the operator port, but a link to the status is followed", async () => {
  const handler = setup();
  for (const [fields, allowed] of FETCHES) {
    const ask = async (method: string, path: string): Promise<number> => {
      const headers = { host: "127.0.0.1:9101", ...fields };
      const init = { method, headers, ...(method === "POST" && { body: "canary" }) };
      const reply = await handler(new Request(`http://127.0.0.1:9101${path}`, init));
      const text = await reply.text();
      if (reply.status === 403 && method !== "HEAD") {
        assertEquals(text, "This path does not answer pages: ask it from a program.\r\n");
      }
      return reply.status;
    };
    const expected = (name: string): number => allowed.includes(name) ? 200 : 403;
    const statuses = [
      await ask("GET", "/status"),
      await ask("HEAD", "/status"),
      await ask("POST", "/guard/unlock"),
      await ask("POST", "/guard/name"),
    ];
    assertEquals(statuses, [
      expected("status"),
      expected("status"),
      expected("unlock"),
      expected("unlock"),
    ], JSON.stringify(fields));
    // Scrapers and probes do not mind what a page sends, nor do replies without a body.
    assertEquals(await ask("GET", "/healthz"), 200);
  }
});

Deno.test("the guard's endpoints refuse a sealed secret: a copy of a database proves nothing", async () => {
  const store = new MemoryStore({ rules: RULES, monotonicMs: () => 0 });
  const guard = { fingerprint: () => "", source: () => "", store, memory: store };
  const sealed = await sealByJose("canary");
  for (const sealKeys of [SEAL_KEY_LINES, undefined]) {
    const handler = handlerWith({ pinGuard: guard, sealKeys }, OPERATOR_ROUTES);
    for (const path of ["/guard/name", "/guard/unlock"]) {
      for (const body of [sealed, `"${sealed}"`, sealed.slice(0, 16), `\n${sealed} `]) {
        assertEquals(await answer("localhost", "POST", path, body, handler), [
          400,
          "Parameter secret is sealed: give the secret itself.\r\n",
        ]);
      }
    }
  }
});

Deno.test("an unlock that the store refuses is 503 with the reason, without the password, and logged with the secret's name", async () => {
  const store = storeThat({
    unlock: () => Promise.reject(new Error("WRONGPASS user or hunter2 is wrong")),
  });
  const guard = { fingerprint: () => "name of canary", source: () => "", store };
  const observed: unknown[] = [];
  const telemetry = {
    observe: ({ facts, outcome }: RequestEvent) => void observed.push([facts?.secret, outcome]),
    requestId: () => "a1-0",
    monotonicMs: () => 0,
  };
  const handler = handlerWith({ pinGuard: guard, telemetry }, OPERATOR_ROUTES);
  assertEquals(await answer("localhost", "POST", "/guard/unlock", "canary", handler), [
    503,
    "The store of the guard refuses the user name or password (WRONGPASS).\r\n",
  ]);
  assertEquals(observed, [[shortName("name of canary"), "unavailable"]]);
});

Deno.test("the guard's endpoints read a secret in its charset, and its key as --secret-encoding says", async () => {
  const nameOf = async (
    body: BodyInit,
    charset = "utf-8",
    handler = setup(),
  ): Promise<unknown> => {
    const headers = { "content-type": `text/plain; charset=${charset}` };
    const init = { method: "POST", headers, body };
    return await (await handler(new Request("http://localhost/guard/name", init))).json();
  };
  const latin = Uint8Array.of(0x73, 0xfc, 0xdf);
  assertEquals(await nameOf(latin, "iso-8859-1"), await nameOf("süß"));
  const base32 = setup({ "secret-encoding": "base32" });
  assertEquals(await nameOf("mz xw6", "utf-8", base32), await nameOf("foo"));
});

Deno.test("the guard's endpoints answer why they cannot, and repeat no secret", async () => {
  for (const path of ["/guard/name", "/guard/unlock"]) {
    assertEquals(await answer("localhost", "POST", path, ""), [
      400,
      "Parameter secret must not be empty.\r\n",
    ]);
    assertEquals((await answer("localhost", "GET", path))[0], 405);
  }
  const withoutGuard = handlerWith({}, OPERATOR_ROUTES);
  const [, off] = await answer("localhost", "POST", "/guard/unlock", "canary", withoutGuard);
  assertEquals(off, "The guard is off: every pin is checked.\r\n");
});
