/**
 * Bad clients over TCP: each ends with a clean status or a closed connection, and the server lives
 * on. Nothing here asserts how long something takes.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { BODY_TIMEOUT_MS, MAX_LONG_BODIES } from "../../../lib/http/body_limit.ts";
import { inTime } from "../../support/eventually.ts";
import { residentBytes } from "../../support/process.ts";
import { PROGRAM, type RunningProgram, startProgram } from "../../support/program.ts";
import { ABUSES, REFUSED } from "./abuse.ts";
import { hasHead, statusIn, Wire } from "../../support/wire.ts";

const RUNTIME = PROGRAM === "deno" ? "deno" : "bun";
const GET = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
const POST = "POST /api.asmx/ValidatePin HTTP/1.1\r\nHost: localhost\r\n" +
  "Content-Type: application/x-www-form-urlencoded\r\n";
const FORM = "pin=1&secretCode=x";
const CHUNKED_FORM = `${FORM.length.toString(16)}\r\n${FORM}\r\n0\r\n\r\n`;

let program: RunningProgram;

Deno.test.beforeAll(async () => {
  program = await startProgram(["--port", "0"]);
});

Deno.test.afterAll(async () => {
  program.signal("SIGTERM");
  const { code, stderr } = await program.outcome;
  assertEquals(code, 0);
  assert(!/^\S+ error /m.test(stderr), `The log has an error:\n${stderr}`);
});

// Where the system tells it.
function memory(): number {
  return Deno.build.os === "linux" ? residentBytes(program.pid) : 0;
}

let number = 0;

function abuse(title: string, act: (wire: Wire) => Promise<void>): void {
  Deno.test(`abuse ${++number}: ${title}`, async () => {
    const wire = await Wire.to(program);
    try {
      await act(wire);
    } finally {
      wire.close();
    }
    assertEquals(await (await fetch(`${program.url}/healthz`)).text(), "ok");
  });
}

for (const { title, bytes, ...expected } of ABUSES) {
  abuse(`${title} → ${expected[RUNTIME]}`, async (wire) => {
    await wire.send(bytes);
    assertEquals(statusIn(await wire.receive(hasHead)), expected[RUNTIME]);
  });
}

Deno.test("what both runtimes refuse reaches no handler, and so no log", async () => {
  const name = /(?<=^x-request-id: ).+/im;
  for (const [title, bytes] of REFUSED) {
    const wire = await Wire.to(program);
    try {
      await wire.send(bytes);
      const received = await wire.receive(hasHead);
      assertEquals(
        [name.exec(received)?.[0], received.split("\r\n\r\n")[1]],
        [undefined, ""],
        title,
      );
    } finally {
      wire.close();
    }
  }
});

abuse("a head that comes slowly does not hold up others", async (wire) => {
  for (const piece of ["GET /healthz HT", "TP/1.1\r\nHo", "st: localhost\r\n"]) {
    await wire.send(piece);
    assertEquals(await (await fetch(`${program.url}/healthz`)).text(), "ok");
  }
  await wire.send("\r\n");
  assertEquals(statusIn(await wire.receive((text) => text.endsWith("\r\n\r\nok"))), "200");
});

abuse("HTTP/1.0 without Host: the address is that of this machine, with the port", async (wire) => {
  await wire.send("GET /api.asmx?disco HTTP/1.0\r\n\r\n");
  const received = await wire.receive(() => false);
  const address = `"http://localhost:${new URL(program.url).port}/api.asmx`;
  assert(received.includes(address), received);
});

abuse("a body that never comes to its end → 408", async (wire) => {
  await wire.send(`${POST}Content-Length: 18\r\n\r\npin=1`);
  const received = await wire.receive(hasHead);
  assertEquals([statusIn(received), ...connectionOf(received)], ["408", "close"]);
});

abuse("600 bodies that stall keep no other waiting, and take little memory", async () => {
  // The oldest must not be too late before the last is there.
  await inTime(BODY_TIMEOUT_MS, () => withWires(stallBodies));
});

/** Runs something with a way to connect whose connections are closed afterwards. */
async function withWires(
  act: (say: (text: string) => Promise<Wire>) => Promise<void>,
): Promise<void> {
  const wires: Wire[] = [];
  const say = async (text: string): Promise<Wire> => {
    const wire = await Wire.saying(program, text);
    wires.push(wire);
    return wire;
  };
  try {
    await act(say);
  } finally {
    for (const wire of wires) wire.close();
  }
}

