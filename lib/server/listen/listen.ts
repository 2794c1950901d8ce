/**
 * Listens, whatever the runtime: on a port or a unix socket, over TLS or not, until told to stop.
 *
 * @module
 */

import { rmSync } from "node:fs";
import type { Handler } from "../../http/handler.ts";
import { ListenError, systemErrorCode } from "./error.ts";
import { withTimeout } from "../runtime/timeout.ts";
import type { Runtime, TcpAddress, Tls, UnixAddress } from "../runtime/runtime.ts";
import { RestartingListener, type RunningServer, type ServerLog, startServer } from "./restart.ts";
import { bindSocket, clearSocket } from "./unix_socket.ts";

// Nobody knows of a server that only takes the port.
const ALONE_TIMEOUT_MS = 1_000;

/** Where to listen, and how. */
export interface ListenOptions {
  /** A port, or a unix socket with its permission bits. */
  readonly address: TcpAddress | (UnixAddress & { readonly mode: number });
  /** Whether other servers of this user may listen on the same port, and take their share. */
  readonly sharePort: boolean;
  /** The certificate and key for TLS; undefined for plain HTTP, as on a socket. */
  readonly tls: Tls | undefined;
  /** Who is told of what befalls the server. */
  readonly log: ServerLog;
}

/** A server that listens. */
export interface Listener {
  /** Where: the address and port chosen, or `unix:` and the path. */
  readonly url: string;
  /**
   * Shows another certificate to new connections; requests that run are finished.
   *
   * @returns Whether it is shown: not where there is no TLS, and not once the server was told to stop.
   * @throws {ListenError} When it cannot be used; the old one is kept.
   */
  readonly renew: (tls: Tls) => boolean;
  /** Stops accepting, lets running requests finish, and then resolves. */
  readonly stop: () => Promise<void>;
}

/**
 * Listens for HTTP requests.
 *
 * @throws {ListenError} When the address cannot be listened on, or the certificate not be used.
 */
export async function listen(
  runtime: Runtime,
  options: ListenOptions,
  handler: Handler,
): Promise<Listener> {
  const { address } = options;
  return "path" in address
    ? await listenOnSocket(runtime, { ...options, address }, handler)
    : await listenOnPort(runtime, { ...options, address }, handler);
}

type OptionsFor<Address> = Omit<ListenOptions, "address"> & { readonly address: Address };

async function listenOnPort(
  runtime: Runtime,
  { address, sharePort, tls, log }: OptionsFor<TcpAddress>,
  handler: Handler,
): Promise<Listener> {
  const open = (address: TcpAddress, tls: Tls | undefined, shared: boolean): RunningServer =>
    startServer(runtime, { address, tls, shared }, { handler, log });
  const first = open(address, tls, sharePort);
  const taken = first.server.address ?? address;
  if (tls === undefined) {
    const standing = new RestartingListener(first, () => open(taken, tls, sharePort), log);
    return { url: urlOf("http", taken), renew: () => false, stop: () => standing.stop() };
  }
  // A certificate is renewed by a second server on the same port. For that both must share it, and
  // then the system would let a stranger of this user share it too: so it is taken alone first.
  if (!sharePort) await withTimeout(first.server.shutdown(), ALONE_TIMEOUT_MS);
  let shown = tls;
  const serving = sharePort ? first : open(taken, shown, true);
  const standing = new RestartingListener(serving, () => open(taken, shown, true), log);
  return {
    url: urlOf("https", taken),
    renew: (tls) => {
      if (standing.isStopped) return false;
      standing.replace(open(taken, tls, true));
      shown = tls;
      return true;
    },
    stop: () => standing.stop(),
  };
}

async function listenOnSocket(
  runtime: Runtime,
  { address: { path, mode }, tls, log }: OptionsFor<UnixAddress & { readonly mode: number }>,
  handler: Handler,
): Promise<Listener> {
  const open = async (): Promise<RunningServer> => {
    await clearSocket(path);
    const release = (): void => removeSocket(path, log);
    const options = { address: { path }, tls, shared: false };
    try {
      return bindSocket(path, mode, () => startServer(runtime, options, { handler, log, release }));
    } catch (error) {
      throw error instanceof ListenError
        ? error
        : new ListenError({ path }, systemErrorCode(error));
    }
  };
  const standing = new RestartingListener(await open(), open, log);
  return { url: `unix:${path}`, renew: () => false, stop: () => standing.stop() };
}

// A leftover socket file is harmless: the next start replaces it.
function removeSocket(path: string, log: ServerLog): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    log.warn(`the socket could not be removed: ${systemErrorCode(error)}`);
  }
}

function urlOf(scheme: "http" | "https", { hostname, port }: TcpAddress): string {
  return `${scheme}://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}
