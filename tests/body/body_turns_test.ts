import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { type Body, BodyTurns, MAX_BODIES } from "../../lib/body/body_turns.ts";
import { Fault } from "../../lib/service/fault.ts";
import { ManualTimers } from "../support/timers.ts";

/** A body that is sent when somebody says so. */
interface SlowBody extends Body<string> {
  readonly send: () => void;
  /** Whether it is being read. */
  readonly hasBegun: () => boolean;
}

const LONG = { isShort: false, timeoutMs: 60_000 };

function slowBody(more: Partial<Body<string>> = {}): SlowBody {
  const { promise, resolve } = Promise.withResolvers<string>();
  let hasBegun = false;
  const read = (): Promise<string> => (hasBegun = true, promise);
  return { ...LONG, read, ...more, send: () => resolve("sent"), hasBegun: () => hasBegun };
}

function slowBodies(count: number, more: Partial<Body<string>> = {}): readonly SlowBody[] {
  return Array.from({ length: count }, () => slowBody(more));
}

const ARRIVED: Body<string> = { ...LONG, read: () => Promise.resolve("sent") };

/** Begins to read bodies, and gives how each ended: what it is, or the code of the fault. */
function takeAll(
  turns: BodyTurns,
  bodies: readonly Body<string>[],
): readonly (string | undefined)[] {
  const outcomes: (string | undefined)[] = bodies.map(() => undefined);
  for (const [i, body] of bodies.entries()) {
    void turns.take(body).then(
      (text) => outcomes[i] = text,
      (fault) => outcomes[i] = (fault as Fault).code,
    );
  }
  return outcomes;
}

function counted(outcomes: readonly (string | undefined)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[`${outcome}`] = (counts[`${outcome}`] ?? 0) + 1;
  return counts;
}

interface Scene {
  readonly turns: BodyTurns;
  readonly timers: ManualTimers;
  /** Has all bodies looked at, so many times. */
  readonly look: (times?: number) => Promise<void>;
}

// What is late by a pause of the process has so many turns of its loop to arrive.
const TURNS_LATE = 10;

/** Runs a test in which bodies are looked at when it says so. */
function testTurns(name: string, act: (scene: Scene) => Promise<void>): void {
  Deno.test(`BodyTurns ${name}`, () =>
    ManualTimers.during(async (timers) => {
      const look = async (times = 1): Promise<void> => {
        for (let i = 0; i < times; i++) {
          await timers.repeat();
          for (let turn = 0; turn < TURNS_LATE; turn++) await timers.tick();
        }
      };
      await act({ turns: new BodyTurns(), timers, look });
    }));
}

testTurns("lets 256 bodies be read at once", async ({ turns, look }) => {
  const bodies = slowBodies(MAX_BODIES);
  const outcomes = takeAll(turns, bodies);
  // However long they take, while nobody else waits.
  await look(5);
  assertEquals(counted(outcomes), { undefined: MAX_BODIES });
  bodies.forEach(({ send }) => send());
  await look();
  assertEquals(counted(outcomes), { sent: MAX_BODIES });
});

testTurns("gives up the oldest of 256 bodies for one more", async ({ turns, look }) => {
  const bodies = slowBodies(MAX_BODIES);
  const outcomes = takeAll(turns, bodies);
  const last = takeAll(turns, [ARRIVED]);
  await look();
  assertEquals([counted(outcomes), last], [{ undefined: MAX_BODIES }, [undefined]]);
  await look();
  assertEquals([outcomes[0], last], ["busy", ["sent"]]);
  await look(3);
  assertEquals(counted(outcomes), { busy: 1, undefined: MAX_BODIES - 1 });
  bodies.forEach(({ send }) => send());
});

