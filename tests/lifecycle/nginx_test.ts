/**
 * Two instances behind nginx, each restarted in turn under a steady load: no request is lost.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { type RunningProgram, startProgram } from "../support/program.ts";
import { steadyLoad } from "./load.ts";
import { exchange, hasNginx, startNginx } from "./nginx.ts";

const REQUESTS_PER_SECOND = 1_000;
const ROUNDS = 3;
// Between restarts, so that the load runs over both instances again.
const PAUSE_MS = 1_000;

const present = await hasNginx();
if (!present) tell("tests/lifecycle needs nginx (Debian: apt-get install nginx)");
// In CI a missing tool is a failure; elsewhere it is said.
const ignore = !present && Deno.env.get("CI") !== "true";

function tell(line: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`));
}

/** Where an instance listens. */
interface Place {
  readonly args: readonly string[];
  readonly upstream: string;
}

function sockets(folder: string): readonly Place[] {
  return ["1", "2"].map((name) => ({
    args: ["--socket", `${folder}/${name}.sock`],
    upstream: `unix:${folder}/${name}.sock`,
  }));
}

function ports(): readonly Place[] {
  const listeners = [1, 2].map(() => Deno.listen({ hostname: "127.0.0.1", port: 0 }));
  const places = listeners.map(({ addr: { port } }) => ({
    args: ["--port", String(port)],
    upstream: `127.0.0.1:${port}`,
  }));
  for (const listener of listeners) listener.close();
  return places;
}

/** The lines of nginx's log that tell of a request that an instance took and did not answer. */
async function restartUnderLoad(
  places: readonly Place[],
  folder: string,
  change?: (configuration: string) => string,
): Promise<readonly string[]> {
  const start = ({ args }: Place): Promise<RunningProgram> =>
    startProgram([...args, "--trust-proxy"]);
  const programs = await Promise.all(places.map(start));
  const nginx = await startNginx(folder, places.map(({ upstream }) => upstream), change);
  const ended = new AbortController();
  const load = steadyLoad(
    `${nginx.url}/api.asmx/ValidatePin`,
    REQUESTS_PER_SECOND,
    ended.signal,
  );
  for (let restarts = 0; restarts < ROUNDS * places.length; restarts++) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const index = restarts % places.length;
    programs[index]!.signal("SIGTERM");
    assertEquals((await programs[index]!.outcome).code, 0);
    programs[index] = await start(places[index]!);
  }
  ended.abort();
  const { sent, outcomes } = await load;
  const log = await nginx.stop();
  for (const program of programs) program.signal("SIGTERM");
  for (const program of programs) assertEquals((await program.outcome).code, 0);
  tell(`${sent} requests in ${ROUNDS * places.length} restarts: ${JSON.stringify(outcomes)}`);
  assert(sent > 1_000);
  assertEquals(outcomes, { "200": sent });
  return log.filter((line) => !/connect\(\)/.test(line));
}

async function withFolder(act: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await act(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test({
  name: "on sockets: every request is answered, and none had to be sent twice",
  ignore,
  fn: () =>
    withFolder(async (folder) => {
      assertEquals(await restartUnderLoad(sockets(folder), folder), []);
    }),
});

Deno.test({
  name: "on ports, where nginx may send a POST again: every request is answered",
  ignore,
  fn: () =>
    withFolder(async (folder) => {
      const again = await restartUnderLoad(ports(), folder, (configuration) =>
        exchange(
          configuration,
          "proxy_next_upstream error timeout;",
          "proxy_next_upstream error timeout non_idempotent;",
        ));
      tell(`sent again by nginx: ${again.length}`);
    }),
});
