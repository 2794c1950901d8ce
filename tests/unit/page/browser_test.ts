/** The page's script where it needs no browser: `tests/integration/browser/` has the rest. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { assertRejects } from "@std/assert/rejects";
import { DEFAULT_TOTP } from "../../../lib/otp/totp.ts";
import { codePlaceholder, inGroups } from "../../../lib/page/shared/code_groups.ts";
import { FakeElement, withGlobals } from "../../support/fake_page.ts";
import { referenceHotp } from "../../support/reference_totp.ts";

/** The page's clock. */
interface ServerClock {
  read(reply: Response, sentMs: number): void;
  nowMs(): number;
  aheadSeconds(): number;
  timeShown(): string;
  tick(): void;
}

/** Outcome of a request. */
interface Outcome {
  readonly result?: unknown;
  readonly message?: string;
  readonly shown: string;
}

// Their types are those of a browser, which no test of the gate has: they are loaded by name.
const load = (name: string): Promise<never> =>
  import(import.meta.resolve(`../../../lib/page/browser/${name}.ts`)) as Promise<never>;
const { Clock }: { readonly Clock: new (period: number) => ServerClock } = await load("clock");
const { call, fillIn, postRequest }: {
  fillIn(pane: FakeElement, values: Readonly<Record<string, string>>, isSent: boolean): void;
  call(request: unknown, clock: unknown, signal: AbortSignal): Promise<Outcome>;
  postRequest(path: string, type: string, body: string): unknown;
} = await load("request");
const { explainFalse }: { explainFalse(box: FakeElement, answered: unknown): Promise<void> } =
  await load("explain_false");
const { showComputation }: {
  showComputation(macOf: unknown, parameters: unknown, nowMs: number): Promise<void>;
} = await load("computation");
const { setUpCopyButton }: {
  setUpCopyButton(button: FakeElement, source: FakeElement): void;
} = await load("buttons");

/** A reply with a Date. */
function replyAt(date: string): Response {
  return new Response("", { headers: { date } });
}

Deno.test("the page's clock takes the middle of the second that a reply names, half-way of the request", () => {
  const { now } = Date;
  const second = Date.parse("2026-01-31T12:00:00Z");
  try {
    for (const aheadMs of [0, 90_000, -3_600_000]) {
      // Sent a second before the reply came: the server wrote it half a second ago.
      Date.now = () => second + 1_000 + aheadMs;
      const clock = new Clock(30);
      assertEquals([clock.nowMs(), clock.aheadSeconds()], [Date.now(), 0]);
      clock.read(new Response(""), 0);
      assertEquals([clock.nowMs(), clock.aheadSeconds()], [Date.now(), 0]);
      clock.read(replyAt(new Date(second).toUTCString()), second + aheadMs);
      assertEquals(clock.nowMs(), second + 1_000);
      assertEquals(clock.aheadSeconds(), aheadMs / 1_000);
      assertEquals(clock.timeShown(), "12:00:01");
    }
  } finally {
    Date.now = now;
  }
});

Deno.test("the page shows the server's time, the seconds left of a step, and clocks that differ by 5 s or more", async () => {
  const { now } = Date;
  const document = new FakeElement();
  const shown = (): readonly unknown[] => {
    const clock = document.querySelector(".clock");
    const [time, left, skew] = [".time", ".left", ".skew"].map((part) =>
      clock.querySelector(part).textContent
    );
    return [time, left, clock.querySelector("progress").value, skew];
  };
  const rows = [
    ["12:00:00", 0, "30", ""],
    ["12:00:29", 4, "1", ""],
    ["12:00:30", -5, "30", "The clocks of this device and of the server differ by 5 s."],
  ] as const;
  try {
    await withGlobals({ document }, () => {
      const clock = new Clock(30);
      clock.tick();
      assertEquals(shown(), ["", "", "", ""]);
      for (const [time, aheadSeconds, left, skew] of rows) {
        const date = new Date(`2026-01-31T${time}Z`);
        Date.now = () => date.getTime() + 500 + aheadSeconds * 1000;
        clock.read(replyAt(date.toUTCString()), Date.now());
        clock.tick();
        assertEquals(shown(), [time, left, Number(left), skew]);
      }
    });
  } finally {
    Date.now = now;
  }
});

