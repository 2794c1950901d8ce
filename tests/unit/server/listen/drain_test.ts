import { assertEquals } from "@std/assert/equals";
import { InFlightRequests, MAX_DRAIN_MS } from "../../../../lib/server/listen/drain.ts";
import { ManualTimers } from "../../../support/timers.ts";

const REQUEST = new Request("http://localhost/healthz");

/** A server, and a clock for it. */
class Scene {
  readonly traffic = new InFlightRequests();
  isDrained = false;

  constructor(readonly timers: ManualTimers) {}

  /** A request that is answered at once; what the reply says of the connection. */
  async come(): Promise<string | null> {
    const reply = await this.traffic.answer(() => Promise.resolve(new Response()), REQUEST);
    return reply.headers.get("connection");
  }

  /** A request that is answered once what this gives is called; what the reply says of the connection. */
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

function test(name: string, act: (scene: Scene) => Promise<void>): void {
  Deno.test(name, () => ManualTimers.during((timers) => act(new Scene(timers))));
}

test("replies say that the connection is closed once the server drains", async (scene) => {
  const end = scene.stay();
  assertEquals(await scene.come(), null);
  scene.drain();
  assertEquals([await scene.come(), await end()], ["close", "close"]);
});

test("drain() ends once nobody came for a pause", async (scene) => {
  scene.drain();
  assertEquals([await scene.pauses(99), scene.timers.asked], [1, [250]]);
});

test("drain() goes on while somebody comes", async (scene) => {
  let left = 3;
  scene.drain();
  assertEquals(await scene.pauses(99, () => left-- > 0 ? scene.come() : undefined), 4);
});

test("drain() ends under steady load", async (scene) => {
  scene.drain();
  assertEquals(await scene.pauses(99, () => scene.come()), 8);
});

test("drain() ends under steady load beside a request that does not end", async (scene) => {
  scene.stay();
  scene.drain();
  assertEquals(await scene.pauses(99, () => scene.come()), 36);
  assertEquals(scene.timers.asked.reduce((sum, ms) => sum + ms), MAX_DRAIN_MS);
});

for (const pauses of [1, 8, 20, 36, 99]) {
  test(`drain() waits for a request that takes ${pauses} pauses, and for no further`, async (scene) => {
    const end = scene.stay();
    scene.drain();
    assertEquals([await scene.pauses(pauses), scene.isDrained], [pauses, false]);
    await end();
    // In the first of them callers are given the time to come again.
    if (pauses < 8) await scene.timers.tick();
    assertEquals(scene.isDrained, true);
  });
}

test("drain() waits for the last of several requests", async (scene) => {
  const [first, second] = [scene.stay(), scene.stay()];
  scene.drain();
  await scene.pauses(9);
  await first();
  assertEquals(scene.isDrained, false);
  await second();
  assertEquals(scene.isDrained, true);
});

test("a request that fails is over as well", async (scene) => {
  await scene.traffic.answer(() => Promise.reject(new Error("a test")), REQUEST).catch(() => {});
  scene.drain();
  assertEquals(await scene.pauses(99), 1);
});
