/**
 * What may listen on a metrics port in the place of a server, most of it hostile.
 *
 * @module
 */

import { MAX_PAGE_BYTES } from "../../lib/telemetry/server_pages.ts";

/** The last line of a page. */
export const BUILD = 'authenticator_build_info{version="1.2.3"} 1\n';

/** A page of a server. */
export const PEER_PAGE = `process_cpu_seconds_total 7\n${BUILD}`;

/** Runs something beside a peer on a port of its own. */
export async function withPeer(
  answer: Deno.ServeHandler,
  run: (port: number) => Promise<void>,
): Promise<void> {
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  await using server = Deno.serve(options, answer);
  await run(server.addr.port);
}

/** Answers as a server would. */
export function goodPeer(request: Request): Response {
  const { pathname } = new URL(request.url);
  const body = new Map([["/metrics", PEER_PAGE], ["/readyz", "ok"]]).get(pathname);
  return new Response(body ?? "x", { status: body === undefined ? 404 : 200 });
}

// A page that would be good but for what is wrong with the reply.
function say(body: BodyInit | null, init: ResponseInit = {}): Deno.ServeHandler {
  return () => new Response(body, init);
}

function endless(text: string): Deno.ServeHandler {
  const chunk = new TextEncoder().encode(text);
  return () => new Response(new ReadableStream({ pull: (to) => to.enqueue(chunk) }));
}

const gzip = async (): Promise<Response> => {
  const packed = new Blob([PEER_PAGE]).stream().pipeThrough(new CompressionStream("gzip"));
  const body = await new Response(packed).arrayBuffer();
  return new Response(body, { headers: { "content-encoding": "gzip" } });
};

/** What a peer answers to everything, none of it what a server would say. */
export const HOSTILE: ReadonlyMap<string, Deno.ServeHandler> = new Map([
  ["nothing", say(null)],
  ["no content", say(null, { status: 204 })],
  ["an error with a good page", say(PEER_PAGE, { status: 500 })],
  ["an error with ok", say("ok", { status: 503 })],
  ["a part of a page", say(PEER_PAGE, { status: 206 })],
  ["a page of HTML", say("<!doctype html><p>authenticator_x 1\n")],
  ["the metrics of another program", say('go_info{version="go1"} 1\n')],
  ["a line that is no sample", say(`evil\n${PEER_PAGE}`)],
  ["a sample with a server of its own", say(`process_x{server="1"} 1\n${PEER_PAGE}`)],
  ["a page that is cut off", say(PEER_PAGE.slice(0, -1))],
  ["other alphabets", say(`process_x{a="é"} 1\n${PEER_PAGE}`)],
  ["a compressed page", gzip],
  ["a page that is too long", say(`# ${"x".repeat(MAX_PAGE_BYTES)}\n${PEER_PAGE}`)],
  ["good lines without end", endless(PEER_PAGE)],
  ["a comment without end", endless("# ".repeat(1_000))],
  ["almost ok", say("ok\n")],
]);

/** Writes what a peer says to one connection. */
export type Write = (to: Deno.TcpConn) => Promise<void>;

/** Runs something beside what writes bytes to whoever connects, and waits until they are all gone. */
export async function withRawPeer(
  write: Write,
  run: (port: number) => Promise<void>,
): Promise<void> {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const left: Promise<void>[] = [];
  const accepted = (async () => {
    for await (const connection of listener) left.push(serveRaw(connection, write));
  })();
  await run(listener.addr.port);
  // They end only when the one that asked has closed them.
  await Promise.all(left);
  listener.close();
  await accepted;
}

async function serveRaw(
  connection: Deno.TcpConn,
  write: Write,
): Promise<void> {
  const buffer = new Uint8Array(4_096);
  try {
    await connection.read(buffer);
    await write(connection);
    while (await connection.read(buffer) !== null);
  } catch {
    // It was closed while there was more to write.
  } finally {
    connection.close();
  }
}

/** Writes a text to a connection. */
export async function writeAll(connection: Deno.TcpConn, text: string): Promise<void> {
  let rest = new TextEncoder().encode(text);
  while (rest.length > 0) rest = rest.subarray(await connection.write(rest));
}

async function forever(connection: Deno.TcpConn, text: string): Promise<void> {
  for (;;) await writeAll(connection, text);
}

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";
const GOOD = `${HEAD}Content-Length: ${PEER_PAGE.length}\r\n\r\n${PEER_PAGE}`;

/** What a peer does that never comes to the end of an answer. */
export const RAW: readonly (readonly [what: string, write: Write])[] = [
  ["says nothing", () => Promise.resolve()],
  ["stops in the head", (to) => writeAll(to, HEAD)],
  ["stops before the body", (to) => writeAll(to, `${HEAD}Content-Length: 9\r\n\r\n`)],
  ["stops in the body", (to) => writeAll(to, GOOD.slice(0, -9))],
  [
    "stops between chunks",
    (to) => writeAll(to, `${HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n`),
  ],
  ["has a head without end", async (to) => {
    await writeAll(to, HEAD);
    await forever(to, `X-Filler: ${"x".repeat(1_000)}\r\n`);
  }],
  ["has a field without end", async (to) => {
    await writeAll(to, `${HEAD}X-Filler: `);
    await forever(to, "x".repeat(1_000));
  }],
  ["has chunks of a byte without end", async (to) => {
    await writeAll(to, `${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    await forever(to, "1\r\n#\r\n".repeat(1_000));
  }],
  ["has more than it says, without end", async (to) => {
    await writeAll(to, `${HEAD}Content-Length: 999999999999\r\n\r\n`);
    await forever(to, PEER_PAGE);
  }],
  ["announces without end", (to) => forever(to, "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(10))],
];

/** What a peer says that speaks no HTTP, or not any more. */
export const OTHER_PROTOCOLS: readonly (readonly [what: string, write: Write])[] = [
  ["speaks another protocol", (to) => writeAll(to, "220 mail.example ESMTP\r\n")],
  ["changes the protocol", (to) =>
    writeAll(
      to,
      "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n" + GOOD,
    )],
];

/** Beginnings of answers, after which a peer closes the connection. */
export const CUT_OFF: readonly string[] = [
  "",
  HEAD,
  GOOD.slice(0, -9),
  `${HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n`,
];

/** A good page, and another one behind it that nobody asked for. */
export const TWICE: string = GOOD + GOOD.replace(" 7\n", " 8\n");
