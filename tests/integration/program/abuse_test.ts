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
import { read } from "../../support/pages.ts";
import { PROGRAM, type RunningProgram } from "../../support/program.ts";
import { hasHead, statusIn, Wire } from "../../support/http.ts";
import { pinOf } from "../../support/reference_totp.ts";
import { assertHealthy, onEachTransport, type Register } from "./transports.ts";

const RUNTIME = PROGRAM === "deno" ? "deno" : "bun";
const GET = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
const POST = "POST /api.asmx/ValidatePin HTTP/1.1\r\nHost: localhost\r\n" +
  "Content-Type: application/x-www-form-urlencoded\r\n";
const FORM = "pin=1&secretCode=x";
const POST_PAIR = POST.replace("ValidatePin", "Pair");
const PAIR_FORM = "appName=a&appInfo=b&secretCode=x";
const CHUNKED = `${FORM.length.toString(16)}\r\n${FORM}\r\n0\r\n\r\n`;

const H2C = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n" +
  "HTTP2-Settings: AAEAAEAAAAIAAAAB\r\n";

function get(target: string, more = ""): string {
  return `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
}

function post(fields: string, body: string): string {
  return `${POST}${fields}\r\n${body}`;
}

function headerLines(count: number): string {
  return Array.from({ length: count }, (_, i) => `X-${i}: 1\r\n`).join("");
}

// What is sent, as docs/wire.md has it; its bytes, each character one; the status on Deno and on Bun.
const ROWS: readonly (readonly [string, string, string, string])[] = [
  ["A head of 64 KiB and a byte", get("/healthz", `X: ${"a".repeat(65_536)}\r\n`), "400", "431"],
  ["A head of 20 KiB", get("/healthz", `X: ${"a".repeat(20_000)}\r\n`), "200", "200"],
  ["129 header lines", get("/healthz", headerLines(128)), "400", "200"],
  ["201 header lines", get("/healthz", headerLines(200)), "400", "431"],
  [
    "Transfer-Encoding: gzip, chunked",
    post("Transfer-Encoding: gzip, chunked\r\n", CHUNKED),
    "200",
    "400",
  ],
  [
    "A chunk whose size is no number",
    post("Transfer-Encoding: chunked\r\n", "zz\r\n"),
    "closed",
    "400",
  ],
  [
    "A space after the size of a chunk",
    post("Transfer-Encoding: chunked\r\n", CHUNKED.replace("\r\n", " \r\n")),
    "200",
    "400",
  ],
  [
    "`Transfer-Encoding: , chunked`",
    post("Transfer-Encoding: , chunked\r\n", CHUNKED),
    "400",
    "200",
  ],
  // A right pin, which waits for WebCrypto: Bun answers a wrong one before it finds the trailer.
  [
    "A trailer section after an empty chunked body",
    "POST /Validate.aspx?pin={pin}&secretCode=x HTTP/1.1\r\nHost: localhost\r\n" +
    "Transfer-Encoding: chunked\r\n\r\n0\r\nX-T: 1\r\n\r\n",
    "200",
    "400",
  ],
  // What java.net.http.HttpClient sends with every POST over plain HTTP unless told otherwise.
  [
    "A body with `Upgrade: h2c`",
    post(H2C + `Content-Length: ${FORM.length}\r\n`, FORM),
    "400",
    "200",
  ],
  // What nginx's lines for WebSockets make of each request.
  [
    "A body with another `Upgrade`, such as `websocket`",
    post(`Connection: upgrade\r\nUpgrade: websocket\r\nContent-Length: ${FORM.length}\r\n`, FORM),
    "400",
    "200",
  ],
  ["A declared length of 1 TB", post(`Content-Length: ${1e12}\r\n`, FORM), "413", "413"],
  ["A DEL character in a header", get("/healthz", "X: \x7f\r\n"), "400", "200"],
  // RFC 3986 §2 has it percent-encoded alone. Bun reads it as if it were: see below.
  [
    "A DEL character in the query",
    get("/api.asmx/ValidatePin?pin=1&secretCode=a\x7fb"),
    "400",
    "200",
  ],
  ["Bare LF as line end", "GET /healthz HTTP/1.1\nHost: localhost\n\n", "200", "505"],
  ["Empty lines before a request", `\r\n\r\n${get("/healthz")}`, "200", "400"],
  // With a right pin, as above.
  [
    "A line end behind a body",
    "POST /Validate.aspx?pin={pin}&secretCode=x HTTP/1.1\r\nHost: localhost\r\n" +
    "Content-Length: 1\r\n\r\na\r\n",
    "200",
    "400",
  ],
  // Pipelining: a pin counts on both (oven-sh/bun#38128).
  [
    "A request right behind a right pin",
    get("/api.asmx/ValidatePin?pin={pin}&secretCode=x") + GET,
    "200",
    "closed",
  ],
  [
    "A request right behind a wrong pin",
    get("/api.asmx/ValidatePin?pin=1&secretCode=x") + GET,
    "200",
    "closed",
  ],
  ["%00 in the path", get("/%00healthz"), "404", "404"],
  ["A zero byte in the path", get("/\0healthz"), "400", "505"],
  ["`/x/../healthz`", get("/x/../healthz"), "404", "200"],
  ["`/.\\healthz`", get("/.\\healthz"), "404", "200"],
  [
    "A byte that is not UTF-8 in another query",
    get("/api.asmx/ValidatePin?pin=1&secretCode=\xE9"),
    "400",
    "400",
  ],
  // Where Bun lets the handler answer: False, as below.
  [
    "A byte that is not UTF-8 in the query of `/Validate.aspx`",
    get("/Validate.aspx?pin=1&secretCode=\xE9"),
    "400",
    "200",
  ],
  [
    "A space in the query of `/Validate.aspx`",
    get("/Validate.aspx?Pin=123 456&SecretCode=x"),
    "400",
    "505",
  ],
  // Bun puts this in the place of such bytes, and a server of it cannot tell which was sent.
  [
    "`%EF%BF%BD` in the query",
    get("/api.asmx/ValidatePin?pin=1&secretCode=%EF%BF%BD"),
    "200",
    "400",
  ],
  // Bun encodes it, and what it made of it is counted.
  [
    "A query of 8,192 characters, one of them `'`",
    get(`/api.asmx/ValidatePin?pin=1&secretCode=x&n='${"n".repeat(8_170)}`),
    "200",
    "414",
  ],
  [
    "A letter in the query that is UTF-8",
    get("/api.asmx/ValidatePin?pin=1&secretCode=\xC3\xA9"),
    "200",
    "200",
  ],
  ["A whole URL as target", get("http://localhost/healthz"), "200", "200"],
  ["A whole URL without a path", get("http://localhost?wsdl"), "302", "302"],
  ["A whole URL whose host is none", get("http://[::1/healthz"), "400", "200"],
  ["A whole URL without a host", get("http://"), "400", "302"],
  ["`OPTIONS *`", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", "404", "400"],
  ["`get` for `GET`", get("/healthz").replace("GET", "get"), "200", "closed"],
  [
    "A method that no standard has",
    "FROB /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "405",
    "closed",
  ],
  ["HTTP/1.1 without Host", "GET /healthz HTTP/1.1\r\n\r\n", "200", "400"],
  ["HTTP/1.0 without Host", "GET /healthz HTTP/1.0\r\n\r\n", "200", "200"],
  ["Two Hosts", "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400", "400"],
  ["A line of HTTP/0.9", "GET /healthz\r\n\r\n", "400", "505"],
  ["HTTP/2.0 in a request line", "GET /healthz HTTP/2.0\r\nHost: a\r\n\r\n", "400", "505"],
];

