import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { extraAttempts } from "../../../lib/guard/budget.ts";
import { guardRules, totalBudget } from "../../../lib/guard/guard.ts";
import { SECRET, validateTarget } from "../../support/calls.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free_port.ts";
import { GUARD_KEY_FILE } from "../../support/guard_key.ts";
import { exchangeRaw } from "../../support/http.ts";
import { metricsUrl, type RunningProgram, startProgram, stop } from "../../support/program.ts";
import { withRedis } from "../../support/redis_server.ts";
import { pinOf, wrongPinOf } from "../../support/reference_totp.ts";
import { patient, withinFirstWait } from "../../support/two_servers.ts";

const LINUX_ONLY = { ignore: Deno.build.os !== "linux" };

/** Servers on one port, with one store. */
interface Shared {
  readonly port: number;
  /** Starts one more. */
  readonly start: () => Promise<RunningProgram>;
}

async function withSharedPort(
  args: readonly string[],
  run: (shared: Shared) => Promise<void>,
): Promise<void> {
  const started: RunningProgram[] = [];
  await withRedis([], async ({ url }) => {
    const port = freePort();
    const start = async (): Promise<RunningProgram> => {
      const shared = ["--port", String(port), "--share-port", "--metrics-port", "0"];
      const server = await startProgram([...shared, "--guard-key-file", GUARD_KEY_FILE, ...args], {
        env: { AUTHENTICATOR_GUARD: patient(url) },
      });
      started.push(server);
      await becomesReady(server);
      return server;
    };
    try {
      await run({ port, start });
    } finally {
      await Promise.all(started.map((server) => stop(server)));
    }
  });
}

/** The status of `/readyz` on the server's own port; undefined when nothing listens there. */
async function ownReadiness(server: RunningProgram): Promise<number | undefined> {
  try {
    const reply = await fetch(`${await metricsUrl(server)}/readyz`);
    await reply.body?.cancel();
    return reply.status;
  } catch {
    return undefined;
  }
}

async function becomesReady(server: RunningProgram): Promise<void> {
  await eventually(async () => await ownReadiness(server) === 200, "the server is ready");
}

/** A reply on a connection of its own: which server answered, and what. */
async function ask(port: number, path: string): Promise<readonly [server: string, text: string]> {
  const reply = await exchangeRaw(`http://127.0.0.1:${port}`, {
    head: [`GET ${path} HTTP/1.1`, "Host: localhost", "Connection: close"],
  });
  // The names of a server's requests begin alike.
  const [server = ""] = reply.headers.get("x-request-id")!.split("-");
  return [server, new TextDecoder().decode(reply.body)];
}

function check(
  port: number,
  pin: string,
  secret = SECRET,
): Promise<readonly [server: string, text: string]> {
  return ask(port, validateTarget(pin, secret));
}

/** Asks until so many servers have answered. */
async function serversOn(port: number, count: number): Promise<ReadonlySet<string>> {
  const servers = new Set<string>();
  await eventually(async () => servers.add((await ask(port, "/healthz"))[0]).size >= count);
  return servers;
}

Deno.test(
  "servers on one port take their share, and accept a code once among them",
  LINUX_ONLY,
  async () => {
    // With a wide window, the pin stays right however long they take.
    await withSharedPort(["--single-use", "--window", "10"], async ({ port, start }) => {
      await Promise.all([start(), start()]);
      assertEquals((await serversOn(port, 2)).size, 2);
      const pin = pinOf(SECRET);
      const replies = await Promise.all(Array.from({ length: 64 }, () => check(port, pin)));
      assertEquals(replies.filter(([, text]) => text === "True").length, 1);
      assertEquals(replies.filter(([, text]) => text === "False").length, 63);
      assertEquals(new Set(replies.map(([server]) => server)).size, 2);
    });
  },
);

Deno.test("servers on one port count wrong pins together", LINUX_ONLY, async () => {
  await withSharedPort(["--max-failures", "10"], async ({ port, start }) => {
    await Promise.all([start(), start()]);
    await withinFirstWait(async (secret) => {
      const wrong = wrongPinOf(secret);
      const replies = await Promise.all(
        Array.from({ length: 40 }, () => check(port, wrong, secret)),
      );
      assertEquals(new Set(replies.map(([server]) => server)).size, 2);
      for (const server of await serversOn(port, 2)) {
        // Whichever is asked.
        await eventually(async () => {
          const [answered, text] = await check(port, pinOf(secret), secret);
          assertEquals(text, "False");
          return answered === server;
        });
      }
    });
  });
});

Deno.test(
  "the share of a killed server goes to the other, and back to one in its place",
  LINUX_ONLY,
  async () => {
    await withSharedPort([], async ({ port, start }) => {
      const [one] = await Promise.all([start(), start()]);
      const before = await serversOn(port, 2);
      one!.signal("SIGKILL");
      await one!.outcome;
      const replies = await Promise.all(Array.from({ length: 32 }, () => ask(port, "/healthz")));
      const [left, ...others] = new Set(replies.map(([server]) => server));
      assertEquals(others, []);
      assert(before.has(left!));
      await start();
      const after = await serversOn(port, 2);
      assertEquals([...after].filter((server) => before.has(server)), [left]);
    });
  },
);

