/**
 * Listener on any runtime: on a port or a unix socket, with or without TLS.
 *
 * @module
 */

import type { Handler } from "../../http/handler.ts";
import { systemErrorCode } from "../../system/system_error.ts";
import { ListenError } from "./error.ts";
import { withTimeout } from "../runtime/timeout.ts";
import {
  hostPort,
  type PeerAddresses,
  type Runtime,
  type TcpAddress,
  type Tls,
  type UnixAddress,
} from "../runtime/runtime.ts";
import {
  type ListenerEvents,
  RestartingListener,
  type RunningServer,
  type ServerLog,
  startServer,
} from "./restart.ts";
import { SocketFile } from "./unix_socket.ts";

// Timeout for closing a server without callers: one that only reserves a port, or whose socket fails.
const ALONE_TIMEOUT_MS = 1_000;

/** Options of a listener. */
export interface ListenOptions extends ListenerEvents {
  /** A port, or a unix socket with its permission bits. */
  readonly address: TcpAddress | (UnixAddress & { readonly mode: number });
  /** Whether other servers of this user may share the port and its load. */
  readonly sharePort: boolean;
  /** The certificate and key for TLS; undefined for plain HTTP and on a socket. */
  readonly tls: Tls | undefined;
  /** Addresses of callers by request, which the server fills; undefined for none. */
  readonly peers?: PeerAddresses | undefined;
}

/** Listener: a served address. */
export interface Listener {
  /** The URL with the chosen address and port, or `unix:` and the path. */
  readonly url: string;
  /**
   * Replaces the certificate for new connections; in-flight requests are finished.
   *
   * @returns Whether it was replaced; false without TLS and after a stop.
   * @throws {ListenError} When the certificate cannot be used; the old one stays.
   */
  readonly renew: (tls: Tls) => Promise<boolean>;
  /** Stops accepting, and resolves once in-flight requests are finished. */
  readonly stop: () => Promise<void>;
}

/**
 * Listens for HTTP requests.
 *
 * @throws {ListenError} When the address or the certificate cannot be used.
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
  { address, sharePort, tls, log, onDrop, peers }: OptionsFor<TcpAddress>,
  handler: Handler,
): Promise<Listener> {
  const limitsMemory = onDrop !== undefined;
  const open = (address: TcpAddress, tls: Tls | undefined, shared: boolean): RunningServer =>
    startServer(runtime, { address, tls, shared, limitsMemory, peers }, { handler, log });
  const first = open(address, tls, sharePort);
  const taken = first.server.address ?? address;
  // To renew a certificate, a second server listens on the same port, so both must share it. The
  // system then lets an unrelated server of this user share it too, so take it exclusively first.
  const { sharesPorts } = runtime;
  const isShared = sharePort || tls !== undefined && sharesPorts;
  const isFirstKept = isShared === sharePort;
  if (!isFirstKept) await withTimeout(first.server.shutdown(), ALONE_TIMEOUT_MS);
  let shown = tls;
  const reopen = (): RunningServer => open(taken, shown, isShared);
  const listener = new RestartingListener(isFirstKept ? first : reopen(), reopen, { log, onDrop });
  return {
    url: `${tls === undefined ? "http" : "https"}://${hostPort(taken)}`,
    renew: async (tls) => {
      if (shown === undefined || listener.isStopped) return false;
      if (sharesPorts) listener.replace(open(taken, tls, isShared));
      const before = shown;
      shown = tls;
      if (sharesPorts || await listener.reopen()) return true;
      if (listener.isStopped) return false;
      // The address is opened again with what is shown by then.
      shown = before;
      throw new ListenError(taken, "");
    },
    stop: () => listener.stop(),
  };
}

async function listenOnSocket(
  runtime: Runtime,
  { address: { path, mode }, tls, log, onDrop }: OptionsFor<
    UnixAddress & { readonly mode: number }
  >,
  handler: Handler,
): Promise<Listener> {
  const limitsMemory = onDrop !== undefined;
  const open = async (): Promise<RunningServer> => {
    const file = new SocketFile(path);
    const address = { path: file.temporaryPath };
    const release = (): void => removeSocket(file, log);
    const opened = file.bind(() =>
      startServer(runtime, { address, tls, shared: false, limitsMemory }, { handler, log })
    );
    try {
      await file.publish(mode);
      return { ...opened, release };
    } catch (error) {
      await withTimeout(opened.server.shutdown(), ALONE_TIMEOUT_MS);
      throw error instanceof ListenError
        ? error
        : new ListenError({ path }, systemErrorCode(error));
    }
  };
  const listener = new RestartingListener(await open(), open, { log, onDrop });
  return { url: `unix:${path}`, renew: () => Promise.resolve(false), stop: () => listener.stop() };
}

// Removes the socket file. A leftover file is harmless: the next start replaces it.
function removeSocket(file: SocketFile, log: ServerLog): void {
  try {
    file.remove();
  } catch (error) {
    log.warn(`the socket could not be removed: ${systemErrorCode(error)}`);
  }
}
