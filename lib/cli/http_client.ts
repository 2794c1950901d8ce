/**
 * HTTP client of the commands. The server may be anyone's: it may answer anything, or nothing.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import http, { type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import https from "node:https";
import { systemErrorCode, systemErrorReason } from "../system/system_error.ts";

/** Default timeout of a reply, in milliseconds. */
export const TIMEOUT_MS = 5_000;

/** Limit of a reply's body, in bytes. */
const MAX_BODY_BYTES = 1_048_576;

/** Limit of the informational responses (RFC 9110 §15.2) before a reply. */
const MAX_INFORMATIONAL = 10;

/** Request to a server, by its address or its socket. */
export interface ServerRequest extends http.RequestOptions {
  /** TLS in place of plain HTTP. */
  readonly isTls?: boolean;
  /** The header fields. */
  readonly headers?: http.OutgoingHttpHeaders;
  /** The authorities (PEM) that the server's certificate is checked by; unchecked without. */
  readonly ca?: string[];
  /** The body; undefined for none. */
  readonly body?: string | undefined;
  /** The timeout of the whole reply, in milliseconds. */
  readonly timeoutMs?: number;
}

/** Reply of a server. */
export interface ServerReply {
  /** The status. */
  readonly status: number;
  /** The header fields. */
  readonly headers: IncomingHttpHeaders;
  /** The whole body. */
  readonly text: string;
}

/** Kind of a failure: no connection, no HTTP on it, or HTTP without a reply that is of use. */
export type FailureKind = "unreachable" | "protocol" | "reply";

/** Failure of a request; the message is a clause about the server. */
export class NoReplyError extends Error {
  /** The name of the class. */
  override readonly name = "NoReplyError";

  /** Makes an error. */
  constructor(message: string, readonly kind: FailureKind = "reply") {
    super(message);
  }
}

/**
 * Sends a request on a connection of its own, which ends with the reply.
 *
 * @throws {NoReplyError} When there is no whole reply in time and within the limits.
 */
export async function send(request: ServerRequest): Promise<ServerReply> {
  try {
    return await exchange(request);
  } catch (error) {
    throw error instanceof NoReplyError ? error : systemFailure(systemErrorCode(error));
  }
}

function exchange(
  { isTls = false, ca, headers, body, timeoutMs = TIMEOUT_MS, ...options }: ServerRequest,
): Promise<ServerReply> {
  const { request, Agent } = isTls ? https : http;
  return new Promise((resolve, reject) => {
    const sent = request({
      ...options,
      headers: { connection: "close", ...headers },
      // No proxy of the environment (NODE_USE_ENV_PROXY): it would read secrets and API keys.
      agent: new Agent({ proxyEnv: {} } as http.AgentOptions),
      // Without `ca`, Deno asks for permission to read the certificates of the system.
      ...(isTls && { rejectUnauthorized: ca !== undefined, ca: ca ?? [] }),
    });
    // Only the first outcome settles the promise.
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      settle();
      sent.destroy();
    };
    const fail = (error: Error): void => end(() => reject(error));
    const timeout = new NoReplyError(`does not answer within ${timeoutMs / 1000} seconds`);
    const timer = setTimeout(() => fail(timeout), timeoutMs);
    let informational = 0;
    let closing = new NoReplyError(CLOSE, "protocol");
    sent
      .on("information", () => {
        if (++informational <= MAX_INFORMATIONAL) return;
        fail(new NoReplyError(`sends more than ${MAX_INFORMATIONAL} informational responses`));
      })
      .on("upgrade", () => fail(new NoReplyError(UPGRADE)))
      .on("response", (reply) => {
        closing = new NoReplyError("closes the connection before the end of its answer");
        // A 101 without the field Upgrade is a response to the runtimes.
        if (reply.statusCode === 101) fail(new NoReplyError(UPGRADE));
        else readReply(reply, (whole) => end(() => resolve(whole)), fail);
      })
      .on("error", fail)
      .on("close", () => fail(closing))
      .end(body);
  });
}

const UPGRADE = "switches to another protocol (status 101)";
const CLOSE = "closes the connection without an answer";

function readReply(
  reply: IncomingMessage,
  resolve: (whole: ServerReply) => void,
  fail: (error: Error) => void,
): void {
  const chunks: Uint8Array[] = [];
  let length = 0;
  reply
    .on("data", (chunk: Uint8Array) => {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) fail(new NoReplyError("sends more than 1 MiB"));
      else chunks.push(chunk);
    })
    .on("end", () => {
      const { statusCode: status = 0, headers } = reply;
      resolve({ status, headers, text: new TextDecoder().decode(Buffer.concat(chunks)) });
    })
    // The close of the connection follows.
    .on("error", () => {});
}

// Codes of OpenSSL's verification (X509_V_ERR_…), and of the runtimes' check of the name.
const CERTIFICATE_CODE = /^(?:\w*CERT\w*|UNABLE_TO_\w+|INVALID_\w+|HOSTNAME_MISMATCH)$/;

function systemFailure(code: string): NoReplyError {
  if (code === "ECONNRESET" || code === "EPIPE") return new NoReplyError(CLOSE, "protocol");
  // Codes of the HTTP parser, and of TLS.
  if (/^(?:HPE|ERR_SSL)_/.test(code)) {
    return new NoReplyError("does not answer as HTTP", "protocol");
  }
  if (CERTIFICATE_CODE.test(code)) {
    return new NoReplyError(
      "has a certificate that is not trusted, or not for this name: give --ca",
    );
  }
  const reason = systemErrorReason(code) ?? "the system refuses";
  return new NoReplyError(`cannot be reached: ${reason}`, "unreachable");
}

// Wildcard addresses, with the loopback address to connect to.
const LOOPBACK: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
]);

/** Returns the address for a connection to a server that listens on `host` of this machine. */
export function connectAddress(host: string): string {
  return LOOPBACK.get(host) ?? host;
}
