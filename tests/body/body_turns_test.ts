import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { type Body, BodyTurns, MAX_BODIES } from "../../lib/body/body_turns.ts";
import { Fault } from "../../lib/service/fault.ts";

/** A body that is sent when somebody says so. */
interface SlowBody extends Body<string> {
  readonly send: () => void;
}

const LONG = { isShort: false, timeoutMs: 60_000 };

function slowBody(): SlowBody {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { ...LONG, read: () => promise, send: () => resolve("sent") };
}

const ARRIVED: Body<string> = { ...LONG, read: () => Promise.resolve("sent") };

/** Begins to read bodies, and gives how each ends: what it is, or the code of the fault. */
function takeAll(turns: BodyTurns, bodies: readonly Body<string>[]): Promise<string>[] {
  return bodies.map((body) => turns.take(body).catch((error) => (error as Fault).code));
}

function counted(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

Deno.test("BodyTurns lets 256 bodies be read at once", async () => {
  const turns = new BodyTurns();
  const bodies = Array.from({ length: MAX_BODIES }, slowBody);
  const outcomes = takeAll(turns, bodies);
  // However long they take, while nobody else waits.
  await new Promise((resolve) => setTimeout(resolve, 300));
  bodies.forEach(({ send }) => send());
  assertEquals(counted(await Promise.all(outcomes)), { sent: 256 });
});

Deno.test("BodyTurns gives up the oldest of 256 bodies for one more", async () => {
  const turns = new BodyTurns();
  const bodies = Array.from({ length: MAX_BODIES }, slowBody);
  const outcomes = takeAll(turns, bodies);
  assertEquals(await turns.take(ARRIVED), "sent");
  assertEquals(await outcomes[0], "busy");
  bodies.forEach(({ send }) => send());
  assertEquals(counted(await Promise.all(outcomes)), { busy: 1, sent: 255 });
});

Deno.test("BodyTurns refuses none of many bodies that come a moment after their heads", async () => {
  const turns = new BodyTurns();
  const soon = (): Promise<string> =>
    new Promise((resolve) => setTimeout(() => resolve("sent"), 1));
  const outcomes = takeAll(
    turns,
    Array.from({ length: 4_096 }, () => ({ ...LONG, read: soon })),
  );
  assertEquals(counted(await Promise.all(outcomes)), { sent: 4_096 });
});

Deno.test("BodyTurns reads a body that has arrived beside thousands that stall", async () => {
  const turns = new BodyTurns();
  const bodies = Array.from({ length: 4_096 }, slowBody);
  const outcomes = takeAll(turns, bodies);
  let refused = 0;
  for (const outcome of outcomes) void outcome.then((how) => refused += how === "busy" ? 1 : 0);
  assertEquals(await turns.take(ARRIVED), "sent");
  // It was there before those that came first.
  assert(refused <= MAX_BODIES, `${refused}`);
  bodies.forEach(({ send }) => send());
  await Promise.all(outcomes);
});

Deno.test("BodyTurns comes to a body that has arrived although others that stall come on and on", async () => {
  const turns = new BodyTurns();
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
  const arrived = turns.take({ ...ARRIVED, timeoutMs: 3_000 });
  stalling.push(...Array.from({ length: MAX_BODIES }, stall));
  const [outcome] = await Promise.allSettled([arrived]);
  isOver = true;
  stalled.forEach(({ send }) => send());
  await Promise.all(stalling);
  assertEquals(outcome, { status: "fulfilled", value: "sent" });
});

Deno.test("BodyTurns says of bodies that are late whether they ever had their turn", async () => {
  const turns = new BodyTurns();
  const bodies = Array.from({ length: 4 * MAX_BODIES }, slowBody);
  const begun = new Set<SlowBody>();
  const faults = await Promise.all(bodies.map((body) => {
    const read = (): Promise<string> => (begun.add(body), body.read());
    return turns.take({ ...body, read, timeoutMs: 250 }).then(() => undefined, (fault) => fault);
  }));
  const sentences = bodies.map((body, i) => `${begun.has(body)} ${(faults[i] as Fault).message}`);
  const busy = "No more than 256 bodies are read at once.";
  const kinds = [...new Set(sentences)].sort();
  // Those that were read are given up for others, or are late.
  assertEquals(kinds, [
    `false ${busy}`,
    `true ${busy}`,
    "true The body did not arrive within 0.25 seconds.",
  ]);
  assertEquals(await turns.take(ARRIVED), "sent");
});

Deno.test("BodyTurns gives no body up before its time", async () => {
  const turns = new BodyTurns();
  const start = performance.now();
  // Somebody looks already, and looks at once when the first is there.
  const others = Array.from({ length: 5 }, () => turns.take({ ...slowBody(), timeoutMs: 100 }));
  const settled = Promise.allSettled(others);
  const fault = await assertRejects(() => turns.take({ ...slowBody(), timeoutMs: 300 }), Fault);
  assertEquals(fault.code, "timeout");
  assert(performance.now() - start >= 300);
  for (const outcome of await settled) assertEquals(outcome.status, "rejected");
});

Deno.test("BodyTurns reads a short body at once, whoever else waits", async () => {
  const turns = new BodyTurns();
  const bodies = Array.from({ length: 4_096 }, slowBody);
  const outcomes = takeAll(turns, bodies);
  const order: string[] = [];
  const short = turns.take({ ...ARRIVED, isShort: true }).then(() => order.push("short"));
  const first = Promise.race(outcomes).then(() => order.push("given up"));
  await Promise.all([short, first]);
  assertEquals(order, ["short", "given up"]);
  bodies.forEach(({ send }) => send());
  await Promise.all(outcomes);
});

Deno.test("BodyTurns gives up the oldest of short bodies that stall", async () => {
  const turns = new BodyTurns();
  const bodies = Array.from({ length: 300 }, () => ({ ...slowBody(), isShort: true }));
  const outcomes = takeAll(turns, bodies);
  const refused = 300 - MAX_BODIES;
  assertEquals(counted(await Promise.all(outcomes.slice(0, refused))), { busy: refused });
  // Of those that are no more than may be read at once, none is given up for its age.
  await new Promise((resolve) => setTimeout(resolve, 300));
  bodies.forEach(({ send }) => send());
  assertEquals(counted(await Promise.all(outcomes.slice(refused))), { sent: MAX_BODIES });
});

Deno.test("BodyTurns reads nothing of a long body before its turn, and the newest and the oldest in turn", async () => {
  const turns = new BodyTurns();
  const bodies = Array.from({ length: MAX_BODIES }, slowBody);
  const outcomes = takeAll(turns, bodies);
  const order: string[] = [];
  const waiting = ["first", "second", "third", "fourth"].map((name) =>
    turns.take({
      ...LONG,
      read: () => {
        order.push(name);
        return Promise.resolve("sent");
      },
    })
  );
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(order, []);
  bodies[0]!.send();
  await Promise.all(waiting);
  assertEquals(order, ["fourth", "first", "third", "second"]);
  bodies.forEach(({ send }) => send());
  assertEquals(counted(await Promise.all(outcomes)), { sent: MAX_BODIES });
});

Deno.test("BodyTurns gives no turn while short bodies take more places than there are", async () => {
  const turns = new BodyTurns();
  const long = Array.from({ length: MAX_BODIES }, slowBody);
  const short = [slowBody(), slowBody()];
  const outcomes = takeAll(turns, [...long, ...short.map((body) => ({ ...body, isShort: true }))]);
  let hasBegun = false;
  const last = turns.take({ ...LONG, read: () => (hasBegun = true, Promise.resolve("sent")) });
  for (const [i, { send }] of short.entries()) {
    send();
    assertEquals([await outcomes[MAX_BODIES + i], hasBegun], ["sent", false]);
  }
  long.forEach(({ send }) => send());
  assertEquals(await last, "sent");
  assertEquals(counted(await Promise.all(outcomes)), { sent: MAX_BODIES + 2 });
});

Deno.test("BodyTurns gives back the place of a body that broke off", async () => {
  const turns = new BodyTurns();
  const broken = { ...LONG, read: () => Promise.reject(new Fault("unreadable", "")) };
  for (let i = 0; i < 2 * MAX_BODIES; i++) await assertRejects(() => turns.take(broken), Fault);
  assertEquals(await turns.take({ ...ARRIVED, timeoutMs: 50 }), "sent");
});

Deno.test("BodyTurns sets one timer for many bodies, and leaves none behind", async () => {
  const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
  const running = new Set<unknown>();
  let intervals = 0;
  const noted = <Timer>(timer: Timer): Timer => (running.add(timer), timer);
  Object.assign(globalThis, {
    setTimeout: (act: () => void, ms: number) => {
      const timer = setTimeout(() => (running.delete(timer), act()), ms);
      return noted(timer);
    },
    setInterval: (act: () => void, ms: number) => (intervals++, noted(setInterval(act, ms))),
    clearTimeout: (timer: number) => (running.delete(timer), clearTimeout(timer)),
    clearInterval: (timer: number) => (running.delete(timer), clearInterval(timer)),
  });
  try {
    const turns = new BodyTurns();
    // No timer fires between them.
    for (let i = 0; i < 100; i++) await turns.take(ARRIVED);
    assertEquals(intervals, 1);
    const bodies = Array.from({ length: MAX_BODIES + 1 }, slowBody);
    const outcomes = takeAll(turns, bodies);
    assertEquals(running.size, 1);
    bodies.forEach(({ send }) => send());
    await Promise.all(outcomes);
    const late = performance.now() + 10_000;
    while (running.size > 0 && performance.now() < late) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    assertEquals(running.size, 0);
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval });
  }
});
