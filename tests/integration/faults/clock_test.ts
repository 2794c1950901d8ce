/**
 * The time of day of a server is set forth and back while it runs, by libfaketime. Pins follow the
 * time of day, and the guard's delays do not.
 *
 * @module
 */

import { assertEquals } from "@std/assert/equals";
import { runToEnd } from "../../support/child.ts";
import { eventually } from "../../support/eventually.ts";
import {
  type FaultedServer,
  type FaultedServerOptions,
  withFaultedServer,
} from "../../support/faulted_server.ts";

const HOUR_MS = 3_600_000;
const FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";
// What the guard makes a secret wait at first.
const WAIT_MS = 30_000;

/** A time of day that is set while the server runs. */
class TimeOfDay {
  #offsetMs = 0;
  readonly #file = Deno.makeTempFileSync();

  constructor() {
    this.set(0);
  }

  /** Sets it so many milliseconds before or behind ours. */
  set(offsetMs: number): void {
    this.#offsetMs = offsetMs;
    const seconds = offsetMs / 1000;
    Deno.writeTextFileSync(this.#file, `${seconds < 0 ? "" : "+"}${seconds}\n`);
  }

  /** How a server is started that has it. */
  circumstances(): FaultedServerOptions {
    return {
      clock: () => Date.now() + this.#offsetMs,
      // In the shell, because it is the server's alone: the clock that goes steadily is left alone.
      shell: `export FAKETIME_TIMESTAMP_FILE='${this.#file}' FAKETIME_NO_CACHE=1 ` +
        `FAKETIME_DONT_FAKE_MONOTONIC=1 LD_PRELOAD='${FAKETIME}'`,
    };
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.#file);
  }
}

function needsFaketime(): void {
  try {
    Deno.statSync(FAKETIME);
  } catch {
    throw new Error("libfaketime is missing: apt-get install faketime");
  }
}

async function withTimeOfDay(
  args: readonly string[],
  run: (server: FaultedServer, time: TimeOfDay) => Promise<void>,
): Promise<void> {
  needsFaketime();
  using time = new TimeOfDay();
  await withFaultedServer({ args, ...time.circumstances() }, (server) => run(server, time));
}

Deno.test("pins follow the time of day, forth and back, and none is accepted twice", async () => {
  await withTimeOfDay([], async (server, time) => {
    const ours = server.freshPin();
    assertEquals(await server.validate(ours), "True");
    time.set(2 * HOUR_MS);
    assertEquals(await server.validate(ours), "False");
    await server.assertHealthy();
    // Those of our own time step were right before, and would be again but for their use.
    time.set(0);
    assertEquals(await server.validate(ours), "False");
    assertEquals((await server.get("/healthz")).status, 200);
  });
});

Deno.test("a clock that is set changes nothing in how long pins are refused", async () => {
  await withTimeOfDay(["--max-failures", "3"], async (server, time) => {
    const secret = "another battery staple";
    const start = performance.now();
    for (let i = 0; i < 3; i++) {
      assertEquals(await server.validate(server.wrongPin(secret), secret), "False");
    }
    for (const offsetMs of [2 * HOUR_MS, -2 * HOUR_MS, 48 * HOUR_MS, 0]) {
      time.set(offsetMs);
      const answer = await server.validate(server.pinOf(secret), secret);
      if (performance.now() - start < WAIT_MS) assertEquals(answer, "False");
      // On a busy machine the wait may be over, and the code used, which refuses all earlier ones.
      else if (answer === "True") return;
    }
    time.set(-HOUR_MS);
    const isAccepted = async (): Promise<boolean> =>
      await server.validate(server.pinOf(secret), secret) === "True";
    await eventually(isAccepted, "the wait ends");
  });
});

Deno.test("the sources start without a lock and with a clock that is years behind", async () => {
  needsFaketime();
  // In 2024, before the packages of the import map were made.
  const env = { FAKETIME: "@2024-01-01 00:00:00", LD_PRELOAD: FAKETIME };
  const root = new URL("../../../", import.meta.url);
  const words = [
    Deno.execPath(),
    "run",
    "--cached-only",
    "--no-prompt",
    "-A",
    "main.ts",
    "version",
  ];
  const { code, stdout, stderr } = await runToEnd(words, { cwd: root, env });
  assertEquals([code, stdout.split(" ")[0]], [0, "authenticator"], stderr);
});
