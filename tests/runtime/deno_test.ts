import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { denoRuntime } from "../../lib/runtime/deno.ts";
import type { Server } from "../../lib/runtime/runtime.ts";
import type { Handler } from "../../lib/http/handler.ts";

function serve(handler: Handler): Server & { readonly url: string } {
  const address = { hostname: "127.0.0.1", port: 0 };
  const onError = (): Response => new Response("failed", { status: 500 });
  const server = denoRuntime().serve({ address, tls: undefined, shared: false, onError }, handler);
  assert(server.address);
  return { ...server, url: `http://${server.address.hostname}:${server.address.port}` };
}

Deno.test("a server on Deno answers by its handler, and where that fails as it is told", async () => {
  const { url, shutdown } = serve(({ url }) =>
    url.endsWith("/well") ? Promise.resolve(new Response("well")) : Promise.reject(new Error("no"))
  );
  const texts = [];
  for (const path of ["/well", "/ill"]) texts.push(await (await fetch(url + path)).text());
  assertEquals(texts, ["well", "failed"]);
  await shutdown();
});

Deno.test("a server on Deno that was told to stop has not failed", async () => {
  const { failed, shutdown } = serve(() => Promise.resolve(new Response()));
  let hasFailed = false;
  void failed.then(() => hasFailed = true);
  await shutdown();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assertEquals(hasFailed, false);
});

/** Runs something with a standard error that takes texts as it is told. */
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

Deno.test("what is written on standard error is written whole, though the pipe is full at times", async () => {
  let taken = "";
  let turns = 0;
  await withStderr((bytes) => {
    if (turns++ % 2 === 0) return Promise.reject(new Deno.errors.WouldBlock());
    taken += new TextDecoder().decode(bytes.subarray(0, 4));
    return Promise.resolve(Math.min(4, bytes.length));
  }, async () => await denoRuntime().writeError("0123456789"));
  assertEquals([taken, turns], ["0123456789", 6]);
});

Deno.test("what cannot be written on standard error is an error", async () => {
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
