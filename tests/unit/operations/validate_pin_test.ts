import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { shortName } from "../../../lib/guard/fingerprint.ts";
import type { Verdict } from "../../../lib/guard/guard.ts";
import { type StoreChanges, storeThat } from "../../support/guard_store.ts";
import { Fault } from "../../../lib/operations/fault.ts";
import { type CheckedCall, validatePin } from "../../../lib/operations/validate_pin.ts";
import { referenceHotp } from "../../support/reference_totp.ts";

const OTP = { algorithm: "SHA1", digits: 6, period: 30, window: 2 } as const;

function checkPin(pin: string): Promise<CheckedCall> {
  const context = { otp: OTP, secretEncoding: "text", now: () => 300_000 } as const;
  return validatePin({ pin, secretCode: "secret" }, context);
}

Deno.test("validatePin() without a guard has the offset of a right pin, and none of a wrong one", async () => {
  for (const distance of [-2, 0, 1]) {
    assertEquals(await checkPin(referenceHotp("secret", 10 + distance)), {
      result: true,
      facts: { distance },
    });
  }
  assertEquals(await checkPin(referenceHotp("secret", 13)), { result: false });
});

Deno.test("validatePin() has the reason why a pin cannot be a code, and repeats nothing of it", async () => {
  const reasons = await Promise.all(
    ["1", "12345", "1234567", "12345a", "\u0661\u0662\u0663456", "12 34 56", "-12345"].map(async (
      pin,
    ) => (await checkPin(pin)).facts?.reason),
  );
  const noDigits = "The pin has characters other than digits.";
  assertEquals(reasons, [
    "The pin has 1 digit, not 6. A number loses its leading zeros: send text.",
    "The pin has 5 digits, not 6. A number loses its leading zeros: send text.",
    "The pin has 7 digits, not 6.",
    noDigits,
    noDigits,
    undefined,
    noDigits,
  ]);
});

Deno.test("validatePin() has the reason why a secret was probably not meant so, only for a wrong pin", async () => {
  const secrets = ["\nsecret", "secret ", "se cret"];
  const reasons = await Promise.all(
    secrets.map(async (secretCode) => {
      const context = { otp: OTP, secretEncoding: "text", now: () => 300_000 } as const;
      const pin = referenceHotp(secretCode, 10);
      assertEquals((await validatePin({ pin, secretCode }, context)).facts?.reason, undefined);
      const wrong = referenceHotp(secretCode, 20);
      return (await validatePin({ pin: wrong, secretCode }, context)).facts?.reason;
    }),
  );
  const blanks = "The secret begins or ends with white space.";
  assertEquals(reasons, [blanks, blanks, undefined]);
});

Deno.test("validatePin() without a guard reads no source", async () => {
  const pin = referenceHotp("secret", 10);
  const context = { otp: OTP, secretEncoding: "text", now: () => 300_000, source: "web" } as const;
  assertEquals((await validatePin({ pin, secretCode: "secret" }, context)).result, true);
  assertEquals((await validatePin({ pin: "12345", secretCode: "secret" }, context)).result, false);
});

/** What is done, in its order, for a pin: codes that are computed, and the decision. */
async function workFor(pin: string, changes?: StoreChanges): Promise<string> {
  const work: string[] = [];
  const { sign } = crypto.subtle;
  Object.defineProperty(crypto.subtle, "sign", {
    configurable: true,
    value: (...args: Parameters<typeof sign>) => {
      work.push("code");
      return sign.apply(crypto.subtle, args);
    },
  });
  const settle = changes?.settle ??
    ((_: string, step: number | undefined) => step === undefined ? "wrong" : "accepted");
  const store = storeThat({
    ...changes,
    settle: (...args) => (work.push("decision"), settle(...args)),
  });
  try {
    const guard = changes && { fingerprint: () => "f", source: () => "s", store };
    const otp = { ...OTP, window: 1 };
    const context = { otp, secretEncoding: "text", now: () => 300_000, guard } as const;
    work.push(String((await validatePin({ pin, secretCode: "secret" }, context)).result));
  } finally {
    Object.defineProperty(crypto.subtle, "sign", { configurable: true, value: sign });
  }
  return work.join(" ");
}

const [BEFORE, CURRENT, AFTER, WRONG] = [9, 10, 11, 12].map((step) =>
  referenceHotp("secret", step)
);
const LOCAL = {};
const SHARED = { isCharged: false };
const verdict = (verdict: Verdict): StoreChanges => ({ settle: () => verdict });

Deno.test("validatePin() computes only the current step for a pin of that step", async () => {
  assertEquals(await workFor(CURRENT!), "code true");
  assertEquals(await workFor(CURRENT!, LOCAL), "code decision true");
});

