import { assertEquals } from "@std/assert/equals";
import { addressObstacles, storeObstacles } from "../../lib/findings/obstacles.ts";
import { configOf } from "../cli/command.ts";
import { freePort } from "../support/free_port.ts";

Deno.test("storeObstacles() tries the store, and none that no server would ask", async () => {
  const nowhere = `redis://127.0.0.1:${freePort()}`;
  const obstacles = (...args: string[]): Promise<readonly string[]> =>
    storeObstacles(configOf(["--guard", nowhere, ...args]));
  const refused = [`the store of the guard, ${nowhere}, cannot be reached (ECONNREFUSED)`];
  assertEquals(await obstacles(), refused);
  assertEquals(await obstacles("--single-use"), refused);
  // Without a limit and without single use there is no guard.
  assertEquals(await obstacles("--max-failures", "0", "--single-use"), refused);
  assertEquals(await obstacles("--max-failures", "0"), []);
  assertEquals(await storeObstacles(configOf([])), []);
});

Deno.test("addressObstacles() lets go of the port that it tried", async () => {
  const port = freePort();
  const taken = Deno.listen({ hostname: "127.0.0.1", port });
  assertEquals(await addressObstacles(configOf(["--port", String(port)])), [
    `cannot listen on 127.0.0.1, port ${port}: the port is in use by another program`,
  ]);
  taken.close();
  assertEquals(await addressObstacles(configOf(["--port", String(port)])), []);
  using again = Deno.listen({ hostname: "127.0.0.1", port });
  assertEquals(again.addr.port, port);
});
