/**
 * The guard in every binding: a refusal is `false` in the normal form of the binding, and all
 * bindings count together. In CVE-2012-5633, one of them bypassed the guard.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { fingerprintBy, sourceNamesBy } from "../../../lib/guard/fingerprint.ts";
import { type Guard, guardRules, type GuardStore } from "../../../lib/guard/guard.ts";
import { storeThat } from "../../support/guard_store.ts";
import { MemoryStore } from "../../../lib/guard/memory_store.ts";
import { createLog } from "../../../lib/telemetry/log.ts";
import { createMetrics } from "../../../lib/telemetry/metrics.ts";
import type { RequestEvent } from "../../../lib/telemetry/request_event.ts";
import { BINDINGS, requestFor, writeCall } from "../../support/calls.ts";
import { referenceHotp } from "../../support/reference_totp.ts";
import { type HandlerChanges, handlerWith } from "../../support/handler.ts";

const SECRET = "canary battery staple";
const STEP = 60_000_000;
const RIGHT = referenceHotp(SECRET, STEP);
const LATER = referenceHotp(SECRET, STEP + 1);
const WRONG = ["111111", "222222", "333333", "444444"]
  .find((pin) => [-1, 0, 1].every((distance) => referenceHotp(SECRET, STEP + distance) !== pin))!;

/** Every way to check a pin: the bindings, and the short route by both methods. */
const WAYS: ReadonlyMap<string, (pin: string, secretCode: string) => Request> = new Map([
  ...BINDINGS.map((binding) =>
    [
      binding as string,
      (pin: string, secretCode: string) =>
        requestFor(writeCall(binding, "ValidatePin", { pin, secretCode })),
    ] as const
  ),
  ["Validate.aspx", (pin, secretCode) => shortRequest(pin, secretCode, "GET")],
  ["Validate.aspx by POST", (pin, secretCode) => shortRequest(pin, secretCode, "POST")],
]);

function shortRequest(Pin: string, SecretCode: string, method: string): Request {
  const query = new URLSearchParams({ Pin, SecretCode });
  return new Request(`http://localhost/Validate.aspx?${query}`, { method });
}

interface Service {
  /** Checks a pin, and gives status, header and body of the reply as one text. */
  readonly check: (way: string, pin: string, secret?: string, source?: string) => Promise<string>;
  /** The events of the requests. */
  readonly events: readonly RequestEvent[];
  /** The text of log and metrics. */
  readonly output: () => string;
}

const KEY = new Uint8Array(32);
const RULES = guardRules({ maxFailures: 3, singleUse: true, window: 1, period: 30 });

function guardWith(store: GuardStore): Guard {
  const fingerprint = fingerprintBy(KEY, "SHA1");
  return { fingerprint, source: sourceNamesBy(fingerprint), store };
}

function serviceWith(
  store: GuardStore = new MemoryStore({ rules: RULES, monotonicMs: () => 0 }),
  parts: Pick<HandlerChanges, "find" | "flags"> = {},
): Service {
  const guard = guardWith(store);
  const events: RequestEvent[] = [];
  const metrics = createMetrics("1", 1);
  let log = "";
  const write = (line: string): void => void (log += line);
  const logger = createLog({ format: "text", color: false, write, now: () => 0 });
  const handler = handlerWith({
    now: () => STEP * 30_000,
    pinGuard: guard,
    log: logger,
    ...parts,
    telemetry: {
      observe: (event) => {
        events.push(event);
        logger.request(event);
        metrics.observe(event);
      },
      requestId: () => "id",
      monotonicMs: () => 0,
    },
  });
  const check = async (
    way: string,
    pin: string,
    secret = SECRET,
    source?: string,
  ): Promise<string> => {
    const request = WAYS.get(way)!(pin, secret);
    if (source !== undefined) request.headers.set("x-authenticator-source", source);
    const reply = await handler(request);
    const headers = [...reply.headers].map((pair) => pair.join(": ")).join("\n");
    return `${reply.status}\n${headers}\n\n${await reply.text()}`;
  };
  const figures = { residentBytes: 1, cpuSeconds: 1, startSeconds: 1 };
  return { check, events, output: () => log + metrics.text(figures) };
}

