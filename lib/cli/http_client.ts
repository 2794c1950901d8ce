/**
 * HTTP client of the commands. The server may be anyone's: it may answer anything, or nothing.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { describeSystemError, systemErrorCode } from "../system/system_error.ts";
import {
  closedError,
  isReset,
  NoReplyError,
  notHttpError,
  readReply,
  type ServerReply,
} from "./http_reply.ts";

/** Default timeout of a reply, in milliseconds. */
export const TIMEOUT_MS = 5_000;

/** Request to a server, by its address or its socket. */
export interface ServerRequest {
  /** The address or name to connect to. */
  readonly host?: string;
  /** The port. */
  readonly port?: number;
  /** The path of a unix socket, in place of host and port. */
  readonly socketPath?: string;
  /** The method; `GET` unless given. */
  readonly method?: string;
  /** The path with the query. */
  readonly path: string;
  /** The header fields. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body; undefined for none. */
  readonly body?: string | undefined;
  /** TLS in place of plain HTTP. */
  readonly isTls?: boolean;
  /** The authorities (PEM) that the server's certificate is checked by; unchecked without. */
  readonly ca?: string[];
  /** The timeout of the whole reply, in milliseconds. */
  readonly timeoutMs?: number;
}

/**
 * Sends a request on a connection of its own, which ends with the reply. It goes to no proxy of the
 * environment, which would read secrets and API keys.
 *
 * @throws {NoReplyError} When there is no whole reply in time and within the limits.
 */
export async function send(request: ServerRequest): Promise<ServerReply> {
  const { timeoutMs = TIMEOUT_MS, isTls } = request;
  const timeout = new NoReplyError(`does not answer within ${timeoutMs / 1000} seconds`);
  let socket: Socket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await new Promise((resolve, reject) => {
      timer = setTimeout(() => reject(timeout), timeoutMs);
      const opened = socket = connect(request);
      // Without a listener, an error that comes after the reply would end the process.
      opened.on("error", () => {});
      // TLS sends nothing before the certificate is checked.
      opened.once(isTls ? "secureConnect" : "connect", () => opened.write(textOf(request)));
      readReply(opened).then(resolve, reject);
    });
  } catch (error) {
    throw error instanceof NoReplyError ? error : systemFailure(error);
  } finally {
    clearTimeout(timer);
    socket?.destroy();
  }
}

function connect(
  { host = "localhost", port = 0, socketPath, isTls = false, ca }: ServerRequest,
): Socket {
  const place = socketPath === undefined ? { host, port } : { path: socketPath };
  if (!isTls) return connectPlain(place);
  return connectTls({
    ...place,
    ...(isIP(host) === 0 && { servername: host }),
    // Without `ca`, Deno asks for permission to read the certificates of the system.
    ca: ca ?? [],
    rejectUnauthorized: ca !== undefined,
  });
}

function textOf({ method = "GET", path, headers, body }: ServerRequest): string {
  const fields = {
    host: "localhost",
    connection: "close",
    ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body ?? ""}`;
}

// Codes of OpenSSL's verification (X509_V_ERR_…), and of the runtimes' check of the name.
const CERTIFICATE_CODE = /^(?:\w*CERT\w*|UNABLE_TO_\w+|INVALID_\w+|HOSTNAME_MISMATCH)$/;

function systemFailure(error: unknown): NoReplyError {
  if (isReset(error)) return closedError();
  const code = systemErrorCode(error);
  if (code.startsWith("ERR_SSL_")) return notHttpError();
  if (CERTIFICATE_CODE.test(code)) {
    return new NoReplyError(
      "has a certificate that is not trusted, or not for this name: give --ca, since the CA " +
        "certificates of the system are not read",
    );
  }
  return new NoReplyError(`cannot be reached: ${describeSystemError(error)}`, "unreachable");
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