testTurns(
  "gives nobody up before what has arrived could be read",
  async ({ turns, timers, look }) => {
    const bodies = slowBodies(MAX_BODIES);
    const outcomes = takeAll(turns, bodies);
    const last = takeAll(turns, [slowBody()]);
    await look();
    await timers.repeat();
    for (let turn = 1; turn < TURNS_LATE; turn++) await timers.tick();
    assertEquals(outcomes[0], undefined);
    bodies[0]!.send();
    await timers.settle();
    await timers.tick();
    assertEquals([outcomes[0], last], ["sent", [undefined]]);
    assertEquals(counted(outcomes), { sent: 1, undefined: MAX_BODIES - 1 });
    assertEquals(new Set(timers.asked), new Set([1]));
  },
);

testTurns(
  "refuses none of many bodies that come a moment after their heads",
  async ({ turns, timers }) => {
    const read = (): Promise<string> =>
      new Promise((resolve) => setTimeout(() => resolve("sent"), 1));
    const outcomes = takeAll(turns, Array.from({ length: 4_096 }, () => ({ ...LONG, read })));
    for (let round = 0; round < 4_096 / MAX_BODIES; round++) {
      await timers.repeat();
      await timers.tick();
    }
    assertEquals(counted(outcomes), { sent: 4_096 });
  },
);

testTurns("reads a body that has arrived beside thousands that stall", async ({ turns, look }) => {
  const bodies = slowBodies(4_096);
  const outcomes = takeAll(turns, bodies);
  const arrived = takeAll(turns, [ARRIVED]);
  await look(2);
  // It was there before those that came first.
  assertEquals([arrived, counted(outcomes)], [["sent"], {
    busy: MAX_BODIES,
    undefined: 4_096 - MAX_BODIES,
  }]);
  bodies.forEach(({ send }) => send());
});

testTurns(
  "comes to a body that has arrived although others that stall come on and on",
  async ({ turns, look }) => {
    let isOver = false;
    const stalled: SlowBody[] = [];
    // Whoever is given up comes again at once.
    const stall = async (): Promise<void> => {
      while (!isOver) {
        const body = slowBody();
        stalled.push(body);
        await turns.take(body).catch(() => {});
      }
    };
    const stalling = Array.from({ length: 3 * MAX_BODIES }, stall);
    const outcome = takeAll(turns, [{ ...ARRIVED, timeoutMs: 3_000 }]);
    stalling.push(...Array.from({ length: MAX_BODIES }, stall));
    await look(30);
    isOver = true;
    stalled.forEach(({ send }) => send());
    await look();
    assertEquals(outcome, ["sent"]);
  },
);

testTurns(
  "says of bodies that are late whether they ever had their turn",
  async ({ turns, look }) => {
    const bodies = slowBodies(4 * MAX_BODIES, { timeoutMs: 250 });
    const said: string[] = [];
    for (const body of bodies) {
      void turns.take(body).catch(({ message }) => said.push(`${body.hasBegun()} ${message}`));
    }
    await look(5);
    const busy = "No more than 256 bodies are read at once.";
    // Those that were read are given up for others, or are late.
    assertEquals(counted(said), {
      [`true ${busy}`]: 2 * MAX_BODIES,
      [`false ${busy}`]: MAX_BODIES,
      "true The body did not arrive within 0.25 seconds.": MAX_BODIES,
    });
    assertEquals(takeAll(turns, [ARRIVED]), [undefined]);
  },
);

testTurns("gives no body up before its time", async ({ turns, look }) => {
  // The first look may come at once, and so may that for which somebody looked already.
  for (const [timeoutMs, looks] of [[100, 3], [250, 5], [300, 5], [301, 6]] as const) {
    const outcome = takeAll(turns, [slowBody({ timeoutMs })]);
    await look(looks - 1);
    assertEquals(outcome, [undefined], `${timeoutMs}`);
    await look();
    assertEquals(outcome, ["timeout"], `${timeoutMs}`);
  }
});

testTurns("reads a short body at once, whoever else waits", async ({ turns, timers }) => {
  const bodies = slowBodies(4_096);
  const outcomes = takeAll(turns, bodies);
  const short = takeAll(turns, [{ ...ARRIVED, isShort: true }]);
  await timers.settle();
  assertEquals([short, counted(outcomes)], [["sent"], { undefined: 4_096 }]);
  bodies.forEach(({ send }) => send());
});

