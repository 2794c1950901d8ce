import process from "node:process";
import { Readable } from "node:stream";
import { assertEquals } from "@std/assert/equals";
import { stopSignal } from "../../../../lib/cli/serve/stop_signal.ts";
import { ManualTimers } from "../../../support/timers.ts";
import { streamOf, withProcess } from "../../../support/command.ts";

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
        process.emit(signal, signal);
        await timers.settle();
        assertEquals(listeners(), before.map((count) => count + 1));
      }
      assertEquals(await stopped, signal);
      await timers.tick();
      assertEquals(listeners(), before);
    });
  });
}

function failing(): Readable {
  return new Readable({
    read(): void {
      this.destroy(new Error("EIO"));
    },
  });
}

// As Bun's, where it is a folder.
function unreadable(): Readable {
  return Object.assign(new Readable(), {
    resume: () => {
      throw new Error("EISDIR");
    },
  });
}

Deno.test("the end of standard input stops the server where that is wanted, and is no signal", async () => {
  await ManualTimers.during(async (timers) => {
    for (const stdin of [streamOf(["what a parent says"]), failing(), unreadable()]) {
      const before = listeners();
      const stopped = await withProcess({ stdin }, () => stopSignal(true));
      assertEquals(stopped, "standard input ended");
      await timers.tick();
      assertEquals(listeners(), before.map((count) => count + 1));
      // The first signal after it changes nothing yet.
      process.emit("SIGTERM", "SIGTERM");
      assertEquals(listeners(), before.map((count) => count + 1));
      await timers.tick();
      assertEquals([listeners(), timers.delaysMs], [before, [500]]);
      timers.delaysMs.length = 0;
    }
    const before = listeners();
    const stdin = streamOf([]);
    const stopped = withProcess({ stdin }, () => Promise.resolve([stopSignal(false)]));
    const [waiting] = await stopped;
    assertEquals(stdin.listenerCount("end"), 0);
    process.emit("SIGINT", "SIGINT");
    assertEquals(await waiting, "SIGINT");
    await timers.tick();
    assertEquals(listeners(), before);
  });
});
