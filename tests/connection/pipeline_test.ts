import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { MAX_IN_FLIGHT, Pipeline } from "../../lib/connection/pipeline.ts";
import { ProtocolError, SilenceError } from "../../lib/connection/store_failure.ts";
import { ManualTimers } from "../support/timers.ts";

interface Scene {
  readonly pipeline: Pipeline;
  /** What was sent and not answered yet; each takes the answer. */
  readonly sent: PromiseWithResolvers<unknown>[];
  /** Why it ended; more than one is wrong. */
  readonly ends: unknown[];
  /** Asks, and gives the reply as it is. */
  readonly ask: () => Promise<unknown>;
}

function scene({ patienceMs = 10_000, isOpen = true } = {}): Scene {
  const sent: PromiseWithResolvers<unknown>[] = [];
  const ends: unknown[] = [];
  const pipeline = new Pipeline({
    patienceMs,
    send: () => {
      const reply = Promise.withResolvers<unknown>();
      sent.push(reply);
      return reply.promise;
    },
    onEnd: (reason) => void ends.push(reason),
  });
  if (isOpen) pipeline.open();
  return { pipeline, sent, ends, ask: () => pipeline.ask(["PING"], (reply) => reply) };
}

Deno.test("a pipeline sends nothing before it is opened", async () => {
  const { pipeline, sent, ask } = scene({ isOpen: false });
  const reply = ask();
  assertEquals(sent.length, 0);
  pipeline.open();
  assertEquals(sent.length, 1);
  sent[0]!.resolve("PONG");
  assertEquals(await reply, "PONG");
});

Deno.test("a pipeline rejects what is answered with an error, and goes on", async () => {
  const { sent, ask, ends } = scene();
  const [first, second] = [ask(), ask()];
  sent[0]!.reject(new Error("ERR no"));
  sent[1]!.resolve("PONG");
  await assertRejects(() => first!, Error, "ERR no");
  assertEquals([await second, ends], ["PONG", []]);
});

Deno.test("a pipeline ends with a reply that is none to its command", async () => {
  const { pipeline, sent, ask, ends } = scene();
  const refuse = (): never => {
    throw new ProtocolError("Thrown by a test");
  };
  const replies = [pipeline.ask(["PING"], refuse), ask()];
  for (const { resolve } of sent) resolve("PONG");
  for (const reply of replies) await assertRejects(() => reply, ProtocolError);
  await assertRejects(() => ask(), ProtocolError);
  assertEquals([ends.length, sent.length], [1, 2]);
});

Deno.test("a pipeline rejects with the reason of its end, what waits and what comes", async () => {
  const { pipeline, ask, ends, sent } = scene();
  const replies = Array.from({ length: 2 * MAX_IN_FLIGHT }, ask);
  pipeline.end(new Error("Thrown by a test"));
  pipeline.end(new Error("Another one"));
  for (const reply of [...replies, ask()]) {
    await assertRejects(() => reply, Error, "Thrown by a test");
  }
  for (const { resolve } of sent) resolve("late");
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals([ends.length, sent.length], [1, MAX_IN_FLIGHT]);
});

Deno.test("a pipeline has so many commands in flight at most, and sends others as replies come", async () => {
  const { sent, ask } = scene();
  const replies = Array.from({ length: 3 * MAX_IN_FLIGHT }, ask);
  assertEquals(sent.length, MAX_IN_FLIGHT);
  for (let i = 0; i < 10; i++) sent[i]!.resolve(i);
  await Promise.all(replies.slice(0, 10));
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals(sent.length, MAX_IN_FLIGHT + 10);
  for (let i = 10; i < replies.length; i++) {
    sent[i]!.resolve(i);
    if (sent.length === i + 1) await new Promise((resolve) => setTimeout(resolve, 0));
  }
  assertEquals(await Promise.all(replies), [...replies.keys()]);
});

Deno.test("a pipeline ends when a reply does not come in time", async () => {
  const { ask, ends } = scene({ patienceMs: 20 });
  await assertRejects(ask, SilenceError, "No reply in time");
  assertEquals(ends.map((reason) => reason instanceof SilenceError), [true]);
});

