import net from "node:net";
import tls from "node:tls";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { openRedis, type RedisClient } from "../../lib/connection/redis_client.ts";
import { storeFailure } from "../../lib/connection/store_failure.ts";
import { StoreUrl } from "../../lib/connection/store_url.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free_port.ts";
import { type Answer, honest, startFuzzedStore } from "../support/fuzzed_store.ts";

/** A connection, and why it ended; more than one reason is wrong. */
interface Scene {
  readonly client: RedisClient;
  readonly ends: readonly string[];
}

async function open(url: string): Promise<Scene> {
  const ends: string[] = [];
  const onEnd = (reason: unknown): void => void ends.push(storeFailure(reason).saying);
  const client = await openRedis({ url: StoreUrl.parse(url)!, onEnd, patienceMs: 10_000 });
  return { client, ends };
}

// A question about a pin, as far as a store of tests looks at it.
const QUESTION = [
  ...["EVALSHA", "", "1", "key", "1:1:1", "1:1:1", "1:1:1", "0", "1", "", "", "", "1"],
];

function ask({ client }: Scene): Promise<unknown> {
  return client.ask(QUESTION, (reply) => reply);
}

// What a store says, and what is said of it.
const ENDS: readonly (readonly [string, Answer, string])[] = [
  ["nothing and ends", { pieces: [], end: true }, "cannot be reached"],
  ["half an answer and ends", { pieces: ["*3\r\n:"], end: true }, "cannot be reached"],
  ["HTTP", { pieces: ["HTTP/1.1 400\r\n\r\n"] }, "does not speak the Redis protocol"],
  ["of a huge array", { pieces: ["*999999\r\n"] }, "does not speak the Redis protocol"],
];

for (const [what, answer, saying] of ENDS) {
  Deno.test(`openRedis() ends once when a store says ${what}: it ${saying}`, async () => {
    const store = startFuzzedStore(() => answer);
    const scene = await open(store.url);
    await assertRejects(() => ask(scene), Error);
    await eventually(() => scene.ends.length > 0);
    await assertRejects(() => ask(scene), Error);
    assertEquals(scene.ends, [saying]);
    store.close();
  });
}

Deno.test("openRedis() goes on after an error of the store", async () => {
  let answers = 0;
  const store = startFuzzedStore((question) => ({
    pieces: [answers++ === 0 ? "-OOM full\r\n" : honest(question)],
  }));
  const scene = await open(store.url);
  const error = await assertRejects(() => ask(scene), Error);
  assertEquals(storeFailure(error).saying, "answers with errors (OOM)");
  assertEquals([await ask(scene), scene.ends], [[1, 0, 1], []]);
  scene.client.end(new Error("Over"));
  assertEquals(scene.ends, ["cannot be reached"]);
  store.close();
});

Deno.test("openRedis() tells why a store cannot be reached, and leaves the platform as it was", async () => {
  const { createConnection } = net;
  const { connect } = tls;
  const port = freePort();
  for (const scheme of ["redis", "rediss"]) {
    const scene = await open(`${scheme}://127.0.0.1:${port}`);
    await eventually(() => scene.ends.length > 0);
    assertEquals(scene.ends, ["cannot be reached (ECONNREFUSED)"]);
  }
  assertEquals([net.createConnection === createConnection, tls.connect === connect], [true, true]);
});