async function stallBodies(say: (text: string) => Promise<Wire>): Promise<void> {
  const before = memory();
  const stalled = await Promise.all(Array.from({ length: 600 }, (_, i) => {
    const length = i % 2 === 0 ? "Content-Length: 65536" : "Transfer-Encoding: chunked";
    return say(`${POST}${length}\r\n\r\n1\r\np\r\n`);
  }));
  const wire = await say(`${POST}Content-Length: ${FORM.length}\r\n\r\n${FORM}`);
  assertEquals(statusIn(await wire.receive((text) => text.endsWith("</boolean>"))), "200");
  // As many as were too many are refused at once, and no others.
  const tooMany = stalled.length - MAX_LONG_BODIES;
  const refused: string[] = [];
  await new Promise<void>((resolve) => {
    const ends = stalled.map(async (wire) => {
      refused.push(await wire.receive(hasHead));
      if (refused.length === tooMany) resolve();
    });
    void Promise.all(ends).then(() => resolve());
  });
  assertEquals(new Set(refused.slice(0, tooMany).map(statusIn)), new Set(["503"]));
  assertEquals(refused.filter((text) => !/^retry-after: 1\r$/im.test(text)), []);
  assert(memory() - before < 64 * 1024 * 1024, "a stalled body takes too much memory");
}

abuse("a chunked body without end → 413", async (wire) => {
  await wire.send(`${POST}Transfer-Encoding: chunked\r\n\r\n`);
  const chunk = `1000\r\n${"a".repeat(0x1000)}\r\n`;
  for (let count = 0; count < 17; count++) await wire.send(chunk);
  assertEquals(statusIn(await wire.receive(hasHead)), "413");
});

abuse("a client that goes on with a body that was refused takes no memory", async (wire) => {
  await wire.send(`${POST}Transfer-Encoding: chunked\r\n\r\n`);
  const chunk = `10000\r\n${"a".repeat(0x10000)}\r\n`;
  const before = memory();
  // 512 MiB, or as much as the server takes.
  for (let count = 0; count < 8_192 && await wire.send(chunk); count++);
  assert(memory() - before < 128 * 1024 * 1024, "the server keeps what it does not need");
});

abuse("a thousand requests at once are answered in order", async (wire) => {
  const count = 1_000;
  const replies = (text: string): number => text.split("\r\n\r\nok").length - 1;
  const received = wire.receive((text) => replies(text) === count);
  await wire.send(GET.repeat(count));
  assertEquals((await received).match(/^HTTP\/1\.1 200 OK|okHTTP\/1\.1 200 OK/gm)?.length, count);
});

// What is expected, the version, and whether the runtime sends 100.
const EXPECTING: readonly (readonly [string, string, boolean])[] = [
  ["100-continue", "HTTP/1.1", true],
  ["100-Continue", "HTTP/1.1", RUNTIME === "deno"],
  ["100-continue", "HTTP/1.0", true],
];

for (const [value, version, isContinued] of EXPECTING) {
  const what = isContinued ? "100, then the reply" : "the reply alone";
  abuse(`Expect: ${value} over ${version} gets ${what}`, async (wire) => {
    await wire.send(
      POST.replace("HTTP/1.1", version) +
        `Expect: ${value}\r\nContent-Length: ${FORM.length}\r\n\r\n`,
    );
    const first = "HTTP/1.1 100 Continue\r\n\r\n";
    if (isContinued) {
      assertEquals(await wire.receive((text) => text.endsWith("\r\n\r\n")), first);
    }
    await wire.send(FORM);
    const received = await wire.receive((text) => text.endsWith("</boolean>"));
    assertEquals([received.startsWith(first), statusIn(received)], [isContinued, "200"]);
  });
}

abuse(
  "HEAD has the fields of the GET, the length of its body among them, and no body",
  async (wire) => {
    await wire.send(GET.replace("GET", "HEAD") + GET);
    const received = await wire.receive((text) => text.endsWith("\r\n\r\nok"));
    const [head = "", reply = "", ...rest] = received.split("\r\n\r\n");
    assertEquals([rest, reply.startsWith("HTTP/1.1 200 OK\r\n")], [["ok"], true]);
    assert(/^content-length: 2\r?$/im.test(head), head);
    const names = (text: string): readonly string[] =>
      [...text.matchAll(/^([\w-]+):/gm)].map(([, name]) => name!.toLowerCase()).toSorted();
    assertEquals(names(head), names(reply));
    assert(names(head).includes("date"), head);
  },
);

abuse("a client that leaves in the middle of a body", async (wire) => {
  await wire.send(`${POST}Content-Length: 1000\r\n\r\npin=1`);
  wire.close();
});

