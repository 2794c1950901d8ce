/** The end of a service: close(). */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { assertThrows } from "@std/assert/throws";
import { randomBytes } from "node:crypto";
import { Lifetime, LONGEST_CLOSE_MS } from "../../../lib/library/lifetime.ts";
import { type Authenticator, createAuthenticator, Fault } from "../../../lib/mod.ts";
import { eventually } from "../../support/eventually.ts";
import { startFakeRedis } from "../../support/fake_redis.ts";
import { freePort } from "../../support/free_port.ts";
import { referenceHotp } from "../../support/reference_totp.ts";
import { ManualTimers } from "../../support/timers.ts";

// The self-check of a service may outlive a test that calls nothing.
Deno.test.sanitizer({ ops: false });

const secretCode = "correct horse battery";
const now = (): number => 1_500_000_000_000;
const pin = referenceHotp(secretCode, 1_500_000_000 / 30);
const log = { error: () => {} };
const GET = new URLSearchParams({ pin, secretCode });

// A busy machine is slow, and the store must not count as silent then.
function withStore(url: string): Authenticator {
  const guard = `${url}?timeout=60000`;
  return createAuthenticator({ guard, guardKey: randomBytes(32) }, { now, log });
}

Deno.test("close() waits for the pins in flight, which keep their results", async () => {
  const redis = startFakeRedis();
  try {
    const { validatePin, close } = withStore(redis.url);
    assertEquals(await validatePin({ pin, secretCode }), true);
    let results = 0;
    const calls = Array.from({ length: 20 }, async () => {
      const isRight = await validatePin({ pin, secretCode });
      results++;
      return isRight;
    });
    await close();
    assertEquals(results, 20);
    assertEquals(await Promise.all(calls), Array(20).fill(true));
  } finally {
    redis.close();
  }
});

Deno.test("close() waits for pins that wait for the store to be connected, by method as by fetch", async () => {
  const redis = startFakeRedis();
  const request = new Request(`http://localhost/api.asmx/ValidatePin?${GET}`);
  try {
    for (const isFetched of [false, true]) {
      const { validatePin, fetch, close } = withStore(redis.url);
      const call = isFetched
        ? fetch(request).then((reply) => reply.text())
        : validatePin({ pin, secretCode });
      await close();
      assert(/^true$|>true</.test(String(await call)));
    }
  } finally {
    redis.close();
  }
});

Deno.test("a closed service takes no calls, and answers 503 in the form of the caller", async () => {
  for (const guard of ["memory", `redis://127.0.0.1:${freePort()}`]) {
    const service = createAuthenticator({ guard, guardKey: randomBytes(32) }, { now, log });
    const { validatePin, checkPin, pair, seal, fetch, operatorFetch, close } = service;
    await Promise.all([close(), close(), service[Symbol.asyncDispose]()]);
    await close();
    const names = { appName: "a", appInfo: "b", secretCode };
    for (
      const error of [
        await assertRejects(() => validatePin({ pin, secretCode }), Fault),
        await assertRejects(() => checkPin({ pin, secretCode }), Fault),
        assertThrows(() => pair(names), Fault),
        assertThrows(() => seal({ secretCode }), Fault),
      ]
    ) {
      assertEquals([error.code, error.message], ["closed", "The service is closed."]);
    }
    const get = async (path: string, ask = fetch): Promise<readonly unknown[]> => {
      const reply = await ask(new Request(`http://localhost${path}`));
      return [reply.status, await reply.text()];
    };
    const closed = [503, "The service is closed.\r\n"];
    assertEquals(await get(`/api.asmx/ValidatePin?${GET}`), closed);
    assertEquals(await get(`/validate.aspx?${GET}`), [200, "False"]);
    assertEquals(await get("/api.asmx?wsdl"), closed);
    assertEquals(await get("/readyz"), [503, "Not ready.\r\n"]);
    assertEquals(await get("/healthz"), [200, "ok"]);
    assertEquals(await get("/readyz", operatorFetch), [503, "Not ready.\r\n"]);
  }
});

Deno.test("a service is ready while the program around it is", async () => {
  for (const isReady of [true, false]) {
    const { fetch } = createAuthenticator({}, { isReady: () => isReady });
    const reply = await fetch(new Request("http://localhost/readyz"));
    assertEquals(
      [reply.status, await reply.text()],
      isReady ? [200, "ok"] : [503, "Not ready.\r\n"],
    );
  }
});

Deno.test("a service releases its store when its calls have ended, or after ten seconds", () =>
  ManualTimers.during(async (timers) => {
    for (const isLate of [false, true]) {
      const steps: string[] = [];
      const lifetime = new Lifetime(() => void steps.push("released"));
      const { promise, resolve } = Promise.withResolvers<void>();
      void lifetime.during(promise).then(() => steps.push("ended"));
      const closed = lifetime.close().then(() => steps.push("closed"));
      // A call that begins later is answered, and not waited for.
      void lifetime.during(new Promise(() => {}));
      await timers.settle();
      assertEquals(steps, []);
      if (isLate) await timers.tick();
      else resolve();
      await timers.settle();
      const ended = ["released", ...(isLate ? [] : ["ended"])];
      // The one of the turn.
      assertEquals([steps, timers.pending], [ended, 1]);
      await timers.tick();
      await closed;
      assertEquals(steps, [...ended, "closed"]);
      resolve();
    }
    assertEquals(timers.delaysMs, [LONGEST_CLOSE_MS, 0, LONGEST_CLOSE_MS, 0]);
  }));