Deno.test("a pipeline waits in time for each reply, and not for all of them", async () => {
  const { sent, ask, ends } = scene({ patienceMs: 100 });
  const replies: Promise<unknown>[] = [ask()];
  for (let i = 0; i < 20; i++) {
    replies.push(ask());
    await new Promise((resolve) => setTimeout(resolve, 10));
    sent[i]!.resolve(i);
  }
  sent[20]!.resolve(20);
  await Promise.all(replies);
  assertEquals(ends, []);
});

Deno.test("a pipeline rejects what cannot be sent in time, and goes on", async () => {
  const { pipeline, sent, ask, ends } = scene({ patienceMs: 20, isOpen: false });
  await assertRejects(ask, SilenceError, "Not sent in time");
  assertEquals([ends, sent], [[], []]);
  pipeline.open();
  const reply = ask();
  sent[0]!.resolve("PONG");
  assertEquals(await reply, "PONG");
});

Deno.test("a pipeline does not blame a store for pauses of this process", async () => {
  const { sent, ask, ends } = scene({ patienceMs: 50 });
  for (let i = 0; i < 5; i++) {
    const reply = ask();
    await new Promise((resolve) => setTimeout(resolve, 1));
    // Longer than its patience: every timer is late now, and the reply is read after them.
    const untilMs = performance.now() + 120;
    while (performance.now() < untilMs);
    setTimeout(() => sent[i]!.resolve("PONG"), 0);
    assertEquals(await reply, "PONG");
  }
  assertEquals(ends, []);
});

Deno.test("a pipeline waits ten whole ticks, however late in one a command came", async () => {
  await ManualTimers.during(async (timers) => {
    for (const isOpen of [true, false]) {
      const { ask, ends } = scene({ isOpen });
      let settled = 0;
      const late = ask().catch(() => settled++);
      for (let tick = 0; tick < 10; tick++) await timers.tick();
      assertEquals([settled, ends], [0, []]);
      await timers.tick();
      await late;
      assertEquals([settled, ends.length], [1, isOpen ? 1 : 0]);
    }
    // A tenth of the time for which it waits.
    assertEquals(new Set(timers.asked), new Set([1000]));
  });
});

Deno.test("a pipeline has one timer while something waits, and none otherwise", async () => {
  await ManualTimers.during(async (timers) => {
    const { pipeline, sent, ask } = scene();
    assertEquals(timers.pending, 0);
    const replies = [ask(), ask()];
    assertEquals(timers.pending, 1);
    await timers.tick();
    assertEquals(timers.pending, 1);
    for (const { resolve } of sent) resolve("PONG");
    await Promise.all(replies);
    await timers.tick();
    assertEquals(timers.pending, 0);
    const cut = ask().catch(() => {});
    assertEquals(timers.pending, 1);
    pipeline.end(new Error("Thrown by a test"));
    await cut;
    assertEquals(timers.pending, 0);
  });
});

Deno.test("a pipeline blames a store for the oldest command, and nobody for what comes later", async () => {
  await ManualTimers.during(async (timers) => {
    const { sent, ask, ends } = scene();
    const first = ask();
    for (let tick = 0; tick < 6; tick++) await timers.tick();
    const second = ask();
    sent[0]!.resolve("PONG");
    assertEquals(await first, "PONG");
    for (let tick = 0; tick < 10; tick++) await timers.tick();
    assertEquals(ends, []);
    sent[1]!.resolve("PONG");
    assertEquals(await second, "PONG");
  });
});

Deno.test("a pipeline rejects of what waits to be sent what is late, and no more", async () => {
  await ManualTimers.during(async (timers) => {
    const { pipeline, sent, ask } = scene({ isOpen: false });
    const late = assertRejects(ask, SilenceError, "Not sent in time");
    for (let tick = 0; tick < 6; tick++) await timers.tick();
    const later = ask();
    for (let tick = 0; tick < 5; tick++) await timers.tick();
    await late;
    pipeline.open();
    assertEquals(sent.length, 1);
    sent[0]!.resolve("PONG");
    assertEquals(await later, "PONG");
  });
});

Deno.test("a pipeline goes on after a reply that cannot be read for another reason", async () => {
  const { pipeline, sent, ask, ends } = scene();
  const reply = pipeline.ask(["PING"], () => {
    throw new TypeError("Thrown by a test");
  });
  sent[0]!.resolve("PONG");
  await assertRejects(() => reply, TypeError);
  const next = ask();
  sent[1]!.resolve("PONG");
  assertEquals([await next, ends], ["PONG", []]);
});
