import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { guardRules } from "../../lib/guard/guard.ts";
import {
  type ConnectionFailure,
  keepConnected,
  type RedisClient,
  type RedisConnection,
} from "../../lib/guard/redis_connection.ts";
import { createRedisStore } from "../../lib/guard/redis_store.ts";

const NEVER = new Promise<never>(() => {});

/** How a client of a test behaves; what is not said goes well. */
interface Behaviour {
  readonly connect?: () => Promise<unknown>;
  readonly answer?: (command: string) => Promise<unknown>;
  readonly destroy?: () => void;
}

interface Scene {
  readonly connection: RedisConnection;
  /** What was told: "there", or why not. */
  readonly news: string[];
  /** Resolves once so much was told. */
  readonly told: (count: number) => Promise<void>;
  /** Ends the connection of the last client. */
  readonly cut: () => void;
  /** Clients that were made and not destroyed. */
  readonly open: () => number;
}

/** Plays one behaviour for each client, and the last for all further ones. */
function play(
  behaviours: readonly Behaviour[],
  { probeMs = 5000, onNews = (): void => {} }: { probeMs?: number; onNews?: () => void } = {},
): Scene {
  const news: string[] = [];
  let made = 0;
  let open = 0;
  let cut = (): void => {};
  let check = (): void => {};
  const createClient = (onEnd: () => void): Promise<RedisClient> => {
    const { connect, answer, destroy } = behaviours[Math.min(made++, behaviours.length - 1)]!;
    open++;
    cut = onEnd;
    return Promise.resolve({
      connect: connect ?? (() => Promise.resolve()),
      sendCommand: ([name]) => answer?.(name!) ?? Promise.resolve("fine"),
      destroy: () => {
        open--;
        destroy?.();
      },
    });
  };
  const onChange = (failure: ConnectionFailure | undefined): void => {
    news.push(failure ?? "there");
    check();
    onNews();
  };
  const told = (count: number): Promise<void> =>
    new Promise((resolve) => {
      check = () => news.length >= count && resolve();
      check();
    });
  const options = { createClient, onChange, probe: ["PROBE"], timeoutMs: 30, retryMs: 5, probeMs };
  const connection = keepConnected(options);
  return { connection, news, told, cut: () => cut(), open: () => open };
}

Deno.test("keepConnected() sends nothing before the probe was answered", async () => {
  const { connection, told } = play([{}]);
  assertEquals(connection.isHealthy(), false);
  await assertRejects(() => connection.send(["A"]), Error, "There is no connection");
  await told(1);
  assertEquals([connection.isHealthy(), await connection.send(["A"])], [true, "fine"]);
  connection.close();
});

const FAILURES: readonly (readonly [ConnectionFailure, string, Behaviour])[] = [
  ["unreachable", "nothing listens", { connect: () => fail("connect ECONNREFUSED 127.0.0.1:1") }],
  ["silent", "nobody answers to the connection", { connect: () => NEVER }],
  ["silent", "nobody answers to the probe", { answer: () => NEVER }],
  ["refused", "the password is wrong", { connect: () => fail("WRONGPASS invalid pair") }],
  ["refused", "a password is missing", { answer: () => fail("NOAUTH Authentication required.") }],
  ["untrusted", "the certificate is not trusted", {
    connect: () => fail("invalid peer certificate: UnknownIssuer"),
  }],
  ["unusable", "the store is full", { answer: () => fail("OOM command not allowed") }],
  ["unusable", "the store is a replica", { answer: () => fail("READONLY You can't write") }],
];

function fail(message: string): Promise<never> {
  return Promise.reject(new Error(message));
}

for (const [failure, what, behaviour] of FAILURES) {
  Deno.test(`keepConnected() says ${failure} when ${what}, once, and tries on`, async () => {
    const { connection, news, told, open } = play([behaviour, behaviour, behaviour, {}]);
    await told(2);
    assertEquals([news, connection.isHealthy(), open()], [[failure, "there"], true, 1]);
    connection.close();
  });
}

Deno.test("keepConnected() connects again after the connection ended", async () => {
  const { connection, news, told, cut, open } = play([{}]);
  await told(1);
  cut();
  await told(3);
  assertEquals([news, open()], [["there", "unreachable", "there"], 1]);
  connection.close();
});

