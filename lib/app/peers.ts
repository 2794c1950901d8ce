/**
 * What this server says for all that share its port: it asks each on its metrics port. What answers
 * there may be slow, broken or another program, and is believed nothing but what a server would say.
 *
 * @module
 */

import http from "node:http";
import type { Config } from "../config/config.ts";
import { reachable } from "../config/reachable.ts";
import type { AllServers } from "../http/state.ts";
import { joinPages, MAX_PAGE_BYTES, readPage } from "../telemetry/server_pages.ts";

/** How long a peer may take to answer, in milliseconds. */
const PATIENCE_MS = 1_000;

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
  const ask = (port: number, path: string): Promise<string | undefined> =>
    answerOf({ host, port, path }, patienceMs).catch(() => undefined);
  return {
    metricsPage: shared(async () => {
      const ownPage = own.metricsPage();
      const servers = await Promise.all(ports.map(async (port) => {
        const page = port === ownPort ? ownPage : await ask(port, "/metrics");
        return { port, samples: page === undefined ? undefined : readPage(page) };
      }));
      return joinPages(ownPage, servers);
    }),
    notReady: shared(async () => {
      const areReady = await Promise.all(
        ports.map(async (port) =>
          port === ownPort ? own.isReady() : await ask(port, "/readyz") === "ok"
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

// Not by `fetch`: it asks the proxy that the environment names, and unpacks what is compressed. A
// connection that stayed open would hold up a peer that is told to stop.
async function answerOf(asked: Asked, patienceMs: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const giveUp = (): void => reject(new Error("no answer of a server"));
  const request = http.request({ ...asked, headers: { host: "localhost", connection: "close" } });
  const deadline = setTimeout(giveUp, patienceMs);
  let isAnswered = false;
  request.on("response", (response) => {
    isAnswered = true;
    if (response.statusCode !== 200) giveUp();
    let text = "";
    response.setEncoding("latin1").on("data", (chunk: string) => {
      text += chunk;
      if (text.length > MAX_PAGE_BYTES) giveUp();
    });
    response.on("end", () => resolve(text));
    response.on("error", giveUp).on("close", giveUp);
  });
  request.on("error", giveUp);
  // Without a response, it is an answer of another protocol. With one, there may be more to read.
  request.on("close", () => isAnswered || giveUp());
  request.end();
  try {
    return await promise;
  } finally {
    clearTimeout(deadline);
    request.destroy();
  }
}
