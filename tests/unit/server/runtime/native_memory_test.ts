import { assertEquals } from "@std/assert/equals";
import { NativeMemory } from "../../../../lib/server/runtime/native_memory.ts";

const MIB = 2 ** 20;

/** Whether each look at a process finds too much growth, by its resident memory and heap in MiB. */
function looks(figures: readonly (readonly [number, number])[]): readonly boolean[] {
  let at = 0;
  const memory = new NativeMemory(() => {
    const [rss, heapTotal] = figures[at++]!;
    return { rss: rss * MIB, heapTotal: heapTotal * MIB };
  });
  return figures.map(() => memory.hasGrown());
}

Deno.test("NativeMemory: 160 MiB beyond the least is too much, and the heap does not count", () => {
  assertEquals(looks([[70, 10], [219, 0], [229, 10], [220, 0]]), [false, false, false, true]);
  assertEquals(looks([[70, 10], [900, 800], [220, 0]]), [false, false, true]);
  assertEquals(looks([[170, 10], [70, 10], [220, 0]]), [false, false, true]);
});

Deno.test("NativeMemory: with more than 400 MiB, 20 MiB beyond the least are too much", () => {
  assertEquals(looks([[350, 0], [399, 0], [400, 0]]), [false, false, true]);
  assertEquals(looks([[600, 0], [619, 0], [620, 0]]), [false, false, true]);
});
