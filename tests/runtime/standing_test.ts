import { assertEquals } from "@std/assert/equals";
import { ListenError } from "../../lib/runtime/listen_error.ts";
import { type Pace, type Serving, Standing } from "../../lib/runtime/standing.ts";
import { Traffic } from "../../lib/runtime/traffic.ts";
import { eventually } from "../support/eventually.ts";
import { ManualTimers } from "../support/timers.ts";

const PACE = {
  firstPauseMs: 1,
  longestPauseMs: 4,
  steadyMs: 20,
  failedDrainMs: 20,
  retireMs: 20,
};
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
const ADDRESS = { hostname: "127.0.0.1", port: 1 };

/** A server that can be made to fail, and knows whether it was stopped. */
interface Fallible extends Serving {
  readonly fail: () => void;
  readonly isStopped: () => boolean;
}

function fallible(): Fallible {
  const { promise: failed, resolve: fail } = Promise.withResolvers<void>();
  let isStopped = false;
  const shutdown = (): Promise<void> => {
    isStopped = true;
    return Promise.resolve();
  };
  return {
    server: { address: ADDRESS, failed, shutdown },
    traffic: new Traffic(1),
    release: () => {},
    fail,
    isStopped: () => isStopped,
  };
}

/** A place for servers, those that stood there, and what was said. */
interface Scene {
  readonly standing: Standing;
  readonly servers: Fallible[];
  readonly said: string[];
}

/** @param attempts What opening another does, one after the other; at the end it succeeds. */
function scene(attempts: readonly ("refuse" | "fail")[] = [], pace: Pace = PACE): Scene {
  const servers = [fallible()];
  const said: string[] = [];
  const left = [...attempts];
  const log = {
    info: (message: string): void => void said.push(message),
    warn: (message: string): void => void said.push(message.split(/[,:]/)[0]!),
    error: (message: string): void => void said.push(message),
  };
  const open = (): Serving => {
    const attempt = left.shift();
    if (attempt === "refuse") throw new ListenError(ADDRESS, "EADDRINUSE");
    const server = fallible();
    servers.push(server);
    if (attempt === "fail") server.fail();
    return server;
  };
  return { standing: new Standing(servers[0]!, open, log, pace), servers, said };
}

const BEGIN = "a connection could not be accepted";
const REFUSED = "cannot listen on 127.0.0.1";
const END = "connections are accepted again";

Deno.test("a server that fails is opened again, and each is said once", async () => {
  const { standing, servers, said } = scene(["refuse", "fail", "refuse", "refuse", "fail"]);
  servers[0]!.fail();
  await eventually(() => said.includes(END));
  assertEquals([said, servers.length], [[BEGIN, REFUSED, END], 4]);
  assertEquals(servers.map(({ isStopped }) => isStopped()), [true, true, true, false]);
  servers[3]!.fail();
  await eventually(() => said.length === 5);
  assertEquals(said, [BEGIN, REFUSED, END, BEGIN, END]);
  await standing.stop();
  assertEquals(servers.map(({ isStopped }) => isStopped()), [true, true, true, true, true]);
});

Deno.test("a server that fails lets go of its callers, also while none can be opened", async () => {
  const { standing, servers, said } = scene(Array.from({ length: 1_000 }, () => "refuse" as const));
  servers[0]!.fail();
  await eventually(() => servers[0]!.isStopped());
  assertEquals(servers.length, 1);
  await eventually(() => said.includes(REFUSED));
  await standing.stop();
  assertEquals(new Set(said), new Set([BEGIN, REFUSED]));
});

Deno.test("each pause before another is opened is twice as long, up to the longest", async () => {
  const original = globalThis.setTimeout;
  const pauses: number[] = [];
  Object.assign(globalThis, {
    setTimeout: (act: () => void, ms: number) => {
      if (ms > 1_000) pauses.push(ms);
      return original(act, ms > 1_000 ? 1 : ms);
    },
  });
  try {
    const pace = { ...PACE, firstPauseMs: 2_000, longestPauseMs: 7_000 };
    const { standing, servers, said } = scene(["refuse", "refuse", "fail", "refuse"], pace);
    for (const server of [0, 2]) {
      servers[server]!.fail();
      await eventually(() => said.at(-1) === END);
      said.length = 0;
    }
    await standing.stop();
  } finally {
    Object.assign(globalThis, { setTimeout: original });
  }
  // After one has stood they begin anew.
  assertEquals(pauses, [2_000, 4_000, 7_000, 7_000, 7_000, 2_000]);
});

Deno.test("a place without a pace of its own soon has another server, and ends the last in seconds", async () => {
  await ManualTimers.during(async (timers) => {
    const first = fallible();
    const said: string[] = [];
    const say = (text: string): void => void said.push(text);
    const standing = new Standing(first, fallible, { ...SILENT, warn: say, info: say });
    first.fail();
    await timers.settle();
    // The shortest is that of a test, in which requests are quiet.
    assertEquals(timers.asked.toSorted((a, b) => a - b), [1, 50, 1_000, 10_000]);
    await timers.tick();
    assertEquals(timers.asked.slice(4), [5_000]);
    assertEquals(said, [
      "a connection could not be accepted, probably because too many files are open: idle " +
      "connections are closed, and the address is opened again",
    ]);
    let hasStopped = false;
    void standing.stop().then(() => hasStopped = true);
    while (!hasStopped) await timers.tick();
    assertEquals([timers.pending, said.length], [0, 1]);
  });
});

