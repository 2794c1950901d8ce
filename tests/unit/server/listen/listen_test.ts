import process from "node:process";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { ListenError } from "../../../../lib/server/listen/error.ts";
import { listen, type ListenOptions } from "../../../../lib/server/listen/listen.ts";
import type {
  PeerAddresses,
  Runtime,
  ServerFailure,
  ServerOptions,
  UnixAddress,
} from "../../../../lib/server/runtime/runtime.ts";
import { eventually } from "../../../support/eventually.ts";
import { withFolder } from "../../../support/folder.ts";
import { ManualTimers } from "../../../support/timers.ts";

const PORT = { hostname: "127.0.0.1", port: 0 };
const CHOSEN = 4711;
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

/** A runtime whose servers can be made to fail, and what was asked of it. */
interface Setup {
  readonly runtime: Runtime;
  /** Words for each server: port, certificate, shared port, limited memory, and its end. */
  readonly servers: () => readonly string[];
  readonly options: ServerOptions[];
  readonly fail: (server: number, failure?: ServerFailure) => void;
}

function setup(sharesPorts = true): Setup {
  const options: ServerOptions[] = [];
  const stopped: boolean[] = [];
  const listening: boolean[] = [];
  const failures: ((failure: ServerFailure) => void)[] = [];
  const runtime: Runtime = {
    title: "Runtime",
    target: "machine",
    sharesPorts,
    serve: (asked) => {
      if (asked.tls?.cert === "broken") {
        throw Object.assign(new Error("canary"), { code: "EACCES" });
      }
      // As the system does: all of them have one port.
      if (options.some(({ shared }, i) => listening[i] && !(shared && asked.shared))) {
        throw Object.assign(new Error("canary"), { code: "EADDRINUSE" });
      }
      const { promise: failed, resolve: fail } = Promise.withResolvers<ServerFailure>();
      const index = options.push(asked) - 1;
      listening[index] = true;
      failures.push((failure) => {
        listening[index] = false;
        fail(failure);
      });
      const { address } = asked;
      return {
        address: "port" in address ? { ...address, port: address.port || CHOSEN } : undefined,
        failed,
        shutdown: async () => {
          await Promise.resolve();
          listening[index] = false;
          stopped[index] = true;
        },
        abort: () => void (stopped[index] = true),
      };
    },
    tryTls: () => {},
    writeOut: () => Promise.resolve(),
    writeError: () => Promise.resolve(),
  };
  const words = (
    { address, tls, shared, limitsMemory }: ServerOptions,
    index: number,
  ): string =>
    [
      "port" in address ? address.port : address.path,
      tls?.cert ?? "plain",
      ...(shared ? ["shared"] : []),
      ...(limitsMemory ? ["limited"] : []),
      ...(stopped[index] ? ["stopped"] : []),
    ].join(" ");
  const fail: Setup["fail"] = (server, failure = "not-accepting") => failures[server]!(failure);
  return { runtime, options, servers: () => options.map(words), fail };
}

function listenWith(
  runtime: Runtime,
  options: Partial<ListenOptions> = {},
): ReturnType<typeof listen> {
  const all = { address: PORT, sharePort: false, tls: undefined, log: SILENT, ...options };
  return listen(runtime, all, () => Promise.resolve(new Response()));
}

const tls = (cert: string): { cert: string; key: string } => ({ cert, key: "key" });

Deno.test("listen() returns the URL with the port that the system chose", async () => {
  for (
    const [hostname, secure, url] of [
      ["127.0.0.1", false, `http://127.0.0.1:${CHOSEN}`],
      ["::1", false, `http://[::1]:${CHOSEN}`],
      ["127.0.0.1", true, `https://127.0.0.1:${CHOSEN}`],
    ] as const
  ) {
    const { runtime } = setup();
    const address = { hostname, port: 0 };
    const listener = await listenWith(runtime, { address, tls: secure ? tls("a") : undefined });
    assertEquals(listener.url, url);
    await listener.stop();
  }
});

Deno.test("listen() starts one server without TLS, alone on its port, with nothing to renew", async () => {
  const { runtime, servers, fail } = setup();
  const { renew, stop } = await listenWith(runtime);
  assertEquals([servers(), await renew(tls("a"))], [["0 plain"], false]);
  fail(0);
  await eventually(() => servers().length === 2);
  assertEquals(servers()[1], `${CHOSEN} plain`);
  await stop();
  assertEquals(servers(), ["0 plain stopped", `${CHOSEN} plain stopped`]);
});

Deno.test("listen() shares a port from the first server on, over TLS or not", async () => {
  for (const shown of [undefined, tls("a")]) {
    const { runtime, servers, options, fail } = setup();
    let drops = 0;
    const onDrop = (): void => void drops++;
    const peers: PeerAddresses = new WeakMap();
    const { stop } = await listenWith(runtime, { sharePort: true, tls: shown, onDrop, peers });
    const how = `${shown === undefined ? "plain" : "a"} shared limited`;
    assertEquals(servers(), [`0 ${how}`]);
    fail(0, "memory");
    await eventually(() => servers().length === 2);
    assertEquals([servers()[1], drops], [`${CHOSEN} ${how}`, 1]);
    assertEquals(options.map((given) => given.peers === peers), [true, true]);
    await stop();
  }
});

