import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { sleep, withTimeout } from "../../../../lib/server/runtime/timeout.ts";

const never = new Promise<void>(() => {});

Deno.test("withTimeout() waits no longer than it may", async () => {
  assertEquals(await withTimeout(never, 1), false);
});

Deno.test("withTimeout() waits for ever where it may", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isOver = false;
  const waited = withTimeout(promise, Infinity).then(() => isOver = true);
  await sleep(5);
  assertEquals(isOver, false);
  resolve();
  await waited;
});

Deno.test("withTimeout() settles with its promise, and leaves no timer behind", async () => {
  const { setTimeout, clearTimeout } = globalThis;
  const timers = new Set<unknown>();
  Object.assign(globalThis, {
    setTimeout: (...args: Parameters<typeof setTimeout>) => {
      const timer = setTimeout(...args);
      timers.add(timer);
      return timer;
    },
    clearTimeout: (timer: ReturnType<typeof setTimeout>) => {
      timers.delete(timer);
      clearTimeout(timer);
    },
  });
  try {
    assertEquals(await withTimeout(Promise.resolve(), 60_000), true);
    await assertRejects(() => withTimeout(Promise.reject(new Error("a test")), 60_000), Error);
    assertEquals(timers.size, 0);
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
  }
});