// What both runtimes refuse with an empty 400, before a server sees the request.
const REFUSED: readonly (readonly [string, string])[] = [
  [
    "`Content-Length` beside `Transfer-Encoding: chunked`",
    post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", CHUNKED),
  ],
  ["Two different `Content-Length`", post("Content-Length: 3\r\nContent-Length: 18\r\n", FORM)],
  ["`Content-Length: 18, 18`", post("Content-Length: 18, 18\r\n", FORM)],
  [
    "`Content-Length: +18`, or another text that is no number",
    post("Content-Length: +18\r\n", FORM),
  ],
  ["An empty `Content-Length`", post("Content-Length:\r\n", FORM)],
  [
    "`Transfer-Encoding: identity`, or another that does not end with `chunked`",
    post("Transfer-Encoding: identity\r\nContent-Length: 18\r\n", FORM),
  ],
  [
    "`Transfer-Encoding: chunked` twice",
    post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", CHUNKED),
  ],
  ["A header line without a colon", get("/healthz", "nonsense\r\n")],
  ["A blank between the name of a header and its colon", get("/healthz", "X : y\r\n")],
  [
    "A name of a header that is empty, or has a character such as `(` or `é`",
    get("/healthz", "\xE9: y\r\n"),
  ],
  ["A header folded over two lines", post("Transfer-Encoding:\r\n chunked\r\n", CHUNKED)],
  ["A zero byte, or a CR alone, in a header", get("/healthz", "X: \0\r\n")],
  ["Two spaces in the request line", "GET  /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"],
  ["A target without a slash at its beginning", get("healthz")],
  ["`http:` as target", get("http:")],
  [
    "TLS, on a port without it",
    `\x16\x03\x01\x00\xc8\x01\x00\x00\xc4${"\x03".repeat(196)}`,
  ],
];

