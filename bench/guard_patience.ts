// Whether right pins are refused while this server is busy or stopped, and its Redis is well: a
// closed loop of many connections, with and without pauses of the process (SIGSTOP and SIGCONT).
// The figure to look at is that of wrong refusals: it is to be 0. Needs redis-server; TEST_PROGRAM
// names what is tried (deno, bun, executable).
//
//     deno run -A bench/guard_patience.ts [connections [seconds]]

import process from "node:process";
import { PROGRAM } from "../tests/support/program.ts";
import { startClosedLoop } from "../tests/support/closed_loop.ts";
import { withRedis } from "../tests/support/redis_server.ts";
import { counted, readiness, startServer, stop } from "../tests/support/two_servers.ts";

const CONNECTIONS = Number(process.argv[2] ?? 2048);
const SECONDS = Number(process.argv[3] ?? 10);
const PAUSE_MS = 2000;

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

await withRedis([], async ({ url }) => {
  const keyFile = Deno.makeTempFileSync();
  Deno.writeTextFileSync(keyFile, "k".repeat(32));
  process.stdout.write(
    "| Program | connections | pauses | true | wrong refusals | other | store errors |\n",
  );
  process.stdout.write("| --- | --: | --: | --: | --: | --: | --: |\n");
  for (const pauses of [0, 3]) {
    const server = await startServer(url, keyFile);
    while (await readiness(server) !== 200) await sleep(50);
    const loop = await startClosedLoop(server, CONNECTIONS);
    for (let i = 0; i < pauses; i++) {
      await sleep(SECONDS * 1000 / (pauses + 1));
      server.signal("SIGSTOP");
      await sleep(PAUSE_MS);
      server.signal("SIGCONT");
    }
    await sleep(SECONDS * 1000 / (pauses + 1));
    const { right, refused, other } = await loop.end();
    const errors = await counted(server, "authenticator_guard_store_errors_total");
    process.stdout.write(
      `| ${PROGRAM} | ${CONNECTIONS} | ${pauses} × ${PAUSE_MS} ms | ${right} | ${refused} | ${other} | ${errors} |\n`,
    );
    await stop(server);
  }
  Deno.removeSync(keyFile);
});
