import net from "node:net";
import tls from "node:tls";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { openRedis, type RedisClient } from "../../lib/connection/redis_client.ts";
import { storeFailure } from "../../lib/connection/store_failure.ts";
import { StoreUrl } from "../../lib/connection/store_url.ts";
import { AUTHORITY, CERTIFICATE, PRIVATE_KEY } from "../redis/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free_port.ts";
import { type Answer, honest, startFuzzedStore, written } from "../support/fuzzed_store.ts";

/** A connection, and why it ended; more than one reason is wrong. */
interface Scene {
  readonly client: RedisClient;
  readonly ends: readonly string[];
}

async function open(url: string): Promise<Scene> {
  const ends: string[] = [];
  const onEnd = (reason: unknown): void => void ends.push(storeFailure(reason).saying);
  const client = await openRedis({ url: StoreUrl.parse(url)!, onEnd, patienceMs: 60_000 });
  return { client, ends };
}

// A question about a pin, as far as a store of tests looks at it.
const QUESTION = [
  ...["EVALSHA", "", "1", "key", "1:1:1", "1:1:1", "1:1:1", "0", "1", "", "", "", "1"],
];

function ask({ client }: Scene): Promise<unknown> {
  return client.ask(QUESTION, (reply) => reply);
}

// What a store says, what is said of it, and what is said to whoever asks.
const ENDS: readonly (readonly [string, Answer, string, string])[] = [
  ["nothing and ends", { pieces: [], end: true }, "cannot be reached", "closed"],
  ["half an answer and ends", { pieces: ["*3\r\n:"], end: true }, "cannot be reached", "closed"],
  [
    "HTTP",
    { pieces: ["HTTP/1.1 400\r\n\r\n"] },
    "does not speak the Redis protocol",
    "This is no reply",
  ],
  ...["*349523\r\n", "*4294967296\r\n"].map((piece) =>
    [
      `of an array of ${parseInt(piece.slice(1))}`,
      { pieces: [piece] },
      "does not speak the Redis protocol",
      "This is no reply",
    ] as const
  ),
];

