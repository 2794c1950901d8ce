import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import type { Handler } from "../../lib/http/handler.ts";
import { Traffic } from "../../lib/runtime/traffic.ts";

const QUIET_MS = 4;
const REQUEST = new Request("http://localhost/healthz");
const atOnce: Handler = () => Promise.resolve(new Response("ok"));
const never: Handler = () => new Promise(() => {});

/** Sends requests until what is awaited happens, and gives how many. */
async function requestsUntil(traffic: Traffic, awaited: Promise<void>): Promise<number> {
  let isOver = false;
  let count = 0;
  void awaited.then(() => isOver = true);
  for (; !isOver; count++) {
    const reply = await traffic.answer(atOnce, REQUEST);
    assertEquals(reply.headers.get("connection"), "close");
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return count;
}

Deno.test("drain() ends under steady load", async () => {
  const traffic = new Traffic(QUIET_MS);
  assert(await requestsUntil(traffic, traffic.drain()) > 1);
});

Deno.test("drain() ends under steady load beside a request that does not end", async () => {
  const traffic = new Traffic(QUIET_MS);
  void traffic.answer(never, REQUEST);
  assert(await requestsUntil(traffic, traffic.drain()) > 1);
});

Deno.test("drain() waits for a request that is being answered, then ends at once", async () => {
  const traffic = new Traffic(QUIET_MS);
  const { promise, resolve } = Promise.withResolvers<Response>();
  const reply = traffic.answer(() => promise, REQUEST);
  let isDrained = false;
  const drained = traffic.drain().then(() => isDrained = true);
  await new Promise((resolve) => setTimeout(resolve, 12 * QUIET_MS));
  assertEquals(isDrained, false);
  resolve(new Response("ok"));
  assertEquals((await reply).headers.get("connection"), "close");
  await drained;
});
