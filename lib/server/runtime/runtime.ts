/**
 * What a runtime gives: a server under the handler. `deno.ts` and `bun.ts` are the two there are.
 *
 * @module
 */

import type { Handler } from "../../http/handler.ts";

/** A port of this machine. */
export interface TcpAddress {
  /** An address of this machine, or a name that resolves to one. */
  readonly hostname: string;
  /** A port, or 0 for one that is free. */
  readonly port: number;
}

/** A file that programs of this machine connect to. */
export interface UnixAddress {
  /** The path of the socket. */
  readonly path: string;
}

/** A certificate and its key. */
export interface Tls {
  /** The certificate chain, PEM. */
  readonly cert: string;
  /** The private key of the first certificate, PEM. */
  readonly key: string;
}

/** What a server is to be. */
export interface ServerOptions {
  /** Where it listens. */
  readonly address: TcpAddress | UnixAddress;
  /** What it shows to callers over TLS; undefined for plain HTTP, as on a socket. */
  readonly tls: Tls | undefined;
  /** Whether several servers may listen on that port at the same time. */
  readonly shared: boolean;
  /** Answers where the handler does not. */
  readonly onError: (error: unknown) => Response;
}

/** A server that listens. */
export interface Server {
  /** The address and port chosen; undefined for a socket. */
  readonly address: TcpAddress | undefined;
  /** Resolves when it accepts no more and was not told to stop; else never. */
  readonly failed: Promise<void>;
  /**
   * Stops accepting, closes the connections that carry no request, and resolves when all are closed.
   * Bodies that are being read may be lost.
   */
  readonly shutdown: () => Promise<void>;
}

/** A runtime. */
export interface Runtime {
  /** Its name and version. */
  readonly title: string;
  /** The machine it was built for: the processor, the system, the C library. */
  readonly target: string;
  /** Listens at once; throws what the runtime throws, with the `code` of the system's error. */
  readonly serve: (options: ServerOptions, handler: Handler) => Server;
  /** Throws when a server could not show this to its callers; it listens nowhere for that. */
  readonly tryTls: (tls: Tls) => void;
  /**
   * Writes on standard output, and holds up nothing while nobody reads there. One call at a time.
   *
   * @throws {Error} When it cannot be written.
   */
  readonly writeOut: (text: string) => Promise<void>;
  /**
   * Writes on standard error, and holds up nothing while nobody reads there. One call at a time.
   *
   * @throws {Error} When it cannot be written.
   */
  readonly writeError: (text: string) => Promise<void>;
}

/** Host and port of an address for a request with an empty Host: `localhost` where all are listened on. */
export function authorityOf({ hostname, port }: TcpAddress): string {
  if (hostname === "0.0.0.0" || hostname === "::") return `localhost:${port}`;
  return hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}
