import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { denoRuntime } from "../../../../lib/server/runtime/deno.ts";
import { authorityOf } from "../../../../lib/server/runtime/runtime.ts";
import type {
  PeerAddresses,
  Server,
  ServerFailure,
  ServerOptions,
} from "../../../../lib/server/runtime/runtime.ts";
import type { Handler } from "../../../../lib/http/handler.ts";

// Without the interval that looks at the memory.
const UNLIMITED = { limitsMemory: false };

const PORT = { hostname: "127.0.0.1", port: 0 };

function serve(handler: Handler, peers?: PeerAddresses): Server & { readonly url: string } {
  const onError = (): Response => new Response("failed", { status: 500 });
  const usual = { address: PORT, tls: undefined, shared: false, limitsMemory: true };
  const options = { ...usual, onError, peers };
  const server = denoRuntime().serve(options, handler);
  assert(server.address);
  return { ...server, url: `http://${server.address.hostname}:${server.address.port}` };
}

Deno.test("a server on Deno answers by its handler, and by its error handler where that fails", async () => {
  const { url, shutdown } = serve(({ url }) =>
    url.endsWith("/well") ? Promise.resolve(new Response("well")) : Promise.reject(new Error("no"))
  );
  const texts = [];
  for (const path of ["/well", "/ill"]) texts.push(await (await fetch(url + path)).text());
  assertEquals(texts, ["well", "failed"]);
  await shutdown();
});

Deno.test("a server on Deno notes the address of a caller without its port, where that is wanted", async () => {
  const peers: PeerAddresses = new WeakMap();
  for (const [wanted, noted] of [[peers, "127.0.0.1"], [undefined, "none"]] as const) {
    const { url, shutdown } = serve(
      (request) => Promise.resolve(new Response(peers.get(request) ?? "none")),
      wanted,
    );
    assertEquals(await (await fetch(url)).text(), noted);
    await shutdown();
  }
});

Deno.test("a request without a host is for the address that is listened on, and for localhost on any", () => {
  const authorities = ["0.0.0.0", "::", "::1", "192.0.2.1"]
    .map((hostname) => authorityOf({ hostname, port: 80 }));
  assertEquals(authorities, ["localhost:80", "localhost:80", "[::1]:80", "192.0.2.1:80"]);
});

Deno.test("a server on Deno that was stopped has not failed", async () => {
  const { failed, shutdown } = serve(() => Promise.resolve(new Response()));
  let hasFailed = false;
  void failed.then(() => hasFailed = true);
  await shutdown();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assertEquals(hasFailed, false);
});

/** The arguments of a call of Deno.serve(), which is replaced. */
interface ServeCall {
  readonly options: Record<string, unknown>;
  readonly answer: (request: Request) => Promise<Response>;
  readonly finished: PromiseWithResolvers<void>;
}

/** Starts a server with Deno.serve() replaced. */
function serveReplaced(
  options: Partial<ServerOptions>,
  handler: Handler,
): Server & { call: ServeCall } {
  const original = Deno.serve;
  let call: ServeCall | undefined;
  const serve = (options: ServeCall["options"], answer: ServeCall["answer"]): unknown => {
    const finished = Promise.withResolvers<void>();
    call = { options, answer, finished };
    const addr = { hostname: "::1", port: 7, transport: "tcp" };
    return { addr, finished: finished.promise, shutdown: () => Promise.resolve() };
  };
  Object.assign(Deno, { serve });
  try {
    const onError = (): Response => new Response();
    const usual = { address: PORT, tls: undefined, shared: false, limitsMemory: true, onError };
    const all = { ...usual, ...options };
    return { ...denoRuntime().serve(all, handler), call: call! };
  } finally {
    Object.assign(Deno, { serve: original });
  }
}

const well: Handler = ({ url }) => Promise.resolve(new Response(url));

for (const [how, end] of [["ends", "resolve"], ["fails", "reject"]] as const) {
  Deno.test(`a server on Deno that ${how} without close() has failed`, async () => {
    const { failed, call } = serveReplaced({}, well);
    call.finished[end]();
    await failed;
  });

  Deno.test(`a server on Deno that was stopped and then ${how} has not failed`, async () => {
    const { failed, shutdown, call } = serveReplaced({}, well);
    let hasFailed = false;
    void failed.then(() => hasFailed = true);
    await shutdown();
    call.finished[end]();
    await new Promise((resolve) => setTimeout(resolve, 5));
    assertEquals(hasFailed, false);
  });
}

