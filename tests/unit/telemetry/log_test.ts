import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import type { CallFacts } from "../../../lib/operations/facts.ts";
import { createLog, type LogOptions } from "../../../lib/telemetry/log.ts";
import type { RequestEvent } from "../../../lib/telemetry/request_event.ts";

const EVENT: RequestEvent = {
  requestId: "a1-0",
  method: "POST",
  route: "service",
  operation: "ValidatePin",
  binding: "SOAP 1.1",
  status: 200,
  outcome: "true",
  durationMs: 0.41234,
  replyBytes: 329,
};

function logged(
  options: Partial<LogOptions>,
  write: (log: ReturnType<typeof createLog>) => void,
): string {
  let lines = "";
  write(createLog({
    format: "text",
    color: false,
    write: (line) => void (lines += line),
    now: () => Date.UTC(2026, 0, 31, 12),
    ...options,
  }));
  return lines;
}

Deno.test("createLog() writes a request on one line of text", () => {
  assertEquals(
    logged({}, (log) => log.request(EVENT)),
    "2026-01-31T12:00:00.000Z info request method=POST route=service operation=ValidatePin " +
      'binding="SOAP 1.1" status=200 outcome=true ms=0.412 bytes=329 id=a1-0\n',
  );
});

Deno.test("createLog() writes the same fields of a request as text and as JSON", () => {
  const facts = [undefined, { distance: -1 }, { secret: "a-_9", outcome: "replayed" }] as const;
  for (const fact of facts) {
    for (const name of [undefined, "billing"]) {
      for (const operation of ["", "ValidatePin"]) {
        const who = { caller: name, peer: name && "203.0.113.9" };
        const event = { ...EVENT, ...who, operation, binding: operation && "SOAP", facts: fact };
        const { time: _time, level: _level, message: _message, ...fields } = JSON.parse(
          logged({ format: "json" }, (log) => log.request(event)),
        );
        const text = Object.entries(fields).map(([name, value]) => ` ${name}=${value}`).join("");
        assertEquals(
          logged({}, (log) => log.request(event)),
          `2026-01-31T12:00:00.000Z info request${text}\n`,
        );
      }
    }
  }
});

Deno.test("each property of an event and each of its facts is a field of the line, but two that only others need", () => {
  const facts: Required<CallFacts> = {
    secret: "a-_9",
    outcome: "empty",
    distance: -1,
    retryAfterMs: 98_765,
    ignored: 2,
    form: "older-key",
    unopened: "no-keys",
    reason: "A sentence.",
  };
  const event: Required<RequestEvent> = { ...EVENT, caller: "billing", peer: "203.0.113.9", facts };
  const line = logged({ format: "json" }, (log) => log.request(event));
  assertEquals(JSON.parse(line), {
    time: "2026-01-31T12:00:00.000Z",
    level: "info",
    message: "request",
    method: "POST",
    route: "service",
    operation: "ValidatePin",
    binding: "SOAP 1.1",
    caller: "billing",
    peer: "203.0.113.9",
    status: 200,
    secret: "a-_9",
    distance: -1,
    ignored: 2,
    unopened: "no-keys",
    reason: "A sentence.",
    outcome: "true",
    ms: 0.412,
    bytes: 329,
    id: "a1-0",
  });
  const zeros = { status: 0, distance: 0, ignored: 0, ms: 0, bytes: 0 };
  const ofZeros = {
    ...event,
    ...{ status: 0, durationMs: 0, replyBytes: 0, facts: { ...facts, distance: 0, ignored: 0 } },
  };
  assertEquals(JSON.parse(logged({ format: "json" }, (log) => log.request(ofZeros))), {
    ...JSON.parse(line),
    ...zeros,
  });
});

Deno.test("createLog() keeps a fact with a space, a line end or a quote to one word of its line", () => {
  for (const [secret, word] of [["a b\nc", '"a b\\nc"'], ['a"', '"a\\""']] as const) {
    const line = logged({}, (log) => log.request({ ...EVENT, facts: { secret } }));
    assert(line.includes(` secret=${word} outcome=true `), line);
  }
});

