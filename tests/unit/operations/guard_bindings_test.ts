/**
 * Protocol §8: a refusal is `false` in the normal form of every binding, and all bindings count
 * together. CVE-2012-5633 is what happens when one of them goes round the guard.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { fingerprintBy, sourceNamesBy } from "../../../lib/guard/fingerprint.ts";
import { type Guard, guardRules, type GuardStore } from "../../../lib/guard/guard.ts";
import { storeThat, type StoreWishes } from "../../support/guard_store.ts";
import { MemoryStore } from "../../../lib/guard/memory_store.ts";
import { KeyRing, parseKeys } from "../../../lib/http/api_keys.ts";
import { createLog } from "../../../lib/telemetry/log.ts";
import { factKinds } from "../../../lib/operations/facts.ts";
import { createMetrics } from "../../../lib/telemetry/metrics.ts";
import type { RequestEvent } from "../../../lib/telemetry/request_event.ts";
import { referenceHotp } from "../../support/reference_totp.ts";
import { handlerWith } from "../../support/handler.ts";

const SECRET = "canary battery staple";
const STEP = 60_000_000;
const RIGHT = referenceHotp(SECRET, STEP);
const LATER = referenceHotp(SECRET, STEP + 1);
const WRONG = ["111111", "222222", "333333", "444444"]
  .find((pin) => [-1, 0, 1].every((distance) => referenceHotp(SECRET, STEP + distance) !== pin))!;

const FORM = "application/x-www-form-urlencoded";
const SOAP_11 = "http://schemas.xmlsoap.org/soap/envelope/";
const SOAP_12 = "http://www.w3.org/2003/05/soap-envelope";

/** Every way to ask about a pin. */
const WAYS: ReadonlyMap<string, (pin: string, secret: string) => Request> = new Map([
  ["SOAP 1.1", soap("text/xml", SOAP_11)],
  ["SOAP 1.2", soap("application/soap+xml", SOAP_12)],
  ["HTTP GET", (pin, secretCode) => get("/api.asmx/ValidatePin", { pin, secretCode })],
  ["HTTP POST", (pin, secretCode) => {
    const form = new URLSearchParams({ pin, secretCode });
    return post("/api.asmx/ValidatePin", FORM, String(form));
  }],
  ["JSON", (pin, secretCode) => {
    const json = JSON.stringify({ pin, secretCode });
    return post("/api.asmx/ValidatePin", "application/json", json);
  }],
  ["Validate.aspx", (Pin, SecretCode) => get("/Validate.aspx", { Pin, SecretCode })],
  ["Validate.aspx by POST", (Pin, SecretCode) => {
    const query = new URLSearchParams({ Pin, SecretCode });
    return new Request(`http://localhost/Validate.aspx?${query}`, { method: "POST" });
  }],
]);

function get(path: string, parameters: Readonly<Record<string, string>>): Request {
  return new Request(`http://localhost${path}?${new URLSearchParams(parameters)}`);
}

function post(path: string, contentType: string, body: string): Request {
  const headers = { "content-type": contentType };
  return new Request(`http://localhost${path}`, { method: "POST", headers, body });
}

function soap(mediaType: string, envelope: string): (pin: string, secret: string) => Request {
  return (pin, secret) =>
    post(
      "/api.asmx",
      mediaType,
      `<s:Envelope xmlns:s="${envelope}"><s:Body><ValidatePin xmlns="http://authenticatorapi.com/">` +
        `<pin>${pin}</pin><secretCode>${secret}</secretCode></ValidatePin></s:Body></s:Envelope>`,
    );
}

interface Service {
  /** Asks, and gives status, content type and body of the reply as one text. */
  readonly ask: (way: string, pin: string, secret?: string, source?: string) => Promise<string>;
  /** What was told of the requests. */
  readonly events: readonly RequestEvent[];
  /** All that log and metrics say. */
  readonly said: () => string;
}

const KEY = new Uint8Array(32);
const RULES = guardRules({ maxFailures: 3, singleUse: true, window: 1, period: 30 });