for (const field of ["close", "Close", "TE, close", "keep-alive\r\nConnection: close"]) {
  abuse(`a client that asks for ${JSON.stringify(field)} is told so and let go`, async (wire) => {
    await wire.send(GET.replace("Host", `Connection: ${field}\r\nHost`));
    assert(await wire.isClosed());
    assertEquals(connectionOf(await wire.receive(() => true)), ["close"]);
  });
}

const KEPT = [
  ["in one piece", `Content-Length: ${FORM.length}\r\n\r\n${FORM}`],
  ["in chunks", `Transfer-Encoding: chunked\r\n\r\n${CHUNKED_FORM}`],
] as const;

for (const [how, rest] of KEPT) {
  abuse(`a client that sends a body ${how} may send more`, async (wire) => {
    await wire.send(POST + rest);
    assertEquals(connectionOf(await wire.receive((text) => text.endsWith("</boolean>"))), []);
    await wire.send(GET);
    assert((await wire.receive((text) => text.endsWith("\nok"))).endsWith("\nok"));
  });
}

/** What the fields named Connection say in what was received. */
function connectionOf(received: string): readonly string[] {
  return [...received.matchAll(/^connection: *(.*?)\r$/gim)].map(([, value]) => value!);
}

const LARGE = "a".repeat(240_000);
const WHOLE = `Content-Length: ${LARGE.length}\r\n\r\n${LARGE}`;
const CHUNKED = "Transfer-Encoding: chunked\r\n\r\n" +
  `${LARGE.length.toString(16)}\r\n${LARGE}\r\n0\r\n\r\n`;
const CLOSE = "Connection: close\r\n";

// What is sent, the head before its length and the rest of the request, and the status.
const UNREAD: readonly (readonly [string, string, string, string])[] = [
  ["a body", POST, WHOLE, "413"],
  ["a body and Connection: close", POST + CLOSE, WHOLE, "413"],
  ["a chunked body", POST, CHUNKED, "413"],
  ["a chunked body and Connection: close", POST + CLOSE, CHUNKED, "413"],
  ["a body to nowhere", POST.replace(/\/\S+/, "/nowhere") + CLOSE, WHOLE, "404"],
];

// For how long the program receives and drops what nobody reads.
const DROPPING_MS = 2_000;

