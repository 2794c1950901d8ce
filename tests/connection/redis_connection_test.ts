import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import type { RedisClient } from "../../lib/connection/redis_client.ts";
import {
  isUnknownScript,
  keepConnected,
  type RedisConnection,
  type RedisConnectionOptions,
} from "../../lib/connection/redis_connection.ts";
import { ErrorReply, SilenceError } from "../../lib/connection/store_failure.ts";
import { ManualTimers } from "../support/timers.ts";

/** How a client of a test behaves; what is not said goes well. */
interface Behaviour {
  /** Thrown when it is made. */
  readonly fault?: Error;
  /** Its answer to a command: a reply, an error, or undefined for none. */
  readonly answer?: (command: string) => unknown;
}

interface Scene {
  readonly connection: RedisConnection;
  /** What was told: "there", or why not. */
  readonly news: string[];
  /** Resolves once so much was told. */
  readonly told: (count: number) => Promise<void>;
  /** Ends the connection of the last client. */
  readonly cut: (reason?: Error) => void;
  /** Clients that were made and have not ended. */
  readonly open: () => number;
  /** Clients that were asked for. */
  readonly made: () => number;
}

/** Plays one behaviour for each client, and the last for all further ones. */
function play(
  behaviours: readonly Behaviour[],
  { onNews = (): void => {}, ...options }: Partial<RedisConnectionOptions> & {
    readonly onNews?: () => void;
  } = {},
): Scene {
  const news: string[] = [];
  let made = 0;
  const clients = new Set<RedisClient>();
  let check = (): void => {};
  const open: Parameters<typeof keepConnected>[0]["open"] = (onEnd) => {
    const { fault, answer } = behaviours[Math.min(made++, behaviours.length - 1)]!;
    if (fault) return Promise.reject(fault);
    const waiting = new Set<(reason: unknown) => void>();
    const client: RedisClient = {
      ask: ([name], read) =>
        new Promise((resolve, reject) => {
          const reply = answer ? answer(name!) : "fine";
          if (reply === undefined) waiting.add(reject);
          else if (reply instanceof Error) reject(reply);
          else resolve(read(reply));
        }),
      end: (reason) => {
        if (!clients.delete(client)) return;
        for (const reject of waiting) reject(reason);
        onEnd(reason);
      },
    };
    clients.add(client);
    return Promise.resolve(client);
  };
  const onChange: Parameters<typeof keepConnected>[0]["onChange"] = (failure) => {
    news.push(failure?.kind ?? "there");
    check();
    onNews();
  };
  const told = (count: number): Promise<void> =>
    new Promise((resolve) => {
      check = () => news.length >= count && resolve();
      check();
    });
  const probe = (client: Pick<RedisClient, "ask">): Promise<unknown> => ask(client, "PROBE");
  const connection = keepConnected({ open, onChange, probe, retryMs: 5, ...options });
  const cut = (reason = new Error("Cut")): void => [...clients].at(-1)?.end(reason);
  return { connection, news, told, cut, open: () => clients.size, made: () => made };
}

function ask({ ask }: Pick<RedisClient, "ask">, word = "A"): Promise<unknown> {
  return ask([word], (reply) => reply);
}

Deno.test("keepConnected() sends nothing before the probe was answered", async () => {
  const { connection, told } = play([{}]);
  assertEquals(connection.isHealthy(), false);
  await assertRejects(() => ask(connection), Error, "There is no connection");
  await told(1);
  assertEquals([connection.isHealthy(), await ask(connection)], [true, "fine"]);
  connection.close();
});

const FAILURES: readonly (readonly [string, string, Behaviour])[] = [
  ["unreachable", "it cannot be made", { fault: new Error("No key") }],
  ["silent", "nobody answers", { answer: () => new SilenceError("No reply in time") }],
  ["refused", "a password is missing", { answer: () => new ErrorReply("NOAUTH Authentication") }],
  ["unusable", "the store is full", { answer: () => new ErrorReply("OOM command not allowed") }],
];

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

