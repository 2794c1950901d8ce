import http from "node:http";
import process from "node:process";
import { assertEquals } from "@std/assert/equals";
import { bunRuntime } from "../../../../lib/server/runtime/bun.ts";
import type {
  PeerAddresses,
  Runtime,
  Server,
  ServerOptions,
} from "../../../../lib/server/runtime/runtime.ts";
import type { Handler } from "../../../../lib/http/handler.ts";
import { ManualTimers } from "../../../support/timers.ts";

const PORT = { hostname: "127.0.0.1", port: 0 };
const TLS = { cert: "a", key: "b" };
const MIB = 2 ** 20;

/** Runs an act with a replaced Bun. */
function withBun<T>(
  serve: (options: Bun.ServeOptions) => unknown,
  act: (runtime: Runtime) => T,
): T {
  Object.assign(globalThis, { Bun: { version: "1.2.3", serve } });
  try {
    return act(bunRuntime());
  } finally {
    Reflect.deleteProperty(globalThis, "Bun");
  }
}

/** A server on a replaced Bun. */
interface Setup extends Server {
  readonly given: Bun.ServeOptions;
  /** The server of Bun, with its stops. */
  readonly bun: { pendingRequests: number; hostname: string; stops: (true | undefined)[] };
  readonly ask: (request: Request) => Promise<Response>;
}

function serve(handler: Handler, options: Partial<ServerOptions> = {}): Setup {
  const onError = (): Response => new Response();
  const usual = { address: PORT, tls: undefined, shared: false, limitsMemory: false, onError };
  const bun = {
    hostname: "127.0.0.1",
    port: 7,
    pendingRequests: 0,
    stops: [] as (true | undefined)[],
    requestIP: () => ({ address: "192.0.2.1" }),
    // Waits for its callers, unless they are cut off.
    stop: (now?: true) => {
      bun.stops.push(now);
      return now ? Promise.resolve() : new Promise<void>(() => {});
    },
  };
  let given: Bun.ServeOptions | undefined;
  const replaced = (options: Bun.ServeOptions): unknown => {
    given = options;
    return bun;
  };
  const server = withBun(replaced, (runtime) => runtime.serve({ ...usual, ...options }, handler));
  const ask = async (request: Request): Promise<Response> => await given!.fetch(request);
  return { ...server, given: given!, bun, ask };
}

Deno.test("Bun shares ports on all systems but Windows", () => {
  const { platform } = process;
  try {
    for (const [name, expected] of [["linux", true], ["darwin", true], ["win32", false]] as const) {
      Object.defineProperty(process, "platform", { value: name, configurable: true });
      assertEquals(withBun(() => {}, ({ sharesPorts }) => sharesPorts), expected);
    }
  } finally {
    Object.defineProperty(process, "platform", { value: platform, configurable: true });
  }
});

Deno.test("Bun serves on a port, alone or shared, with ciphers of forward secrecy, and on a socket", () => {
  const rows: readonly (readonly [Partial<ServerOptions>, unknown, unknown])[] = [
    [{}, { ...PORT, reusePort: false }, { hostname: "127.0.0.1", port: 7 }],
    [
      { shared: true, tls: TLS },
      {
        ...PORT,
        reusePort: true,
        tls: { ...TLS, ciphers: "ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE+AES" },
      },
      { hostname: "127.0.0.1", port: 7 },
    ],
    [{ address: { path: "/a.sock" } }, { unix: "/a.sock" }, undefined],
  ];
  for (const [options, expected, address] of rows) {
    const server = serve(() => Promise.resolve(new Response()), options);
    const { fetch: _, error, ...rest } = server.given;
    const limits = {
      development: false,
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      idleTimeout: 255,
    };
    assertEquals(rest, { ...limits, ...expected as object });
    assertEquals([typeof error, server.address], ["function", address]);
  }
  assertEquals(http.maxHeaderSize, 65_536);
});

Deno.test("a request on Bun has the URL that was sent, and the listening address without a Host", async () => {
  const rows: readonly (readonly [string, string | undefined, string, Partial<ServerOptions>?])[] =
    [
      ["http://a.example/x?y", "a.example", "http://a.example/x?y"],
      ["http://a.example/x?y=http://b/", "A.example:80", "http://A.example:80/x?y=http://b/"],
      ["https://a.example/x", "a.example:443", "https://a.example:443/x", { tls: TLS }],
      ["/x?y", "", "http://127.0.0.1:7/x?y"],
      ["/x?y", undefined, "http://localhost:7/x?y"],
      ["/x?y", undefined, "http://localhost/x?y", { address: { path: "/a.sock" } }],
      ["http://a.example/x?y=%EF%BF%BD%EF%BF%BD", "a.example", "http://a.example/x?y=%FF%FF"],
      ["http://a.example:8080/x", "a.example", "http://a.example/x"],
      ["a.example:443", "a.example", "a.example:443"],
      ["*", "a.example", "*"],
    ];
  for (const [url, host, expected, options] of rows) {
    const headers = new Headers(host === undefined ? {} : { host });
    const request = { method: "GET", url, headers, body: null } as Request;
    const { ask } = serve(({ url }) => Promise.resolve(new Response(url)), options);
    assertEquals(await (await ask(request)).text(), expected);
  }
});

