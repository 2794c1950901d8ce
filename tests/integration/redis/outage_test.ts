import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { SECRET } from "../../support/calls.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free_port.ts";
import { load } from "../../support/load.ts";
import { startTcpProxy } from "../../support/tcp_proxy.ts";
import { type RunningProgram, stop } from "../../support/program.ts";
import { type RedisServer, withRedis } from "../../support/redis_server.ts";
import { pinOf, wrongPinOf } from "../../support/reference_totp.ts";
import {
  check,
  counted,
  decided,
  readiness,
  startServer,
  storeAnswers,
  withTwoServers,
} from "../../support/two_servers.ts";

const OUTAGES: readonly (readonly [
  what: string,
  begin: (redis: RedisServer) => Promise<void>,
  end: (redis: RedisServer) => Promise<void>,
])[] = [
  ["is killed", ({ kill }) => kill(), ({ start }) => start()],
  [
    "stops answering",
    ({ signal }) => Promise.resolve(signal("SIGSTOP")),
    ({ signal }) => Promise.resolve(signal("SIGCONT")),
  ],
  // What Redis holds then is more than it may.
  [
    "is full",
    sendCommand("CONFIG", "SET", "maxmemory", "1"),
    sendCommand("CONFIG", "SET", "maxmemory", "0"),
  ],
  [
    "becomes a replica",
    sendCommand("REPLICAOF", "127.0.0.1", String(freePort())),
    sendCommand("REPLICAOF", "NO", "ONE"),
  ],
  [
    "makes everybody wait",
    sendCommand("CLIENT", "PAUSE", "600000", "WRITE"),
    sendCommand("CLIENT", "UNPAUSE"),
  ],
];

function sendCommand(...words: readonly string[]): (redis: RedisServer) => Promise<void> {
  return async ({ command }) => assertEquals(await command(...words), "OK");
}

// Accepted while the store answers, and refused while it does not.
const SECRETS = Array.from({ length: 8 }, (_, i) => `secret ${i}`);

for (const [what, begin, end] of OUTAGES) {
  Deno.test(`when Redis ${what} under load, pins are refused until it is back`, async () => {
    // A full one evicts by the shown command; here it refuses to write.
    await withRedis(["--maxmemory-policy", "noeviction"], async (redis) => {
      // Not so patient that a store that is silent is found out late.
      const url = `${redis.url}?timeout=5000`;
      const log = await withTwoServers(url, ["--max-failures", "5"], async (one, two) => {
        for (const server of [one, two, one, two]) {
          assertEquals(await decided(server, wrongPinOf(SECRET), SECRET), "False");
        }
        const loads = [one, two].map((server) => load([server], SECRETS));
        const accept = async (): Promise<unknown> =>
          await Promise.all(loads.map(({ round }) => round("True")));
        await accept();
        await begin(redis);
        let guesses = 0;
        for (const server of [one, two]) {
          await eventually(async () => {
            // A full store refuses only what writes, as a wrong pin of one more secret does.
            const guessed = `guessed ${++guesses}`;
            assertEquals(await check(server, wrongPinOf(guessed), guessed), "False");
            return !await storeAnswers(server);
          });
          assertEquals(await check(server, pinOf("another secret"), "another secret"), "False");
        }
        await new Promise((resolve) => setTimeout(resolve, 300));
        await end(redis);
        for (const server of [one, two]) {
          await eventually(() => storeAnswers(server));
        }
        await accept();
        const answers = await Promise.all(loads.map(({ end }) => end()));
        const texts = answers.flatMap((bySecret) => [...bySecret.values()].flat());
        assertEquals(new Set(texts), new Set(["True", "False"]));
        await nothingWasForgotten(one, two);
      });
      assert(/warn the store of the guard, .*: pins that need it are refused\n/.test(log), log);
      assert(!/ error /.test(log), log);
    });
  });
}

// Four failures came before the outage: the next is the fifth, and no more is looked at.
async function nothingWasForgotten(one: RunningProgram, two: RunningProgram): Promise<void> {
  const throttled = 'authenticator_guard_refusals_total{reason="throttled"}';
  const before = await counted(two, throttled);
  assert(await counted(one, "authenticator_guard_store_errors_total") > 0);
  assertEquals(await decided(one, wrongPinOf(SECRET), SECRET), "False");
  assertEquals(await decided(two, pinOf(SECRET), SECRET), "False");
  assertEquals(await counted(two, throttled), before + 1);
  assertEquals(await decided(one, pinOf("another secret"), "another secret"), "True");
}

Deno.test("a server starts without its Redis, refuses pins, and uses Redis once it is there", async () => {
  await withRedis([], async (redis) => {
    await withTwoServers(redis.url, [], async (one) => {
      await redis.kill();
      await stop(one);
      const server = await startServer(redis.url);
      await server.logged("cannot be reached");
      assertEquals([await readiness(server), await check(server, pinOf(SECRET))], [503, "False"]);
      await redis.start();
      await eventually(async () => await readiness(server) === 200);
      assertEquals(await check(server, pinOf(SECRET)), "True");
      await stop(server);
    });
  });
});

Deno.test("a server waits for a slow Redis, and not for one that is too slow", async () => {
  await withRedis([], async (redis) => {
    let delayMs = 500;
    const proxy = startTcpProxy(Number(new URL(redis.url).port), () => async (piece) => {
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      return piece;
    });
    // On a busy machine much comes to the delay.
    const url = `redis://127.0.0.1:${proxy.port}?timeout=6000`;
    await withTwoServers(url, [], async (one) => {
      assertEquals(await check(one, pinOf(SECRET)), "True");
      delayMs = 60_000;
      assertEquals(await check(one, pinOf(SECRET)), "False");
      delayMs = 0;
      await eventually(async () => await check(one, pinOf(SECRET)) === "True");
    });
    proxy.close();
  });
});

const WRONG_PASSWORD = "name:canary-guess@";

const REFUSALS: readonly (readonly [string, string, readonly string[], string])[] = [
  ["wants a password", "", ["--requirepass", "canary-password"], "requires a password"],
  ["wants another password", WRONG_PASSWORD, ["--requirepass", "canary-password"], "refuses the"],
  ["is full", "", ["--maxmemory", "1", "--maxmemory-policy", "noeviction"], "is full (OOM)"],
  [
    "does not let its user read",
    "name:canary-password@",
    ["--user", "name", "on", ">canary-password", "~*", "+@all", "-get"],
    "does not let its user run a command",
  ],
  ["is a replica", "", ["--replicaof", "127.0.0.1", String(freePort())], "is a replica, which"],
];

for (const [what, login, args, said] of REFUSALS) {
  Deno.test(`a server is not ready with a Redis that ${what}, and logs it`, async () => {
    await withRedis(args, async ({ url }) => {
      const server = await startServer(url.replace("//", `//${login}`));
      await server.logged(said);
      assertEquals([await readiness(server), await check(server, pinOf(SECRET))], [503, "False"]);
      await stop(server);
      const { stderr } = await server.outcome;
      assert(stderr.includes("pins that need it are refused"), stderr);
      assert(!stderr.includes("canary"), stderr);
    });
  });
}
