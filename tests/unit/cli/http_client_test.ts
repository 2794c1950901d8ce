import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { connectAddress, send, TIMEOUT_MS } from "../../../lib/cli/http_client.ts";
import { NoReplyError } from "../../../lib/cli/http_reply.ts";
import { CERTIFICATE, PRIVATE_KEY } from "../../support/certificates.ts";
import { runCommand, runHealthcheck } from "../../support/command.ts";
import { freePort } from "../../support/free_port.ts";
import { startRaw, type Write } from "../../support/raw_server.ts";
import { ManualTimers } from "../../support/timers.ts";

const LOOPBACK = { hostname: "127.0.0.1", port: 0, onListen: () => {} };

Deno.test("healthcheck, status, guard, doctor and compare send nothing to a proxy of the environment", async () => {
  const proxied: string[] = [];
  await using proxy = Deno.serve(LOOPBACK, ({ method, url }) => {
    proxied.push(`${method} ${url}`);
    return new Response("by the proxy", { status: 500 });
  });
  const called: string[] = [];
  await using server = Deno.serve(LOOPBACK, async (request) => {
    const { pathname } = new URL(request.url);
    called.push(`${request.method} ${pathname} ${await request.text()}`.trimEnd());
    return Response.json({ name: "AbCdEfGhIj", remembered: true, problems: [] });
  });
  const variables = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: `http://127.0.0.1:${proxy.addr.port}` };
  const way = ["--metrics-port", String(server.addr.port)];
  const stdin = "canary";
  // A command in this process reads the variables of the test.
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  try {
    await runHealthcheck(way);
    await runCommand(["status", ...way]);
    await runCommand(["guard", "name", ...way], { stdin });
    await runCommand(["guard", "unlock", ...way], { stdin });
    await runCommand(["doctor", ...way], { stdin: `123456\n${stdin}` });
    await runCommand(["compare", `http://127.0.0.1:${server.addr.port}`]);
  } finally {
    for (const name of Object.keys(variables)) Deno.env.delete(name);
  }
  assertEquals(proxied, []);
  // The last command asks more.
  assertEquals(called.slice(0, 6), [
    "GET /healthz",
    "GET /status",
    "POST /guard/name canary",
    "POST /guard/unlock canary",
    "POST /guard/name canary",
    "GET /api.asmx",
  ]);
});

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
const HINTS = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
const UPGRADE = "switches to another protocol (status 101)";
const CLOSE = "closes the connection without an answer";
const CUT_OFF = "closes the connection before the end of its answer";
const FLOOD = "sends more than 10 informational responses";
const NOT_HTTP = "does not answer as HTTP";
const TOO_LONG = "sends more than 512 KiB";
const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/** The bytes of a server that closes the connection behind them, and the failure. */
const CLOSING: readonly (readonly [string, string])[] = [
  ["", CLOSE],
  ["HTTP/1.1 200 OK\r\nContent-Le", CLOSE],
  [CONTINUE, CLOSE],
  ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", CUT_OFF],
  ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", CUT_OFF],
  ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf", CUT_OFF],
  ["220 mail.example ESMTP\r\n", NOT_HTTP],
  ["HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok", NOT_HTTP],
  ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok", NOT_HTTP],
  [`HTTP/1.1 200 OK\r\nX: ${"a".repeat(100_000)}`, NOT_HTTP],
];

/** The bytes of a server that keeps the connection open, and the failure. */
const OPEN: readonly (readonly [string, string])[] = [
  ["HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: a\r\n\r\n", UPGRADE],
  ["HTTP/1.1 101 Switching Protocols\r\n\r\n", UPGRADE],
  ["HTTP/1.1 101 Switching Protocols\r\nContent-Length: 2\r\n\r\nok", UPGRADE],
  [CONTINUE.repeat(11), FLOOD],
  [HINTS.repeat(1_000) + OK, FLOOD],
  ["220 mail.example ESMTP\r\n", NOT_HTTP],
  ["\0\x05binary", NOT_HTTP],
  ["HTTP/2.0 200 OK\r\n", NOT_HTTP],
  ["HTTP/1.1 200 OK\nContent-Length: 2\n\nok", NOT_HTTP],
  ["HTTP/1.1 200 OK\r\nA : b\r\n", NOT_HTTP],
  [CHUNKED.replace("\r\n\r\n", "\r\nContent-Length: 2\r\n\r\n"), NOT_HTTP],
  [`${CHUNKED}-1\r\n`, NOT_HTTP],
  [`${CHUNKED}1\r\nab\r\n`, NOT_HTTP],
  [`${CHUNKED}ffffffff\r\n`, TOO_LONG],
  ["HTTP/1.1 200 OK\r\nContent-Length: 524289\r\n\r\n", TOO_LONG],
];