Deno.test("a server on Deno that is aborted closes the connections of silent callers, and has not failed", async () => {
  const { address, failed, abort } = serve(() => Promise.resolve(new Response("well")));
  let hasFailed = false;
  void failed.then(() => hasFailed = true);
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: address!.port });
  // The preface of HTTP/2, for which a shutdown waits.
  await connection.write(new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\n"));
  abort();
  while (await connection.read(new Uint8Array(1_024)).catch(() => null) !== null);
  assertEquals(hasFailed, false);
});

Deno.test("a server on Deno fails when the memory outside of the heap grows by 160 MiB, at the 200th request or a look between, where that is wanted", async () => {
  const { memoryUsage } = Deno;
  const { setInterval } = globalThis;
  const looks: (() => void)[] = [];
  Object.assign(globalThis, {
    setInterval: (look: () => void, ms: number) => {
      looks.push(look);
      return setInterval(look, ms);
    },
  });
  let rss = 70 * 2 ** 20;
  Object.assign(Deno, { memoryUsage: () => ({ rss, heapTotal: 0 }) });
  try {
    const { failed, abort, call } = serveReplaced({}, well);
    let failure: ServerFailure | undefined;
    void failed.then((cause) => failure = cause);
    rss += 160 * 2 ** 20;
    for (let requests = 1; requests <= 200; requests++) {
      assertEquals(failure, undefined);
      await call.answer(new Request("http://localhost/"));
    }
    assertEquals(await failed, "memory");
    abort();
    const idle = serveReplaced({}, well);
    rss += 160 * 2 ** 20;
    looks.at(-1)!();
    assertEquals(await idle.failed, "memory");
    idle.abort();
    const other = serveReplaced({ limitsMemory: false }, well);
    rss += 160 * 2 ** 20;
    for (let requests = 1; requests <= 400; requests++) {
      await other.call.answer(new Request("http://localhost/"));
    }
    other.call.finished.resolve();
    assertEquals(await other.failed, "not-accepting");
  } finally {
    Object.assign(Deno, { memoryUsage });
    Object.assign(globalThis, { setInterval });
  }
});

const TLS = { cert: "a", key: "b" };

for (const tls of [undefined, TLS]) {
  Deno.test(`what is left of a chunked body is ${tls ? "cancelled behind the reply over TLS" : "left to Deno without TLS"}`, async () => {
    const { call } = serveReplaced({ ...UNLIMITED, tls }, well);
    for (const framing of ["content-length", "transfer-encoding"]) {
      const cancelled = Promise.withResolvers<void>();
      let isCancelled = false;
      const body = new ReadableStream({
        pull: () => new Promise(() => {}),
        cancel: () => {
          isCancelled = true;
          cancelled.resolve();
        },
      });
      const request = new Request("http://localhost/", {
        method: "POST",
        headers: { [framing]: framing === "content-length" ? "9" : "chunked" },
        body,
      });
      assertEquals(await (await call.answer(request)).text(), "http://localhost/");
      const isHeld = tls !== undefined && framing === "transfer-encoding";
      assertEquals([request.body?.locked, isCancelled], [isHeld, false]);
      if (isHeld) await cancelled.promise;
    }
  });

  Deno.test(`the eighth request ${tls ? "over TLS waits for a turn" : "without TLS waits for nothing"}`, async () => {
    let answered = 0;
    const { call } = serveReplaced({ ...UNLIMITED, tls }, () => {
      answered++;
      return Promise.resolve(new Response());
    });
    const replies = Array.from({ length: 9 }, () => call.answer(new Request("http://localhost/")));
    assertEquals(answered, tls ? 8 : 9);
    await Promise.all(replies);
    assertEquals(answered, 9);
  });
}

Deno.test("what is left of a body that was begun and is too large is left to Deno without TLS", async () => {
  const cancelled = Promise.withResolvers<void>();
  const { call } = serveReplaced(UNLIMITED, async ({ body }) => {
    const reader = body!.getReader();
    await reader.read();
    reader.releaseLock();
    return new Response("too large", { status: 413 });
  });
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(9)),
    cancel: () => cancelled.resolve(),
  });
  const request = new Request("http://localhost/", { method: "POST", body });
  assertEquals(await (await call.answer(request)).text(), "too large");
  await cancelled.promise;
});