Deno.test("a server on Bun notes the address of each caller where that is wanted", async () => {
  const peers: PeerAddresses = new WeakMap();
  for (const wanted of [undefined, peers]) {
    const { ask } = serve(() => Promise.resolve(new Response()), { peers: wanted });
    const request = new Request("http://localhost/");
    await ask(request);
    assertEquals(peers.get(request), wanted && "192.0.2.1");
  }
});

/** A request on Bun: its fields, and how much of its body is read. */
interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly read?: "begun" | "whole";
}

const CHUNKED = { "transfer-encoding": "chunked" };

/** The reply's status and Connection, and how many MiB of a body of 3 MiB are dropped before it. */
const ROWS: readonly (readonly [Sent, status: number, connection: string | null, MiB: number])[] = [
  [{}, 200, null, 0],
  [{ headers: { connection: "close" } }, 200, "close", 0],
  [{ headers: { connection: "te,\tClose , x" } }, 200, "close", 0],
  [{ headers: { connection: "closed, x-close" } }, 200, null, 0],
  [{ headers: { "content-length": String(MIB) } }, 415, null, 0],
  [{ headers: { "content-length": String(MIB), connection: "close" } }, 415, "close", 2],
  [{ headers: { "content-length": String(MIB + 1) } }, 413, "close", 0],
  [{ headers: CHUNKED }, 415, "close", 2],
  [{ headers: CHUNKED, read: "whole" }, 200, null, 0],
  [{ headers: CHUNKED, read: "begun" }, 413, "close", 2],
  [{ headers: CHUNKED, read: "begun" }, 400, null, 0],
  [{ read: "begun" }, 408, "close", 0],
  [{}, 503, "close", 0],
];

Deno.test("Bun drops the rest of a body up to 1 MiB before a reply that closes, and closes where it would receive more", async () => {
  for (const [{ headers, read }, status, connection, expected] of ROWS) {
    let pulled = 0;
    const body = headers?.["content-length"] === undefined && headers !== CHUNKED && !read
      ? null
      : new ReadableStream<Uint8Array>({
        pull: (controller) => {
          if (++pulled > 3) controller.close();
          else controller.enqueue(new Uint8Array(MIB));
        },
      }, { highWaterMark: 0 });
    const { ask } = serve(async (request) => {
      const reader = read && request.body!.getReader();
      await reader?.read();
      while (read === "whole" && !(await reader!.read()).done);
      reader?.releaseLock();
      pulled = 0;
      return new Response(null, { status });
    });
    const method = body ? "POST" : "GET";
    const reply = await ask(
      new Request("http://localhost/", { method, headers: headers ?? {}, body }),
    );
    assertEquals(
      [reply.headers.get("connection"), pulled],
      [connection, expected],
      `${status} ${JSON.stringify(headers)} ${read}`,
    );
  }
});

Deno.test("Bun drops the rest of a body for two seconds at most, and of a caller that is gone", async () => {
  for (const isGone of [false, true]) {
    await ManualTimers.holding(2_000, async (goOff) => {
      const pull = (): Promise<void> =>
        isGone ? Promise.reject(new Error("gone")) : new Promise(() => {});
      const { ask } = serve(() => Promise.resolve(new Response(null, { status: 415 })));
      const body = new ReadableStream({ pull }, { highWaterMark: 0 });
      const init = { method: "POST", headers: CHUNKED, body };
      const reply = ask(new Request("http://localhost/", init));
      if (!isGone) await goOff();
      assertEquals((await reply).headers.get("connection"), "close");
    });
  }
});

Deno.test("on Bun the reply to HEAD alone has its Date from here", async () => {
  const { ask } = serve(() => Promise.resolve(new Response()));
  for (const method of ["GET", "HEAD"]) {
    const date = (await ask(new Request("http://localhost/", { method }))).headers.get("date");
    assertEquals(date === null, method === "GET");
  }
});

Deno.test("a server on Bun waits for its requests, and then a second for callers to close", () =>
  ManualTimers.during(async (timers) => {
    const { bun, shutdown, abort } = serve(() => Promise.resolve(new Response()));
    bun.pendingRequests = 1;
    let isDown = false;
    void shutdown().then(() => isDown = true);
    for (let second = 0; second < 3; second++) await timers.tick();
    assertEquals([isDown, bun.stops], [false, [undefined]]);
    bun.pendingRequests = 0;
    await timers.tick();
    assertEquals([isDown, bun.stops], [true, [undefined, true]]);
    assertEquals(new Set(timers.delaysMs), new Set([1_000]));
    abort();
    assertEquals(bun.stops, [undefined, true, true]);
  }));

Deno.test("Bun writes with an error for the caller and none for the process", async () => {
  const { write } = process.stderr;
  const texts: string[] = [];
  const replaced = (text: string, done: (error?: Error) => void): void => {
    texts.push(text);
    done(text === "bad" ? new Error("gone") : undefined);
  };
  Object.assign(process.stderr, { write: replaced });
  try {
    const { writeError } = withBun(() => undefined, (runtime) => runtime);
    await writeError("good");
    assertEquals(await writeError("bad").catch(({ message }) => message), "gone");
    assertEquals([texts, process.stderr.listenerCount("error")], [["good", "bad"], 1]);
  } finally {
    Object.assign(process.stderr, { write });
    process.stderr.removeAllListeners("error");
  }
});