/** A page whose `#key` has a value, and whose requests get a reply. */
function pageWith(
  key: string,
  fetch: (url: string, options: RequestInit) => Response | Promise<Response>,
): Record<string, unknown> {
  const document = Object.assign(new FakeElement(), { baseURI: "http://a:b@localhost/api.asmx" });
  document.querySelector("#key").value = key;
  return {
    document,
    fetch: async (url: string, options: RequestInit) => await fetch(url, options),
  };
}

/** Sends a request from a page. */
async function outcomeOf(
  reply: Response | (() => Promise<Response>),
  { key = "", read = (): void => {}, signal = new AbortController().signal } = {},
): Promise<Outcome> {
  let outcome: Outcome | undefined;
  await withGlobals(pageWith(key, () => reply instanceof Response ? reply : reply()), async () => {
    outcome = await call(postRequest("a", "application/json", "{}"), { read }, signal);
  });
  return outcome!;
}

const STRANGE = /^The reply is (?:200|500|502), and not one of this service/;

// Status, media type and body of a reply; what is said of it.
const REPLIES: readonly (readonly [number, string, string, unknown])[] = [
  [200, "application/json; charset=utf-8", '{"d":true}', { result: "true" }],
  [200, "application/json", '{"d":{"Html":"a"}}', { result: { Html: "a" } }],
  [400, "application/json", '{"Message":"Missing."}', { message: "Missing." }],
  [200, "application/json", '{"d":tr', { message: STRANGE }],
  [200, "application/json", "null", { message: STRANGE }],
  [200, "application/json", '{"e":1}', { message: STRANGE }],
  [200, "text/xml", '<?xml version="1.0"?><boolean>fal', { message: STRANGE }],
  [200, "text/xml", "", { message: STRANGE }],
  [400, "text/plain; charset=utf-8", "Missing.\r\n", { message: "Missing." }],
  [400, "text/plain", "x".repeat(300), { message: "x".repeat(300) }],
  [500, "text/plain", "x".repeat(301), { message: STRANGE }],
  [500, "text/plain", "at line 1\nat line 2\n", { message: STRANGE }],
  [499, "text/plain", "Busy.", { message: "Busy." }],
  [500, "text/plain", "Busy.", { message: "500: Busy." }],
  [200, "text/plain", "Busy.", { message: STRANGE }],
  [502, "text/html", "<h1>502 Bad Gateway</h1>", { message: STRANGE }],
];

Deno.test("the page has the result of a reply, its sentence, or that it is not one of this service", async () => {
  for (const [status, type, body, expected] of REPLIES) {
    const { result, message, shown } = await outcomeOf(
      new Response(body, { status, headers: { "content-type": type, "x-request-id": "a1" } }),
    );
    const said = message === undefined
      ? { result }
      : { message: STRANGE.test(message) ? STRANGE : message };
    assertEquals(said, expected, body);
    const head = `HTTP/1.1 ${status}\nContent-Type: ${type}\nX-Request-Id: a1\n`;
    assertEquals(shown, `${head}\n${body}`);
  }
});

Deno.test("without a reply, the page says why: too late, a broken connection, a redirect, or a key that cannot be sent", async () => {
  const { timeout } = AbortSignal;
  const control = new AbortController();
  const broken = (): Promise<Response> => Promise.reject(new TypeError("Thrown by a test"));
  try {
    const waits: number[] = [];
    AbortSignal.timeout = (ms) => (waits.push(ms), control.signal);
    assertMatch((await outcomeOf(broken)).message!, /^No reply: the server is not running/);
    const redirect = Object.create(Response.prototype, { type: { value: "opaqueredirect" } });
    assertMatch((await outcomeOf(redirect)).message!, /a proxy in front may ask for a login/);
    assertMatch((await outcomeOf(broken, { key: "\u043a" })).message!, /^Not sent: the API key/);
    control.abort();
    assertMatch((await outcomeOf(broken)).message!, /^No reply within 10 seconds\. /);
    assertEquals(new Set(waits), new Set([10_000]));
    await assertRejects(() => outcomeOf(broken, { signal: AbortSignal.abort() }), TypeError);
  } finally {
    AbortSignal.timeout = timeout;
  }
});

