import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { type Serving, Standing } from "../../lib/runtime/standing.ts";
import { Traffic } from "../../lib/runtime/traffic.ts";

const PACE = { firstPauseMs: 1, longestPauseMs: 4, steadyMs: 20 };

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
  const address = { hostname: "127.0.0.1", port: 1 };
  return {
    server: { address, failed, shutdown },
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
function scene(attempts: readonly ("refuse" | "fail")[] = []): Scene {
  const servers = [fallible()];
  const said: string[] = [];
  const left = [...attempts];
  const log = {
    info: (message: string): void => void said.push(message),
    warn: (message: string): void => void said.push(message.split(",")[0]!),
    error: (message: string): void => void said.push(message),
  };
  const open = (): Serving => {
    const attempt = left.shift();
    if (attempt === "refuse") throw new Error("too many open files");
    const server = fallible();
    servers.push(server);
    if (attempt === "fail") server.fail();
    return server;
  };
  return { standing: new Standing(servers[0]!, open, log, PACE), servers, said };
}

const BEGIN = "a connection could not be accepted";
const END = "connections are accepted again";

async function until(isSo: () => boolean): Promise<void> {
  for (let looks = 0; !isSo(); looks++) {
    assert(looks < 10_000);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

Deno.test("a server that fails is opened again, and each is said once", async () => {
  const { standing, servers, said } = scene(["refuse", "fail", "refuse", "refuse", "fail"]);
  servers[0]!.fail();
  await until(() => said.includes(END));
  assertEquals([said, servers.length], [[BEGIN, END], 4]);
  assertEquals(servers.map(({ isStopped }) => isStopped()), [true, true, true, false]);
  servers[3]!.fail();
  await until(() => said.length === 4);
  assertEquals(said, [BEGIN, END, BEGIN, END]);
  await standing.stop();
  assertEquals(servers.map(({ isStopped }) => isStopped()), [true, true, true, true, true]);
});

Deno.test("a server that fails lets go of its callers, also while none can be opened", async () => {
  const { standing, servers } = scene(Array.from({ length: 1_000 }, () => "refuse" as const));
  servers[0]!.fail();
  await until(() => servers[0]!.isStopped());
  assertEquals(servers.length, 1);
  await standing.stop();
});

Deno.test("a place that was told to stop has no server any more", async () => {
  const { standing, servers } = scene();
  servers[0]!.fail();
  await standing.stop();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assertEquals(servers.filter(({ isStopped }) => !isStopped()).length, 0);
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
  assertEquals(events, ["released", "stopped", "a server did not end well: EBADF"]);
  assertEquals(standing.isStopped, true);
});
