/**
 * Listens, whatever the runtime: on a port or a unix socket, over TLS or not, until told to stop.
 *
 * @module
 */

import type { Handler } from "../http/handler.ts";
import { ListenError, systemErrorCode } from "./listen_error.ts";
import { waitAtMost } from "./patience.ts";
import type { Runtime, Server, ServerOptions, TcpAddress, Tls, UnixAddress } from "./runtime.ts";
import { Traffic } from "./traffic.ts";
import { claimSocket, type SocketClaim } from "./unix_socket.ts";

// How long a server whose certificate was renewed may take to finish. A caller that connects and says
// nothing keeps it from ending for as long as it likes.
const RETIRE_TIMEOUT_MS = 10_000;

// Nobody knows of a server that only takes the port.
const ALONE_TIMEOUT_MS = 1_000;

/** Where to listen, and how. */
export interface ListenOptions {
  /** A port, or a unix socket with its permission bits. */
  readonly address: TcpAddress | (UnixAddress & { readonly mode: number });
  /** The certificate and key for TLS; undefined for plain HTTP, as on a socket. */
  readonly tls: Tls | undefined;
  /** Takes what the operator should look at; a clause. */
  readonly warn: (message: string) => void;
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
  const { address, tls, warn } = options;
  if ("path" in address) return await listenOnSocket(runtime, address, warn, handler);
  const open = (options: ServerOptions): Serving => start(runtime, options, handler);
  if (tls === undefined) {
    const serving = open({ address, tls, shared: false });
    return {
      url: urlOf("http", serving.server.address as TcpAddress),
      renew: () => false,
      stop: () => stop(serving),
    };
  }
  // A certificate is renewed by a second server on the same port. For that both must share it, and
  // then the system would let a stranger of this user share it too: so it is taken alone first.
  const alone = open({ address, tls, shared: false });
  const taken = alone.server.address as TcpAddress;
  await waitAtMost(alone.server.shutdown(), ALONE_TIMEOUT_MS);
  const renewed = renewable((tls) => open({ address: taken, tls, shared: true }), tls, warn);
  return { ...renewed, url: urlOf("https", taken) };
}

async function listenOnSocket(
  runtime: Runtime,
  address: UnixAddress & { readonly mode: number },
  warn: (message: string) => void,
  handler: Handler,
): Promise<Listener> {
  const claim = await claimSocket(address.path, address.mode);
  const serving = claim.bind((path) =>
    start(runtime, { address: { path }, tls: undefined, shared: false }, handler)
  );
  return {
    url: `unix:${address.path}`,
    renew: () => false,
    stop: async () => {
      // Nobody finds the socket from here on, and those who are connected are told to go.
      release(claim, warn);
      await stop(serving);
    },
  };
}

// What stays behind is in nobody's way: the next server takes its place.
function release(claim: SocketClaim, warn: (message: string) => void): void {
  try {
    claim.release();
  } catch (error) {
    warn(`the socket could not be removed: ${systemErrorCode(error)}`);
  }
}

// Renewed by a second server in the place of the first, which finishes what it has.
function renewable(
  open: (tls: Tls) => Serving,
  tls: Tls,
  warn: (message: string) => void,
): Omit<Listener, "url"> {
  let serving = open(tls);
  let isStopped = false;
  const retiring = new Set<Promise<void>>();
  const retire = (before: Serving): void => {
    const retired = waitAtMost(stop(before), RETIRE_TIMEOUT_MS)
      .catch((error) => warn(`the server before did not end well: ${systemErrorCode(error)}`))
      .finally(() => retiring.delete(retired));
    retiring.add(retired);
  };
  return {
    renew: (tls) => {
      if (isStopped) return false;
      const before = serving;
      serving = open(tls);
      retire(before);
      return true;
    },
    stop: async () => {
      isStopped = true;
      await Promise.all([...retiring, stop(serving)]);
    },
  };
}

/** A server and the requests on it. */
interface Serving {
  readonly server: Server;
  readonly traffic: Traffic;
}

function start(runtime: Runtime, options: ServerOptions, handler: Handler): Serving {
  const traffic = new Traffic();
  try {
    const server = runtime.serve(options, (request) => traffic.answer(handler, request));
    return { server, traffic };
  } catch (error) {
    throw new ListenError(options.address, systemErrorCode(error));
  }
}

async function stop({ server, traffic }: Serving): Promise<void> {
  await traffic.drain();
  await server.shutdown();
}

function urlOf(scheme: "http" | "https", { hostname, port }: TcpAddress): string {
  return `${scheme}://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}
