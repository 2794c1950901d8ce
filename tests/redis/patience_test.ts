import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { eventually } from "../support/eventually.ts";
import { startClosedLoop } from "./closed_loop.ts";
import { withRedis } from "./server.ts";
import { counted, readiness, startServer, stop } from "./two_servers.ts";

// As many as a test may open where 1,024 descriptors are allowed; `bench/guard_patience.ts` takes
// 2,048 and more.
const CONNECTIONS = 500;
const PAUSE_MS = 2000;

Deno.test("no right pin is refused while the server is busy or stopped and its Redis is well", async () => {
  await withRedis([], async ({ url }) => {
    const keyFile = Deno.makeTempFileSync();
    Deno.writeTextFileSync(keyFile, "k".repeat(32));
    const server = await startServer(`${url}?timeout=500`, keyFile);
    await eventually(async () => await readiness(server) === 200);
    const loop = await startClosedLoop(server, CONNECTIONS);
    for (let pause = 0; pause < 2; pause++) {
      const { right } = loop.answers;
      await eventually(() => loop.answers.right > right + 2 * CONNECTIONS);
      server.signal("SIGSTOP");
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      server.signal("SIGCONT");
    }
    const { right, refused, other } = await loop.end();
    assertEquals([refused, other], [0, 0]);
    assert(right > 4 * CONNECTIONS);
    assertEquals(await counted(server, "authenticator_guard_store_errors_total"), 0);
    await stop(server);
    assert(!/ warn /.test((await server.outcome).stderr));
    Deno.removeSync(keyFile);
  });
});
