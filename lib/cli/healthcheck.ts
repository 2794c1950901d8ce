/**
 * Command `healthcheck`: asks a running server whether it is healthy.
 *
 * @module
 */

import type { Config } from "../config/options.ts";
import { UsageError } from "../config/option.ts";
import { hostPort } from "../server/runtime/runtime.ts";
import { connectAddress, send, TIMEOUT_MS } from "./http_client.ts";
import type { NoReplyError, ServerReply } from "./http_reply.ts";
import { CommandError } from "./io/io.ts";

/**
 * Asks `/healthz` at the address in the options: the operator port if there is one, since another
 * server may answer on a shared port.
 *
 * Over TLS the certificate is not verified: it is issued for the public name, not for this address,
 * and the request holds no secret.
 *
 * @param print Writes a line to stdout.
 * @param timeoutMs The timeout of the server, in milliseconds.
 * @returns 0 for a reply with status 200.
 * @throws {CommandError} When the status is another, or no reply comes.
 * @throws {UsageError} When the options have no port to ask.
 */
export async function healthcheck(
  options: Config,
  print: (line: string) => void,
  timeoutMs = TIMEOUT_MS,
): Promise<number> {
  const config = withOperatorPort(options);
  try {
    return await checkHealth(config, print, timeoutMs);
  } catch (error) {
    if (config.host !== "::" || config.socket !== undefined) throw error;
    // A container may have no ::1, and most systems accept IPv4 on :: too.
    return await checkHealth({ ...config, host: "127.0.0.1" }, print, timeoutMs).catch(() => {
      throw error;
    });
  }
}

async function checkHealth(
  config: Config,
  print: (line: string) => void,
  timeoutMs: number,
): Promise<number> {
  const place = placeOf(config);
  const isTls = config.tlsCert !== undefined;
  const { status } = await replyOf(config, isTls, timeoutMs).catch(async (error: NoReplyError) => {
    // A server with TLS rejects plain HTTP and the reverse, so try the other.
    const answersOtherwise = error.kind === "protocol" &&
      await replyOf(config, !isTls, timeoutMs).then(() => true, () => false);
    throw new CommandError(`${place} ${answersOtherwise ? otherWay(isTls) : error.message}`);
  });
  if (status !== 200) throw new CommandError(`${place} answers with status ${status}`);
  print(`${place} is healthy`);
  return 0;
}

function withOperatorPort(config: Config): Config {
  const { metricsHost: host, metricsPort: port } = config;
  // Port 0 picks any port, so it is unknown here.
  return port === undefined || port === 0
    ? config
    : { ...config, host, port, socket: undefined, tlsCert: undefined };
}

function otherWay(isTls: boolean): string {
  const flags = "--tls-cert and --tls-key";
  return isTls
    ? `answers plain HTTP and not TLS: leave ${flags} out`
    : `answers TLS and not plain HTTP: give ${flags} as the server has them`;
}

/** Writes the address as text for a person. */
function placeOf({ host, port, socket, tlsCert }: Config): string {
  if (socket !== undefined) return socket;
  if (port === 0) throw new UsageError("healthcheck needs the --port of the server");
  const place = hostPort({ hostname: connectAddress(host), port });
  return `${tlsCert === undefined ? "http" : "https"}://${place}`;
}

/** Whether a server of this program answers at a port of this machine, with or without TLS. */
export async function isAuthenticator(config: Config): Promise<boolean> {
  for (const isTls of [false, true]) {
    const id = await replyOf(config, isTls, PROBE_TIMEOUT_MS)
      .then(({ headers }) => headers["x-request-id"], () => undefined);
    if (typeof id === "string") return REQUEST_ID.test(id);
  }
  return false;
}

/** Timeout of a program that may speak another protocol, in milliseconds. */
const PROBE_TIMEOUT_MS = 2_000;

/** Form of the request ids that a server of this program makes. */
const REQUEST_ID = /^[0-9a-f]{10}-[0-9a-f]{20}$/;

function replyOf(
  { host, port, socket }: Config,
  isTls: boolean,
  timeoutMs: number,
): Promise<ServerReply> {
  return send({
    ...(socket === undefined ? { host: connectAddress(host), port } : { socketPath: socket }),
    path: "/healthz",
    isTls,
    timeoutMs,
  });
}
