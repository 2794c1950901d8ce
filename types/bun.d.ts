// The few parts of Bun that lib/server/runtime/bun.ts and the reports of faults use, after its own types (npm `bun-types` 1.4.5).

declare namespace Bun {
  interface ServeOptions {
    readonly unix?: string;
    readonly hostname?: string;
    readonly port?: number;
    readonly reusePort?: boolean;
    readonly tls?: {
      readonly cert: string;
      readonly key: string;
      readonly ciphers: string;
    };
    readonly fetch: (request: Request) => Promise<Response> | Response;
    readonly error?: (error: unknown) => Response;
    readonly development?: boolean;
    readonly maxRequestBodySize?: number;
    /** In seconds, at most 255. */
    readonly idleTimeout?: number;
  }
  interface Server {
    /** Undefined on a unix socket, like the port. */
    readonly hostname: string | undefined;
    readonly port: number | undefined;
    readonly pendingRequests: number;
    /** Null on a unix socket. */
    requestIP(request: Request): { readonly address: string } | null;
    stop(closeActiveConnections?: boolean): Promise<void>;
  }
  const version: string;
  function serve(options: ServeOptions): Server;
}
