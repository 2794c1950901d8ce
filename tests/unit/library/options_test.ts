/** Options, parts and arguments of the library, mangled, and what it says of each. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { assertThrows } from "@std/assert/throws";
import { randomBytes } from "node:crypto";
import process from "node:process";
import project from "../../../deno.json" with { type: "json" };
import { checkedOptions } from "../../../lib/library/check_options.ts";
import { type AuthenticatorOptions, createAuthenticator } from "../../../lib/mod.ts";
import { servicePage } from "../../../lib/page/page.ts";
import {
  AUTHORITY,
  CLIENT_CERTIFICATE,
  CLIENT_KEY,
  STORE_CERTIFICATE,
} from "../../support/certificates.ts";
import { freePort } from "../../support/free_port.ts";
import { referenceHotp } from "../../support/reference_totp.ts";
import { SEAL_KEY_LINES } from "../../support/seal_keys.ts";

// Most tests only make a service, whose self-check goes on after them.
Deno.test.sanitizer({ ops: false });

const secretCode = "correct horse battery";
const now = (): number => 1_500_000_000_000;
const pin = referenceHotp(secretCode, 1_500_000_000 / 30);

const FIRST = "in the first argument of createAuthenticator.";
const STORE = { guard: "rediss://127.0.0.1", guardKey: randomBytes(32) };
const CLOCK = "now must be a function that returns milliseconds since 1970-01-01T00:00:00Z.";

/** Arguments of createAuthenticator() as JavaScript can give them, and its error. */
const WRONG: readonly (readonly [options: unknown, parts: unknown, message: string])[] = [
  [null, {}, "options must be an object."],
  ["window", {}, "options must be an object."],
  [[], {}, "options must be an object."],
  [() => ({}), {}, "options must be an object."],
  [Promise.resolve({}), {}, "options must be an object, not a promise: await it."],
  [new Map(), {}, "There is no option size."],
  [{ Window: 1 }, {}, "There is no option Window; did you mean window?"],
  [{ apiKeysFile: "keys" }, {}, "There is no option apiKeysFile; did you mean apiKeys?"],
  [{ port: 80 }, {}, "port is an option of the server, not of the library."],
  [JSON.parse('{ "__proto__": {} }'), {}, "There is no option __proto__."],
  [{ "a\nb": 1 }, {}, "There is no option of that name."],
  [{ now }, {}, "now is a part: give it in the second argument of createAuthenticator."],
  [{}, null, "parts must be an object."],
  [{}, { apiKeys: ["0123456789abcdef"] }, `apiKeys is an option: give it ${FIRST}`],
  [{}, { window: 10 }, `window is an option: give it ${FIRST}`],
  [{}, { singleUse: true }, `singleUse is an option: give it ${FIRST}`],
  [{}, { Log: console }, "There is no part Log; did you mean log?"],
  [{}, { now: 5 }, CLOCK],
  [{}, { now: new Date() }, CLOCK],
  [{}, { log: () => {} }, "log must be an object with the function error, and perhaps warn."],
  [
    {},
    { telemetry: {} },
    "telemetry must be an object with the function observe, and perhaps requestId, monotonicMs and " +
    "peer.",
  ],
  [{}, { isReady: true }, "isReady must be a function that returns true or false."],
  [{}, { metricsPage: "" }, "metricsPage must be a function that returns a text."],
  [
    {},
    { page: { ...servicePage, policy: undefined } },
    "page must be servicePage of @authenticator/service/page, or an object with the same fields.",
  ],
  [
    { ...STORE, guardTlsCert: CLIENT_CERTIFICATE },
    {},
    "guardTlsCert and guardTlsKey must be given together.",
  ],
  [{ guardTlsCa: AUTHORITY }, {}, "guardTlsCa needs a rediss:// URL in guard."],
  [
    { guard: "redis://127.0.0.1", guardKey: randomBytes(32), guardTlsCa: AUTHORITY },
    {},
    "guardTlsCa needs a rediss:// URL in guard.",
  ],
  [{ guardPassword: "a" }, {}, "guardPassword needs a URL without a password in guard."],
  [
    { ...STORE, guard: "rediss://:canary@127.0.0.1", guardPassword: "a" },
    {},
    "guardPassword needs a URL without a password in guard.",
  ],
  [
    { ...STORE, guardTlsCa: "ca.pem" },
    {},
    "guardTlsCa must be certificates in PEM, or a function that returns it.",
  ],
  [
    { ...STORE, guardTlsCert: CLIENT_CERTIFICATE, guardTlsKey: () => STORE_CERTIFICATE },
    {},
    "guardTlsKey must be a private key in PEM, or a function that returns it.",
  ],
  [
    { ...STORE, guardPassword: () => Promise.resolve("a") },
    {},
    "guardPassword must be one line, the password, or a function that returns it.",
  ],
];