Deno.test("keepConnected() drops a connection that answers with errors", async () => {
  const full = (name: string): unknown =>
    name === "PROBE" ? "fine" : new ErrorReply("MISCONF Redis is configured to save");
  const { connection, news, told } = play([{ answer: full }, {}]);
  await told(1);
  await assertRejects(() => ask(connection), ErrorReply, "MISCONF");
  await told(3);
  assertEquals(news, ["there", "unusable", "there"]);
  connection.close();
});

Deno.test("keepConnected() keeps a connection that does not know a script", async () => {
  const forgetful = (name: string): unknown =>
    name === "EVALSHA" ? new ErrorReply("NOSCRIPT No matching script.") : "fine";
  const { connection, news, told } = play([{ answer: forgetful }]);
  await told(1);
  await assertRejects(() => ask(connection, "EVALSHA"), ErrorReply, "NOSCRIPT");
  assertEquals([await ask(connection), connection.isHealthy(), news], ["fine", true, ["there"]]);
  connection.close();
});

Deno.test("keepConnected() leaves a store that does not know a script which it was sent", async () => {
  const odd = (name: string): unknown =>
    name === "EVAL" ? new ErrorReply("NOSCRIPT No matching script.") : "fine";
  const { connection, news, told } = play([{ answer: odd }, {}]);
  await told(1);
  await assertRejects(() => ask(connection, "EVAL"), ErrorReply, "NOSCRIPT");
  await told(3);
  assertEquals(news, ["there", "unusable", "there"]);
  connection.close();
});

Deno.test("keepConnected() notices a store that fails while nothing is asked", async () => {
  await ManualTimers.during(async (timers) => {
    let probes = 0;
    const fails = (): unknown => ++probes < 4 ? "fine" : new ErrorReply("READONLY replica");
    const { connection, news, told, open } = play([{ answer: fails }, {}]);
    await told(1);
    for (let i = 0; i < 2; i++) await timers.repeat();
    assertEquals([connection.isHealthy(), probes, news], [true, 3, ["there"]]);
    // What has nothing else to do may end.
    assertEquals([timers.intervals, timers.holding], [1, 0]);
    await timers.repeat();
    assertEquals([connection.isHealthy(), timers.intervals], [false, 0]);
    await timers.tick();
    assertEquals([news, probes, open()], [["there", "read-only", "there"], 4, 1]);
    connection.close();
  });
});

Deno.test("keepConnected() probes one at a time", async () => {
  await ManualTimers.during(async (timers) => {
    let probes = 0;
    const fallsSilent = (): unknown => ++probes < 2 ? "fine" : undefined;
    const { connection, told, cut } = play([{ answer: fallsSilent }]);
    await told(1);
    for (let i = 0; i < 5; i++) await timers.repeat();
    assertEquals(probes, 2);
    connection.close();
    cut();
  });
});

Deno.test("keepConnected() goes on when its listener throws", async () => {
  const fails = (): never => {
    throw new TypeError("Thrown by a test");
  };
  const { connection, news, told, cut } = play([{}], { onNews: fails });
  await told(1);
  cut();
  await told(3);
  assertEquals(news, ["there", "unreachable", "there"]);
  assertEquals(await ask(connection), "fine");
  connection.close();
});

