/**
 * Interface of the runtimes, with the implementations in `deno.ts` and `bun.ts`.
 *
 * @module
 */

import type { Handler } from "../../http/handler.ts";

/** TCP address: a port of this machine. */
export interface TcpAddress {
  /** An address of this machine, or a name that resolves to one. */
  readonly hostname: string;
  /** A port; 0 for a free one. */
  readonly port: number;
}

/** Unix socket. */
export interface UnixAddress {
  /** The path of the socket. */
  readonly path: string;
}

/** Certificate with its key. */
export interface Tls {
  /** The certificate chain, PEM. */
  readonly cert: string;
  /** The private key of the first certificate, PEM. */
  readonly key: string;
}

/** Options of a server. */
export interface ServerOptions {
  /** The address to listen on. */
  readonly address: TcpAddress | UnixAddress;
  /** The certificate and key for TLS; undefined for plain HTTP and on a socket. */
  readonly tls: Tls | undefined;
  /** Whether several servers may share the port. */
  readonly shared: boolean;
  /** Whether the server fails when the memory that the runtime keeps for connections grows too much. */
  readonly limitsMemory: boolean;
  /** Makes the reply after an error outside the handler. */
  readonly onError: (error: unknown) => Response;
  /** Addresses of callers by request, which the server fills on a port; undefined for none. */
  readonly peers?: PeerAddresses | undefined;
}

/** Addresses of callers, by their requests. */
export type PeerAddresses = WeakMap<Request, string>;

/** Listening server. */
export interface Server {
  /** The chosen address and port; undefined for a socket. */
  readonly address: TcpAddress | undefined;
  /** Resolves when the server must be replaced, before it is stopped; else never. */
  readonly failed: Promise<ServerFailure>;
  /**
   * Stops accepting, closes idle connections, and resolves when all connections are closed. Bodies
   * in transit may be lost.
   */
  readonly shutdown: () => Promise<void>;
  /**
   * Stops accepting and closes all connections now. Not after a shutdown, where Deno throws outside of
   * any catch (tests/integration/upstream/deno_abort_after_shutdown.md).
   */
  readonly abort: () => void;
}

/**
 * Cause why a server must be replaced: it accepts no connections, or the memory that the runtime
 * keeps for its connections has grown too much.
 */
export type ServerFailure = "not-accepting" | "memory";

/** Runtime: Deno or Bun. */
export interface Runtime {
  /** The name and version. */
  readonly title: string;
  /** The target of its build: the processor, the system, the C library. */
  readonly target: string;
  /** Whether a second server can listen on a port before the first stops; not on Windows. */
  readonly sharesPorts: boolean;
  /** Listens at once; throws the runtime's error, with the `code` of the system error. */
  readonly serve: (options: ServerOptions, handler: Handler) => Server;
  /** Throws when a server could not use the certificate and key; it does not listen. */
  readonly tryTls: (tls: Tls) => void;
  /**
   * Writes to standard output, without blocking on a slow reader. One call at a time.
   *
   * @throws {Error} When the write fails.
   */
  readonly writeOut: (text: string) => Promise<void>;
  /**
   * Writes to standard error, without blocking on a slow reader. One call at a time.
   *
   * @throws {Error} When the write fails.
   */
  readonly writeError: (text: string) => Promise<void>;
}

/**
 * Returns the host and port for a request with an empty Host; `localhost` for a wildcard address.
 */
export function authorityOf({ hostname, port }: TcpAddress): string {
  if (hostname === "0.0.0.0" || hostname === "::") return `localhost:${port}`;
  return hostPort({ hostname, port });
}

/** Writes a host and port as in a URL: an IPv6 address in brackets (RFC 3986 §3.2.2). */
export function hostPort({ hostname, port }: TcpAddress): string {
  return hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}
