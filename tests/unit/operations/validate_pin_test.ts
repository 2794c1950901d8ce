import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { shortName } from "../../../lib/guard/fingerprint.ts";
import {
  type CheckedPin,
  type GuardRules,
  guardRules,
  type Verdict,
} from "../../../lib/guard/guard.ts";
import { MemoryStore } from "../../../lib/guard/memory_store.ts";
import { checkFinder, FinderError, FINDERS, type FindTimeStep } from "../../../lib/otp/finder.ts";
import { HmacSha1 } from "../../../lib/otp/hmac_sha1.ts";
import { eventually } from "../../support/eventually.ts";
import { storeThat } from "../../support/guard_store.ts";
import { Fault } from "../../../lib/operations/fault.ts";
import type { Completed } from "../../../lib/operations/facts.ts";
import { validatePin } from "../../../lib/operations/validate_pin.ts";
import { referenceHotp } from "../../support/reference_totp.ts";

const OTP = { algorithm: "SHA1", digits: 6, period: 30, window: 2 } as const;

function checkPin(pin: string): Promise<Completed<boolean>> {
  const context = { ...OTP, secretEncoding: "text", now: () => 300_000 } as const;
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
      const context = { ...OTP, secretEncoding: "text", now: () => 300_000 } as const;
      const pin = referenceHotp(secretCode, 10);
      assertEquals((await validatePin({ pin, secretCode }, context)).facts?.reason, undefined);
      const wrong = referenceHotp(secretCode, 20);
      return (await validatePin({ pin: wrong, secretCode }, context)).facts?.reason;
    }),
  );
  const blanks = "The secret begins or ends with white space.";
  assertEquals(reasons, [blanks, blanks, undefined]);
  const base32 = { ...OTP, secretEncoding: "base32", now: () => 300_000 } as const;
  const wrong = { pin: referenceHotp("f", 20), secretCode: "MY\n" };
  assertEquals((await validatePin(wrong, base32)).facts?.reason, undefined);
});

Deno.test("validatePin() without a guard reads no source", async () => {
  const pin = referenceHotp("secret", 10);
  const context = { ...OTP, secretEncoding: "text", now: () => 300_000, source: "web" } as const;
  assertEquals((await validatePin({ pin, secretCode: "secret" }, context)).result, true);
  assertEquals((await validatePin({ pin: "12345", secretCode: "secret" }, context)).result, false);
});

const [BEFORE, CURRENT, AFTER, WRONG] = [9, 10, 11, 12].map((step) =>
  referenceHotp("secret", step)
) as [string, string, string, string];

/** Replaces a function of WebCrypto, which all of this process use, while an act runs. */
async function withWebCrypto<T>(
  name: "importKey" | "sign",
  value: (...args: readonly unknown[]) => Promise<unknown>,
  act: () => Promise<T>,
): Promise<T> {
  const original = crypto.subtle[name];
  Object.defineProperty(crypto.subtle, name, { configurable: true, value });
  try {
    return await act();
  } finally {
    Object.defineProperty(crypto.subtle, name, { configurable: true, value: original });
  }
}

/** What is done, in its order, for a pin: HMACs of the finder, decisions, and codes of WebCrypto. */
async function workFor(
  pin: string,
  verdict?: Verdict,
  { isThrottled = false, algorithm = "SHA1" as const } = {},
): Promise<string> {
  const work: string[] = [];
  const decide = (_: string, { matchedStep }: CheckedPin): Verdict => {
    work.push("decision");
    return matchedStep === undefined && verdict === "accepted" ? "wrong" : verdict!;
  };
  const store = storeThat({ decide, throttledMs: () => isThrottled ? 1 : 0 });
  const guard = verdict && { fingerprint: () => "f", source: () => "s", store };
  const { mac } = HmacSha1.prototype;
  HmacSha1.prototype.mac = function (this: HmacSha1, counter): Uint8Array {
    work.push("hash");
    return mac.call(this, counter);
  };
  const sign = crypto.subtle.sign.bind(crypto.subtle) as (...args: unknown[]) => Promise<unknown>;
  try {
    return await withWebCrypto(
      "sign",
      (...args) => (work.push("WebCrypto"), sign(...args)),
      async () => {
        const otp = { ...OTP, algorithm, window: 1 };
        const context = {
          ...otp,
          secretEncoding: "text",
          now: () => 300_000,
          pinGuard: guard,
        } as const;
        work.push(String((await validatePin({ pin, secretCode: "secret" }, context)).result));
        return work.join(" ");
      },
    );
  } finally {
    HmacSha1.prototype.mac = mac;
  }
}

