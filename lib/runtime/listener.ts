/**
 * Listens, whatever the runtime: on a port or a unix socket, over TLS or not, until told to stop.
 *
 * @module
 */

import type { Handler } from "../http/handler.ts";
import { ListenError, systemErrorCode } from "./listen_error.ts";
import type { Runtime, Server, ServerOptions, TcpAddress, Tls, UnixAddress } from "./runtime.ts";
import { Traffic } from "./traffic.ts";
import { claimSocket, type SocketClaim } from "./unix_socket.ts";

/** Where to listen, and how. */
export interface ListenOptions {
  /** A port, or a unix socket with its permission bits. */
  readonly address: TcpAddress | (UnixAddress & { readonly mode: number });
  /** The certificate and key for TLS; undefined for plain HTTP. */
  readonly tls: Tls | undefined;
}

/** A server that listens. */
export interface Listener {
  /** Where: the address and port chosen, or `unix:` and the path. */
  readonly url: string;
  /**
   * Shows another certificate to new connections; requests that run are finished.
   *
   * @throws {ListenError} When it cannot be used; the old one is kept.
   */
  readonly renew: (tls: Tls) => Promise<void>;
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
  const { address, tls } = options;
  if ("path" in address) return await listenOnSocket(runtime, address, tls, handler);
  const open = (options: ServerOptions): Serving => start(runtime, options, handler);
  if (tls === undefined) {
    const serving = open({ address, tls, shared: false });
    return {
      url: urlOf("http", serving.server.address as TcpAddress),
      renew: () => Promise.resolve(),
      stop: () => stop(serving),
    };
  }
  // A certificate is renewed by a second server on the same port. For that both must share it, and
  // then the system would let a stranger of this user share it too: so it is taken alone first.
  const alone = open({ address, tls, shared: false });
  const taken = alone.server.address as TcpAddress;
  await alone.server.shutdown();
  const renewed = renewable((tls) => open({ address: taken, tls, shared: true }), tls);
  return { ...renewed, url: urlOf("https", taken) };
}

async function listenOnSocket(
  runtime: Runtime,
  address: UnixAddress & { readonly mode: number },
  tls: Tls | undefined,
  handler: Handler,
): Promise<Listener> {
  const claim = await claimSocket(address.path, address.mode);
  const bind = (tls: Tls | undefined): Serving =>
    claim.bind((path) => start(runtime, { address: { path }, tls, shared: false }, handler));
  return { ...renewable(bind, tls, claim), url: `unix:${address.path}` };
}

// Renewed by a second server in the place of the first, which finishes what it has.
function renewable(
  open: (tls: Tls | undefined) => Serving,
  tls: Tls | undefined,
  claim?: SocketClaim,
): Omit<Listener, "url"> {
  let serving = open(tls);
  let retired = Promise.resolve();
  return {
    renew: async (tls) => {
      const before = serving;
      serving = open(tls);
      retired = stop(before);
      await retired;
    },
    stop: async () => {
      await Promise.all([retired, stop(serving, claim)]);
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

async function stop({ server, traffic }: Serving, claim?: SocketClaim): Promise<void> {
  // Nobody finds the socket from here on, and those who are connected are told to go.
  claim?.release();
  await traffic.drain();
  await server.shutdown();
}

function urlOf(scheme: "http" | "https", { hostname, port }: TcpAddress): string {
  return `${scheme}://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}