Deno.test("listen() claims a port alone before it shares it for TLS, and renews with another server", async () => {
  const { runtime, servers, fail } = setup();
  const { renew, stop } = await listenWith(runtime, { tls: tls("a") });
  assertEquals(servers(), ["0 a stopped", `${CHOSEN} a shared`]);
  await assertRejects(
    () => renew(tls("broken")),
    ListenError,
    "permission denied",
  );
  fail(1);
  await eventually(() => servers().length === 3);
  // What was shown last, and not what could not be used.
  assertEquals(servers()[2], `${CHOSEN} a shared`);
  assertEquals(await renew(tls("b")), true);
  assertEquals(servers()[3], `${CHOSEN} b shared`);
  fail(3);
  await eventually(() => servers().length === 5);
  assertEquals(servers()[4], `${CHOSEN} b shared`);
  await stop();
  assertEquals(servers().filter((words) => !words.endsWith("stopped")), []);
  assertEquals([await renew(tls("c")), servers().length], [false, 5]);
});

Deno.test("listen() closes a port that cannot be shared before it renews a certificate", async () => {
  const { runtime, servers, fail } = setup(false);
  const { renew, stop } = await listenWith(runtime, { tls: tls("a") });
  assertEquals(servers(), ["0 a"]);
  assertEquals(await renew(tls("b")), true);
  assertEquals(servers(), ["0 a stopped", `${CHOSEN} b`]);
  fail(1);
  await eventually(() => servers().length === 3);
  assertEquals(servers()[2], `${CHOSEN} b`);
  await assertRejects(() => renew(tls("broken")), ListenError, "the address cannot be used");
  // The certificate before, and not what could not be used.
  await eventually(() => servers().length === 4);
  assertEquals(servers()[3], `${CHOSEN} b`);
  // The drain of the last server has no end to wait for.
  await ManualTimers.holding(250, async () => {
    const renewed = renew(tls("c"));
    await stop();
    assertEquals([await renewed, await renew(tls("d")), servers().length], [false, false, 4]);
  });
});

/** Runs a test that may set no umask, as a system does that lets it. */
async function withUmask(run: () => Promise<void>): Promise<void> {
  const { umask } = process;
  Object.assign(process, { umask: () => 0o022 });
  try {
    await run();
  } finally {
    Object.assign(process, { umask });
  }
}

Deno.test("listen() closes a server whose socket cannot get its mode", () =>
  withUmask(async () => {
    const { runtime, servers } = setup();
    const address = { path: "/nowhere/a.sock", mode: 0o660 };
    const { message } = await assertRejects(() => listenWith(runtime, { address }), ListenError);
    assertEquals(message, "cannot listen on the socket: its folder does not exist");
    assertEquals(servers().map((words) => words.split(" ").slice(1).join(" ")), ["plain stopped"]);
  }));

Deno.test({
  name: "listen() opens a socket anew when its server fails, and removes it at the end",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withUmask(() =>
      withFolder(async (folder) => {
        const { runtime, servers, fail } = setup();
        // A file in place of the socket.
        const serve: Runtime["serve"] = (options, handler) => {
          Deno.writeTextFileSync((options.address as UnixAddress).path, "");
          return runtime.serve(options, handler);
        };
        const path = `${folder}/a.sock`;
        let drops = 0;
        const onDrop = (): void => void drops++;
        const options = { address: { path, mode: 0o660 }, onDrop };
        const { url, renew, stop } = await listenWith({ ...runtime, serve }, options);
        assertEquals([url, await renew(tls("a"))], [`unix:${path}`, false]);
        fail(0, "memory");
        await eventually(() => servers().length === 2);
        assertEquals([drops, Deno.lstatSync(path).mode! & 0o777], [1, 0o660]);
        await stop();
        assertEquals([...Deno.readDirSync(folder)], []);
        assertEquals(servers().map((words) => words.replace(/^\S+ /, "")), [
          "plain limited stopped",
          "plain limited stopped",
        ]);
      })
    ),
});

Deno.test("listen() throws why an address cannot be listened on", async () => {
  const { runtime } = setup();
  const { message } = await assertRejects(
    () => listenWith(runtime, { tls: tls("broken") }),
    ListenError,
  );
  assertEquals(
    message,
    "cannot listen on 127.0.0.1, port 0: permission denied",
  );
});

Deno.test("a server answers a mistake around its handler as a fault, and logs it", async () => {
  const { runtime, options } = setup();
  const errors: unknown[] = [];
  const log = { ...SILENT, error: (_: string, cause: unknown) => void errors.push(cause) };
  const { stop } = await listenWith(runtime, { log });
  const cause = new Error("canary");
  const reply = options[0]!.onError(cause);
  const body = await reply.text();
  assertEquals([reply.status, errors], [500, [cause]]);
  assertEquals(Object.fromEntries(reply.headers), {
    "cache-control": "no-store",
    "content-type": "text/plain; charset=utf-8",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  });
  assert(body.length > 0 && !body.includes("canary"), body);
  await stop();
});