Deno.test("validatePin() finds among all steps, decides, and has WebCrypto confirm only a true", async () => {
  for (const pin of [BEFORE, CURRENT, AFTER]) {
    assertEquals(await workFor(pin), "hash hash hash WebCrypto true");
    assertEquals(await workFor(pin, "accepted"), "hash hash hash decision WebCrypto true");
    for (const refused of ["throttled", "replayed", "unavailable"] as const) {
      assertEquals(await workFor(pin, refused), "hash hash hash decision false");
    }
  }
  assertEquals(await workFor(WRONG), "hash hash hash false");
  assertEquals(await workFor(WRONG, "wrong"), "hash hash hash decision false");
});

Deno.test("validatePin() does the same for a right and a wrong pin where a refusal is remembered", async () => {
  for (const pin of [CURRENT, WRONG, "nonsense"]) {
    assertEquals(await workFor(pin, "accepted", { isThrottled: true }), "false");
  }
});

function rulesWith(singleUse: boolean): GuardRules {
  return guardRules({ maxFailures: 5, singleUse, window: 2, period: 30 });
}

/** Finders that are mistaken, each in another way. */
const BROKEN: Readonly<Record<string, FindTimeStep>> = {
  "that matches every pin": () => 0,
  "that matches no pin": () => undefined,
  "that names another step": (key, check) => {
    const found = FINDERS.SHA1(key, check);
    return found === undefined ? undefined : found === 2 ? -2 : found + 1;
  },
  "that looks too far": (key, check) => FINDERS.SHA1(key, { ...check, window: 50 }),
  "that names no number": () => NaN,
};

for (const [kind, find] of Object.entries(BROKEN)) {
  Deno.test(`a finder ${kind} makes no wrong pin right, and no more pins are checked than the budget has`, async () => {
    const wrong = Array.from({ length: 40 }, (_, i) => referenceHotp("secret", 13 + i));
    for (
      const [isAtOnce, singleUse] of [[false, false], [true, false], [false, true], [true, true]]
    ) {
      const errors: string[] = [];
      const rules = rulesWith(singleUse!);
      const store = new MemoryStore({ rules, monotonicMs: () => 0 });
      const guard = { fingerprint: () => "f", source: () => "s", store };
      const log = { error: (message: string) => void errors.push(message) };
      const context = {
        ...OTP,
        secretEncoding: "text",
        now: () => 300_000,
        pinGuard: guard,
        unconfirmed: { count: 0 },
      } as const;
      const check = (pin: string, more: object = { find, log }): Promise<Completed<boolean>> =>
        validatePin({ pin, secretCode: "secret" }, { ...context, ...more });
      const calls: Completed<boolean>[] = [];
      if (isAtOnce) calls.push(...await Promise.all(wrong.map((pin) => check(pin))));
      else for (const pin of wrong) calls.push(await check(pin));
      // By then the budget is used up, or the step: a right pin is not checked either, by any finder.
      calls.push(await check(CURRENT), await check(CURRENT, {}));
      assertEquals(calls.map(({ result }) => result), Array(42).fill(false));
      const isChecked = ({ facts }: Completed<boolean>): boolean =>
        facts?.outcome !== "throttled" && facts?.outcome !== "replayed";
      const checked = calls.filter(isChecked).length;
      if (!isAtOnce) assert(checked <= rules.maxFailures, `${checked} pins`);
      const internal = calls.filter(({ facts }) => facts?.outcome === "internal").length;
      assertEquals(errors.length, internal);
      assertEquals(internal > 0, kind === "that matches every pin");
    }
  });

  Deno.test(`a right pin among many sent at once is not checked past the budget by a finder ${kind}`, async () => {
    const store = new MemoryStore({ rules: rulesWith(false), monotonicMs: () => 0 });
    const guard = { fingerprint: () => "f", source: () => "s", store };
    const context = {
      ...OTP,
      secretEncoding: "text",
      now: () => 300_000,
      pinGuard: guard,
      find,
      unconfirmed: { count: 0 },
    } as const;
    // WebCrypto confirms in any order, and some of the first are confirmed by then.
    const pins = [...Array(200).fill(referenceHotp("secret", 13)), CURRENT];
    const calls = await Promise.all(
      pins.map((pin) => validatePin({ pin, secretCode: "secret" }, context)),
    );
    assertEquals(calls.some(({ result }) => result), false);
  });
}