for (const [what, head, rest, status] of UNREAD) {
  abuse(`${what} of 240,000 bytes is refused without a reset → ${status}`, async () => {
    await inTime(DROPPING_MS, () =>
      withWires(async (say) => {
        const wire = await say(head);
        // In parts, so that the next finds out what the server did after the one before.
        for (let from = 0; from < rest.length; from += 20_000) {
          assert(await wire.send(rest.slice(from, from + 20_000)), "The connection was reset");
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
        assertEquals(statusIn(await wire.receive(hasHead)), status);
      }));
  });
}

// Deno closes each connection with an unread body. Bun receives the rest, so a long one, or one
// without a length, must not keep its connection.
const REST = [
  ["of 1 MiB", "Content-Length: 1048576\r\n\r\n", RUNTIME === "deno"],
  ["of more than 1 MiB", "Content-Length: 1048577\r\n\r\n", true],
  ["in chunks", "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n", true],
] as const;

for (const [what, rest, isLast] of REST) {
  abuse(`the refusal of a body ${what} says close: ${isLast}`, async (wire) => {
    await wire.send(POST.replace("x-www-form-urlencoded", "pdf") + rest);
    const received = await wire.receive(hasHead);
    assertEquals([statusIn(received), connectionOf(received)], ["415", isLast ? ["close"] : []]);
  });
}

abuse("a body that is declared too long is refused before it comes", async (wire) => {
  await wire.send(`${POST}Content-Length: ${LARGE.length}\r\n\r\n`);
  assertEquals(statusIn(await wire.receive(hasHead)), "413");
});

abuse(
  "/Validate.aspx says False of bytes that are not UTF-8, where it is reached",
  async (wire) => {
    await wire.send("GET /Validate.aspx?pin=1&secretCode=\xE9 HTTP/1.0\r\nHost: localhost\r\n\r\n");
    assert(await wire.isClosed());
    const [, body] = (await wire.receive(() => true)).split("\r\n\r\n");
    assertEquals(body, RUNTIME === "bun" ? "False" : "");
  },
);

const DELS = [["raw", "a\x7fb", RUNTIME === "bun"], ["encoded", "a%7Fb", true]] as const;

for (const [how, secretCode, isTaken] of DELS) {
  abuse(`a DEL in a secret, ${how}, is ${isTaken ? "taken as it is" : "refused"}`, async (wire) => {
    await wire.send(
      `GET /api.asmx/Pair?appName=a&appInfo=b&secretCode=${secretCode} HTTP/1.0\r\n\r\n`,
    );
    assert(await wire.isClosed());
    const received = await wire.receive(() => true);
    // The three bytes in Base32: without the DEL, or with another character for it, the key differs.
    const [, key] = /<ManualSetupCode>(.*?)</.exec(received) ?? [];
    assertEquals([statusIn(received), key], isTaken ? ["200", "MF7WE"] : ["400", undefined]);
  });
}

// What the head says beside its first line, what comes behind it, and the status.
const TUNNELS: readonly (readonly [string, string, string])[] = [
  ["Host: localhost:443\r\n", "", "405"],
  ["Host: localhost:443\r\n", GET, "405"],
  [`Host: localhost:443\r\nContent-Length: ${GET.length}\r\n`, GET, "405"],
  ["Host: localhost:443\r\nTransfer-Encoding: chunked\r\n", `0\r\n\r\n${GET}`, "405"],
  ["Host: localhost:443\r\nConnection: keep-alive\r\n", GET, "405"],
  ["Host: a..b\r\n", GET, "400"],
];

// A proxy takes what is behind a CONNECT for what goes through the tunnel, and looks at none of it.
for (const [fields, behind, status] of TUNNELS) {
  const what = JSON.stringify(fields) + (behind === "" ? "" : " and a request");
  abuse(`CONNECT with ${what}: nothing behind it is answered → ${status}`, async (wire) => {
    await wire.send(`CONNECT localhost:443 HTTP/1.1\r\n${fields}\r\n${behind}`);
    assert(await wire.isClosed());
    const received = await wire.receive(() => true);
    assertEquals([statusesIn(received), connectionOf(received)], [[status], ["close"]]);
  });
}

/** The status of each reply in what was received. */
function statusesIn(received: string): readonly string[] {
  return [...received.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => status!);
}

const WEBSOCKET = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
const H2C = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n" +
  "HTTP2-Settings: AAEAAEAAAAIAAAAB\r\n";
const LENGTH = `Content-Length: ${GET.length}\r\n`;

// What would have a proxy take the bytes behind it for something else, and how many requests they are:
// the connection speaks HTTP/1.1 as before, and what was declared as a body is one.
const UNSWITCHED: readonly (readonly [string, string, readonly string[]])[] = [
  ["WebSocket", GET.replace("\r\n\r\n", `\r\n${WEBSOCKET}\r\n`) + GET, ["200", "200"]],
  ["h2c", GET.replace("\r\n\r\n", `\r\n${H2C}\r\n`) + GET, ["200", "200"]],
  [
    "something unknown to be expected",
    `${POST}Expect: more\r\nContent-Length: ${FORM.length}\r\n\r\n${FORM}${GET}`,
    ["200", "200"],
  ],
  ["TRACE", GET.replace("GET", "TRACE") + GET, ["405", "200"]],
  ["TRACE and a body", GET.replace("GET", "TRACE").replace("Host", `${LENGTH}Host`) + GET, ["405"]],
];

for (const [what, bytes, statuses] of UNSWITCHED) {
  abuse(`a client that asks for ${what} goes on in HTTP/1.1 → ${statuses}`, async (wire) => {
    await wire.send(`${bytes}${GET.replace("Host", "Connection: close\r\nHost")}`);
    assert(await wire.isClosed());
    assertEquals(statusesIn(await wire.receive(() => true)), [...statuses, "200"]);
  });
}

abuse("TRACE repeats nothing of the request", async (wire) => {
  await wire.send(GET.replace("GET", "TRACE").replace("Host", "X-Api-Key: geheim\r\nHost"));
  const received = await wire.receive((text) => text.endsWith("OPTIONS.\r\n"));
  assertEquals([statusIn(received), received.includes("geheim")], ["405", false]);
});

abuse("a client of HTTP/1.0 is told whether its connection is kept", async (wire) => {
  await wire.send(GET.replace("1.1", "1.0").replace("Host", "Connection: keep-alive\r\nHost"));
  const received = await wire.receive((text) => text.endsWith("\r\n\r\nok"));
  const isKept = connectionOf(received)[0] === "keep-alive";
  assertEquals([statusIn(received), isKept], ["200", RUNTIME === "deno"]);
  if (!isKept) assert(await wire.isClosed());
});
