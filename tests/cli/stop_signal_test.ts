import process from "node:process";
import { assertEquals } from "@std/assert/equals";
import { stopSignal } from "../../lib/cli/stop_signal.ts";
import { ManualTimers } from "../support/timers.ts";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** How many listen for each. */
function listeners(): readonly number[] {
  return SIGNALS.map((signal) => process.listenerCount(signal));
}

for (const signal of SIGNALS) {
  Deno.test(`a ${signal} that is passed on too is one, and the system has the next`, async () => {
    await ManualTimers.during(async (timers) => {
      const before = listeners();
      const stopped = stopSignal(false);
      for (let times = 0; times < 3; times++) {
        process.emit(signal);
        await timers.settle();
        assertEquals(listeners(), before.map((count) => count + 1));
      }
      assertEquals(await stopped, signal);
      await timers.tick();
      assertEquals(listeners(), before);
    });
  });
}