testTurns("gives up the oldest of short bodies that stall", async ({ turns, look }) => {
  const bodies = slowBodies(300, { isShort: true });
  const outcomes = takeAll(turns, bodies);
  const refused = 300 - MAX_BODIES;
  await look(2);
  assertEquals(counted(outcomes.slice(0, refused)), { busy: refused });
  // Of those that are no more than may be read at once, none is given up for its age.
  await look(3);
  assertEquals(counted(outcomes.slice(refused)), { undefined: MAX_BODIES });
  bodies.forEach(({ send }) => send());
});

testTurns(
  "reads nothing of a long body before its turn, and the newest and the oldest in turn",
  async ({ turns, timers }) => {
    const bodies = slowBodies(MAX_BODIES);
    const outcomes = takeAll(turns, bodies);
    const order: string[] = [];
    const waiting = takeAll(
      turns,
      ["first", "second", "third", "fourth"].map((name) => ({
        ...LONG,
        read: () => (order.push(name), Promise.resolve("sent")),
      })),
    );
    await timers.settle();
    assertEquals(order, []);
    bodies[0]!.send();
    await timers.settle();
    assertEquals(counted(waiting), { sent: 4 });
    assertEquals(order, ["fourth", "first", "third", "second"]);
    bodies.forEach(({ send }) => send());
    await timers.settle();
    assertEquals(counted(outcomes), { sent: MAX_BODIES });
  },
);

testTurns(
  "gives no turn while short bodies take more places than there are",
  async ({ turns, timers }) => {
    const long = slowBodies(MAX_BODIES);
    const short = slowBodies(2, { isShort: true });
    const outcomes = takeAll(turns, [...long, ...short]);
    const last = slowBody();
    const outcome = takeAll(turns, [last]);
    for (const [i, { send }] of short.entries()) {
      send();
      await timers.settle();
      assertEquals([outcomes[MAX_BODIES + i], last.hasBegun()], ["sent", false]);
    }
    [...long, last].forEach(({ send }) => send());
    await timers.settle();
    assertEquals([counted(outcomes), outcome], [{ sent: MAX_BODIES + 2 }, ["sent"]]);
  },
);

testTurns("gives back the place of a body that broke off", async ({ turns, timers }) => {
  const broken = { ...LONG, read: () => Promise.reject(new Fault("unreadable", "")) };
  const outcomes = takeAll(turns, Array(2 * MAX_BODIES).fill(broken));
  await timers.settle();
  const last = takeAll(turns, [ARRIVED]);
  await timers.settle();
  assertEquals([counted(outcomes), last], [{ unreadable: 2 * MAX_BODIES }, ["sent"]]);
});

testTurns(
  "sets one timer for many bodies, and leaves none behind",
  async ({ turns, timers, look }) => {
    assertEquals(timers.intervals, 0);
    for (let round = 0; round < 2; round++) {
      const bodies = slowBodies(2 * MAX_BODIES);
      const outcomes = takeAll(turns, bodies);
      assertEquals(timers.intervals, 1);
      bodies.forEach(({ send }) => send());
      await timers.settle();
      // It is set for the next ones as well, if they come soon.
      assertEquals([counted(outcomes), timers.intervals], [{ sent: 2 * MAX_BODIES }, 1]);
      await look();
      assertEquals(timers.intervals, 0);
    }
  },
);

// The last one: its interval may outlive it.
Deno.test("BodyTurns gives no body up before its time, by the clock", async () => {
  const turns = new BodyTurns();
  const start = performance.now();
  // Somebody looks already, and looks at once when the first is there.
  const others = Array.from({ length: 5 }, () => turns.take(slowBody({ timeoutMs: 100 })));
  const settled = Promise.allSettled(others);
  const fault = await assertRejects(() => turns.take(slowBody({ timeoutMs: 300 })), Fault);
  assertEquals(fault.code, "timeout");
  assert(performance.now() - start >= 300);
  for (const outcome of await settled) assertEquals(outcome.status, "rejected");
});
