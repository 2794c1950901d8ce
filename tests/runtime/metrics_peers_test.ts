/** What one server says for all that share its port, of what TEST_PROGRAM names. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { stop } from "../redis/two_servers.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free_port.ts";
import { HOSTILE, OTHER_PROTOCOLS, RAW, withPeer, withRawPeer } from "../support/peers.ts";
import { runProgram, startProgram } from "../support/program.ts";

async function answerOf(port: number, path: string): Promise<readonly [number, string]> {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: "manual" });
  return [reply.status, await reply.text()];
}

/** Asks until the answer is as expected: on a busy machine a peer may once take longer than it may. */
async function comesToSay(
  port: number,
  path: string,
  status: number,
  parts: readonly string[],
): Promise<string> {
  let said: readonly [number, string] | undefined;
  await eventually(async () => {
    said = await answerOf(port, path);
    return said[0] === status && parts.every((part) => said![1].includes(part));
  }, `${path} says what it should`).catch((error) => {
    throw new Error(`${error.message}: ${said}`);
  });
  return said![1];
}

function up(port: number, value: number): string {
  return `\nauthenticator_server_up{server="${port}"} ${value}\n`;
}

// Nothing listens there: a server that asked its peers through a proxy would hear of none.
const NO_PROXY = "http://127.0.0.1:9";

const LINUX_ONLY = { ignore: Deno.build.os !== "linux" };

Deno.test(
  "each of two servers on a port speaks for both, also when one is gone",
  LINUX_ONLY,
  async () => {
    const port = freePort();
    const ports = [freePort(), freePort()] as const;
    const programs = await Promise.all(ports.map((own) =>
      startProgram([
        ...["--port", String(port), "--share-port", "--metrics-port", String(own)],
        ...["--metrics-peers", ports.join()],
      ], { env: { HTTP_PROXY: NO_PROXY, http_proxy: NO_PROXY } })
    ));
    const two = programs[1]!;
    try {
      for (const own of ports) {
        assertEquals(await comesToSay(own, "/readyz/all", 200, []), "ok");
        const page = await comesToSay(own, "/metrics/all", 200, ports.map((each) => up(each, 1)));
        for (const each of ports) {
          assertMatch(
            page,
            new RegExp(`^authenticator_build_info\\{server="${each}",version="`, "m"),
          );
          assertMatch(
            page,
            new RegExp(`^process_cpu_seconds_total\\{server="${each}"\\} [0-9]`, "m"),
          );
        }
        assertEquals(page.match(/^# TYPE process_cpu_seconds_total .*/gm)?.length, 1);
      }
      // Callers have none of it.
      for (const path of ["/metrics/all", "/readyz/all"]) {
        assertEquals(await answerOf(port, path), [404, "Not found.\r\n"]);
      }
      Deno.kill(two.pid, "SIGTERM");
      assertEquals((await two.outcome).code, 0);
      const [left, gone] = ports;
      const sentence = await comesToSay(left, "/readyz/all", 503, [String(gone)]);
      assertEquals(sentence, `Not ready: ${gone}.\r\n`);
      const page = await comesToSay(left, "/metrics/all", 200, [up(left, 1), up(gone, 0)]);
      assertMatch(page, new RegExp(`^authenticator_build_info\\{server="${left}",version="`, "m"));
      assertEquals(page.split(`server="${gone}"`).length, 2);
    } finally {
      for (const program of programs) await stop(program);
    }
  },
);

/** Runs something beside all of the peers that say what no server says. */
async function withHostilePeers(run: (ports: readonly number[]) => Promise<void>): Promise<void> {
  const around = [
    ...[...HOSTILE.values()].map((answer) => (next: (port: number) => Promise<void>) =>
      withPeer(answer, next)
    ),
    ...[...RAW, ...OTHER_PROTOCOLS].map(([, write]) => (next: (port: number) => Promise<void>) =>
      withRawPeer(write, next)
    ),
  ];
  const nest = (i: number, ports: readonly number[]): Promise<void> =>
    i === around.length ? run(ports) : around[i]!((port) => nest(i + 1, [...ports, port]));
  await nest(0, []);
}

Deno.test("a server says of hostile peers that they are down, leaves them and lives on", async () => {
  await withHostilePeers(async (peers) => {
    const own = freePort();
    const program = await startProgram([
      ...["--port", "0", "--metrics-port", String(own), "--metrics-peers", peers.join()],
    ]);
    try {
      const page = await comesToSay(own, "/metrics/all", 200, [up(own, 1)]);
      for (const peer of peers) {
        assert(page.includes(up(peer, 0)), page);
        assertEquals(page.split(`server="${peer}"`).length, 2);
      }
      const sentence = await comesToSay(own, "/readyz/all", 503, []);
      assertEquals(sentence, `Not ready: ${peers.join(", ")}.\r\n`);
      assertEquals(await answerOf(own, "/readyz"), [200, "ok"]);
    } finally {
      await stop(program);
    }
    assertEquals(/error|Error/.test(program.stderr()), false, program.stderr());
  });
});

Deno.test("a program that has no metrics port takes no peers", async () => {
  const { code, stderr } = await runProgram(["--metrics-peers", "9101"]);
  assertEquals(code, 2);
  assertMatch(stderr, /: --metrics-peers needs --metrics-port, with a port that is not 0\b/);
});
