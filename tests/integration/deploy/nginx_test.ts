/**
 * Two instances behind nginx, each restarted in turn under a steady load: no request is lost.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { freePort } from "../../support/free_port.ts";
import { type RunningProgram, startProgram } from "../../support/program.ts";
import { type Count, steadyLoad } from "./load.ts";
import { startNginx, withErrors } from "./nginx.ts";
import { exchange } from "../../support/deploy.ts";
import { withFolder } from "../../support/folder.ts";

// On a busy machine many fewer a second are answered.
const LOAD = { perSecond: 1_000, least: 1_000, atOnce: 256, patienceMs: 60_000 };
// Of two instances in turn.
const RESTARTS = 6;
// Between restarts, so that the load runs over both instances again.
const PAUSE_MS = 1_000;

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
  return [1, 2].map(freePort).map((port) => ({
    args: ["--port", String(port)],
    upstream: `127.0.0.1:${port}`,
  }));
}

/** What became of the requests, and what nginx logged of them but refused connections. */
interface Restarts {
  readonly count: Count;
  readonly log: readonly string[];
}

async function restartUnderLoad(
  places: readonly Place[],
  folder: string,
  change: (configuration: string) => string = (same) => same,
): Promise<Restarts> {
  const start = ({ args }: Place): Promise<RunningProgram> =>
    startProgram([...args, "--trust-proxy"]);
  const programs = await Promise.all(places.map(start));
  const nginx = await startNginx(
    folder,
    places.map(({ upstream }) => upstream),
    (configuration) => change(withErrors(configuration)),
  );
  const ended = new AbortController();
  const load = steadyLoad(`${nginx.url}/api.asmx/ValidatePin`, LOAD, ended.signal);
  try {
    for (let restarts = 0; restarts < RESTARTS; restarts++) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      const index = restarts % places.length;
      programs[index]!.signal("SIGTERM");
      assertEquals((await programs[index]!.outcome).code, 0);
      programs[index] = await start(places[index]!);
    }
  } finally {
    ended.abort();
  }
  const count = await load;
  const log = await nginx.stop();
  for (const program of programs) program.signal("SIGTERM");
  for (const program of programs) assertEquals((await program.outcome).code, 0);
  tell(`${count.sent} requests in ${RESTARTS} restarts`);
  return { count, log: log.filter((line) => !/connect\(\)/.test(line)) };
}

function assertAllAnswered({ sent, outcomes }: Count): void {
  assertEquals(outcomes, { "200": sent });
  assert(sent >= LOAD.least);
}

Deno.test("on sockets: every request is answered, and none had to be sent twice", () =>
  withFolder(async (folder) => {
    const { count, log } = await restartUnderLoad(sockets(folder), folder);
    assertAllAnswered(count);
    assertEquals(log, []);
  }));

// The error of nginx for a connection that an instance closed before its reply.
const CLOSED = /upstream prematurely closed connection|(?:recv|send|writev)\(\) failed \(104:/;

Deno.test("on ports, where nginx may send a POST again: every request is answered", () =>
  withFolder(async (folder) => {
    const { count, log } = await restartUnderLoad(ports(), folder, (configuration) =>
      exchange(
        configuration,
        "proxy_next_upstream error timeout;",
        "proxy_next_upstream error timeout non_idempotent;",
      ));
    assertAllAnswered(count);
    assertEquals(log.filter((line) => !CLOSED.test(line)), []);
    // It happens to the requests that are under way as a port closes, and to no others.
    const again = new Set(log.map((line) => / \*(\d+) /.exec(line)?.[1])).size;
    tell(`sent again by nginx: ${again}`);
    assert(again <= LOAD.atOnce * RESTARTS, `${again} requests had to be sent again`);
  }));