// On Linux, which has it.
function memory({ pid }: RunningProgram): number {
  return Deno.build.os === "linux" ? residentBytes(pid) : 0;
}

const register = onEachTransport();
let number = 0;

function abuse(...[title, ...rest]: Parameters<Register>): void {
  register(`abuse ${++number}: ${title}`, ...rest);
}

for (const [title, bytes, deno, bun] of ROWS) {
  const expected = RUNTIME === "deno" ? deno : bun;
  abuse(`${title} → ${expected}`, async (wire) => {
    await wire.send(bytes.replace("{pin}", pinOf("x")));
    assertEquals(statusIn(await wire.receive(hasHead)), expected);
  });
}

Deno.test("docs/wire.md: the table of differences has the statuses of this suite", () => {
  const [, table] = read("docs/wire.md").split(/<!-- \/?differences -->/);
  const rows = table!.trim().split("\n").slice(2).map((row) =>
    row.split("|").slice(1, -1).map((cell) => cell.trim())
  );
  const expected = ROWS.filter(([, , deno, bun]) => deno !== bun);
  assertEquals(rows, expected.map(([title, , deno, bun]) => [title, deno, bun]));
  assert(rows.length > 5);
});

Deno.test("docs/wire.md lists what both runtimes refuse", () => {
  const [, list] = read("docs/wire.md").split(/<!-- \/?refused -->/);
  const rows = list!.trim().split(/^- /m).slice(1).map((row) => row.trim().replaceAll("\n  ", " "));
  assertEquals(rows, REFUSED.map(([title]) => title));
});

for (const [title, bytes] of REFUSED) {
  abuse(`${title} → 400 without a handler, and so without a log`, async (wire) => {
    await wire.send(bytes);
    const received = await wire.receive(hasHead);
    const [head, body] = received.split("\r\n\r\n");
    assertEquals([statusIn(received), /^x-request-id:/im.test(head!), body], ["400", false, ""]);
  });
}

abuse("a head that comes slowly does not hold up others", async (wire, program) => {
  for (const piece of ["GET /healthz HT", "TP/1.1\r\nHo", "st: localhost\r\n"]) {
    await wire.send(piece);
    await assertHealthy(program);
  }
  await wire.send("\r\n");
  assertEquals(statusIn(await wire.receive((text) => text.endsWith("\r\n\r\nok"))), "200");
});

abuse(
  "HTTP/1.0 without Host: the address is that of this machine, with the port",
  async (wire, { url }) => {
    await wire.send("GET /api.asmx?disco HTTP/1.0\r\n\r\n");
    const received = await wire.receive(() => false);
    const base = url.startsWith("unix:")
      ? "http://localhost"
      : url.replace("127.0.0.1", "localhost");
    const address = `"${base}/api.asmx`;
    assert(received.includes(address), received);
  },
);

abuse("a body that never comes to its end → 408", async (wire) => {
  await wire.send(`${POST}Content-Length: 18\r\n\r\npin=1`);
  const received = await wire.receive(hasHead);
  assertEquals([statusIn(received), ...connectionOf(received)], ["408", "close"]);
}, ["plain"]);

abuse("600 bodies that stall keep no other waiting, and take little memory", async (_, program) => {
  // The oldest must not be too late before the last is there.
  await inTime(BODY_TIMEOUT_MS, () => withWires(program, (say) => stallBodies(program, say)));
});

/** Runs something with a way to connect whose connections are closed afterwards. */
async function withWires(
  { url }: RunningProgram,
  act: (say: (text: string) => Promise<Wire>) => Promise<void>,
): Promise<void> {
  const wires: Wire[] = [];
  const say = async (text: string): Promise<Wire> => {
    const wire = await Wire.saying(url, text);
    wires.push(wire);
    return wire;
  };
  try {
    await act(say);
  } finally {
    for (const wire of wires) wire.close();
  }
}

async function stallBodies(
  program: RunningProgram,
  say: (text: string) => Promise<Wire>,
): Promise<void> {
  const before = memory(program);
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
  // Over TLS the connections take 40 MB themselves, and 128 buffers of chunked bodies 17 MB.
  const most = program.url.startsWith("https:") ? 96 : 64;
  const taken = Math.round((memory(program) - before) / 1024 ** 2);
  assert(taken < most, `stalled bodies take ${taken} of ${most} MiB`);
}

abuse("a chunked body without end → 413", async (wire) => {
  await wire.send(`${POST}Transfer-Encoding: chunked\r\n\r\n`);
  const chunk = `1000\r\n${"a".repeat(0x1000)}\r\n`;
  for (let count = 0; count < 17; count++) await wire.send(chunk);
  assertEquals(statusIn(await wire.receive(hasHead)), "413");
});

