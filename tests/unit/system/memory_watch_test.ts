import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { MemoryWatch } from "../../../lib/system/memory_watch.ts";
import { ManualTimers } from "../../support/timers.ts";

const MIB = 2 ** 20;

function testWatch(
  name: string,
  act: (watch: MemoryWatch, memory: { bytes: number }, timers: ManualTimers) => Promise<void>,
): void {
  Deno.test(`MemoryWatch ${name}`, () =>
    ManualTimers.during((timers) => {
      const memory = { bytes: 60 * MIB };
      return act(new MemoryWatch(() => new Error("Full"), () => memory.bytes), memory, timers);
    }));
}

testWatch("settles with work that ends, and with its error", async (watch, _, timers) => {
  assertEquals(await watch.within(() => Promise.resolve(7)), 7);
  await assertRejects(() => watch.within(() => Promise.reject(new Error("No"))), Error, "No");
  assertEquals(timers.intervals, 0);
});

testWatch(
  "ends all work once the memory has grown by 64 MiB since there was none",
  async (watch, memory, timers) => {
    for (let round = 0; round < 3; round++) {
      const first = assertRejects(() => watch.within(() => new Promise(() => {})), Error, "Full");
      memory.bytes += 63 * MIB;
      await timers.repeat();
      assertEquals(timers.intervals, 1);
      const second = assertRejects(() => watch.within(() => new Promise(() => {})), Error, "Full");
      memory.bytes += MIB;
      await timers.repeat();
      await Promise.all([first, second]);
      assertEquals(timers.intervals, 0);
    }
  },
);