Deno.test("close() waits ten seconds at most; an open pin is unavailable then, and not wrong", async () => {
  // It accepts connections, and says nothing: the pin waits for it to be connected.
  const silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = silent.accept();
  await ManualTimers.during(async (timers) => {
    const { checkPin, close } = withStore(`redis://127.0.0.1:${silent.addr.port}`);
    const call = checkPin({ pin, secretCode });
    await accepted;
    let isClosed = false;
    const closed = close().then(() => isClosed = true);
    await timers.settle();
    assert(timers.delaysMs.includes(LONGEST_CLOSE_MS), `${timers.delaysMs}`);
    for (let i = 0; i < 10 && !isClosed; i++) await timers.tick();
    await closed;
    assertEquals(await call, { isRight: false, outcome: "unavailable" });
  });
  (await accepted).close();
  silent.close();
});

Deno.test("a thousand services opened and closed keep nothing that runs", async () => {
  // The sanitizers of the test find timers and sockets that are left.
  for (let i = 0; i < 1000; i++) {
    await using service = createAuthenticator({}, { now });
    if (i % 100 === 0) assertEquals(await service.validatePin({ pin, secretCode }), true);
  }
});

Deno.test("a problem of a shared store is logged once", async () => {
  const redis = startFakeRedis(([command]) => {
    if (command === "TIME") return [String(Math.floor(Date.now() / 1000) - 3_600), "0"];
    return command === "INFO" ? new Error("NOPERM no permission to run 'info'") : "OK";
  });
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const parts = { log: { error: (): void => {}, warn } };
  const { close } = createAuthenticator({
    guard: `${redis.url}?timeout=60000`,
    guardKey: randomBytes(32),
  }, parts);
  const store = "the store of the guard, redis:[^ ]+";
  const expected = [
    `the clock is 36.. s ahead of that of ${store}`,
    `${store}, refuses INFO to its user: evictions go unnoticed`,
  ].map((line) => new RegExp(`^${line}$`));
  await eventually(
    () => expected.every((line) => warnings.some((warning) => line.test(warning))),
    "both are told",
  );
  assertEquals(warnings.length, new Set(warnings).size);
  await close();
  redis.close();
});

Deno.test("a store that is full is logged once, however often it evicts", async () => {
  let evicted = 0;
  const redis = startFakeRedis(([command]) => {
    return command === "INFO" ? `evicted_keys:${evicted += 7}` : "OK";
  });
  const { setInterval } = globalThis;
  const looks: (() => void)[] = [];
  Object.assign(globalThis, {
    setInterval: (look: () => void, ms?: number): unknown => {
      looks.push(look);
      return setInterval(look, ms);
    },
  });
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  try {
    const { close } = createAuthenticator(
      { guard: `${redis.url}?timeout=60000`, guardKey: randomBytes(32) },
      { log: { error: () => {}, warn } },
    );
    for (let count = 1; count < 5; count++) {
      await eventually(() => {
        looks.forEach((look) => look());
        return evicted >= 7 * count;
      });
    }
    await close();
  } finally {
    Object.assign(globalThis, { setInterval });
    redis.close();
  }
  const full = "is full, and evicts entries that are still needed: give it more memory (maxmemory)";
  assertEquals(warnings.filter((line) => line.includes("full")), [
    `the store of the guard, ${redis.url}, ${full}`,
  ]);
});

Deno.test("a store whose Sentinels are gone still decides, and that it is not watched is a warning", async () => {
  const redis = startFakeRedis();
  const sentinel = startFakeRedis(([, command = ""]) => {
    const [host, port] = ["127.0.0.1", String(redis.port)];
    if (/^GET-MASTER/.test(command)) return [host, port];
    return command === "MASTER" ? ["ip", host, "port", port, "config-epoch", "1"] : [];
  });
  const [errors, warnings]: [string[], string[]] = [[], []];
  const error = (message: string): void => void errors.push(message);
  const warn = (message: string): void => void warnings.push(message);
  const guard = `redis+sentinel://127.0.0.1:${sentinel.port}/main`;
  const { validatePin, close } = createAuthenticator(
    { guard: `${guard}?timeout=60000`, guardKey: randomBytes(32) },
    { now, log: { error, warn } },
  );
  assertEquals(await validatePin({ pin, secretCode }), true);
  sentinel.close();
  await eventually(() => warnings.some((line) => line.includes("is not watched: ")));
  assertEquals([await validatePin({ pin, secretCode }), errors], [true, []]);
  await close();
  redis.close();
});
