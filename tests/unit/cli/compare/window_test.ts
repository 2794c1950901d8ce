import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { findWindow } from "../../../../lib/cli/compare/window.ts";

interface Measured {
  readonly found: { readonly middle: number; readonly width: number } | undefined;
  readonly asked: number;
}

/** Measures a service by its rule, and counts the questions beside those that are always asked. */
async function measure(
  accepts: (steps: number) => boolean,
  expected: number,
): Promise<Measured> {
  const always = [0, 1, expected, expected + 1, 10, 11].flatMap((steps) => [steps, -steps]);
  const asked = new Set<number>();
  const found = await findWindow(expected, (steps) => {
    assert(!asked.has(steps));
    asked.add(steps);
    return Promise.resolve(accepts(steps));
  });
  return { found, asked: [...asked].filter((steps) => !always.includes(steps)).length };
}

Deno.test("findWindow() finds any window with at most nine further questions", async () => {
  for (const expected of [0, 1, 2, 10, 100]) {
    for (let width = 0; width <= 100; width++) {
      const { found, asked } = await measure((steps) => Math.abs(steps) <= width, expected);
      assertEquals(found, { middle: 0, width });
      assert(asked <= 9, `${asked} for a window of ${width} with ${expected} expected`);
    }
  }
});

Deno.test("findWindow() sends no further request to a server with the expected window", async () => {
  for (const width of [0, 1, 2, 9, 10, 11, 100]) {
    const { asked } = await measure((steps) => Math.abs(steps) <= width, width);
    assertEquals(asked, 0);
  }
});

Deno.test("findWindow() finds a clock that is up to nine steps off by the middle of the window", async () => {
  for (const width of [1, 2, 3]) {
    for (let middle = -9; middle <= 9; middle++) {
      const { found } = await measure((steps) => Math.abs(steps - middle) <= width, width);
      assertEquals(found, { middle, width });
    }
  }
});

Deno.test("findWindow() finds no window where none explains the answers", async () => {
  const rules: readonly ((steps: number) => boolean)[] = [
    () => false,
    () => true,
    // Its farther end is beyond the steps that are asked about.
    (steps) => Math.abs(steps - 2) <= 100,
    (steps) => steps >= -1 && steps <= 2,
    (steps) => Math.abs(steps) === 1,
    (steps) => Math.abs(steps) <= 1 || steps === 11,
    (steps) => Math.abs(steps) <= 1 || steps === -10,
  ];
  for (const rule of rules) assertEquals((await measure(rule, 1)).found, undefined, String(rule));
});