Deno.test("a typed key is sent without blanks and without the browser's own, which is sent alone", async () => {
  for (const [typed, key, credentials] of [[" k ", "k", "omit"], [" ", null, "same-origin"]]) {
    const requests: unknown[] = [];
    const page = pageWith(typed!, (url, options) => {
      const headers = new Headers(options.headers);
      requests.push([url, headers.get("x-api-key"), options.credentials, options.redirect]);
      return Response.json({ d: true });
    });
    await withGlobals(page, async () => {
      const clock = { read: () => {} };
      await call(postRequest("a", "application/json", ""), clock, new AbortController().signal);
    });
    // Without user name and password.
    assertEquals(requests, [["http://localhost/a", key, credentials, "manual"]]);
  }
});

Deno.test("a value is written in the encoding of its pane, an example only where nothing is sent", () => {
  const value = 'a<&>"\\ +\u00e9\n';
  const rows = [
    ["xml", "pin", value, false, 'a&#60;&#38;&#62;"\\ +\u00e9\n'],
    ["json", "pin", value, false, 'a<&>\\"\\\\ +\u00e9\\n'],
    ["form", "pin", value, false, "a%3C%26%3E%22%5C+%2B%C3%A9%0A"],
    ["form", "X-Api-Key", "a+b", false, "a+b"],
    ["json", "pin", "", false, "123456"],
    ["json", "pin", "", true, ""],
  ] as const;
  for (const [encoding, name, value, isSent, written] of rows) {
    const pane = new FakeElement();
    pane.dataset["encoding"] = encoding;
    const place = pane.querySelector("var[data-name]");
    place.dataset["name"] = name;
    place.textContent = "123456";
    pane.querySelector(".body").textContent = "\u00e9!";
    for (const each of ["first", value]) fillIn(pane, { [name]: each }, isSent);
    assertEquals(place.textContent, written);
    assertEquals(pane.querySelector(".length").textContent, "3");
  }
});

Deno.test("a reply sets the page's clock before its body is read", async () => {
  const order: string[] = [];
  const body = new ReadableStream({
    pull: (controller) => (order.push("body"), controller.close()),
  }, { highWaterMark: 0 });
  await outcomeOf(new Response(body), { read: () => void order.push("clock") });
  assertEquals(order, ["clock", "body"]);
});

const SETTINGS = {
  ...DEFAULT_TOTP,
  window: 1,
  maxFailures: 5,
  singleUse: true,
  secretEncoding: "text",
} as const;
const STEP = 60_000_000;
const SECRET = "12345678901234567890";

/** Explains a false answer, and returns the paragraphs and items that are shown; none if they are hidden. */
async function explained(
  pin: string,
  { secretCode = SECRET, hide = false, settings = {}, deviceAhead = 0 } = {},
): Promise<readonly string[]> {
  const box = new FakeElement();
  const reasons = box.querySelector(".reasons");
  const document = new FakeElement();
  await withGlobals({ document }, async () => {
    const explaining = explainFalse(box, {
      asked: { pin, secretCode },
      settings: { ...SETTINGS, ...settings },
      shownSecrets: new Set(["an earlier secret", secretCode]),
      nowMs: STEP * 30_000,
      deviceAhead,
    });
    if (hide) reasons.hidden = true;
    await explaining;
  });
  if (reasons.hidden) return [];
  const { children } = reasons.querySelector("div");
  const lines = children.flatMap((part) => part.localName === "ul" ? part.children : [part])
    .map(({ textContent }) => textContent);
  assertEquals(document.querySelector("#announcement").textContent, lines.join(" "));
  return lines;
}