Deno.test("keepConnected() ends with close(), whatever it is about to do", async () => {
  for (const answer of [() => "fine", () => undefined]) {
    const { connection, open, news } = play([{ answer }]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    assertEquals(open(), 1);
    connection.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assertEquals([connection.isHealthy(), open(), news.slice(1)], [false, 0, []]);
  }
});

Deno.test("keepConnected() tells each new reason, and each once", async () => {
  const [silent, full] = [new SilenceError("Late"), new ErrorReply("OOM")]
    .map((error): Behaviour => ({ answer: () => error }));
  const { connection, news, told } = play([silent!, silent!, full!, full!, silent!, {}]);
  await told(4);
  assertEquals(news, ["silent", "unusable", "silent", "there"]);
  connection.close();
});

Deno.test("keepConnected() pauses twice as long from attempt to attempt, up to the longest", async () => {
  const starts: number[] = [];
  let told = 0;
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const connection = keepConnected({
    open: () => {
      starts.push(performance.now());
      if (++told === 8) resolve();
      return Promise.reject(new Error("No"));
    },
    onChange: () => {},
    probe: () => Promise.resolve(),
    retryMs: 5,
    longestPauseMs: 80,
  });
  await enough;
  connection.close();
  // A timer may be late, and is never early by more than its resolution.
  const pauses = starts.slice(1).map((ms, i) => ms - starts[i]!);
  for (const [i, least] of [5, 10, 20, 40, 80, 80, 80].entries()) {
    assertEquals(pauses[i]! > least - 2, true, `pause ${i}: ${pauses[i]}`);
  }
});

Deno.test("keepConnected() pauses before it tries again, and not once it is closed", async () => {
  const { connection, told, made } = play([{ fault: new Error("No") }], { retryMs: 3_600_000 });
  await told(1);
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setTimeout(resolve));
  assertEquals(made(), 1);
  connection.close();
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setTimeout(resolve));
  assertEquals(made(), 1);
});

Deno.test("keepConnected() drops a connection for no error that is harmless", async () => {
  const answer = (name: string): unknown =>
    name === "A" ? new ErrorReply("MOVED 1 a:1") : name === "B" ? new ErrorReply("ERR") : "fine";
  const isHarmless = ({ message }: ErrorReply): boolean => message.startsWith("MOVED");
  const { connection, news, told, open } = play([{ answer }], { isHarmless });
  await told(1);
  await assertRejects(() => ask(connection), ErrorReply, "MOVED");
  const fails = (): never => {
    throw new TypeError("Thrown by a test");
  };
  await assertRejects(() => connection.ask(["C"], fails), TypeError);
  assertEquals([news, open()], [["there"], 1]);
  await assertRejects(() => ask(connection, "B"), ErrorReply, "ERR");
  assertEquals(open(), 0);
  await told(3);
  connection.close();
});

Deno.test("isUnknownScript() knows the error reply alone", () => {
  const errors = [new ErrorReply("NOSCRIPT No matching script."), new Error("NOSCRIPT"), undefined];
  assertEquals(errors.map(isUnknownScript), [true, false, false]);
});

Deno.test("keepConnected() pauses longer after a connection that answered no further probe", async () => {
  await ManualTimers.during(async (timers) => {
    const fault = new Error("No");
    const { connection, cut, made } = play([{ fault }, {}, { fault }], { longestPauseMs: 1000 });
    while (made() < 2) await timers.tick();
    cut();
    while (made() < 4) await timers.tick();
    assertEquals(timers.asked.slice(0, 4), [5, 10, 20, 40]);
    connection.close();
  });
});

Deno.test("keepConnected() pauses anew after a connection that answered one", async () => {
  await ManualTimers.during(async (timers) => {
    let probes = 0;
    const answer = (): unknown => ++probes < 3 ? "fine" : new ErrorReply("READONLY");
    const fault = new Error("No");
    const { connection, made, open } = play([{ fault }, { fault }, { answer }, { fault }]);
    while (made() < 3) await timers.tick();
    await timers.repeat();
    assertEquals([open(), probes], [1, 2]);
    await timers.repeat();
    assertEquals([open(), probes], [0, 3]);
    while (made() < 5) await timers.tick();
    assertEquals(timers.asked.slice(0, 4), [5, 10, 5, 10]);
    connection.close();
  });
});

Deno.test("keepConnected() leaves nothing behind, whenever it is closed", async () => {
  await ManualTimers.during(async (timers) => {
    for (const behaviour of [{}, { fault: new Error("No") }, { answer: () => undefined }]) {
      const atOnce = play([behaviour]);
      atOnce.connection.close();
      const later = play([behaviour]);
      await timers.settle();
      later.connection.close();
      await timers.settle();
      assertEquals([timers.pending, timers.intervals], [0, 0]);
      assertEquals([atOnce.open(), later.open()], [0, 0]);
      assertEquals([atOnce.made(), later.made(), atOnce.news], [1, 1, []]);
    }
  });
});