for (const way of WAYS.keys()) {
  Deno.test(`a right pin is answered as a wrong one is when the guard refuses it: ${way}`, async () => {
    const { check, events } = serviceWith();
    const right = await check(way, RIGHT, "another secret");
    assert(/false/i.test(right));
    const wrong = await check(way, WRONG);
    assert(/^200\n/.test(wrong) && /false/i.test(wrong), wrong);
    const accepted = await check(way, RIGHT);
    assertEquals(accepted, wrong.replace("false", "true").replace("False", "True"));
    assertEquals(await check(way, RIGHT), wrong);
    for (let i = 0; i < 2; i++) await check(way, WRONG);
    assertEquals(await check(way, LATER), wrong);
    const outcomes = events.slice(1).map(({ outcome }) => outcome);
    assertEquals(outcomes, ["false", "true", "replayed", "false", "false", "throttled"]);
  });

  Deno.test(`a right pin is answered as a wrong one is while the store cannot decide: ${way}`, async () => {
    const wrong = await serviceWith().check(way, WRONG);
    const { check, events } = serviceWith(
      storeThat({ decide: () => Promise.resolve("unavailable") }),
    );
    assertEquals(await check(way, RIGHT), wrong);
    assertEquals(events[0]!.outcome, "unavailable");
  });

  Deno.test(`a pin that WebCrypto does not confirm is answered as a wrong one, and is an error of ours: ${way}`, async () => {
    const wrong = await serviceWith().check(way, WRONG);
    const { check, events, output } = serviceWith(undefined, { find: () => 0 });
    assertEquals(await check(way, WRONG), wrong);
    assertEquals(events[0]!.outcome, "internal");
    assert(/ error WebCrypto does not confirm a pin that was found /.test(output()), output());
  });

  Deno.test(`a wrong pin is false even if the store accepts it: ${way}`, async () => {
    const { check, events } = serviceWith(
      storeThat({ decide: () => "accepted" }),
    );
    const right = await check(way, RIGHT);
    const wrong = right.replace("true", "false").replace("True", "False");
    for (const pin of [WRONG, "12345", "nonsense"]) assertEquals(await check(way, pin), wrong);
    assertEquals(new Set(events.slice(1).map(({ outcome }) => outcome)), new Set(["false"]));
  });
}

Deno.test("all bindings count together, and a code used in one is used in all", async () => {
  const ways = [...WAYS.keys()];
  for (const first of ways) {
    const { check, events } = serviceWith();
    await check(first, RIGHT);
    for (const way of ways) await check(way, RIGHT);
    for (let i = 0; i < 3; i++) await check(ways[(ways.indexOf(first) + i) % ways.length]!, WRONG);
    for (const way of ways) await check(way, LATER);
    const outcomes = events.map(({ outcome }) => outcome);
    assertEquals(outcomes, [
      "true",
      ...ways.map(() => "replayed" as const),
      ...["false", "false", "false"] as const,
      ...ways.map(() => "throttled" as const),
    ]);
  }
});

for (const way of WAYS.keys()) {
  Deno.test(`a call may name a source, and each source has a budget: ${way}`, async () => {
    const { check, events, output } = serviceWith();
    const guesser = "canary 203.0.113.7";
    // Of three wrong pins, one source has two.
    for (let i = 0; i < 3; i++) await check(way, WRONG, SECRET, guesser);
    // An empty field names no source.
    await check(way, RIGHT, SECRET, "");
    await check(way, LATER, SECRET, "the user");
    await check(way, LATER, SECRET, guesser);
    assertEquals(events.map(({ outcome }) => outcome), [
      ...["false", "false", "throttled", "true", "true", "throttled"] as const,
    ]);
    assert(!output().includes("canary") && !output().includes("the user"));
  });
}

const [SHOP, DESK, BARE, OTHER] = ["s", "d", "b", "o"].map((letter) => letter.repeat(16));

/** Checks pins with keys and sources, at a service whose guard allows five wrong pins. */
function serviceWithKeys(): (pin: string, key: string, source?: string) => Promise<string> {
  const rules = guardRules({ maxFailures: 5, singleUse: false, window: 1, period: 30 });
  const handler = handlerWith({
    now: () => STEP * 30_000,
    pinGuard: guardWith(new MemoryStore({ rules, monotonicMs: () => 0 })),
    apiKeys: [`shop:${SHOP}`, `desk:${DESK}`, BARE!, OTHER!],
  });
  return async (pin, key, source = "") => {
    const request = WAYS.get("Validate.aspx")!(pin, SECRET);
    request.headers.set("x-api-key", key);
    request.headers.set("x-authenticator-source", source);
    return await (await handler(request)).text();
  };
}

// Of five wrong pins, one source has three.
const MORE_THAN_ONE_HAS = 9;

Deno.test("without the field, the caller's key is the source, with a name or without", async () => {
  for (const guesser of [SHOP!, BARE!]) {
    const check = serviceWithKeys();
    for (let i = 0; i < MORE_THAN_ONE_HAS; i++) await check(WRONG, guesser);
    const answers = [
      await check(RIGHT, guesser),
      await check(RIGHT, guesser, "somebody"),
      await check(RIGHT, DESK!),
      await check(RIGHT, OTHER!),
    ];
    assertEquals(answers, ["False", "True", "True", "True"]);
  }
});

