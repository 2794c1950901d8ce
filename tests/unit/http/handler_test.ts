import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { OPERATIONS } from "../../../lib/operations/operations.ts";
import { createLog } from "../../../lib/telemetry/log.ts";
import type { RequestEvent } from "../../../lib/telemetry/request_event.ts";
import { BINDINGS, requestFor, writeCall } from "../../support/calls.ts";
import { type HandlerChanges, handlerWith } from "../../support/handler.ts";
import { ManualTimers } from "../../support/timers.ts";
import { referenceHotp } from "../../support/reference_totp.ts";

const SECRET = "correct horse battery staple";

const CALL = { pin: "123456", secretCode: SECRET };

for (const binding of BINDINGS) {
  Deno.test(`createHandler() reveals nothing of an unexpected error over ${binding}`, async () => {
    let logged = "";
    const now = (): number => {
      throw new TypeError(`clock broken while checking ${SECRET}`);
    };
    const handler = handlerWith({
      now,
      log: createLog({
        format: "text",
        color: false,
        write: (line) => void (logged += line),
        now: () => 0,
      }),
    });
    const reply = await handler(requestFor(writeCall(binding, "ValidatePin", CALL)));
    const body = await reply.text();
    assertEquals(reply.status, 500);
    assert(body.includes("Server was unable to process request."), body);
    for (const leak of ["TypeError", "clock", "    at ", ".ts", SECRET]) {
      assert(!body.includes(leak), leak);
    }
    const start = '1970-01-01T00:00:00.000Z error a request failed cause=TypeError stack="at ';
    assert(logged.startsWith(start), logged);
    assertEquals(logged.split("\n").length, 2);
    assert(!logged.includes("clock") && !logged.includes(SECRET));
  });
}

Deno.test("a body that does not arrive in time is 408", () =>
  ManualTimers.during(async (timers) => {
    const body = new ReadableStream({ pull: () => new Promise(() => {}) });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const url = "http://localhost/api.asmx/Pair";
    const form = handlerWith()(new Request(url, { method: "POST", headers, body }));
    await timers.settle();
    while (timers.pending > 0) await timers.tick();
    assertEquals((await form).status, 408);
    assertEquals(await (await form).text(), "The body did not arrive within 10 seconds.\r\n");
  }));

Deno.test("createHandler() logs a reply with its route, and every result as ok", async () => {
  const observed: unknown[] = [];
  const observe = ({ route, status, outcome }: RequestEvent): void =>
    void observed.push([route, status, outcome]);
  const telemetry = { ...TELEMETRY, observe };
  const handler = handlerWith({ isReady: () => false, metricsPage: () => "", telemetry });
  const rows: readonly (readonly [string, string, number, string, RequestInit?])[] = [
    ["/", "root", 302, "ok"],
    ["/metrics", "metrics", 200, "ok"],
    ["/qr.aspx?data=a", "qr.aspx", 200, "ok"],
    ["/qr.aspx?data=", "qr.aspx", 400, "invalid"],
    ["/api.asmx?wsdl", "description", 200, "ok"],
    ["/openapi.json", "openapi", 200, "ok"],
    ["/api.asmx", "description", 304, "ok", { headers: { "if-none-match": "*" } }],
    ["/api.asmx", "service", 204, "ok", { method: "OPTIONS" }],
    [`/api.asmx?${"x".repeat(9_000)}`, "description", 414, "query-too-long"],
    ["/api.asmx/Pair?appName=a&appInfo=b&secretCode=c", "service", 200, "ok"],
    ["/healthz?", "healthz", 200, "ok"],
    ["/readyz", "readyz", 503, "not-ready"],
    ["/x", "unknown", 404, "not-found"],
  ];
  for (const [path, , , , init] of rows) {
    await handler(new Request(`http://localhost${path}`, init));
  }
  assertEquals(observed, rows.map((row) => row.slice(1, 4)));
});

Deno.test("createHandler() reports the address of a caller only where it is known", async () => {
  const peers: unknown[] = [];
  const observe = (event: RequestEvent): void => void peers.push(event.peer, "peer" in event);
  for (const address of ["203.0.113.9", undefined]) {
    const handler = handlerWith({ telemetry: { ...TELEMETRY, observe, peer: () => address } });
    await handler(new Request("http://localhost/healthz"));
  }
  assertEquals(peers, ["203.0.113.9", true, undefined, false]);
});

