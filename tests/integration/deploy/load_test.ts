import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { eventually } from "../../support/eventually.ts";
import { steadyLoad } from "./load.ts";

const LOAD = { perSecond: 1_000, atOnce: 8, patienceMs: 60_000 };
const LOOPBACK = { hostname: "127.0.0.1", port: 0, onListen: () => {} };

async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 100));
}

Deno.test("steadyLoad() leaves no more unanswered than it may", async () => {
  const held: (() => void)[] = [];
  let isAnswering = false;
  await using server = Deno.serve(LOOPBACK, () => {
    if (isAnswering) return new Response();
    return new Promise<Response>((resolve) => held.push(() => resolve(new Response())));
  });
  const stop = new AbortController();
  const load = steadyLoad(`http://127.0.0.1:${server.addr.port}/`, LOAD, stop.signal);
  await eventually(() => held.length >= LOAD.atOnce, "as many are unanswered as may be");
  await pause();
  assertEquals(held.length, LOAD.atOnce);
  isAnswering = true;
  held.forEach((answer) => answer());
  await pause();
  stop.abort();
  const { sent, outcomes } = await load;
  assertEquals(outcomes, { "200": sent });
  assert(sent >= LOAD.atOnce);
});

Deno.test("steadyLoad() counts a request as lost when it is not answered in time", async () => {
  // The system accepts connections, and nothing reads from them.
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const stop = new AbortController();
  const url = `http://127.0.0.1:${listener.addr.port}/`;
  const load = steadyLoad(url, { ...LOAD, patienceMs: 50 }, stop.signal);
  await pause();
  stop.abort();
  const { sent, outcomes } = await load;
  assertEquals(outcomes, { lost: sent });
  assert(sent > 0);
});

Deno.test("steadyLoad() counts replies by their status", async () => {
  await using server = Deno.serve(
    LOOPBACK,
    ({ method }) => new Response("", { status: method === "GET" ? 200 : 201 }),
  );
  const stop = new AbortController();
  const load = steadyLoad(`http://127.0.0.1:${server.addr.port}/`, LOAD, stop.signal);
  await pause();
  stop.abort();
  const { sent, outcomes } = await load;
  const { "200": gets = 0, "201": posts = 0, ...others } = outcomes;
  assertEquals([gets, posts, others], [Math.ceil(sent / 2), Math.floor(sent / 2), {}]);
  assert(sent > 0);
});