// Far above the time of a reply on a busy machine.
const request = (port: number, timeoutMs = 60_000): ReturnType<typeof send> =>
  send({ host: "127.0.0.1", port, path: "/", headers: { connection: "close" }, timeoutMs });

async function failureOf(port: number, timeoutMs?: number): Promise<string> {
  return (await assertRejects(() => request(port, timeoutMs), NoReplyError)).message;
}

Deno.test("send() ends with the connection, and with a switch of protocols", async () => {
  for (const [bytes, failure] of CLOSING) {
    await using server = startRaw((write) => write(bytes));
    assertEquals(await failureOf(server.port), failure, bytes.slice(0, 80));
  }
  for (const [bytes, failure] of OPEN) {
    await using server = startRaw(async (write, gone) => [await write(bytes), await gone]);
    assertEquals(await failureOf(server.port), failure, bytes.slice(0, 80));
    assertEquals(server.connections(), 1);
  }
});

/** What a server sends, and then repeats without end, and the failure. */
const ENDLESS: readonly (readonly [string, string, string])[] = [
  ["", CONTINUE, FLOOD],
  ["", "\r\n", NOT_HTTP],
  ["HTTP/1.1 200 ", "a", NOT_HTTP],
  ["HTTP/1.1 200 OK\r\nA: ", "a", NOT_HTTP],
  ["HTTP/1.1 200 OK\r\n", "A: b\r\n", NOT_HTTP],
  ["HTTP/1.1 103 Early Hints\r\n", "A: b\r\n", NOT_HTTP],
  ["HTTP/1.1 200 OK\r\n\r\n", "a", TOO_LONG],
  [CHUNKED, "0", NOT_HTTP],
  [`${CHUNKED}1`, " ", NOT_HTTP],
  [`${CHUNKED}1;`, "a", NOT_HTTP],
  [CHUNKED, "1\r\na\r\n", TOO_LONG],
  [CHUNKED, '1;a="b"\r\na\r\n', TOO_LONG],
  [`${CHUNKED}0;`, "a", NOT_HTTP],
  [`${CHUNKED}0\r\nA: `, "a", NOT_HTTP],
  [`${CHUNKED}0\r\n`, "A: b\r\n", TOO_LONG],
];

Deno.test("send() ends what a server sends without end", async () => {
  for (const [start, repeated, failure] of ENDLESS) {
    const flood = async (write: Write): Promise<void> => {
      await write(start);
      for (;;) await write(repeated.repeat(1_000));
    };
    await using server = startRaw(flood);
    assertEquals(await failureOf(server.port), failure, start + repeated);
  }
});