function serviceWith(
  store: GuardStore | undefined = new MemoryStore({ rules: RULES, now: () => 0 }),
): Service {
  const guard: Guard = {
    fingerprint: fingerprintBy(KEY, "SHA1"),
    source: sourceNamesBy(fingerprintBy(KEY, "SHA1")),
    store,
  };
  const events: RequestEvent[] = [];
  const metrics = createMetrics("1", factKinds(1));
  let log = "";
  const write = (line: string): void => void (log += line);
  const logger = createLog({ format: "text", color: false, write, now: () => 0 });
  const handler = handlerWith({
    now: () => STEP * 30_000,
    guard,
    log: logger,
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
  const ask = async (
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
  return { ask, events, said: () => log + metrics.text(figures) };
}

const UNKNOWN: StoreWishes = {
  isCharged: false,
  settle: () => Promise.resolve("unavailable"),
};

for (const way of WAYS.keys()) {
  Deno.test(`a right pin is answered as a wrong one is when the guard refuses it: ${way}`, async () => {
    const { ask, events } = serviceWith();
    const right = await ask(way, RIGHT, "another secret");
    assert(/false/i.test(right));
    const wrong = await ask(way, WRONG);
    assert(/^200\n/.test(wrong) && /false/i.test(wrong), wrong);
    const accepted = await ask(way, RIGHT);
    assertEquals(accepted, wrong.replace("false", "true").replace("False", "True"));
    assertEquals(await ask(way, RIGHT), wrong);
    for (let i = 0; i < 2; i++) await ask(way, WRONG);
    assertEquals(await ask(way, LATER), wrong);
    const outcomes = events.slice(1).map(({ outcome }) => outcome);
    assertEquals(outcomes, ["false", "true", "replayed", "false", "false", "throttled"]);
  });

  Deno.test(`a right pin is answered as a wrong one is while the store cannot decide: ${way}`, async () => {
    const wrong = await serviceWith().ask(way, WRONG);
    for (
      const store of [storeThat(UNKNOWN), storeThat({ refusal: () => "unavailable" })]
    ) {
      const { ask, events } = serviceWith(store);
      assertEquals(await ask(way, RIGHT), wrong);
      assertEquals(events[0]!.outcome, "unavailable");
    }
  });

  Deno.test(`a wrong pin is false although the store accepts it: ${way}`, async () => {
    const { ask, events } = serviceWith(storeThat({ isCharged: false, settle: () => "accepted" }));
    const right = await ask(way, RIGHT);
    const wrong = right.replace("true", "false").replace("True", "False");
    for (const pin of [WRONG, "12345", "nonsense"]) assertEquals(await ask(way, pin), wrong);
    assertEquals(new Set(events.slice(1).map(({ outcome }) => outcome)), new Set(["false"]));
  });
}

Deno.test("all ways count together, and a code used on one is used on all", async () => {
  const ways = [...WAYS.keys()];
  for (const first of ways) {
    const { ask, events } = serviceWith();
    await ask(first, RIGHT);
    for (const way of ways) await ask(way, RIGHT);
    for (let i = 0; i < 3; i++) await ask(ways[(ways.indexOf(first) + i) % ways.length]!, WRONG);
    for (const way of ways) await ask(way, LATER);
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
    const { ask, events, said } = serviceWith();
    const guesser = "canary 203.0.113.7";
    // Of three wrong pins, one who asks has two.
    for (let i = 0; i < 3; i++) await ask(way, WRONG, SECRET, guesser);
    // No field names nobody, and an empty one neither.
    await ask(way, RIGHT, SECRET, "");
    await ask(way, LATER, SECRET, "the user");
    await ask(way, LATER, SECRET, guesser);
    assertEquals(events.map(({ outcome }) => outcome), [
      ...["false", "false", "throttled", "true", "true", "throttled"] as const,
    ]);
    assert(!said().includes("canary") && !said().includes("the user"));
  });
}

Deno.test("without the field, the caller's key is the source, with a name or without", async () => {
  const [shop, desk, bare, other] = ["s", "d", "b", "o"].map((letter) => letter.repeat(16));
  const apiKeys = new KeyRing(parseKeys(`shop:${shop}\ndesk:${desk}\n${bare}\n${other}`));
  const rules = guardRules({ maxFailures: 5, singleUse: false, window: 1, period: 30 });
  for (const guesser of [shop!, bare!]) {
    const store = new MemoryStore({ rules, now: () => 0 });
    const guard = {
      fingerprint: fingerprintBy(KEY, "SHA1"),
      source: sourceNamesBy(fingerprintBy(KEY, "SHA1")),
      store,
    };
    const handler = handlerWith({ now: () => STEP * 30_000, guard, apiKeys });
    const ask = async (pin: string, key: string, source = ""): Promise<string> => {
      const request = WAYS.get("Validate.aspx")!(pin, SECRET);
      request.headers.set("x-api-key", key);
      request.headers.set("x-authenticator-source", source);
      return await (await handler(request)).text();
    };
    // Of five wrong pins, one who asks has three.
    for (let i = 0; i < 9; i++) await ask(WRONG, guesser);
    const answers = [
      await ask(RIGHT, guesser),
      await ask(RIGHT, guesser, "somebody"),
      await ask(RIGHT, desk!),
      await ask(RIGHT, other!),
    ];
    assertEquals(answers, ["False", "True", "True", "True"]);
  }
});

Deno.test("no caller is taken for another, nor uses another's sources", async () => {
  const [shop, desk, bare] = ["s", "d", "b"].map((letter) => letter.repeat(16));
  const apiKeys = new KeyRing(parseKeys(`shop:${shop}\ndesk:${desk}\n${bare}`));
  const rules = guardRules({ maxFailures: 5, singleUse: false, window: 1, period: 30 });
  const rows: readonly (readonly [string, string, string, string])[] = [
    [bare!, "shop", shop!, ""],
    [desk!, "shop", shop!, ""],
    [desk!, ":shop", shop!, ""],
    [bare!, "shop:", shop!, ""],
    [desk!, "192.0.2.1", shop!, "192.0.2.1"],
    [bare!, "shop:192.0.2.1", shop!, "192.0.2.1"],
    [shop!, "192.0.2.1", bare!, "192.0.2.1"],
  ];
  for (const [guesser, said, caller, source] of rows) {
    const store = new MemoryStore({ rules, now: () => 0 });
    const guard = {
      fingerprint: fingerprintBy(KEY, "SHA1"),
      source: sourceNamesBy(fingerprintBy(KEY, "SHA1")),
      store,
    };
    const handler = handlerWith({ now: () => STEP * 30_000, guard, apiKeys });
    const ask = async (pin: string, key: string, text: string): Promise<string> => {
      const request = WAYS.get("Validate.aspx")!(pin, SECRET);
      request.headers.set("x-api-key", key);
      request.headers.set("x-authenticator-source", text);
      return await (await handler(request)).text();
    };
    // Of five wrong pins, one who asks has three.
    for (let i = 0; i < 9; i++) await ask(WRONG, guesser, said);
    assertEquals(await ask(RIGHT, guesser, said), "False");
    assertEquals(await ask(RIGHT, caller, source), "True", `${said} of another caller`);
  }
});

Deno.test("a source may be any text, however long or strange", async () => {
  const { ask, events } = serviceWith();
  const names = ["x".repeat(256), "x".repeat(257), "x".repeat(4000), "é", "a, b", '";'];
  for (const name of names) await ask("HTTP POST", LATER, `${SECRET} ${name.length}`, name);
  assertEquals(new Set(events.map(({ status }) => status)), new Set([200]));
  // Names that differ at the end only are two.
  for (const last of ["y", "y", "y", "z"]) {
    await ask("HTTP POST", WRONG, SECRET, "x".repeat(1000) + last);
  }
  assertEquals(events.slice(-4).map(({ outcome }) => outcome), [
    ...["false", "false", "throttled", "false"] as const,
  ]);
});

Deno.test("the operator sees each reason, and how far off the accepted pins were", async () => {
  const { ask, said } = serviceWith();
  await ask("HTTP POST", RIGHT);
  await ask("SOAP 1.1", RIGHT);
  await ask("JSON", LATER);
  for (let i = 0; i < 5; i++) await ask("HTTP GET", WRONG);
  const lines = said().split("\n");
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
  assert(!said().includes(SECRET) && !said().includes(RIGHT) && !said().includes(LATER));
});

Deno.test("a pin that is refused beforehand is not decided about, and a faulty call neither", async () => {
  let decided = 0;
  const counting = { settle: () => (decided++, "wrong" as const) };
  await serviceWith(storeThat({ ...counting, refusal: () => "throttled" })).ask("HTTP POST", RIGHT);
  const { ask } = serviceWith(storeThat(counting));
  await ask("HTTP POST", WRONG, "");
  assertEquals(decided, 0);
  await ask("HTTP POST", WRONG);
  assertEquals(decided, 1);
});
