/**
 * Requests that share a connection, come in pieces, ask for something of the connection, or speak
 * HTTP/2: what comes back, on a port, through TLS and on a unix socket.
 *
 * A row that states a fault of a runtime names its version, and fails when the fault is gone.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { type BindingName, BINDINGS, writeCall } from "../../support/calls.ts";
import { hasHead, statusIn, Wire, withLength } from "../../support/http.ts";
import { PREFACE, request, startOf } from "../../support/http2_frames.ts";
import { metricsUrl, PROGRAM, withProgram } from "../../support/program.ts";
import { residentBytes } from "../../support/process.ts";
import { pinOf } from "../../support/reference_totp.ts";
import { onEachTransport } from "./transports.ts";

const ON_DENO = PROGRAM === "deno";
const SECRET = "x";

const connection = onEachTransport();

/** The bytes of a call in a binding. */
function callIn(binding: BindingName, operation: string, pin = ""): string {
  const args: Readonly<Record<string, string>> = operation === "Pair"
    ? { appName: "a", appInfo: "b", secretCode: SECRET }
    : { pin, secretCode: SECRET };
  const { method, path, headers, body = "" } = writeCall(binding, operation, args);
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const start = [`${method} ${path} HTTP/1.1`, "Host: localhost", ...fields];
  const { head } = withLength(start, Buffer.from(body));
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

function get(target: string, more = ""): string {
  return `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
}

/** The status and body of each reply in what was received. */
function repliesIn(received: string): readonly (readonly [string, string])[] {
  const replies: (readonly [string, string])[] = [];
  for (let rest = received; rest !== "";) {
    const headEnd = rest.indexOf("\r\n\r\n") + 4;
    const head = rest.slice(0, headEnd);
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    if (headEnd < 4 || rest.length < headEnd + length) break;
    replies.push([/^HTTP\/1\.1 (\d+)/.exec(head)![1]!, rest.slice(headEnd, headEnd + length)]);
    rest = rest.slice(headEnd + length);
  }
  return replies;
}

// What is asked again and again, the status, and what the body of each reply has.
const PIPELINED: readonly (readonly [string, () => string, string, RegExp])[] = [
  ...BINDINGS.flatMap((binding) => [
    [`Pair by ${binding}`, () => callIn(binding, "Pair"), "200", /ManualSetupCode/] as const,
    [
      `a wrong pin by ${binding}`,
      () => callIn(binding, "ValidatePin", "1"),
      "200",
      /false/,
    ] as const,
    [
      `a right pin by ${binding}`,
      () => callIn(binding, "ValidatePin", pinOf(SECRET)),
      "200",
      /true/,
    ] as const,
  ]),
  ["/Validate.aspx", () => get("/Validate.aspx?Pin=1&SecretCode=x"), "200", /^False$/],
  ["/pair.aspx", () => get("/pair.aspx?AppName=a&AppInfo=b&SecretCode=x"), "200", /^<a /],
  ["/qr.aspx", () => get("/qr.aspx?data=a"), "200", /PNG/],
  ["the service page", () => get("/api.asmx"), "200", /<html/],
  ["the WSDL", () => get("/api.asmx?wsdl"), "200", /definitions>$/],
  ["/openapi.json", () => get("/openapi.json"), "200", /"openapi": "3/],
  ["/healthz", () => get("/healthz"), "200", /^ok$/],
  ["an error of a call", () => callIn("HTTP POST", "Nothing"), "404", /^Web Service method/],
  ["an unknown path", () => get("/nowhere"), "404", /^Not found/],
  ["a method that is not allowed", () => get("/api.asmx").replace("GET", "PUT"), "405", /Expected/],
];

// Bun 1.4.5 closes a connection on which the next request arrives before a reply that waits, for the
// batch of a pin or for a document when it is first asked for: what was answered by then is all that
// comes.
const NEVER_WAITS = /^Pair by|pair\.aspx|qr\.aspx|healthz|unknown path|not allowed/;

for (const [what, write, status, body] of PIPELINED) {
  for (const [count, pieces] of [[2, 1], [5, 1], [5, 2]] as const) {
    const how = `${count} requests in ${pieces === 1 ? "one write" : "two writes"}`;
    connection(`${how} for ${what} are answered in order`, async (wire) => {
      const bytes = write().repeat(count);
      const cut = pieces === 1 ? bytes.length : Math.floor(bytes.length * 0.7);
      await wire.send(bytes.slice(0, cut));
      if (pieces === 2) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        await wire.send(bytes.slice(cut));
      }
      const received = await wire.receive((text) => repliesIn(text).length === count);
      const replies = repliesIn(received);
      if (ON_DENO || NEVER_WAITS.test(what)) assertEquals(replies.length, count);
      for (const reply of replies) {
        assertEquals(reply[0], status);
        assert(body.test(reply[1]), reply[1]);
      }
    });
  }
}

Deno.test("requests in one write are answered in order on the operator port", async () => {
  await withProgram(["--port", "0", "--metrics-port", "0"], async (program) => {
    const url = await metricsUrl(program);
    const unlock = "POST /guard/unlock HTTP/1.1\r\nHost: localhost\r\n" +
      "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 8\r\n\r\nsecret=x";
    for (const target of ["/metrics", "/healthz", "/readyz", "/status", "/nowhere", unlock]) {
      using wire = await Wire.to(url);
      const bytes = target.startsWith("/") ? get(target) : target;
      await wire.send(bytes.repeat(3));
      const replies = repliesIn(await wire.receive((text) => repliesIn(text).length === 3));
      if (ON_DENO) assertEquals(replies.length, 3);
      assertEquals(
        new Set(replies.map(([status]) => status)).size,
        replies.length === 0 ? 0 : 1,
        target,
      );
    }
  });
});

const FORM = "pin=1&secretCode=x";
const POST = "POST /api.asmx/ValidatePin HTTP/1.1\r\nHost: localhost\r\n" +
  "Content-Type: application/x-www-form-urlencoded\r\n";

// RFC 9110 §10.1.1 knows no case; Bun 1.4.5 does.
const EXPECTATIONS: readonly (readonly [string, boolean])[] = [
  ["100-continue", true],
  ["100-Continue", ON_DENO],
  ["100-CONTINUE", ON_DENO],
  ["100-continue\r\nX: y", true],
];

for (const [value, isContinued] of EXPECTATIONS) {
  const what = isContinued ? "100, then the reply" : "the reply alone";
  connection(`Expect: ${JSON.stringify(value)} gets ${what}`, async (wire) => {
    await wire.send(`${POST}Expect: ${value}\r\nContent-Length: ${FORM.length}\r\n\r\n`);
    const interim = "HTTP/1.1 100 Continue\r\n\r\n";
    if (isContinued) assertEquals(await wire.receive((text) => text.endsWith("\r\n\r\n")), interim);
    await wire.send(FORM);
    const received = await wire.receive((text) => text.endsWith("</boolean>"));
    assertEquals([received.startsWith(interim), statusIn(received)], [isContinued, "200"]);
  });
}

// The header fields, whether a body follows, and the status. Deno refuses a body with `Upgrade` since
// 2.8.3.
const UPGRADES: readonly (readonly [string, boolean, string])[] = [
  ["Connection: Upgrade\r\nUpgrade: TLS/1.2\r\n", false, "200"],
  ["Connection: Upgrade\r\nUpgrade: h2c\r\n", true, ON_DENO ? "400" : "200"],
  ["Upgrade: h2c\r\n", true, "200"],
];

for (const [fields, hasBody, status] of UPGRADES) {
  const what = `${JSON.stringify(fields)} ${hasBody ? "with" : "without"} a body`;
  connection(`a pin with ${what} → ${status}`, async (wire) => {
    await wire.send(
      hasBody
        ? `${POST}${fields}Content-Length: ${FORM.length}\r\n\r\n${FORM}`
        : get(`/api.asmx/ValidatePin?${FORM}`, fields),
    );
    assertEquals(statusIn(await wire.receive(hasHead)), status);
  });
}

connection(
  "a caller that ends its side after a request gets a reply that does not wait",
  async (wire) => {
    await wire.send(callIn("HTTP POST", "Pair"));
    await wire.endSending();
    const received = await wire.receive((text) => repliesIn(text).length === 1);
    assertEquals(repliesIn(received).map(([status]) => status), ["200"]);
  },
);

// Deno 2.9.6, and Bun 1.4.5 over TLS, close a connection whose caller has ended its side before a reply
// that waits, for the batch of a wrong pin here.
connection(
  "a caller that ends its side after a pin gets the verdict or a close",
  async (_, { url }) => {
    const statuses = new Set<string>();
    for (let i = 0; i < 40; i++) {
      using wire = await Wire.to(url);
      await wire.send(callIn("HTTP POST", "ValidatePin", "1"));
      await wire.endSending();
      statuses.add(statusIn(await wire.receive(() => false)));
    }
    assertEquals(statuses.has("closed"), ON_DENO || url.startsWith("https:"));
    statuses.delete("closed");
    assert([...statuses].every((status) => status === "200"), [...statuses].join());
  },
);

connection("a caller that ends its side in the middle of a body gets no verdict", async (wire) => {
  await wire.send(`${POST}Content-Length: ${FORM.length}\r\n\r\npin=1`);
  await wire.endSending();
  const received = await wire.receive(() => false);
  assert(!received.includes("boolean"), received);
});

connection(
  "a caller that takes no replies stops no other, and takes little memory",
  async (wire, program) => {
    const before = residentBytes(program.pid);
    // More than the buffers of the system hold; what is behind waits.
    wire.send(get("/api.asmx").repeat(300)).catch(() => {});
    for (let i = 0; i < 20; i++) {
      using other = await Wire.to(program.url);
      await other.send(callIn("HTTP POST", "ValidatePin", "1"));
      await other.receive((text) => repliesIn(text).length === 1);
    }
    assert(residentBytes(program.pid) - before < 64 * 2 ** 20, "its replies are kept in memory");
  },
);

connection("a body that comes a byte at a time is read", async (wire) => {
  await wire.send(`${POST}Content-Length: ${FORM.length}\r\n\r\n`);
  for (const byte of FORM) {
    await wire.send(byte);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const received = await wire.receive((text) => text.endsWith("</boolean>"));
  assertEquals(statusIn(received), "200");
});

const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`;
const MANY = 512 * 1024;

// A chunked body that is all framing, for half a megabyte: what is sent, and the status on Deno and on
// Bun. Bun waits ten seconds for the end of zeros, and answers 408.
const FRAMING: readonly (readonly [string, string, string, string])[] = [
  ["a chunk extension", `1;${"a".repeat(MANY)}`, "400", "413"],
  ["a quoted chunk extension", `1;a="${"a".repeat(MANY)}`, "400", "413"],
  ["zeros before the size of a chunk", "0".repeat(MANY), "400", "408"],
  ["blanks behind the size of a chunk", `1${" ".repeat(MANY)}`, "400", "400"],
  ["an extension of the last chunk", `0;${"a".repeat(MANY)}`, "400", "413"],
  ["chunks of a byte", "1\r\na\r\n".repeat(MANY / 6), "413", "413"],
];

for (const [what, framing, deno, bun] of FRAMING) {
  const status = ON_DENO ? deno : bun;
  if (status === "408") continue;
  connection(`${what} without end → ${status}`, async (wire) => {
    await wire.send(CHUNKED);
    // The server stops reading before the end.
    wire.send(framing).catch(() => {});
    assertEquals(statusIn(await wire.receive(hasHead)), status);
  });
}

/** A body of this many chunks of a byte. */
function chunksOf(text: string): string {
  return `${[...text].map((byte) => `1\r\n${byte}\r\n`).join("")}0\r\n\r\n`;
}

// Over TLS, 64 come at once at most.
connection("a body of 4,096 chunks is read, and one more chunk → 413", async (_, { url }) => {
  for (const count of [4_096, 4_097]) {
    using wire = await Wire.to(url);
    const body = `${FORM}&rest=${"a".repeat(count)}`.slice(0, count);
    await wire.send(CHUNKED + chunksOf(body));
    assertEquals(statusIn(await wire.receive(hasHead)), count === 4_096 ? "200" : "413");
  }
}, ["plain", "unix socket"]);

connection("HTTP/2 is answered by prior knowledge on Deno, and refused on Bun", async (wire) => {
  await wire.send(startOf(65_535));
  await wire.send(request(1, { ":path": "/healthz" }));
  const received = await wire.receive((text) => text.includes("ok"));
  // SETTINGS of the server come first (RFC 9113 §3.4): type 4 behind a length of three bytes.
  assertEquals(received.charCodeAt(3) === 4 && received.endsWith("ok"), ON_DENO, received);
});

connection("the preface of HTTP/2 alone stops no other", async (wire, program) => {
  await wire.send(PREFACE);
  using other = await Wire.to(program.url);
  await other.send(get("/healthz"));
  assertEquals(statusIn(await other.receive(hasHead)), "200");
});
