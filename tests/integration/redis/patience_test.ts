import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { eventually } from "../../support/eventually.ts";
import { type RunningProgram, stop } from "../../support/program.ts";
import { load, refusals } from "../../support/load.ts";
import { withRedis } from "../../support/redis_server.ts";
import { counted, readiness, startServer } from "../../support/two_servers.ts";

// A connection for each, as many as a test may open where 1,024 descriptors are allowed.
const SECRETS = Array.from({ length: 500 }, (_, i) => `secret ${i}`);
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
  const calm = load([witness], ["calm"]);
  const busy = load([server], SECRETS);
  for (let pause = 0; pause < 2; pause++) {
    await busy.round("True");
    server.signal("SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    server.signal("SIGCONT");
  }
  const [refused, all] = refusals((await busy.end()).values());
  assert(all > 4 * SECRETS.length);
  const errors = await counted(server, "authenticator_guard_store_errors_total");
  return { refused, errors, wasWell: refusals((await calm.end()).values())[0] === 0 };
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
      const warnings = (await server!.outcome).stderr.match(/^.* warn the store .*$/gm) ?? [];
      if (!wasWell && warnings.length > 0 && attempt < ATTEMPTS) continue;
      assertEquals([refused, errors, warnings], [0, 0, []]);
      break;
    }
  });
});