Deno.test("Deno serves on a port, alone or shared, and with a certificate", () => {
  for (const [shared, secure] of [[false, {}], [true, TLS]] as const) {
    const { address, call } = serveReplaced(
      { ...UNLIMITED, shared, tls: shared ? TLS : undefined },
      well,
    );
    const { onListen, onError, signal, ...rest } = call.options;
    assertEquals(address, { hostname: "::1", port: 7 });
    assertEquals(rest, { ...PORT, ...secure, reusePort: shared });
    assertEquals([typeof onListen, typeof onError], ["function", "function"]);
    assertEquals((signal as AbortSignal).aborted, false);
  }
});

Deno.test("an empty Host on Deno is the address that is listened on, by the scheme of the request", async () => {
  for (const scheme of ["http", "https"]) {
    const { call } = serveReplaced({ ...UNLIMITED }, well);
    const headers = new Headers({ host: "" });
    const reply = await call.answer({ url: `${scheme}:///a?b`, headers } as Request);
    assertEquals(await reply.text(), `${scheme}://[::1]:7/a?b`);
  }
});

Deno.test("Deno serves on a socket, and a request without a Host is for this machine there", async () => {
  const { address, call } = serveReplaced({ ...UNLIMITED, address: { path: "/a.sock" } }, well);
  assertEquals([address, call.options.path], [undefined, "/a.sock"]);
  const urlOf = async (url: string, headers: HeadersInit = {}): Promise<string> =>
    await (await call.answer({ url, headers: new Headers(headers) } as Request)).text();
  const path = "http+unix://%2Fa.sock";
  assertEquals(
    await urlOf(`${path}/healthz?a=http+unix://b`),
    "http://localhost/healthz?a=http+unix://b",
  );
  // A Host is what it is, also where it looks like the path.
  assertEquals(await urlOf(`${path}/`, { host: "%2Fa.sock" }), `${path}/`);
  for (const url of ["http://example.com/", "http+unix://example.com/"]) {
    assertEquals(await urlOf(url), url);
  }
});

for (const address of [PORT, { path: "/a.sock" }]) {
  Deno.test(`on Deno the reply to CONNECT is too short, to end its connection (${Object.keys(address)[0]})`, async () => {
    const headers = new Headers({ connection: "close" });
    const { call } = serveReplaced(
      { ...UNLIMITED, address },
      () => Promise.resolve(new Response("no", { status: 405, headers })),
    );
    const replyTo = async (method: string): Promise<unknown> => {
      const request = { method, url: "http://localhost/", headers: new Headers() } as Request;
      const reply = await call.answer(request);
      const fields = ["connection", "content-length"].map((name) => reply.headers.get(name));
      return [reply.status, ...fields, await reply.text()];
    };
    assertEquals(await replyTo("CONNECT"), [405, "close", "3", "no"]);
    assertEquals(await replyTo("TRACE"), [405, "close", null, "no"]);
  });
}

/** Runs a test with a replaced write() of standard error. */
async function withStderr(
  write: (bytes: Uint8Array) => Promise<number>,
  run: () => Promise<void>,
): Promise<void> {
  const original = Deno.stderr.write;
  Object.assign(Deno.stderr, { write });
  try {
    await run();
  } finally {
    Object.assign(Deno.stderr, { write: original });
  }
}

Deno.test("standard error is written whole even if the pipe is full at times", async () => {
  let taken = "";
  let turns = 0;
  await withStderr((bytes) => {
    if (turns++ % 2 === 0) return Promise.reject(new Deno.errors.WouldBlock());
    taken += new TextDecoder().decode(bytes.subarray(0, 4));
    return Promise.resolve(Math.min(4, bytes.length));
  }, async () => await denoRuntime().writeError("0123456789"));
  assertEquals([taken, turns], ["0123456789", 6]);
});

Deno.test("a failed write to standard error is an error", async () => {
  await withStderr(
    () => Promise.reject(new Deno.errors.BrokenPipe("gone")),
    async () =>
      void await assertRejects(() => denoRuntime().writeError("a"), Deno.errors.BrokenPipe),
  );
  let calls = 0;
  await withStderr(
    () => Promise.resolve(++calls),
    async () => await denoRuntime().writeError(""),
  );
  assertEquals(calls, 0);
});