Deno.test("no caller is taken for another, nor uses another's sources", async () => {
  const rows: readonly (readonly [string, string, string, string])[] = [
    [BARE!, "shop", SHOP!, ""],
    [DESK!, "shop", SHOP!, ""],
    [DESK!, ":shop", SHOP!, ""],
    [BARE!, "shop:", SHOP!, ""],
    [DESK!, "192.0.2.1", SHOP!, "192.0.2.1"],
    [BARE!, "shop:192.0.2.1", SHOP!, "192.0.2.1"],
    [SHOP!, "192.0.2.1", BARE!, "192.0.2.1"],
  ];
  for (const [guesser, text, caller, source] of rows) {
    const check = serviceWithKeys();
    for (let i = 0; i < MORE_THAN_ONE_HAS; i++) await check(WRONG, guesser, text);
    assertEquals(await check(RIGHT, guesser, text), "False");
    assertEquals(await check(RIGHT, caller, source), "True", `${text} of another caller`);
  }
});

Deno.test("a source may be any text, however long or strange", async () => {
  const { check, events } = serviceWith();
  const names = ["x".repeat(256), "x".repeat(257), "x".repeat(4000), "é", "a, b", '";'];
  for (const name of names) await check("HTTP POST", LATER, `${SECRET} ${name.length}`, name);
  assertEquals(new Set(events.map(({ status }) => status)), new Set([200]));
  // Names that differ at the end only are two.
  for (const last of ["y", "y", "y", "z"]) {
    await check("HTTP POST", WRONG, SECRET, "x".repeat(1000) + last);
  }
  assertEquals(events.slice(-4).map(({ outcome }) => outcome), [
    ...["false", "false", "throttled", "false"] as const,
  ]);
});

Deno.test("log and metrics have the reason of each refusal, and the offset of accepted pins", async () => {
  const { check, output } = serviceWith();
  await check("HTTP POST", RIGHT);
  await check("SOAP 1.1", RIGHT);
  await check("JSON", LATER);
  for (let i = 0; i < 5; i++) await check("HTTP GET", WRONG);
  const lines = output().split("\n");
  const refusals = "authenticator_guard_refusals_total";
  const steps = "authenticator_pin_step_distance";
  for (
    const line of [
      `${refusals}{reason="throttled"} 2`,
      `${refusals}{reason="replayed"} 1`,
      `${refusals}{reason="unavailable"} 0`,
      `${steps}_bucket{le="-1"} 0`,
      `${steps}_bucket{le="0"} 1`,
      `${steps}_bucket{le="1"} 2`,
      `${steps}_bucket{le="+Inf"} 2`,
      `${steps}_sum 1`,
      `${steps}_count 2`,
    ]
  ) assert(lines.includes(line), line);
  assertEquals(lines.filter((line) => / outcome=throttled /.test(line)).length, 2);
  assertEquals(lines.filter((line) => / outcome=replayed /.test(line)).length, 1);
  assert(!output().includes(SECRET) && !output().includes(RIGHT) && !output().includes(LATER));
});

Deno.test("the store decides about no pin that this process remembers as refused, and no faulty call", async () => {
  let decided = 0;
  const counting = { decide: () => (decided++, "wrong" as const) };
  await serviceWith(storeThat({ ...counting, throttledMs: () => 1 })).check("HTTP POST", RIGHT);
  const { check } = serviceWith(storeThat(counting));
  await check("HTTP POST", WRONG, "");
  assertEquals(decided, 0);
  await check("HTTP POST", WRONG);
  assertEquals(decided, 1);
});

Deno.test("the spellings of one Base32 secret share its budget", async () => {
  const { check, events } = serviceWith(undefined, { flags: { "secret-encoding": "base32" } });
  // The last three have one more letter, or other bits that fill no byte.
  const spellings = ["MZXW6", "mz xw6===", "MZ-XW6\r\n", "MZXW7", "MZXW6A", "mzxw6z="];
  const right = referenceHotp("foo", STEP);
  const wrong = WRONG === right ? RIGHT : WRONG;
  const outcome = async (pin: string, secret: string): Promise<string | undefined> => {
    await check("HTTP POST", pin, secret);
    return events.at(-1)?.outcome;
  };
  const names = new Set<string | undefined>();
  for (const secret of spellings) {
    await check("JSON", wrong, secret);
    names.add(events.at(-1)?.facts?.secret);
  }
  assertEquals(names.size, 1);
  for (const secret of spellings) assertEquals(await outcome(right, secret), "throttled", secret);
  assertEquals(await outcome(right, "MZXW6YQ"), "false");
});