Deno.test("createLog() begins each line with the time of its writing", () => {
  const times = [0, 0, 1, 0, Date.UTC(2026, 0, 31)];
  const clock = times.values();
  const lines = logged({ now: () => clock.next().value! }, (log) => {
    for (const _ of times) log.info("on");
  });
  const expected = times.map((ms) => `${new Date(ms).toISOString()} info on\n`).join("");
  assertEquals(lines, expected);
});

Deno.test("createLog() writes a request as an object on one line", () => {
  assertEquals(
    logged({ format: "json" }, (log) => log.request({ ...EVENT, operation: "", binding: "" })),
    '{"time":"2026-01-31T12:00:00.000Z","level":"info","message":"request","method":"POST",' +
      '"route":"service","status":200,"outcome":"true","ms":0.412,"bytes":329,"id":"a1-0"}\n',
  );
});

Deno.test("createLog() colours only the status, and only with colours on", () => {
  const shown = (status: number): string =>
    logged({ color: true }, (log) => log.request({ ...EVENT, status }));
  assertEquals(shown(200).includes("status=\x1b[32m200\x1b[0m "), true);
  assertEquals(shown(500).split("\x1b").length, 3);
  assertEquals(logged({}, (log) => log.request(EVENT)).includes("\x1b"), false);
});

Deno.test("createLog() writes news and warnings", () => {
  assertEquals(
    logged({}, (log) => log.info("the store is there")),
    "2026-01-31T12:00:00.000Z info the store is there\n",
  );
  assertEquals(
    logged({}, (log) => log.warn("the clock jumped")),
    "2026-01-31T12:00:00.000Z warn the clock jumped\n",
  );
});

Deno.test("createLog() writes news and errors as an object on a line where requests are", () => {
  assertEquals(
    logged({ format: "json" }, (log) => log.info("the store is there")),
    '{"time":"2026-01-31T12:00:00.000Z","level":"info","message":"the store is there"}\n',
  );
  const { cause } = JSON.parse(logged({ format: "json" }, (log) => log.error("failed", "hunter2")));
  assertEquals(cause, "string");
});

Deno.test("createLog() writes the kind and the place of an error, and not its message", () => {
  const error = new RangeError("secret is\n    at hunter2 (hunter2:1:2)\n@hunter2");
  for (const format of ["text", "json"] as const) {
    const line = logged({ format }, (log) => log.error("a request failed", error));
    assertEquals(line.includes("RangeError") && line.includes("log_test.ts"), true);
    assertEquals(line.includes("hunter2"), false);
    assertEquals(line.split("\n").length, 2);
  }
  assertEquals(
    logged({}, (log) => log.error("a request failed", "hunter2")),
    "2026-01-31T12:00:00.000Z error a request failed cause=string\n",
  );
});

Deno.test("createLog() colours by the class of the status, to its ends", () => {
  const colourOf = (status: number): string | undefined => {
    const line = logged({ color: true }, (log) => log.request({ ...EVENT, status }));
    return line.split("status=\x1b[")[1]?.split("m")[0];
  };
  const colours = { 204: "32", 399: "32", 400: "33", 499: "33", 500: "31", 503: "31" };
  for (const [status, colour] of Object.entries(colours)) {
    assertEquals(colourOf(Number(status)), colour, status);
  }
});

Deno.test("createLog() writes the places of an error in the form of either engine", () => {
  const causeWith = (stack: string | undefined): string => {
    const error = new TypeError("hunter2");
    Object.defineProperty(error, "stack", { value: stack });
    return logged({}, (log) => log.error("a request failed", error)).split(" failed ")[1]!.trim();
  };
  const deno =
    "TypeError: hunter2\n    at read (file:///lib/a.ts:1:2)\n    at file:///lib/b.ts:30:40";
  assertEquals(
    causeWith(deno),
    'cause=TypeError stack="at read (file:///lib/a.ts:1:2) | at file:///lib/b.ts:30:40"',
  );
  const noFrames = "TypeError\nlook at /lib/a.ts:1:2\n    at /lib/b.ts:3:4, or so";
  assertEquals(causeWith(noFrames), "cause=TypeError stack=");
  const bun = "read@/lib/a.ts:1:2\n@/lib/b.ts:30:40\nmodule code@/lib/c.ts\nhunter2";
  assertEquals(causeWith(bun), 'cause=TypeError stack="read@/lib/a.ts:1:2 | @/lib/b.ts:30:40"');
  assertEquals(causeWith(undefined), "cause=TypeError stack=");
});
