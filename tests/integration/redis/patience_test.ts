import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { eventually } from "../../support/eventually.ts";
import { type RunningProgram, stop } from "../../support/program.ts";
import { startClosedLoop } from "../../support/closed_loop.ts";
import { withRedis } from "../../support/redis_server.ts";
import { counted, readiness, startServer } from "../../support/two_servers.ts";

// As many as a test may open where 1,024 descriptors are allowed.
const CONNECTIONS = 500;
const PAUSE_MS = 2000;
const PATIENCE_MS = 500;
const ATTEMPTS = 10;
// What may hold a store up, on a busy machine, is its disk.
const IN_MEMORY = ["--appendonly", "no"];

/** How a server did while it was busy and stopped. */
interface Report {
  readonly refused: number;
  readonly errors: number;
  /** Whether another server, which is neither, found that the store answered in half the time. */
  readonly wasWell: boolean;
}

async function busyAndStopped(server: RunningProgram, witness: RunningProgram): Promise<Report> {
  const calm = await startClosedLoop(witness, 1);
  const loop = await startClosedLoop(server, CONNECTIONS);
  for (let pause = 0; pause < 2; pause++) {
    const { right } = loop.answers;
    await eventually(() => loop.answers.right > right + 2 * CONNECTIONS);
    server.signal("SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    server.signal("SIGCONT");
  }
  const { right, refused, other } = await loop.end();
  assertEquals(other, 0);
  assert(right > 4 * CONNECTIONS);
  const errors = await counted(server, "authenticator_guard_store_errors_total");
  const seen = await calm.end();
  return { refused, errors, wasWell: seen.refused === 0 && seen.other === 0 };
}

Deno.test("no right pin is refused while the server is busy or stopped and its Redis answers", async () => {
  await withRedis(IN_MEMORY, async ({ url }) => {
    for (let attempt = 1;; attempt++) {
      const [server, witness] = await Promise.all(
        [PATIENCE_MS, PATIENCE_MS / 2].map((ms) => startServer(`${url}?timeout=${ms}`)),
      );
      for (const each of [server!, witness!]) {
        await eventually(async () => await readiness(each) === 200);
      }
      const { refused, errors, wasWell } = await busyAndStopped(server!, witness!);
      for (const each of [server!, witness!]) await stop(each);
      const warnings = (await server!.outcome).stderr.match(/^.* warn .*$/gm) ?? [];
      if (!wasWell && warnings.length > 0 && attempt < ATTEMPTS) continue;
      assertEquals([refused, errors, warnings], [0, 0, []]);
      break;
    }
  });
});