for (const [options, parts, message] of WRONG) {
  const title = `createAuthenticator() refuses arguments: ${message}`;
  Deno.test(`${title} (${WRONG.findIndex((row) => row[0] === options && row[1] === parts)})`, () => {
    const call = createAuthenticator as (options: unknown, parts: unknown) => unknown;
    assertEquals(assertThrows(() => call(options, parts), TypeError).message, message);
  });
}

Deno.test("validatePin(), checkPin(), pair() and seal() refuse mangled arguments in words of their own", async () => {
  const service = createAuthenticator({ sealKeys: SEAL_KEY_LINES }, { now });
  const errorOf = async (method: string, args: unknown): Promise<string> => {
    const call = service[method as "seal"] as (args: unknown) => unknown;
    return (await assertRejects(async () => await call(args), TypeError)).message;
  };
  for (const method of ["validatePin", "checkPin", "pair", "seal"]) {
    const what = `The argument of ${method}() must be an object`;
    for (const args of [undefined, null, 5, "123456", []]) {
      assertEquals(await errorOf(method, args), `${what}.`);
    }
    assertEquals(await errorOf(method, Promise.resolve({})), `${what}, not a promise: await it.`);
    assertEquals(
      await errorOf(method, { pin, secretcode: "a" }),
      method.endsWith("Pin")
        ? "There is no argument secretcode; did you mean secretCode?"
        : "There is no argument pin.",
    );
  }
  for (const window of [10, "10"]) {
    assertEquals(
      await errorOf("validatePin", { pin, secretCode, window }),
      "There is no argument window.",
    );
  }
  for (const wrong of [123456, null, true, {}]) {
    assertEquals(await errorOf("checkPin", { pin: wrong, secretCode }), "pin must be a string.");
  }
});

Deno.test("fetch() and operatorFetch() refuse anything but a Request", async () => {
  const service = createAuthenticator();
  for (const method of ["fetch", "operatorFetch"] as const) {
    const url = "http://localhost/healthz";
    for (const wrong of [undefined, null, url, {}, { url }, { url, headers: new Headers() }]) {
      const call = service[method] as (request: unknown) => Promise<unknown>;
      const { message } = await assertRejects(() => call(wrong), TypeError);
      assertEquals(message, `The argument of ${method}() must be a Request.`);
    }
  }
});

Deno.test("options and arguments by a class, its getters and its parent count as own ones", async () => {
  class Parent {
    get singleUse(): boolean {
      return true;
    }
  }
  class Options extends Parent {
    maxFailures = 5;
    toJSON(): string {
      return "";
    }
  }
  const { validatePin } = createAuthenticator(new Options(), { now });
  class Login {
    readonly pin = pin;
    get secretCode(): string {
      return secretCode;
    }
  }
  assertEquals(await validatePin(new Login()), true);
  assertEquals(await validatePin(Object.create({ pin, secretCode })), false);
});

Deno.test("a part of a class is called as its method", async () => {
  class Clock {
    readonly ms = now();
    readonly lines: string[] = [];
    error(message: string): void {
      this.lines.push(message);
    }
    observe(
      { requestId, outcome }: { readonly requestId: string; readonly outcome: string },
    ): void {
      this.lines.push(`${requestId} ${outcome}`);
    }
    requestId(): string {
      return `call at ${this.ms}`;
    }
  }
  const clock = new Clock();
  const { validatePin } = createAuthenticator(
    { maxFailures: 0 },
    { now: () => clock.ms, log: clock, telemetry: clock },
  );
  assertEquals(await validatePin({ pin, secretCode }), true);
  assertEquals(clock.lines, [
    "maxFailures 0: pins can be guessed without limit.",
    `call at ${now()} true`,
  ]);
});