Deno.test("send() ends in time when a server drips, or is silent", async () => {
  const HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n";
  for (const bytes of ["", "HTTP/1.1 200 OK\r\nX: ", HEAD, CONTINUE]) {
    await using server = startRaw(async (write, gone) => [await write(bytes), await gone]);
    assertEquals(await failureOf(server.port, 200), "does not answer within 0.2 seconds");
  }
  await ManualTimers.holding(TIMEOUT_MS, async (goOff) => {
    await using server = startRaw((_write, gone) => gone);
    const failure = assertRejects(
      () => send({ host: "127.0.0.1", port: server.port, path: "/" }),
      NoReplyError,
      "does not answer within 5 seconds",
    );
    await goOff();
    await failure;
  });
  const drip = async (write: Write): Promise<void> => {
    await write(HEAD.replace("9", "90000"));
    for (;;) {
      await write("a");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  await using server = startRaw(drip);
  assertEquals(await failureOf(server.port, 200), "does not answer within 0.2 seconds");
});

Deno.test("send() reads a reply after ten informational ones, before the request, or with more behind it", async () => {
  const replies: readonly (readonly [string, boolean])[] = [
    [CONTINUE.repeat(5) + HINTS.repeat(5) + OK, false],
    [OK, true],
    [OK + OK.replace("ok", "no"), false],
    ["HTTP/1.0 200 OK\r\n\r\nok", false],
    ["HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", false],
    ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n", false],
    [`${CHUNKED}01 ;a="b"\r\no\r\n1\r\nk\r\n0;a\r\nA: b\r\n\r\n`, false],
  ];
  for (const [bytes, isEager] of replies) {
    await using server = startRaw((write) => write(bytes), isEager);
    const { status, text } = await request(server.port);
    assertEquals([status, text], [200, "ok"]);
  }
});

Deno.test("send() reads a reply of 512 KiB with its head, and not one byte more", async () => {
  const heads = [() => "", (length: number) => `Content-Length: ${length}\r\n`];
  for (const field of heads) {
    for (const more of [0, 1]) {
      const headOf = (length: number): string => `HTTP/1.1 200 OK\r\n${field(length)}\r\n`;
      const length = 524_288 - headOf(500_000).length + more;
      await using server = startRaw((write) => write(headOf(length) + "a".repeat(length)));
      if (more === 0) assertEquals((await request(server.port)).text.length, length);
      else assertEquals(await failureOf(server.port), TOO_LONG);
    }
  }
});

Deno.test("send() joins fields of a name, and reads no body behind a 204 or 304", async () => {
  for (const code of [204, 304]) {
    const bytes = `HTTP/1.1 ${code}\r\nVary: a\r\nVARY:\tb \r\nContent-Length: 2\r\n\r\nok`;
    await using server = startRaw((write) => write(bytes));
    const { status, headers, text } = await request(server.port);
    assertEquals([status, headers.vary, text], [code, "a, b", ""]);
  }
});

Deno.test("send() reads a reply whose bytes arrive one by one", async () => {
  await using server = startRaw(async (write) => {
    for (const byte of `${CONTINUE}${CHUNKED}2\r\nok\r\n0\r\n\r\n`) await write(byte);
  });
  assertEquals((await request(server.port)).text, "ok");
});

Deno.test("send() names the reason why there is no connection", async () => {
  const reasons: readonly (readonly [object, string])[] = [
    [{ port: freePort() }, "nothing listens there"],
    ...(Deno.build.os === "windows"
      ? []
      : [[{ socketPath: "/nowhere/a.sock" }, "there is no such file or folder"] as const]),
  ];
  for (const [place, reason] of reasons) {
    const error = await assertRejects(
      () => send({ host: "127.0.0.1", path: "/", ...place, timeoutMs: 60_000 }),
      NoReplyError,
    );
    assertEquals([error.message, error.kind], [`cannot be reached: ${reason}`, "unreachable"]);
  }
});

Deno.test("send() checks the certificate by the authorities that it is given", async () => {
  await using server = Deno.serve(
    { ...LOOPBACK, cert: CERTIFICATE, key: PRIVATE_KEY },
    () => new Response("ok"),
  );
  const { port } = server.addr;
  const ask = (ca?: string[]): ReturnType<typeof send> =>
    send({ host: "127.0.0.1", port, path: "/", isTls: true, ...(ca && { ca }), timeoutMs: 60_000 });
  assertEquals((await ask()).text, "ok");
  const { message } = await assertRejects(() => ask([]), NoReplyError);
  assertEquals(
    message,
    "has a certificate that is not trusted, or not for this name: give --ca, since the CA " +
      "certificates of the system are not read",
  );
});

// The self-check of the service that compare makes may outlive the test.
const OPEN_OPS = { sanitizeOps: false };

Deno.test("no command waits for a server that has switched protocols", OPEN_OPS, async () => {
  const [[bytes]] = OPEN as [readonly [string, string]];
  await using server = startRaw(async (write, gone) => [await write(bytes), await gone]);
  const port = String(server.port);
  const way = ["--metrics-port", port];
  const stdin = "canary";
  const outcomes = [
    await runCommand(["healthcheck", "--port", port]),
    await runCommand(["status", ...way]),
    await runCommand(["guard", "name", ...way], { stdin }),
    await runCommand(["guard", "unlock", ...way], { stdin }),
    await runCommand(["compare", server.url]),
  ];
  const place = `127.0.0.1:${port}`;
  assertEquals(outcomes.map(({ code, stderr }) => [code, stderr]), [
    [1, `authenticator: error: http://${place} ${UPGRADE}.\n`],
    ...Array(3).fill([1, `authenticator: error: the server at ${place} ${UPGRADE}.\n`]),
    [1, `authenticator: error: http://${place} ${UPGRADE}.\n`],
  ]);
});

Deno.test("connectAddress() returns the loopback address for a wildcard address, and others unchanged", () => {
  const hosts = ["0.0.0.0", "::", "127.0.0.1", "::1", "192.0.2.1", "localhost"];
  assertEquals(hosts.map(connectAddress), [
    ...["127.0.0.1", "::1", "127.0.0.1", "::1", "192.0.2.1", "localhost"],
  ]);
});