Deno.test("createHandler() holds back the reply to a pin check, and no other", async () => {
  const events: string[] = [];
  const replyBatch = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 0));
    events.push("batch");
  };
  const handler = handlerWith({ replyBatch });
  const pair = `/api.asmx/Pair?appName=a&appInfo=b&secretCode=${SECRET}`;
  for (const path of [VALIDATE, "/healthz", pair, "/api.asmx?wsdl"]) {
    await handler(new Request(`http://localhost${path}`));
    events.push(path);
  }
  assertEquals(events, ["batch", VALIDATE, "/healthz", pair, "/api.asmx?wsdl"]);
});

interface Observed {
  readonly reply: Response;
  readonly events: readonly RequestEvent[];
}

/** Handles a request, with a clock that advances by 250 ms each time it is read. */
async function observe(
  path: string,
  init: RequestInit = {},
  changes: HandlerChanges = {},
): Promise<Observed> {
  const events: RequestEvent[] = [];
  let ms = 1_000;
  const handler = handlerWith({
    telemetry: {
      observe: (event) => void events.push(event),
      requestId: () => "a1-7",
      monotonicMs: () => (ms += 250),
    },
    ...changes,
  });
  const { method = "GET" } = init;
  const request = new Request(`http://localhost${path}`, init);
  // The constructor normalizes methods, and Deno hands them over as sent.
  return {
    reply: await handler(Object.defineProperty(request, "method", { value: method })),
    events,
  };
}

const VALIDATE = `/api.asmx/ValidatePin?pin=000000&secretCode=${SECRET}`;

Deno.test("createHandler() logs each request once, with its outcome", async () => {
  const facts: RequestEvent = {
    requestId: "a1-7",
    durationMs: 250,
    method: "GET",
    route: "service",
    status: 200,
    outcome: "ok",
    replyBytes: 0,
    operation: "",
    binding: "",
    caller: undefined,
    facts: undefined,
  };
  const call = {
    operation: "ValidatePin",
    binding: "HTTP GET",
    outcome: "false",
    facts: { form: "plain" },
  } as const;
  const rows: readonly (readonly [string, RequestInit, Partial<RequestEvent>])[] = [
    [VALIDATE, {}, { ...call, replyBytes: 101 }],
    // One that is not read has no operation.
    ["/api.asmx/Hush", { method: "HEAD" }, {
      method: "HEAD",
      status: 404,
      binding: "HTTP GET",
      outcome: "unknown-operation",
      facts: {
        reason: `Web Service method name is not valid. Expected ${
          [...OPERATIONS.keys()].join(" or ")
        }; names are case sensitive.`,
      },
    }],
    ["/api.asmx/Pair?appName=a&b&secretCode=c&d", {}, {
      operation: "Pair",
      binding: "HTTP GET",
      status: 400,
      outcome: "invalid",
      replyBytes: 29,
      facts: { ignored: 2, reason: "Missing parameter: appInfo." },
    }],
    [`${VALIDATE}&d`, {}, { ...call, replyBytes: 101, facts: { form: "plain", ignored: 1 } }],
    [VALIDATE, { method: "HEAD" }, { ...call, method: "HEAD" }],
    ["/healthz", {}, { route: "healthz", replyBytes: 2 }],
    ["/healthz", { method: "HEAD" }, { method: "HEAD", route: "healthz" }],
    // A method is logged in capitals, however it was sent.
    ["/healthz", { method: "get" }, { route: "healthz", replyBytes: 2 }],
    ["/healthz", { method: "OPTIONS" }, { method: "OPTIONS", route: "healthz", status: 204 }],
    ["/Validate.aspx", { method: "PROPFIND" }, {
      method: "other",
      route: "validate.aspx",
      outcome: "method-not-allowed",
      status: 405,
      replyBytes: 56,
    }],
    ["/hush", { method: "POST" }, {
      method: "POST",
      route: "unknown",
      outcome: "not-found",
      status: 404,
      replyBytes: 12,
    }],
  ];
  for (const [path, init, observed] of rows) {
    const { reply, events } = await observe(path, init);
    assertEquals(events, [{ ...facts, ...observed }], `${init.method} ${path}`);
    assertEquals(reply.headers.get("x-request-id"), "a1-7");
  }
});

