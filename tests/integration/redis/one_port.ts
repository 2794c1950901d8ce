/**
 * Servers on one port, among which the system divides the connections.
 *
 * @module
 */

import { assertEquals } from "@std/assert/equals";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free_port.ts";
import { exchangeOn, type RawReply, type RawRequest } from "../../support/http.ts";
import { metricsUrl, type RunningProgram, startProgram } from "../../support/program.ts";
import {
  check,
  counted,
  patient,
  SECRET,
  startServer,
  withTwoServers as withTwo,
} from "../../support/two_servers.ts";

/** A request without a body. */
export function getRequest(path: string, ...fields: readonly string[]): RawRequest {
  return { head: [`GET ${path} HTTP/1.1`, "Host: localhost", ...fields], body: new Uint8Array() };
}

/** The target of a check by `/Validate.aspx`. */
export function checkPath(pin: string, secret: string): string {
  return `/Validate.aspx?Pin=${pin}&SecretCode=${encodeURIComponent(secret)}`;
}

/** Which server a reply is from: the names of its requests begin alike. */
export function serverOf({ headers }: Pick<RawReply, "headers">): string {
  const id = headers.get("x-request-id") ?? "";
  return id.slice(0, id.indexOf("-"));
}

/** The status of `/readyz` on the server's own port; undefined when nothing listens there. */
export async function ownReadiness(server: RunningProgram): Promise<number | undefined> {
  return await readinessAt(await metricsUrl(server));
}

/** The same by the URL of that port. */
export async function readinessAt(url: string): Promise<number | undefined> {
  try {
    const reply = await fetch(`${url}/readyz`);
    await reply.body?.cancel();
    return reply.status;
  } catch {
    return undefined;
  }
}

/** Waits until a server is ready, by its own port. */
export async function becomesReady(server: RunningProgram): Promise<void> {
  await eventually(async () => await ownReadiness(server) === 200, "the server is ready");
}

/** Starts one more server on a port, with a port of its own for health and metrics. */
export async function startOn(
  port: number,
  storeUrl: string,
  keyFile: string,
  args: readonly string[] = [],
): Promise<RunningProgram> {
  const shared = ["--port", String(port), "--share-port", "--metrics-port", "0"];
  const server = await startProgram([...shared, "--guard-key-file", keyFile, ...args], {
    env: { AUTHENTICATOR_GUARD: patient(storeUrl) },
  });
  await becomesReady(server);
  return server;
}

/** How two servers are started and asked, whatever ports they have. */
export interface Way {
  /** As `startServer`. */
  readonly start: typeof startServer;
  /** As `withTwoServers`. */
  readonly withTwoServers: (
    storeUrl: string,
    args: readonly string[],
    run: (one: RunningProgram, two: RunningProgram, keyFile: string) => Promise<void>,
  ) => Promise<string>;
  /** As `check`: this server answers, and no other. */
  readonly check: typeof check;
  /** As `counted`, of this server. */
  readonly counted: (server: RunningProgram, sample: string) => Promise<number>;
}

/** Each server has a port. */
export const ON_TWO_PORTS: Way = {
  start: startServer,
  withTwoServers: withTwo,
  check,
  counted,
};

/** Both have the same. */
export function onOnePort(): Way {
  const port = freePort();
  const start: Way["start"] = (url, keyFile, args) => startOn(port, url, keyFile, args);
  return {
    start,
    withTwoServers: (storeUrl, args, run) => withTwo(storeUrl, args, run, start),
    check: async (server, pin, secret = SECRET, source = "") => {
      const asker = `X-Authenticator-Source: ${source}`;
      const reply = await askServer(server, port, getRequest(checkPath(pin, secret), asker));
      const text = new TextDecoder().decode(reply.body);
      return reply.status === 200 ? text : `${reply.status} ${text}`;
    },
    counted: async (server, sample) => await counted({ url: await metricsUrl(server) }, sample),
  };
}

/**
 * Sends a request on a new connection to one of the servers on a port. Which of them has a connection
 * only a reply says, so each is asked for its health first, until one is with that server.
 */
async function askServer(
  server: RunningProgram,
  port: number,
  request: RawRequest,
): Promise<RawReply> {
  const probe = await fetch(`${await metricsUrl(server)}/healthz`);
  await probe.body?.cancel();
  const name = serverOf({ headers: new Map(probe.headers) });
  let reply: RawReply | undefined;
  await eventually(async () => {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    if (serverOf(await exchangeOn(connection, getRequest("/healthz"))) !== name) return false;
    reply = await exchangeOn(connection, request);
    return true;
  }, "a connection is with the server");
  assertEquals(serverOf(reply!), name);
  return reply!;
}
