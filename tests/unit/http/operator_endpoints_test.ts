import { decide } from "../../support/guard_store.ts";
import { assertEquals } from "@std/assert/equals";
import { guardRules } from "../../../lib/guard/guard.ts";
import { MemoryStore } from "../../../lib/guard/memory_store.ts";
import { OPERATOR_ROUTES } from "../../../lib/http/routes.ts";
import type { ServerStatus } from "../../../lib/telemetry/status.ts";
import { handlerWith } from "../../support/handler.ts";
import { SEAL_KEY_LINES, sealByJose } from "../../support/seal_keys.ts";

const RULES = guardRules({ maxFailures: 1, singleUse: false, window: 1, period: 30 });

const STATUS: ServerStatus = {
  problems: [],
  version: "1.2.3",
  since: "2026-01-31T12:00:00.000Z",
  address: undefined,
  certificateUntil: undefined,
  keys: undefined,
  sealKeys: undefined,
  reload: undefined,
  store: "memory",
  guard: undefined,
};

function setup(hasMemory = true): (request: Request) => Promise<Response> {
  const store = new MemoryStore({ rules: RULES, now: () => 0 });
  decide(store, "canary", undefined);
  const guard = {
    fingerprint: (key: Uint8Array) => new TextDecoder().decode(key),
    source: () => "",
    store,
    ...(hasMemory && { memory: store }),
  };
  const changes = { guard, operatorHost: "Metrics.Internal", status: () => STATUS };
  return handlerWith(changes, OPERATOR_ROUTES);
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

Deno.test("the status and the guard's endpoints accept only an IP address, localhost and the metrics host as Host", async () => {
  for (const [host, status] of HOSTS) {
    assertEquals((await answer(host, "GET", "/status"))[0], status, host);
    assertEquals((await answer(host, "POST", "/guard/unlock", "canary"))[0], status, host);
    assertEquals((await answer(host, "GET", "/healthz"))[0], 200, host);
  }
});

Deno.test("the refusal of a Host names the accepted ones, and repeats nothing of the one sent", async () => {
  assertEquals(await answer("evil.example:9101", "GET", "/status"), [
    403,
    "The Host of this request must be an IP address, localhost or the --metrics-host.\r\n",
  ]);
});

Deno.test("the guard's endpoints open a sealed secret", async () => {
  const fingerprint = (key: Uint8Array): string => new TextDecoder().decode(key);
  const store = new MemoryStore({ rules: RULES, now: () => 0 });
  decide(store, "canary", undefined);
  const guard = { fingerprint, source: () => "", store, memory: store };
  const handler = handlerWith({ guard, sealKeys: SEAL_KEY_LINES }, OPERATOR_ROUTES);
  const post = (path: string, body: string): Promise<readonly [number, string]> =>
    answer("localhost", "POST", path, body, handler);
  const sealed = await sealByJose("canary");
  assertEquals(await post("/guard/name", sealed), [200, '{"name":"canary"}']);
  assertEquals(await post("/guard/unlock", sealed), [200, '{"name":"canary","remembered":true}']);
  assertEquals(await post("/guard/name", `${sealed}A`), [
    400,
    "Parameter secretCode is sealed, and this server cannot open it.\r\n",
  ]);
});

Deno.test("the guard's endpoints answer why they cannot, and repeat no secret", async () => {
  for (const path of ["/guard/name", "/guard/unlock"]) {
    assertEquals(await answer("localhost", "POST", path, ""), [
      400,
      "The secret is empty or malformed.\r\n",
    ]);
    assertEquals((await answer("localhost", "GET", path))[0], 405);
  }
  const withoutGuard = handlerWith({}, OPERATOR_ROUTES);
  const [, off] = await answer("localhost", "POST", "/guard/unlock", "canary", withoutGuard);
  assertEquals(off, "The guard is off: every pin is checked.\r\n");
});