const CALLERS = 12;
const BUDGET = 20;
const RULES = guardRules({ maxFailures: BUDGET, singleUse: true, window: 1, period: 30 });
// Beyond it pins are looked at after waits that double, the first of half a minute.
const WAITED_FOR = extraAttempts(totalBudget(RULES));
// Each caller waits for an answer of the server that ends, and its next connection may wait there
// too: the system closes one after the other. A request that begins after the end is not lost.
const LOST_WITH_A_SERVER = 2 * CALLERS;
const ATTACKED = "attacked horse staple";

/** What callers got, who each send a right pin, the same again, and a wrong pin of one secret. */
class Load {
  /** Answers to each caller. */
  readonly answers: number[] = Array.from({ length: CALLERS }, () => 0);
  /** Requests without an answer, by the stage in which they began. */
  readonly lost: number[] = [0];
  /** Right pins that were answered with `False`, by the stage in which they were sent. */
  readonly refused: number[] = [0];
  /** Replies that must not occur. */
  readonly wrong: string[] = [];
  #isOver = false;
  readonly #callers: readonly Promise<void>[];

  constructor(private readonly port: number) {
    this.#callers = this.answers.map((_, caller) => this.#call(caller));
  }

  /** Waits until each caller has had some more answers. */
  async goesOn(): Promise<void> {
    const before = [...this.answers];
    const isSo = (): boolean => this.answers.every((count, caller) => count >= before[caller]! + 6);
    await eventually(isSo, "each caller has had some answers", 300_000);
  }

  nextStage(): void {
    this.lost.push(0);
    this.refused.push(0);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#callers);
  }

  async #call(caller: number): Promise<void> {
    for (let i = 0; !this.#isOver; i++) {
      const secret = `secret ${i} of caller ${caller}`;
      const pin = pinOf(secret);
      const stage = this.refused.length - 1;
      const first = await this.#check(caller, pin, secret);
      const second = await this.#check(caller, pin, secret);
      if (first === "False") this.refused[stage]!++;
      if (first === "True" && second === "True") this.wrong.push("a pin was accepted twice");
      const guess = await this.#check(caller, wrongPinOf(ATTACKED), ATTACKED);
      if (guess === "True") this.wrong.push("a wrong pin was accepted");
    }
  }

  async #check(caller: number, pin: string, secret: string): Promise<string | undefined> {
    const stage = this.lost.length - 1;
    try {
      const [, text] = await check(this.port, pin, secret);
      if (text !== "True" && text !== "False") this.wrong.push(text);
      this.answers[caller]!++;
      return text;
    } catch {
      this.lost[stage]!++;
      return undefined;
    }
  }
}

/** How many lines of logs have an outcome. */
function linesWith(outcome: string, logs: readonly string[]): number {
  return logs.join("").split(` outcome=${outcome} `).length - 1;
}

Deno.test(
  "servers on one port refuse and accept as one while they are killed, stopped and replaced",
  LINUX_ONLY,
  async () => {
    const args = ["--single-use", "--max-failures", String(BUDGET)];
    await withSharedPort(args, async ({ port, start }) => {
      const [one, two] = await Promise.all([start(), start()]);
      const load = new Load(port);
      await load.goesOn();
      assertEquals(load.lost, [0]);

      one!.signal("SIGKILL");
      await one!.outcome;
      load.nextStage();
      await load.goesOn();
      assertEquals(await ownReadiness(one!), undefined);
      await becomesReady(two!);
      const three = await start();
      await load.goesOn();
      const [lostByKill, ...lostSince] = load.lost;
      assert(lostByKill! <= LOST_WITH_A_SERVER, `${lostByKill}`);
      assertEquals(lostSince, [0]);

      two!.signal("SIGTERM");
      assertEquals((await two!.outcome).code, 0);
      load.nextStage();
      await load.goesOn();
      assertEquals(await ownReadiness(two!), undefined);
      await becomesReady(three);
      const four = await start();
      await load.goesOn();
      await load.end();
      const lostByStop = load.lost[1]!;
      assert(lostByStop <= LOST_WITH_A_SERVER, `${lostByStop}`);
      assertEquals([load.lost, load.wrong], [[lostByKill, lostByStop, 0], []]);
      // Whichever is asked. A wait may have ended by now: the next wrong pin begins a longer one.
      await eventually(async () => {
        const [, guess] = await check(port, wrongPinOf(ATTACKED), ATTACKED);
        const [, answer] = await check(port, pinOf(ATTACKED), ATTACKED);
        assertEquals(guess, "False");
        return answer === "False";
      }, "pins of the attacked secret are refused");

      const servers = [one!, two!, three, four];
      await Promise.all(servers.map((server) => stop(server)));
      const logs = (await Promise.all(servers.map(({ outcome }) => outcome)))
        .map(({ stderr }) => stderr);
      assert(linesWith("false", logs) <= BUDGET + WAITED_FOR, logs.join(""));
      assert(linesWith("throttled", logs) > BUDGET, logs.join(""));
      // With a slow store, as on a busy machine, right pins are refused, and the log has it. What
      // the first server logged last is lost with it.
      const refused = load.refused.slice(1).reduce((sum, count) => sum + count, 0);
      assert(refused <= linesWith("unavailable", logs), `${refused}`);
    });
  },
);