Deno.test("a used step stays used where WebCrypto does not confirm the pin", async () => {
  const store = new MemoryStore({ rules: rulesWith(true), monotonicMs: () => 0 });
  const guard = { fingerprint: () => "f", source: () => "s", store };
  const context = { ...OTP, secretEncoding: "text", now: () => 300_000, pinGuard: guard } as const;
  const check = async (pin: string, find?: FindTimeStep): Promise<boolean> => {
    const call = { pin, secretCode: "secret" };
    return (await validatePin(call, { ...context, ...(find && { find }) })).result;
  };
  assertEquals(await check(CURRENT), true);
  for (const find of Object.values(BROKEN)) await check(CURRENT, find);
  // One of them named the step after it.
  const later = referenceHotp("secret", 12);
  const results = [await check(CURRENT), await check(AFTER), await check(later)];
  assertEquals(results, [false, false, true]);
});

Deno.test("validatePin() calls the guard with the fingerprints, and logs the short one", async () => {
  for (const refused of [undefined, "throttled"] as const) {
    const guardCalls: unknown[] = [];
    const store = storeThat({
      throttledMs: (...args) => (guardCalls.push(args), refused === undefined ? 0 : 700.2),
      decide: (...args) => (guardCalls.push(args), "replayed"),
    });
    const guard = {
      fingerprint: (secret: Uint8Array) => `fingerprint of ${secret}`,
      source: (fingerprint: string, source: string) => `${source}, ${fingerprint}`,
      store,
    };
    const context = {
      ...OTP,
      secretEncoding: "text",
      now: () => 300_000,
      pinGuard: guard,
    } as const;
    const check = (more: Partial<Parameters<typeof validatePin>[1]>): Promise<Completed<boolean>> =>
      validatePin({ pin: referenceHotp("s", 10), secretCode: "s" }, { ...context, ...more });
    const name = "fingerprint of 115";
    const facts = {
      secret: shortName(name),
      outcome: refused ?? "replayed",
      ...(refused && { retryAfterMs: 701 }),
    } as const;
    assertEquals(await check({ source: "web" }), { result: false, facts });
    assertEquals(await check({}), { result: false, facts });
    const names = [[name, `web, ${name}`], [name, undefined]] as const;
    assertEquals(
      guardCalls,
      names.flatMap(([own, asker]) => [
        [own, asker],
        [own, refused === undefined ? { matchedStep: 10, source: asker } : asker],
      ]),
    );
  }
});

Deno.test("validatePin() has the same facts for a right and a wrong pin that the guard does not judge", async () => {
  for (const verdict of ["throttled", "unavailable"] as const) {
    const wait = verdict === "throttled" ? { retryAfterMs: 5 } : {};
    for (const pin of [CURRENT, WRONG, "1", "letters"]) {
      let waitMs = 0;
      const store = storeThat({ decide: () => (waitMs = 5, verdict), throttledMs: () => waitMs });
      const pinGuard = { fingerprint: () => "f", source: () => "s", store };
      const context = { ...OTP, secretEncoding: "text", now: () => 300_000, pinGuard } as const;
      assertEquals(await validatePin({ pin, secretCode: "secret" }, context), {
        result: false,
        facts: { secret: "f", outcome: verdict, ...wait },
      });
    }
  }
});