Deno.test("a false answer is explained by what its pin is, and no longer once the user types", async () => {
  const right = referenceHotp(SECRET, STEP);
  const late = referenceHotp(SECRET, STEP - 5);
  const earlier = (distance: number): string => referenceHotp("an earlier secret", STEP + distance);
  const before = /^This is the code of a secret that this page had before\./;
  const rows: readonly (readonly [string, Parameters<typeof explained>[1], ...RegExp[]])[] = [
    [right.replace(/^.../, "$&-"), {}, /contains hyphens/],
    ["12345", {}, /^The pin has 5 digits; a code has 6\./],
    [
      late,
      {},
      /^The likely reason:/,
      /^The pin has expired/,
      /--window 1/,
      /^This is almost certain/,
    ],
    [right, {}, /^The pin is right, but/, /--single-use/, /After 5 .*--max-/, /had expired, or/],
    [right, { settings: { singleUse: false, maxFailures: 0 } }, /^The pin is right/, /had expired/],
    [earlier(-1), {}, before],
    [earlier(1), {}, before],
    [
      ...[
        earlier(2),
        {},
        /^Possible reasons:/,
        /clock is wrong/,
        /another account/,
        /cut off/,
      ] as const,
      ...[/was mistyped/, /--single-use/, /--max-failures/],
    ],
    [right, { secretCode: `${btoa('{"alg":"dir"}')}..a.b.c` }, /^This secret is sealed\./],
  ];
  for (const [pin, options, ...says] of rows) {
    const lines = await explained(pin, options);
    assertEquals(lines.length, says.length, lines.join("\n"));
    says.forEach((pattern, i) => assertMatch(lines[i]!, pattern));
  }
  assertEquals(await explained(late, { hide: true }), []);
});

Deno.test("the computation of a code is shown as RFC 4226 §5.4 has it", async () => {
  const bytes = "1f 86 98 69 0e 02 ca 16 61 85 50 ef 7f 19 da 8e 94 5b 55 5a";
  const mac = Uint8Array.from(bytes.split(" "), (byte) => parseInt(byte, 16));
  const document = new FakeElement();
  const shown = (): readonly string[] =>
    ["seconds", "step", "mac", "offset", "taken", "number", "code"].map((part) =>
      document.querySelector(`[data-part=${part}]`).textContent
    );
  await withGlobals({ document }, async () => {
    await showComputation(undefined, DEFAULT_TOTP, 61_999);
    assertEquals(shown(), ["61", "2", "-", "-", "-", "-", "-"]);
    const steps: number[] = [];
    const macOf = (step: number): Promise<Uint8Array> => (steps.push(step), Promise.resolve(mac));
    await showComputation(macOf, DEFAULT_TOTP, 61_999);
    assertEquals(steps, [2]);
    assertEquals(shown(), ["61", "2", bytes, "10", "50 ef 7f 19", "1357872921", "872921"]);
  });
});

Deno.test("a code is written in two halves, of which the first has the digit more, and so is its placeholder", () => {
  assertEquals(["123456", "1234567", "12345678"].map(inGroups), [
    ...["123 456", "1234 567", "1234 5678"],
  ]);
  assertEquals(codePlaceholder(7), "---- ---");
});

Deno.test("a copy button copies the text as it is then, and has its own name again after two seconds", async () => {
  const [button, source, document] = [new FakeElement(), new FakeElement(), new FakeElement()];
  const announcement = document.querySelector("#announcement");
  const copied: string[] = [];
  const timers: (readonly [act: () => void, ms: number])[] = [];
  const navigator = { clipboard: { writeText: (text: string) => void copied.push(text) } };
  const setTimeout = (act: () => void, ms: number): void => void timers.push([act, ms]);
  button.textContent = "Copy";
  setUpCopyButton(button, source);
  source.textContent = "new";
  await withGlobals({ document, navigator, setTimeout }, async () => {
    button.dispatchEvent(new Event("click"));
    while (timers.length === 0) await Promise.resolve();
    assertEquals([copied, button.textContent, announcement.textContent], [["new"], ...COPIED]);
    assertEquals(timers.map(([, ms]) => ms), [2000]);
    timers[0]![0]();
  });
  assert(button.textContent === "Copy" && announcement.textContent === "");
});

const COPIED = ["Copied", "Copied"];