for (const [what, answer, saying, told] of ENDS) {
  Deno.test(`openRedis() ends once when a store says ${what}: it ${saying}`, async () => {
    const store = startFuzzedStore(() => answer);
    const scene = await open(store.url);
    await assertRejects(() => ask(scene), Error, told);
    await eventually(() => scene.ends.length > 0);
    await assertRejects(() => ask(scene), Error, told);
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

Deno.test("openRedis() has no timer of the client blame a store for a pause of this process", async () => {
  const store = startFuzzedStore((question) => ({ pieces: [honest(question)] }));
  const scene = await open(store.url);
  assertEquals(await ask(scene), [1, 0, 1]);
  const { timeout } = AbortSignal;
  // As a pause has it: over before the client comes to write.
  AbortSignal.timeout = () => {
    const elapsed = new AbortController();
    queueMicrotask(() => elapsed.abort());
    return elapsed.signal;
  };
  try {
    assertEquals([await ask(scene), scene.ends], [[1, 0, 1], []]);
  } finally {
    AbortSignal.timeout = timeout;
    store.close();
  }
  await eventually(() => scene.ends.length > 0);
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

Deno.test("openRedis() has the client build its commands once, and not for each server", async () => {
  const { entries } = Object;
  let builds = 0;
  const open = async (): Promise<void> => {
    const ends: unknown[] = [];
    const url = StoreUrl.parse(`redis://:password@127.0.0.1:${freePort()}`)!;
    await openRedis({ url, onEnd: (reason) => void ends.push(reason) });
    await eventually(() => ends.length > 0);
  };
  await open();
  Object.entries = (each: object): [string, unknown][] => {
    const all = entries(each);
    // It has hundreds of commands, and nothing else of so many parts.
    if (all.length > 100) builds++;
    return all;
  };
  try {
    for (let i = 0; i < 3; i++) await open();
  } finally {
    Object.entries = entries;
  }
  assertEquals(builds, 0);
});

Deno.test("openRedis() reads as many elements as the description of a Cluster has", async () => {
  const description = `*400\r\n${":1\r\n".repeat(400)}`;
  const store = startFuzzedStore(() => ({ pieces: [description] }));
  const scene = await open(store.url);
  assertEquals(await ask(scene), Array(400).fill(1));
  scene.client.end(new Error("Over"));
  store.close();
});

Deno.test("openRedis() reads as many replies as come, and sends nothing that nobody asked for", async () => {
  const heard = new Set<string>();
  const reply = written("x".repeat(90_000));
  const store = startFuzzedStore(() => ({ pieces: [] }), (words) => {
    heard.add(words.join(" "));
    return reply;
  });
  const scene = await open(store.url);
  for (let i = 0; i < 15; i++) {
    assertEquals(await scene.client.ask(["GET", "a"], (text) => String(text).length), 90_000);
  }
  assertEquals([heard, scene.ends], [new Set(["GET a"]), []]);
  scene.client.end(new Error("Over"));
  store.close();
});

/** Runs something, and gives the sockets that the platform makes meanwhile. */
async function socketsOf(run: () => Promise<void>): Promise<readonly net.Socket[]> {
  const sockets: net.Socket[] = [];
  const noted = <A extends unknown[]>(open: (...args: A) => net.Socket) => (...args: A) => {
    sockets.push(open(...args));
    return sockets.at(-1)!;
  };
  const { createConnection } = net;
  const { connect } = tls;
  Object.assign(net, { createConnection: noted(createConnection) });
  Object.assign(tls, { connect: noted(connect) });
  await run().finally(() => {
    Object.assign(net, { createConnection });
    Object.assign(tls, { connect });
  });
  return sockets;
}

for (const scheme of ["redis", "rediss"]) {
  Deno.test(`openRedis() listens when the client does, takes whatever errors come, and ends once (${scheme}://)`, async () => {
    const address = { hostname: "127.0.0.1", port: 0 };
    const listener = scheme === "redis"
      ? Deno.listen(address)
      : Deno.listenTls({ ...address, cert: CERTIFICATE, key: PRIVATE_KEY });
    const ends: string[] = [];
    const answered = answerOnce(listener);
    let client: RedisClient | undefined;
    const sockets = await socketsOf(async () => {
      client = await openRedis({
        url: StoreUrl.parse(`${scheme}://127.0.0.1:${listener.addr.port}`)!,
        tls: { ca: AUTHORITY },
        onEnd: (reason) => void ends.push(storeFailure(reason).saying),
        patienceMs: 60_000,
      });
    });
    const socket = sockets.at(-1)!;
    // What comes before the client listens is kept for it, and read by both or by none.
    assertEquals(socket.listenerCount("data"), 0);
    assertEquals(await client!.ask(["PING"], (reply) => reply), "PONG");
    assertEquals(socket.listenerCount("data"), 2);
    // An error that nobody listens to is thrown here.
    for (let i = 0; i < 3; i++) socket.emit("error", new Error("Thrown by a test"));
    assertEquals([ends, socket.destroyed], [["cannot be reached"], true]);
    await assertRejects(() => client!.ask(["PING"], () => {}), Error, "Thrown by a test");
    (await answered)?.close();
    listener.close();
  });
}

/** Answers the first thing that is said with PONG; undefined when nothing is. */
async function answerOnce(listener: Deno.Listener): Promise<Deno.Conn | undefined> {
  const connection = await listener.accept();
  try {
    await connection.read(new Uint8Array(1000));
    await connection.write(new TextEncoder().encode("+PONG\r\n"));
    return connection;
  } catch {
    // The client does not trust it.
    connection.close();
    return undefined;
  }
}

Deno.test("openRedis() trusts the authority that it is given, and no other", async () => {
  const cert = { cert: CERTIFICATE, key: PRIVATE_KEY };
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...cert });
  const url = StoreUrl.parse(`rediss://127.0.0.1:${listener.addr.port}`)!;
  for (const [tls, outcome] of [[{ ca: AUTHORITY }, "PONG"], [{}, "untrusted"]] as const) {
    const answered = answerOnce(listener);
    const client = await openRedis({ url, tls, onEnd: () => {}, patienceMs: 60_000 });
    const said = client.ask(["PING"], (reply) => reply);
    assertEquals(await said.catch((error) => storeFailure(error).kind), outcome);
    client.end(new Error("Over"));
    (await answered)?.close();
  }
  listener.close();
});

Deno.test("openRedis() lets go of its socket in the midst of a handshake of TLS", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const scene = await open(`rediss://127.0.0.1:${listener.addr.port}`);
  const asked = assertRejects(() => ask(scene), Error, "Over");
  const connection = await listener.accept();
  const buffer = new Uint8Array(65_536);
  await connection.read(buffer);
  scene.client.end(new Error("Over"));
  await asked;
  // Its end, after whatever it said.
  while (await connection.read(buffer).catch(() => null) !== null);
  assertEquals(scene.ends, ["cannot be reached"]);
  connection.close();
  listener.close();
});
