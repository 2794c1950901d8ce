/**
 * Two instances behind nginx, each restarted in turn under a steady load: no request is lost.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { AUTHORITY, STORE_CERTIFICATE, STORE_KEY } from "../../support/certificates.ts";
import { freePort } from "../../support/free_port.ts";
import {
  type Outcome,
  type RunningProgram,
  runProgram,
  startProgram,
  stop,
} from "../../support/program.ts";
import { type Instance, ports, sockets } from "./canaries.ts";
import { startNginx, withErrors } from "./nginx.ts";
import { exchange } from "../../support/deploy.ts";
import { withFolder } from "../../support/folder.ts";

// On a busy machine many fewer a second are answered.
const PER_SECOND = 1_000;
const LEAST = 1_000;
const MOST_AT_ONCE = 256;
const DEADLINE_MS = 60_000;
const TICK_MS = 2;
// Of two instances in turn.
const RESTARTS = 6;
// Between restarts, so that the load runs over both instances again.
const PAUSE_MS = 1_000;

function print(line: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`));
}

const PAIRS = "pin=123456&secretCode=correct%20horse%20battery%20staple";

/** What became of the requests. */
interface Count {
  readonly sent: number;
  /** Counts by result: a status, or the message of an error. */
  readonly outcomes: Readonly<Record<string, number>>;
}

/**
 * Sends checks of a pin, by GET and by POST in turn, until it is stopped and has sent enough, and waits
 * until each has ended.
 */
async function steadyLoad(url: string, stop: AbortSignal): Promise<Count> {
  const outcomes: Record<string, number> = {};
  const pending = new Set<Promise<void>>();
  const start = performance.now();
  let sent = 0;
  while (!stop.aborted || sent < LEAST) {
    const due = (performance.now() - start) * PER_SECOND / 1000;
    for (; sent < due && pending.size < MOST_AT_ONCE; sent++) {
      const request = outcomeOf(url, sent % 2 === 0).then((outcome) => {
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        pending.delete(request);
      });
      pending.add(request);
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await Promise.all(pending);
  return { sent, outcomes };
}

async function outcomeOf(url: string, byGet: boolean): Promise<string> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  try {
    const reply = await (byGet ? fetch(`${url}?${PAIRS}`, { signal }) : fetch(url, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: PAIRS,
      signal,
    }));
    await reply.text();
    return String(reply.status);
  } catch (error) {
    return error instanceof Error ? `${error.message}: ${error.cause}` : "failed";
  }
}

/** What became of the requests, and what nginx logged of them but refused connections. */
interface Restarts {
  readonly count: Count;
  readonly log: readonly string[];
}

async function restartUnderLoad(
  instances: readonly Instance[],
  folder: string,
  change: (configuration: string) => string = (same) => same,
): Promise<Restarts> {
  const start = ({ args }: Instance): Promise<RunningProgram> =>
    startProgram([...args, "--trust-proxy"]);
  const programs = await Promise.all(instances.map(start));
  const nginx = await startNginx(
    folder,
    instances.map(({ upstream }) => upstream),
    (configuration) => change(withErrors(configuration)),
  );
  const ended = new AbortController();
  const load = steadyLoad(`${nginx.url}/api.asmx/ValidatePin`, ended.signal);
  try {
    for (let restarts = 0; restarts < RESTARTS; restarts++) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      const index = restarts % instances.length;
      programs[index]!.signal("SIGTERM");
      assertEquals((await programs[index]!.outcome).code, 0);
      programs[index] = await start(instances[index]!);
    }
  } finally {
    ended.abort();
  }
  const count = await load;
  const log = await nginx.stop();
  for (const program of programs) program.signal("SIGTERM");
  for (const program of programs) assertEquals((await program.outcome).code, 0);
  print(`${count.sent} requests in ${RESTARTS} restarts`);
  return { count, log: log.filter((line) => !/connect\(\)/.test(line)) };
}

function assertAllAnswered({ sent, outcomes }: Count): void {
  assertEquals(outcomes, { "200": sent });
  assert(sent >= LEAST);
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
    print(`sent again by nginx: ${again}`);
    assert(again <= MOST_AT_ONCE * RESTARTS, `${again} requests had to be sent again`);
  }));

Deno.test("compare finds the server behind nginx with TLS, and one that does not know of its proxy", async () => {
  await withFolder(async (folder) => {
    const files = { cert: STORE_CERTIFICATE, key: STORE_KEY, ca: AUTHORITY };
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${folder}/${name}`, text);
    }
    const behindTls = async (
      args: readonly string[],
      given: readonly string[],
    ): Promise<Outcome> => {
      const port = freePort();
      const server = await startProgram(["--socket", `${folder}/socket`, ...args]);
      const nginx = await startNginx(
        folder,
        [`unix:${folder}/socket`, `unix:${folder}/other`],
        (site) =>
          site.replace(
            /listen 127\.0\.0\.1:\d+;/,
            `$& listen 127.0.0.1:${port} ssl; ssl_certificate ${folder}/cert; ssl_certificate_key ${folder}/key;`,
          ),
      );
      try {
        return await runProgram([
          ...["compare", `https://127.0.0.1:${port}`, "--ca", `${folder}/ca`],
          ...given,
        ]);
      } finally {
        await nginx.stop();
        await stop(server);
      }
    };
    const right = await behindTls(["--trust-proxy"], ["--trust-proxy"]);
    assertEquals([right.code, right.stderr], [0, ""], right.stdout);
    assert(!/\d (?:known|option|different)/.test(right.stdout), right.stdout);
    const wrong = await behindTls([], ["--trust-proxy"]);
    assertEquals(wrong.code, 1, wrong.stdout);
    assert(wrong.stdout.includes("Option: it has --base-url http://127.0.0.1"), wrong.stdout);
    assert(wrong.stdout.includes("or behind a proxy from --trust-proxy."), wrong.stdout);
  });
});
