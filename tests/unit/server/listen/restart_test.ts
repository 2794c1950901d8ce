import { assertEquals } from "@std/assert/equals";
import { ListenError } from "../../../../lib/server/listen/error.ts";
import {
  RestartingListener,
  type RunningServer,
  type Timing,
} from "../../../../lib/server/listen/restart.ts";
import { InFlightRequests } from "../../../../lib/server/listen/drain.ts";
import type { ServerFailure } from "../../../../lib/server/runtime/runtime.ts";
import { eventually } from "../../../support/eventually.ts";

const TIMING: Timing = {
  pauseMs: 2,
  failedDrainMs: 20,
  retireMs: 20,
  warningMs: 60_000,
  alonePauseMs: 1,
  aloneMs: 60_000,
};
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
const ADDRESS = { hostname: "127.0.0.1", port: 1 };

/** A server that can be made to fail, and knows whether it was stopped, and what its end was. */
interface Fallible extends RunningServer {
  readonly fail: (failure?: ServerFailure) => void;
  readonly isStopped: () => boolean;
  readonly end: () => string;
}

function fallible(): Fallible {
  const { promise: failed, resolve: fail } = Promise.withResolvers<ServerFailure>();
  const end: string[] = [];
  const note = (event: string) => (): void => void end.push(event);
  const shutdown = (): Promise<void> => Promise.resolve(note("shutdown")());
  return {
    server: { address: ADDRESS, failed, shutdown, abort: note("abort") },
    traffic: new InFlightRequests(1),
    release: note("released"),
    fail: (failure = "not-accepting") => fail(failure),
    isStopped: () => end.some((event) => event !== "released"),
    end: () => end.join(),
  };
}

/** A restarting server, the servers it started, and its log. */
interface Setup {
  readonly listener: RestartingListener;
  readonly servers: Fallible[];
  readonly logLines: string[];
}

/** @param attempts What opening another does, one after the other; at the end it succeeds. */
function setup(attempts: readonly ("refuse" | "fail")[] = [], timing = TIMING): Setup {
  const servers = [fallible()];
  const logLines: string[] = [];
  const left = [...attempts];
  const log = {
    info: (message: string): void => void logLines.push(message),
    warn: (message: string): void => void logLines.push(message),
    error: (message: string): void => void logLines.push(message),
  };
  const open = (): RunningServer => {
    const attempt = left.shift();
    if (attempt === "refuse") throw new ListenError(ADDRESS, "EADDRINUSE");
    const server = fallible();
    servers.push(server);
    if (attempt === "fail") server.fail();
    return server;
  };
  const onDrop = (): void => void logLines.push("drop");
  const listener = new RestartingListener(servers[0]!, open, { log, onDrop }, timing);
  return { listener, servers, logLines };
}

const BEGIN =
  "a connection could not be accepted, probably because too many files are open: idle connections " +
  "are closed, and the address is opened again";
const DROPPED =
  "all connections were dropped: the memory that the runtime keeps for them grew too much. If " +
  "callers caused this, let them connect through a proxy";
const NOT_REOPENED = "the address cannot be opened again, and is tried again";

Deno.test("a server that fails is opened again, which is logged once a minute at most", async () => {
  const attempts = ["refuse", "fail", "refuse", "refuse", "fail"] as const;
  const { listener, servers, logLines } = setup(attempts);
  servers[0]!.fail();
  await eventually(() => servers.length === 4);
  assertEquals(logLines, [BEGIN]);
  servers[3]!.fail();
  await eventually(() => servers.length === 5);
  await listener.stop();
  assertEquals(servers.map(({ isStopped }) => isStopped()), [true, true, true, true, true]);
  assertEquals(logLines, [BEGIN]);
  const again = setup(Array.from({ length: 20 }, () => "refuse"), { ...TIMING, warningMs: 1 });
  again.servers[0]!.fail();
  await eventually(() => again.servers.length === 2);
  await again.listener.stop();
  assertEquals([again.logLines.length > 1, new Set(again.logLines).size], [true, 1]);
});

Deno.test("a server that fails lets go of its callers, also while none can be opened", async () => {
  const { listener, servers, logLines } = setup(
    Array.from({ length: 1_000 }, () => "refuse" as const),
  );
  servers[0]!.fail();
  await eventually(() => servers[0]!.isStopped());
  assertEquals(servers.length, 1);
  await listener.stop();
  assertEquals(logLines, [BEGIN]);
});

Deno.test("a server that fails is aborted once its requests are answered, since a shutdown waits for silent callers", async () => {
  const { listener, servers } = setup();
  const release = occupy(servers[0]!);
  servers[0]!.fail();
  await eventually(() => servers.length === 2);
  await release();
  await eventually(servers[0]!.isStopped);
  assertEquals(servers[0]!.end(), "released,abort");
  const reply = await servers[0]!.traffic.answer(
    () => Promise.reject(new Error("It was asked")),
    new Request("http://localhost/"),
  );
  assertEquals(reply.status, 503);
  await listener.stop();
  assertEquals(servers[1]!.end(), "released,shutdown");
});

