import { assertEquals } from "@std/assert/equals";
import { InFlightRequests, MAX_DRAIN_MS } from "../../../../lib/server/listen/drain.ts";
import { ManualTimers } from "../../../support/timers.ts";

const REQUEST = new Request("http://localhost/healthz");

/** A server, and a clock for it. */
class Setup {
  readonly traffic = new InFlightRequests();
  isDrained = false;

  constructor(readonly timers: ManualTimers) {}

  /** Sends a request that is answered at once; returns the Connection of its reply. */
  async come(): Promise<string | null> {
    const reply = await this.traffic.answer(() => Promise.resolve(new Response()), REQUEST);
    return reply.headers.get("connection");
  }

  /** Sends a request that is answered by the returned function; returns the Connection of its reply. */
  stay(): () => Promise<string | null> {
    const { promise, resolve } = Promise.withResolvers<Response>();
    const answered = this.traffic.answer(() => promise, REQUEST);
    return async () => {
      resolve(new Response());
      const { headers } = await answered;
      await this.timers.settle();
      return headers.get("connection");
    };
  }

  drain(): void {
    void this.traffic.drain().then(() => this.isDrained = true);
  }

  /** How many pauses end until it is drained, so many at most; something happens before each. */
  async pauses(most: number, before: () => unknown = () => {}): Promise<number> {
    for (let count = 0; count < most; count++) {
      if (this.isDrained) return count;
      await before();
      await this.timers.tick();
    }
    return most;
  }
}

function test(name: string, act: (setup: Setup) => Promise<void>): void {
  Deno.test(name, () => ManualTimers.during((timers) => act(new Setup(timers))));
}

test("replies close the connection once the server drains", async (setup) => {
  const end = setup.stay();
  assertEquals(await setup.come(), null);
  setup.drain();
  assertEquals([await setup.come(), await end()], ["close", "close"]);
});

test("drain() ends once no request came for a pause", async (setup) => {
  setup.drain();
  assertEquals([await setup.pauses(99), setup.timers.delaysMs], [1, [250]]);
});

test("drain() continues while requests arrive", async (setup) => {
  let left = 3;
  setup.drain();
  assertEquals(await setup.pauses(99, () => left-- > 0 ? setup.come() : undefined), 4);
});

test("drain() ends under steady load", async (setup) => {
  setup.drain();
  assertEquals(await setup.pauses(99, () => setup.come()), 8);
});

test("drain() ends under steady load beside a request that does not end", async (setup) => {
  setup.stay();
  setup.drain();
  assertEquals(await setup.pauses(99, () => setup.come()), 36);
  assertEquals(setup.timers.delaysMs.reduce((sum, ms) => sum + ms), MAX_DRAIN_MS);
});

for (const pauses of [1, 8, 20, 36, 99]) {
  test(`drain() waits for a request of ${pauses} pauses, and no longer`, async (setup) => {
    const end = setup.stay();
    setup.drain();
    assertEquals([await setup.pauses(pauses), setup.isDrained], [pauses, false]);
    await end();
    // In the first of them callers are given the time to come again.
    if (pauses < 8) await setup.timers.tick();
    assertEquals(setup.isDrained, true);
  });
}

test("drain() waits for the last of several requests", async (setup) => {
  const [first, second] = [setup.stay(), setup.stay()];
  setup.drain();
  await setup.pauses(9);
  await first();
  assertEquals(setup.isDrained, false);
  await second();
  assertEquals(setup.isDrained, true);
});

test("a request that fails has ended too", async (setup) => {
  await setup.traffic.answer(() => Promise.reject(new Error("a test")), REQUEST).catch(() => {});
  setup.drain();
  assertEquals(await setup.pauses(99), 1);
});