Deno.test("validatePin() keeps an empty pin from the guard, and logs why", async () => {
  const guardCalls = (): never => {
    throw new Error("The guard is asked");
  };
  const guard = {
    fingerprint: (secret: Uint8Array) => `fingerprint of ${secret}`,
    source: guardCalls,
    store: storeThat({ throttledMs: guardCalls, decide: guardCalls }),
  };
  const context = { ...OTP, secretEncoding: "text", now: () => 300_000 } as const;
  const secret = shortName("fingerprint of 115");
  for (const pin of ["", " \t\r\n"]) {
    const call = { pin, secretCode: "s" };
    assertEquals(await validatePin(call, { ...context, pinGuard: guard, source: "web" }), {
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

Deno.test("validatePin() charges a pin that WebCrypto cannot confirm, and throws what it threw", async () => {
  const decided: (number | undefined)[] = [];
  const store = storeThat({
    decide: (_, { matchedStep }) => (decided.push(matchedStep), "accepted"),
  });
  const guard = { fingerprint: () => "f", source: () => "s", store };
  const context = { ...OTP, secretEncoding: "text", now: () => 300_000, pinGuard: guard } as const;
  for (const name of ["importKey", "sign"] as const) {
    decided.length = 0;
    await withWebCrypto(
      name,
      () => Promise.reject(new Error("Thrown by a test")),
      () =>
        assertRejects(
          () => validatePin({ pin: CURRENT, secretCode: "secret" }, context),
          Error,
          "Thrown by a test",
        ),
    );
    assertEquals(decided, [10, undefined]);
  }
});

Deno.test("no pin is checked where the finder and WebCrypto differ at the start", async () => {
  const selfCheck = checkFinder(() => 0, OTP);
  const store = storeThat({
    decide: () => {
      throw new Error("The guard is asked");
    },
  });
  const guard = { fingerprint: () => "f", source: () => "s", store };
  const context = { ...OTP, secretEncoding: "text", now: () => 300_000, pinGuard: guard } as const;
  await assertRejects(
    () => validatePin({ pin: CURRENT, secretCode: "secret" }, { ...context, selfCheck }),
    FinderError,
  );
});

Deno.test("no reply comes before the store has decided, nor before it has charged a pin that WebCrypto does not confirm", async () => {
  const decisions: PromiseWithResolvers<Verdict>[] = [];
  const decide = (): Promise<Verdict> => {
    const decision = Promise.withResolvers<Verdict>();
    decisions.push(decision);
    return decision.promise;
  };
  const guard = { fingerprint: () => "f", source: () => "s", store: storeThat({ decide }) };
  const otp = { ...OTP, secretEncoding: "text", now: () => 300_000, pinGuard: guard } as const;
  for (
    const [pin, find, verdicts] of [
      [CURRENT, FINDERS.SHA1, ["accepted"]],
      [WRONG, FINDERS.SHA1, ["wrong"]],
      [WRONG, () => 0, ["accepted", "wrong"]],
    ] as const
  ) {
    decisions.length = 0;
    let isAnswered = false;
    const answered = validatePin({ pin, secretCode: "secret" }, { ...otp, find })
      .then(({ result }) => (isAnswered = true, result));
    for (const [i, verdict] of verdicts.entries()) {
      await eventually(() => decisions.length === i + 1);
      // WebCrypto and all promises that are settled have had their turn by then.
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
      assertEquals(isAnswered, false, `before decision ${i + 1}`);
      decisions[i]!.resolve(verdict);
    }
    assertEquals([await answered, decisions.length], [pin === CURRENT, verdicts.length]);
  }
});