Deno.test("of a server that fails before it has stood nothing is said", async () => {
  await ManualTimers.during(async (timers) => {
    const { standing, servers, said } = scene();
    servers[0]!.fail();
    await timers.settle();
    while (servers.length < 2) await timers.tick();
    servers[1]!.fail();
    await timers.settle();
    while (servers.length < 3) await timers.tick();
    assertEquals(said, [BEGIN]);
    while (said.length < 2) await timers.tick();
    assertEquals(said, [BEGIN, END]);
    let hasStopped = false;
    void standing.stop().then(() => hasStopped = true);
    while (!hasStopped) await timers.tick();
  });
});

Deno.test("why none can be opened is said at first, and again when it lasts", async () => {
  const { standing, servers, said } = scene(Array.from({ length: 241 }, () => "refuse" as const));
  servers[0]!.fail();
  await eventually(() => said.includes(END));
  assertEquals(said, [BEGIN, REFUSED, REFUSED, REFUSED, END]);
  await standing.stop();
});

Deno.test("why none can be opened is said in the words for an address, or as a code", async () => {
  const again = "callers are refused until it can be opened again";
  const cases = [
    [
      new ListenError(ADDRESS, "EADDRINUSE"),
      `cannot listen on 127.0.0.1, port 1: the port is in use by another program (stop it, or choose another port); ${again}`,
    ],
    [Object.assign(new Error("canary"), { code: "EIO" }), `EIO; ${again}`],
  ] as const;
  for (const [error, expected] of cases) {
    const said: string[] = [];
    const log = { ...SILENT, warn: (text: string) => void said.push(text) };
    const first = fallible();
    const standing = new Standing(first, () => Promise.reject(error), log, PACE);
    first.fail();
    await eventually(() => said.length === 2);
    await standing.stop();
    assertEquals(said[1], expected);
  }
});

Deno.test("a place that is told to stop while a server is opened waits for it, and stops it too", async () => {
  const first = fallible();
  const late = fallible();
  const { promise: opened, resolve } = Promise.withResolvers<Serving>();
  let isAsked = false;
  const open = (): Promise<Serving> => {
    isAsked = true;
    return opened;
  };
  const standing = new Standing(first, open, SILENT, PACE);
  first.fail();
  await eventually(() => isAsked);
  const stopped = standing.stop();
  // What was to be stopped by then is.
  await eventually(first.isStopped);
  resolve(late);
  await stopped;
  assertEquals(late.isStopped(), true);
});

Deno.test("nothing is said of a server that stands, nor of one that fails as it is stopped", async () => {
  const quiet = scene();
  const failing = scene();
  failing.servers[0]!.fail();
  await eventually(() => failing.said.includes(END));
  await Promise.all([quiet, failing].map(({ standing }) => standing.stop()));
  quiet.servers[0]!.fail();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assertEquals([quiet.said, failing.said], [[], [BEGIN, END]]);
});

/** Keeps a server from ending; what it gives lets go of it. */
function occupy({ traffic }: Serving): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const answered = traffic.answer(() => promise, new Request("http://localhost/"));
  return async () => {
    resolve(new Response());
    await answered;
  };
}

Deno.test("requests under way hold up a stop, but not for ever a server that failed or was replaced", async () => {
  const { standing, servers } = scene();
  occupy(servers[0]!);
  servers[0]!.fail();
  await eventually(servers[0]!.isStopped);
  await eventually(() => servers.length === 2);
  occupy(servers[1]!);
  const third = fallible();
  standing.replace(third);
  const release = occupy(third);
  let hasStopped = false;
  const stopped = standing.stop().then(() => hasStopped = true);
  await new Promise((resolve) => setTimeout(resolve, 10 * PACE.retireMs));
  assertEquals([hasStopped, third.isStopped()], [false, false]);
  await release();
  await stopped;
  assertEquals([servers[1]!.isStopped(), third.isStopped()], [false, true]);
});

Deno.test("a place that was told to stop has no server any more", async () => {
  const { standing, servers } = scene();
  servers[0]!.fail();
  await standing.stop();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assertEquals(servers.filter(({ isStopped }) => !isStopped()).length, 0);
});

Deno.test("no server is opened for a place that was told to stop, or has one already", async () => {
  await ManualTimers.during(async (timers) => {
    for (const isReplaced of [false, true]) {
      const { standing, servers } = scene();
      servers[0]!.fail();
      await timers.settle();
      if (isReplaced) standing.replace(fallible());
      else void standing.stop();
      while (!servers[0]!.isStopped()) await timers.tick();
      let hasStopped = false;
      void standing.stop().then(() => hasStopped = true);
      while (!hasStopped) await timers.tick();
      assertEquals([servers.length, timers.pending], [1, 0]);
    }
  });
});

Deno.test("a server that was replaced may fail", async () => {
  const { standing, servers, said } = scene();
  const second = fallible();
  standing.replace(second);
  servers[0]!.fail();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assertEquals([servers.length, said, second.isStopped()], [1, [], false]);
  await standing.stop();
});

Deno.test("a server is taken from its place before it is stopped, and one that ends badly is told of", async () => {
  const events: string[] = [];
  const log = { info: () => {}, error: () => {}, warn: (text: string) => void events.push(text) };
  const { server, traffic } = fallible();
  const shutdown = (): Promise<void> => {
    events.push("stopped");
    return Promise.reject(Object.assign(new Error("canary"), { code: "EBADF" }));
  };
  const release = (): void => void events.push("released");
  const serving = { server: { ...server, shutdown }, traffic, release };
  const standing = new Standing(serving, fallible, log, PACE);
  assertEquals(standing.isStopped, false);
  await standing.stop();
  assertEquals(events, ["released", "stopped", "a server did not stop cleanly: EBADF"]);
  assertEquals(standing.isStopped, true);
});