Deno.test("a server whose connections take too much memory drops them at once, and answers no further request on them", async () => {
  const { listener, servers, logLines } = setup(["refuse"]);
  const [{ traffic }] = servers as [Fallible];
  const finish = occupy(servers[0]!);
  servers[0]!.fail("memory");
  await eventually(servers[0]!.isStopped);
  assertEquals(servers[0]!.end(), "released,abort");
  const reply = await traffic.answer(
    () => Promise.reject(new Error("It was asked")),
    new Request("http://localhost/"),
  );
  assertEquals([reply.status, await reply.text()], [503, ""]);
  await eventually(() => servers.length === 2);
  assertEquals(logLines, [
    "drop",
    DROPPED,
    NOT_REOPENED,
  ]);
  await finish();
  servers[1]!.fail("memory");
  await eventually(() => servers.length === 3);
  assertEquals(logLines.slice(3), ["drop", DROPPED]);
  await listener.stop();
});

Deno.test("a place that is stopped while a server is opened waits for it, and stops it too", async () => {
  const first = fallible();
  const late = fallible();
  const { promise: opened, resolve } = Promise.withResolvers<RunningServer>();
  let isAsked = false;
  const open = (): Promise<RunningServer> => {
    isAsked = true;
    return opened;
  };
  const listener = new RestartingListener(first, open, { log: SILENT }, TIMING);
  first.fail();
  await eventually(() => isAsked);
  const stopped = listener.stop();
  // What was to be stopped by then is.
  await eventually(first.isStopped);
  resolve(late);
  await stopped;
  assertEquals(late.isStopped(), true);
});

Deno.test("a server that fails during a stop is not logged", async () => {
  const { listener, servers, logLines } = setup();
  await listener.stop();
  servers[0]!.fail();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assertEquals([servers.length, logLines], [1, []]);
});

/** Keeps a server from ending; what it gives lets go of it. */
function occupy({ traffic }: RunningServer): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const answered = traffic.answer(() => promise, new Request("http://localhost/"));
  return async () => {
    resolve(new Response());
    await answered;
  };
}

Deno.test("requests under way hold up a stop, but not for ever a server that failed or was replaced", async () => {
  const { listener, servers } = setup();
  const releases = [occupy(servers[0]!)];
  servers[0]!.fail();
  await eventually(servers[0]!.isStopped);
  await eventually(() => servers.length === 2);
  releases.push(occupy(servers[1]!));
  const third = fallible();
  listener.replace(third);
  const release = occupy(third);
  let hasStopped = false;
  const stopped = listener.stop().then(() => hasStopped = true);
  await new Promise((resolve) => setTimeout(resolve, 10 * TIMING.retireMs));
  assertEquals([hasStopped, third.isStopped()], [false, false]);
  await release();
  await stopped;
  assertEquals([servers[1]!.isStopped(), third.isStopped()], [false, true]);
  for (const end of releases) await end();
  // A drain that began later ends later.
  for (const { traffic } of servers) await traffic.drain();
});

Deno.test("a place that was stopped has no server any more", async () => {
  const { listener, servers } = setup();
  servers[0]!.fail();
  await listener.stop();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assertEquals(servers.filter(({ isStopped }) => !isStopped()).length, 0);
});

Deno.test("a server that was replaced may fail", async () => {
  const { listener, servers, logLines } = setup();
  const second = fallible();
  listener.replace(second);
  servers[0]!.fail();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assertEquals([servers.length, logLines, second.isStopped()], [1, [], false]);
  await listener.stop();
});

Deno.test("a server is taken from its place before it is stopped, and one that ends badly is logged", async () => {
  const events: string[] = [];
  const log = { info: () => {}, error: () => {}, warn: (text: string) => void events.push(text) };
  const { server, traffic } = fallible();
  const shutdown = (): Promise<void> => {
    events.push("stopped");
    return Promise.reject(Object.assign(new Error("canary"), { code: "EBADF" }));
  };
  const release = (): void => void events.push("released");
  const serving = { server: { ...server, shutdown }, traffic, release };
  const listener = new RestartingListener(serving, fallible, { log }, TIMING);
  assertEquals(listener.isStopped, false);
  await listener.stop();
  assertEquals(events, ["released", "stopped", "a server did not stop cleanly: EBADF"]);
  assertEquals(listener.isStopped, true);
});

Deno.test("where a port cannot be shared, the old server stops before the new one is opened, and its silent callers hold up no stop", async () => {
  const { listener, servers, logLines } = setup(["refuse", "refuse"]);
  const { server } = servers[0]!;
  const { shutdown } = server;
  Object.assign(server, { shutdown: () => shutdown().then(() => new Promise(() => {})) });
  assertEquals(await Promise.all([listener.reopen(), listener.reopen()]), [true, true]);
  assertEquals(servers.map(({ isStopped }) => isStopped()), [true, false]);
  assertEquals(logLines, [NOT_REOPENED]);
  const request = new Request("http://localhost/");
  const late = await servers[0]!.traffic.answer(() => Promise.resolve(new Response()), request);
  assertEquals(late.headers.get("connection"), "close");
  await listener.stop();
  assertEquals(servers.map(({ isStopped }) => isStopped()), [true, true]);
  await servers[0]!.traffic.drain();
});

Deno.test("a port that cannot be opened again in time is tried again, and not once the server is stopped", async () => {
  const refusals = Array.from({ length: 1_000 }, () => "refuse" as const);
  const { listener, servers } = setup(refusals, { ...TIMING, aloneMs: 5 });
  assertEquals(await listener.reopen(), false);
  const last = listener.reopen();
  await listener.stop();
  assertEquals([await last, servers.length], [false, 1]);
  await servers[0]!.traffic.drain();
});
