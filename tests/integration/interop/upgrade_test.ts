/**
 * Requests that offer another protocol over plain HTTP (RFC 9110 §7.8), as Java clients send them.
 *
 * @module
 */

import { assertEquals } from "@std/assert/equals";
import { exchangeRaw } from "../../support/http.ts";
import { PROGRAM } from "../../support/program.ts";
import { PATIENT, serverForTests } from "../../support/test_server.ts";

const server = serverForTests(...PATIENT);

const FORM = "pin=000000&secretCode=abcdefghij";
const CALL = "/api.asmx/ValidatePin";
const TLS = ["Upgrade: TLS/1.2", "Connection: Upgrade"];
const COMMON = ["Host: localhost", "User-Agent: Apache-HttpClient/5.6 (Java/21.0.4)"];
const POST = [
  `POST ${CALL} HTTP/1.1`,
  `Content-Length: ${FORM.length}`,
  "Content-Type: application/x-www-form-urlencoded; charset=UTF-8",
  ...COMMON,
];

async function ask(head: readonly string[], text = ""): Promise<readonly [number, string]> {
  const reply = await exchangeRaw(server.url, { head, body: new TextEncoder().encode(text) });
  return [reply.status, new TextDecoder().decode(reply.body).slice(-16)];
}

const FALSE = [200, ">false</boolean>"] as const;

// Its RequestUpgrade makes the offer with OPTIONS, HEAD and GET.
Deno.test("Apache HttpClient 5.4 and newer offers TLS with GET, and is answered", async () => {
  assertEquals(await ask([`GET ${CALL}?${FORM} HTTP/1.1`, ...COMMON, ...TLS]), FALSE);
});

Deno.test("Apache HttpClient 5.4 and newer offers nothing with POST, and is answered", async () => {
  assertEquals(await ask([...POST, "Connection: keep-alive"], FORM), FALSE);
});

// Where a later Deno answers, this fails: docs/faq.md, docs/runtimes.md and `onlyOnBun` in clients.ts then
// have no reason any more (tests/integration/upstream/deno_upgrade.md). Deno 2.8.2 answered.
Deno.test("a POST that offers another protocol gets an empty 400 of Deno, and an answer of Bun", async () => {
  assertEquals(await ask([...POST, ...TLS], FORM), PROGRAM === "deno" ? [400, ""] : FALSE);
});