Deno.test("keepConnected() drops a connection on which an answer does not come", async () => {
  const silent = (name: string): Promise<unknown> => name === "PROBE" ? Promise.resolve() : NEVER;
  const { connection, news, told } = play([{ answer: silent }, {}]);
  await told(1);
  await assertRejects(() => connection.send(["A"]), Error, "No answer in time");
  await told(3);
  assertEquals(news, ["there", "silent", "there"]);
  assertEquals(await connection.send(["A"]), "fine");
  connection.close();
});

Deno.test("keepConnected() drops a connection that answers with errors", async () => {
  const full = (name: string): Promise<unknown> =>
    name === "PROBE" ? Promise.resolve() : fail("MISCONF Redis is configured to save");
  const { connection, news, told } = play([{ answer: full }, {}]);
  await told(1);
  await assertRejects(() => connection.send(["A"]), Error, "MISCONF");
  await told(3);
  assertEquals(news, ["there", "unusable", "there"]);
  connection.close();
});

Deno.test("keepConnected() notices a store that falls silent while nothing is asked", async () => {
  // A real connection would keep the process alive; the timer of the probes does not.
  const alive = setInterval(() => {}, 1000);
  let probes = 0;
  const fallsSilent = (): Promise<unknown> => ++probes < 4 ? Promise.resolve() : NEVER;
  const { connection, news, told, open } = play([{ answer: fallsSilent }, {}], { probeMs: 5 });
  await told(1);
  assertEquals(connection.isHealthy(), true);
  await told(3);
  // One probe at a time: the one without an answer is the last.
  assertEquals([news, probes, open()], [["there", "silent", "there"], 4, 1]);
  connection.close();
  clearInterval(alive);
});

Deno.test("keepConnected() goes on when its listener or a client throws", async () => {
  const fails = (): never => {
    throw new TypeError("Thrown by a test");
  };
  const { connection, news, told, cut } = play([{ destroy: fails }], { onNews: fails });
  await told(1);
  cut();
  await told(3);
  assertEquals(news, ["there", "unreachable", "there"]);
  assertEquals(await connection.send(["A"]), "fine");
  connection.close();
});

Deno.test("keepConnected() ends with close(), whatever it is about to do", async () => {
  const { connection, told, open, news } = play([{}]);
  await told(1);
  connection.close();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assertEquals([connection.isHealthy(), open(), news], [false, 0, ["there"]]);
});

const RULES = guardRules({ maxFailures: 1, singleUse: true, window: 1, period: 30 });

function storeOver(
  send: RedisConnection["send"],
  healthy = true,
): { store: ReturnType<typeof createRedisStore>; clock: { ms: number }; errors: () => number } {
  const clock = { ms: 0 };
  let errors = 0;
  const connection = { send, isHealthy: () => healthy, close: () => {} };
  const onError = (): void => void errors++;
  const store = createRedisStore({ rules: RULES, connection, now: () => clock.ms, onError });
  return { store, clock, errors: () => errors };
}

Deno.test("a Redis store says unavailable for whatever is no decision", async () => {
  for (const reply of [null, "OK", [], [9, 0], [0], ["accepted", 0], { 0: 0, 1: 0 }, [4, 0]]) {
    const { store } = storeOver(() => Promise.resolve(reply));
    assertEquals(await store.decide("a", 1), "unavailable", JSON.stringify(reply));
  }
  const { store, errors } = storeOver(() => fail("OOM"));
  assertEquals([await store.decide("a", 1), errors()], ["unavailable", 1]);
});

Deno.test("a Redis store refuses at once while there is no connection", () => {
  const { store, errors } = storeOver(() => NEVER, false);
  assertEquals([store.refusal("a"), errors(), store.isHealthy()], ["unavailable", 1, false]);
});

Deno.test("a Redis store remembers how long a secret is refused, without asking again", async () => {
  let asked = 0;
  const { store, clock } = storeOver(() => {
    asked++;
    return Promise.resolve([1, 30_000]);
  });
  assertEquals([store.refusal("a"), await store.decide("a", undefined)], [undefined, "wrong"]);
  clock.ms += 29_999;
  assertEquals([store.refusal("a"), store.refusal("b")], ["throttled", undefined]);
  clock.ms += 1;
  assertEquals([store.refusal("a"), asked], [undefined, 1]);
});

Deno.test("a Redis store sends the script where its name is not known", async () => {
  const sent: string[] = [];
  const { store } = storeOver(([name]) => {
    sent.push(name!);
    return name === "EVALSHA" ? fail("NOSCRIPT No matching script.") : Promise.resolve([0, 0]);
  });
  assertEquals([await store.decide("a", 1), sent], ["accepted", ["EVALSHA", "EVAL"]]);
});
