/**
 * What this server says for all that share its port: it asks each on its metrics port. What answers
 * there may be slow, broken or another program, and is believed nothing but what a server would say.
 *
 * @module
 */

import { connect } from "node:net";
import type { Config } from "../config/config.ts";
import { reachable } from "../config/reachable.ts";
import type { AllServers } from "../http/state.ts";
import { joinPages, MAX_PAGE_BYTES, readPage } from "../telemetry/server_pages.ts";

/** How long a peer may take to answer, in milliseconds. */
const PATIENCE_MS = 1_000;

/** What a server says that is ready. */
const READY = "ok";

/** What this server says for itself. */
export interface OwnAnswers {
  /** Its page of metrics. */
  readonly metricsPage: () => string;
  /** Whether it is ready. */
  readonly isReady: () => boolean;
}

/**
 * Makes what speaks for all servers; undefined where the options name none.
 *
 * @param patienceMs How long a peer may take to answer.
 */
export function createAllServers(
  { metricsHost, metricsPort: ownPort, metricsPeers }: Pick<
    Config,
    "metricsHost" | "metricsPort" | "metricsPeers"
  >,
  own: OwnAnswers,
  patienceMs = PATIENCE_MS,
): AllServers | undefined {
  if (metricsPeers === undefined || ownPort === undefined) return undefined;
  const ports = metricsPeers.includes(ownPort) ? metricsPeers : [ownPort, ...metricsPeers];
  const host = reachable(metricsHost);
  const ask = (port: number, path: string, maxBytes: number): Promise<string | undefined> =>
    answerOf({ host, port, path }, { patienceMs, maxBytes });
  return {
    metricsPage: shared(async () => {
      const ownPage = own.metricsPage();
      const servers = await Promise.all(ports.map(async (port) => {
        const page = port === ownPort ? ownPage : await ask(port, "/metrics", MAX_PAGE_BYTES);
        return { port, samples: page === undefined ? undefined : readPage(page) };
      }));
      return joinPages(ownPage, servers);
    }),
    notReady: shared(async () => {
      const areReady = await Promise.all(
        ports.map(async (port) =>
          port === ownPort ? own.isReady() : await ask(port, "/readyz", READY.length) === READY
        ),
      );
      return ports.filter((_, i) => !areReady[i]);
    }),
  };
}

// Who asks while an answer is being gathered waits for that one: many who ask would else have this
// server ask that many times as often.
function shared<T>(gather: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () =>
    underWay ??= gather().finally(() => {
      underWay = undefined;
    });
}

interface Asked {
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

// More than the head of any reply of ours.
const MAX_HEAD_BYTES = 16_384;

// Without a client of HTTP: a reply without end (chunks of a byte, lines of trailers, 100 and 103 again
// and again) keeps it busy long beyond the deadline, it asks the proxy that the environment names, and
// it unpacks what is compressed. A connection that stayed open would hold up a peer that is told to stop.
function answerOf(
  { host, port, path }: Asked,
  { patienceMs, maxBytes }: { readonly patienceMs: number; readonly maxBytes: number },
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const socket = connect({ host, port });
  // At once: what has arrived behind it is not looked at any more.
  const settle = (answer?: string): void => {
    clearTimeout(deadline);
    socket.removeAllListeners("data").destroy();
    resolve(answer);
  };
  const deadline = setTimeout(settle, patienceMs);
  let reply = "";
  let body: BodyPlace | undefined;
  socket.setEncoding("latin1").on("data", (piece: string) => {
    reply += piece;
    body ??= placeOfBody(reply);
    if (body === undefined) {
      if (reply.length > MAX_HEAD_BYTES || !mayBeOk(reply)) settle();
    } else if (body.end - body.start > maxBytes) settle();
    else if (reply.length >= body.end) settle(reply.slice(body.start, body.end));
  });
  socket.on("end", () => settle()).on("close", () => settle());
  // Stays, for what goes wrong later.
  socket.on("error", () => settle());
  socket.write(`GET ${path} HTTP/1.0\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  return promise;
}

/** Where the body of a reply begins and ends; it ends nowhere where its length is not declared. */
interface BodyPlace {
  readonly start: number;
  readonly end: number;
}

const OK_LINE = "HTTP/1.1 200";

/** Whether a reply may become one with status 200, by as much of it as there is. */
function mayBeOk(reply: string): boolean {
  const line = reply.slice(0, OK_LINE.length);
  return OK_LINE.startsWith(line.replace("HTTP/1.0", "HTTP/1.1"));
}

/** Where the body of a reply is; undefined while its head is not whole, or where its status is not 200. */
function placeOfBody(reply: string): BodyPlace | undefined {
  const end = reply.indexOf("\r\n\r\n");
  if (end < 0 || !mayBeOk(reply)) return undefined;
  const start = end + 4;
  const [, length = Infinity] = /\r\ncontent-length: *([0-9]+)\r\n/i.exec(reply.slice(0, start)) ??
    [];
  return { start, end: start + Number(length) };
}