Deno.test("a clock must return a number", async () => {
  for (const wrong of [NaN, "0", new Date()]) {
    const { validatePin } = createAuthenticator({}, { now: () => wrong as number });
    const { message } = await assertRejects(() => validatePin({ pin, secretCode }), TypeError);
    assertEquals(message, "now must return a number: milliseconds since 1970-01-01T00:00:00Z.");
  }
});

const WEAK: readonly (readonly [AuthenticatorOptions, readonly string[]])[] = [
  [{}, []],
  [{ window: 2, apiKeys: ["shop:0123456789abcdef"], guardKey: randomBytes(32) }, []],
  [{ window: 100 }, [
    "window is more than 2: every code is accepted for minutes, and guessing is that much easier.",
  ]],
  [{ maxFailures: 0, sealKeys: SEAL_KEY_LINES }, [
    "maxFailures 0: pins can be guessed without limit.",
    "sealKeys with maxFailures 0: a copy of sealed secrets and a way to the port are enough to guess " +
    "pins without limit.",
  ]],
  [{ guardKey: new Uint8Array(32) }, [
    "guardKey has one character repeated, which is easily guessed.",
  ]],
  [{ apiKeys: ["a".repeat(16)] }, [
    "line 1 of apiKeys has one character repeated as its key, which is easily guessed.",
  ]],
];

for (const [options, risks] of WEAK) {
  Deno.test(`createAuthenticator() warns once of ${risks.length} risks of ${Object.keys(options)}`, () => {
    const errors: string[] = [];
    const warnings: string[] = [];
    const error = (message: string): void => void errors.push(message);
    createAuthenticator(options, { log: { error, warn: (line) => void warnings.push(line) } });
    assertEquals([warnings, errors], [risks, []]);
    createAuthenticator(options, { log: { error } });
    assertEquals(errors, risks);
  });
}

Deno.test("a store has the latest texts that can be used", () => {
  const texts = ["first", "second", "in\ntwo lines"];
  const failures: string[] = [];
  const { readFiles } = checkedOptions({
    guard: "redis://127.0.0.1",
    guardKey: randomBytes(32),
    guardPassword: () => texts.shift()!,
  });
  const read = (): unknown => readFiles((option) => void failures.push(option));
  assertEquals([read(), failures], [{ password: "second" }, []]);
  assertEquals([read(), failures], [{ password: "second" }, ["guardPassword"]]);
});

Deno.test("the texts for a store are read again for each connection, and the last good one is kept", async () => {
  const texts = [AUTHORITY, "during a renewal", AUTHORITY];
  let reads = 0;
  const lines: string[] = [];
  const { checkPin, close } = createAuthenticator({
    guard: `rediss://127.0.0.1:${freePort()}`,
    guardKey: randomBytes(32),
    guardTlsCa: () => texts[reads++] ?? AUTHORITY,
    guardTlsCert: CLIENT_CERTIFICATE,
    guardTlsKey: CLIENT_KEY,
    guardPassword: "canary",
  }, { log: { error: (line) => void lines.push(line) } });
  assertEquals((await checkPin({ pin, secretCode })).outcome, "unavailable");
  await close();
  assert(reads >= 2, `${reads}`);
  assertEquals(lines[0], "guardTlsCa cannot be read again: the last text is used");
  assert(!lines.join().includes("canary") && !lines.join().includes("renewal"), lines.join());
});

Deno.test("an older Node is refused with the version that the package requires", () => {
  const { node } = process.versions;
  Object.defineProperty(process.versions, "node", { value: "20.20.2", configurable: true });
  try {
    assertEquals(
      assertThrows(() => createAuthenticator(), Error).message,
      `${project.name} needs Node 22 or later: this is 20.20.2.`,
    );
    Object.defineProperty(process.versions, "node", { value: "22.0.0", configurable: true });
    createAuthenticator();
  } finally {
    Object.defineProperty(process.versions, "node", { value: node, configurable: true });
  }
});