Deno.test("validatePin() computes every step for any other pin, before it decides", async () => {
  for (const [pin, result] of [[BEFORE, true], [AFTER, true], [WRONG, false]] as const) {
    assertEquals(await workFor(pin!), `code code code ${result}`);
    assertEquals(await workFor(pin!, LOCAL), `code code code decision ${result}`);
  }
});

Deno.test("validatePin() computes every step where it holds the answer to a right pin back", async () => {
  for (const held of ["throttled", "replayed", "unavailable"] as const) {
    assertEquals(await workFor(CURRENT!, verdict(held)), "code decision code code false");
    assertEquals(await workFor(AFTER!, verdict(held)), "code code code decision false");
    assertEquals(await workFor(WRONG!, verdict(held)), "code code code decision false");
  }
});

Deno.test("validatePin() computes every step before it calls a shared store", async () => {
  for (const pin of [BEFORE, CURRENT, AFTER]) {
    assertEquals(await workFor(pin!, SHARED), "code code code decision true");
  }
  assertEquals(await workFor(WRONG!, SHARED), "code code code decision false");
});

Deno.test("validatePin() calls the guard with the fingerprints, and logs the short one", async () => {
  for (const refused of [undefined, "throttled"] as const) {
    const guardCalls: unknown[] = [];
    const store = storeThat({
      refusal: (...args: unknown[]) => (guardCalls.push(args), refused),
      settle: (...args: unknown[]) => (guardCalls.push(args), "replayed"),
    });
    const guard = {
      fingerprint: (secret: Uint8Array) => `fingerprint of ${secret}`,
      source: (fingerprint: string, source: string) => `${source}, ${fingerprint}`,
      store,
    };
    const context = { otp: OTP, secretEncoding: "text", now: () => 300_000, guard } as const;
    const check = (more: Partial<Parameters<typeof validatePin>[1]>): Promise<CheckedCall> =>
      validatePin({ pin: referenceHotp("s", 10), secretCode: "s" }, { ...context, ...more });
    const name = "fingerprint of 115";
    const facts = { secret: shortName(name), outcome: refused ?? "replayed" } as const;
    assertEquals(await check({ source: "web" }), { result: false, facts });
    assertEquals(await check({}), { result: false, facts });
    const names = [[name, `web, ${name}`], [name, undefined]] as const;
    assertEquals(
      guardCalls,
      names.flatMap(([own, asker]) => [
        [own, asker],
        ...(refused === undefined ? [[own, 10, asker]] : []),
      ]),
    );
  }
});

Deno.test("validatePin() keeps an empty pin from the guard, and logs why", async () => {
  const guardCalls = (): never => {
    throw new Error("The guard is asked");
  };
  const guard = {
    fingerprint: (secret: Uint8Array) => `fingerprint of ${secret}`,
    source: guardCalls,
    store: storeThat({ refusal: guardCalls, settle: guardCalls }),
  };
  const context = { otp: OTP, secretEncoding: "text", now: () => 300_000 } as const;
  const secret = shortName("fingerprint of 115");
  for (const pin of ["", " \t\r\n"]) {
    const call = { pin, secretCode: "s" };
    assertEquals(await validatePin(call, { ...context, guard, source: "web" }), {
      result: false,
      facts: { secret, outcome: "empty" },
    });
    assertEquals(await validatePin(call, context), { result: false, facts: { outcome: "empty" } });
  }
});

Deno.test("a Fault is an error by its own name, and of no header blocks unless they are given", () => {
  assertEquals(new Fault("invalid", "Missing parameter: pin.").notUnderstood, []);
  assertEquals(
    String(new Fault("invalid", "Missing parameter: pin.")),
    "Fault: Missing parameter: pin.",
  );
});

Deno.test("validatePin() restores the attempt when no code can be computed", async () => {
  const done: string[] = [];
  const store = {
    ...storeThat(),
    admit: () => ({
      isCharged: true,
      settle: () => (done.push("settled"), "accepted" as const),
      cancel: () => void done.push("cancelled"),
    }),
  };
  const guard = { fingerprint: () => "f", source: () => "s", store };
  const context = { otp: OTP, secretEncoding: "text", now: () => 300_000, guard } as const;
  const { importKey } = crypto.subtle;
  Object.defineProperty(crypto.subtle, "importKey", {
    configurable: true,
    value: () => Promise.reject(new Error("Thrown by a test")),
  });
  try {
    await assertRejects(() => validatePin({ pin: "123456", secretCode: "s" }, context), Error);
  } finally {
    Object.defineProperty(crypto.subtle, "importKey", { configurable: true, value: importKey });
  }
  assertEquals(done, ["cancelled"]);
});