abuse("the rest of a refused body takes no memory", async (wire, program) => {
  await wire.send(`${POST}Transfer-Encoding: chunked\r\n\r\n`);
  const chunk = `10000\r\n${"a".repeat(0x10000)}\r\n`;
  const before = memory(program);
  // 512 MiB, or as much as the server takes.
  for (let count = 0; count < 8_192 && await wire.send(chunk); count++);
  assert(memory(program) - before < 128 * 1024 * 1024, "the server keeps what it does not need");
}, ["plain"]);

abuse("a thousand requests at once are answered in order", async (wire, { url }) => {
  const count = 1_000;
  const replies = (text: string): number => text.split("\r\n\r\nok").length - 1;
  const received = wire.receive((text) => replies(text) === count);
  await wire.send(GET.repeat(count));
  const answered = (await received).match(/^HTTP\/1\.1 200 OK|okHTTP\/1\.1 200 OK/gm)?.length ?? 0;
  // Bun 1.4.5 closes a unix socket once its caller takes replies more slowly than they come.
  if (RUNTIME === "bun" && url.startsWith("unix:")) assert(answered > 0);
  else assertEquals(answered, count);
});

// What is expected, the version, and whether the runtime sends 100 (oven-sh/bun#30248).
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
  abuse(`a connection with ${JSON.stringify(field)} is closed after the reply`, async (wire) => {
    await wire.send(GET.replace("Host", `Connection: ${field}\r\nHost`));
    assert(await wire.isClosed());
    assertEquals(connectionOf(await wire.receive(() => true)), ["close"]);
  });
}

const KEPT = [
  ["in one piece", `Content-Length: ${FORM.length}\r\n\r\n${FORM}`],
  ["in chunks", `Transfer-Encoding: chunked\r\n\r\n${CHUNKED}`],
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
const LARGE_CHUNKED = "Transfer-Encoding: chunked\r\n\r\n" +
  `${LARGE.length.toString(16)}\r\n${LARGE}\r\n0\r\n\r\n`;
const CLOSE = "Connection: close\r\n";

// What is sent, the head before its length and the rest of the request, and the status.
const UNREAD: readonly (readonly [string, string, string, string])[] = [
  ["a body", POST, WHOLE, "413"],
  ["a body and Connection: close", POST + CLOSE, WHOLE, "413"],
  ["a chunked body", POST, LARGE_CHUNKED, "413"],
  ["a chunked body and Connection: close", POST + CLOSE, LARGE_CHUNKED, "413"],
  ["a body to nowhere", POST.replace(/\/\S+/, "/nowhere") + CLOSE, WHOLE, "404"],
];

// Time for which the program receives and drops an unread body.
const DROPPING_MS = 2_000;

for (const [what, head, rest, status] of UNREAD) {
  abuse(`${what} of 240,000 bytes is refused without a reset → ${status}`, async (_, program) => {
    await inTime(DROPPING_MS, () =>
      withWires(program, async (say) => {
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
  abuse(`the refusal of a body ${what} has Connection: close: ${isLast}`, async (wire) => {
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
  "/Validate.aspx replies False to bytes that are not UTF-8, where the runtime passes them on",
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

// The header fields, the bytes after the head, and the status.
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
const LENGTH = `Content-Length: ${GET.length}\r\n`;

// What would have a proxy take the bytes behind it for something else, and how many requests they are:
// the connection speaks HTTP/1.1 as before, and what was declared as a body is one.
const UNSWITCHED: readonly (readonly [string, string, readonly string[]])[] = [
  ["WebSocket", GET.replace("\r\n\r\n", `\r\n${WEBSOCKET}\r\n`) + GET, ["200", "200"]],
  ["h2c", GET.replace("\r\n\r\n", `\r\n${H2C}\r\n`) + GET, ["200", "200"]],
  [
    "something unknown to be expected",
    `${POST_PAIR}Expect: more\r\nContent-Length: ${PAIR_FORM.length}\r\n\r\n${PAIR_FORM}${GET}`,
    ["200", "200"],
  ],
  ["TRACE", GET.replace("GET", "TRACE") + GET, ["405", "200"]],
  ["TRACE and a body", GET.replace("GET", "TRACE").replace("Host", `${LENGTH}Host`) + GET, ["405"]],
];

for (const [what, bytes, statuses] of UNSWITCHED) {
  abuse(`a request for ${what} is answered in HTTP/1.1 → ${statuses}`, async (wire) => {
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

abuse("a reply to HTTP/1.0 states whether the connection is kept", async (wire) => {
  await wire.send(GET.replace("1.1", "1.0").replace("Host", "Connection: keep-alive\r\nHost"));
  const received = await wire.receive((text) => text.endsWith("\r\n\r\nok"));
  const isKept = connectionOf(received)[0] === "keep-alive";
  assertEquals([statusIn(received), isKept], ["200", RUNTIME === "deno"]);
  if (!isKept) assert(await wire.isClosed());
});