Deno.test("createHandler() logs the offset of an accepted pin", async () => {
  const pin = referenceHotp(SECRET, 1);
  const { events } = await observe(`/api.asmx/ValidatePin?pin=${pin}&secretCode=${SECRET}`);
  assertEquals(events.map(({ outcome, facts }) => [outcome, facts?.distance]), [["true", 1]]);
});

Deno.test("createHandler() names a request only where there is telemetry", async () => {
  const reply = await handlerWith({})(new Request("http://localhost/healthz"));
  assertEquals(reply.headers.get("x-request-id"), null);
});

Deno.test("createHandler() answers /metrics only where there is something to answer", async () => {
  const without = await observe("/metrics");
  assertEquals([without.reply.status, without.events[0]?.route], [404, "unknown"]);
  const { reply, events } = await observe("/metrics", {}, { metricsPage: () => "up 1\n" });
  assertEquals(
    [reply.status, reply.headers.get("content-type"), await reply.text()],
    [200, "text/plain; version=0.0.4; charset=utf-8", "up 1\n"],
  );
  assertEquals([events[0]?.route, events[0]?.replyBytes], ["metrics", 5]);
});

function broken(): never {
  throw new TypeError(`broken beside ${SECRET}`);
}

const TELEMETRY = { observe: (): void => {}, requestId: () => "a1-0", monotonicMs: () => 0 };

/** Failures around a call, where faults do not have the form of a binding yet. */
const BREAKAGES: readonly (readonly [string, HandlerChanges])[] = [
  ["the name of a request", { telemetry: { ...TELEMETRY, requestId: broken } }],
  ["a name that no header can carry", { telemetry: { ...TELEMETRY, requestId: () => "a\nb" } }],
  ["the clock", { telemetry: { ...TELEMETRY, monotonicMs: broken } }],
];

/** A request whose header cannot be read. */
function unreadable(path: string): Request {
  const request = new Request(`http://localhost${path}`);
  return Object.defineProperty(request, "headers", { get: broken });
}

for (const [what, options] of [...BREAKAGES, ["the head of a request", {}] as const]) {
  Deno.test(`createHandler() replies even if this fails: ${what}`, async () => {
    const logged: unknown[] = [];
    const log = { error: (message: string, cause: unknown) => void logged.push(message, cause) };
    const handler = handlerWith({ ...options, log });
    const request = what.startsWith("the head")
      ? unreadable
      : (path: string): Request => new Request(`http://localhost${path}`);
    const unable = "Server was unable to process request.\r\n";
    const plain = await handler(request("/api.asmx/ValidatePin?pin=1&secretCode=x"));
    assertEquals([plain.status, await plain.text()], [500, unable]);
    const url = "/Validate.aspx?Pin=1&SecretCode=x";
    for (const method of ["GET", "DELETE"]) {
      const short = await handler(Object.defineProperty(request(url), "method", { value: method }));
      assertEquals([short.status, await short.text()], [200, "False"]);
    }
    const nowhere = await handler(request("/nowhere"));
    assertEquals([nowhere.status, await nowhere.text()], [500, unable]);
    assertEquals(logged.filter((entry) => entry instanceof TypeError).length, 4);
    assertEquals(logged.includes("a request failed"), true);
  });
}

Deno.test("the reply to an unexpected error has the request id of its log line", async () => {
  for (const path of [VALIDATE, `/Validate.aspx?Pin=123456&SecretCode=${SECRET}`]) {
    const events: RequestEvent[] = [];
    const observe = (event: RequestEvent): void => void events.push(event);
    const telemetry = { ...TELEMETRY, observe };
    const handler = handlerWith({ now: broken, telemetry, log: { error: () => {} } });
    const reply = await handler(new Request(`http://localhost${path}`));
    assertEquals([events[0]?.requestId, events[0]?.outcome], ["a1-0", "internal"]);
    assertEquals(reply.headers.get("x-request-id"), "a1-0");
  }
});

Deno.test("createHandler() answers 500 where a policy of the page cannot be in a header field", async () => {
  const causes: unknown[] = [];
  const page = { document: () => "", script: "", style: "", policy: "a\nb" };
  const log = { error: (_: string, cause?: unknown) => void causes.push(cause) };
  const reply = await handlerWith({ page, log })(new Request("http://localhost/api.asmx"));
  assertEquals([reply.status, causes.map((cause) => cause instanceof TypeError)], [500, [true]]);
});
