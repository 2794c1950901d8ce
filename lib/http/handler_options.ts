/**
 * Options of a handler.
 *
 * @module
 */

import type { PageSettings, ServicePage } from "../page/service_page.ts";
import type { Log } from "../telemetry/log.ts";
import type { RequestEvent } from "../telemetry/request_event.ts";
import type { ServerStatus } from "../telemetry/status.ts";
import type { KeyRing } from "./api_keys.ts";
import type { BaseOptions } from "./request_target.ts";

/** Options of a handler: those that the page shows, and its parts. */
export interface HandlerOptions extends PageSettings, BaseOptions {
  /** Log for unexpected errors, and for warnings unless it takes none. */
  readonly log: Pick<Log, "error"> & { readonly warn?: Log["warn"] | undefined };
  /** Whether the server takes new work; otherwise `/readyz` answers 503. */
  readonly isReady: () => boolean;
  /**
   * Whether callers connect by TLS; undefined if that is not known. The URL of a request does not tell:
   * on Deno, its scheme is that of an absolute target.
   */
  readonly isTls?: boolean | undefined;
  /** Whether the service is closed; it then answers probes only. */
  readonly isClosed?: (() => boolean) | undefined;
  /** Keys of which callers must show one; undefined when no key is required. */
  readonly apiKeys?: KeyRing | undefined;
  /** Service page for people; without it, `/api.asmx` names the descriptions for tools. */
  readonly page?: ServicePage | undefined;
  /** Renders the text of `/metrics`; without it, there is no such route. */
  readonly metricsPage?: (() => string) | undefined;
  /** Status of the server, for `/status` of the operator port. */
  readonly status?: (() => ServerStatus) | undefined;
  /** Address of the operator port, whose host name its requests may use. */
  readonly metricsHost: string;
  /** Observer of finished requests, if any. */
  readonly telemetry?: Telemetry | undefined;
  /** Resolves when a reply that leaves in a batch is to leave; without it, each leaves at once. */
  readonly replyBatch?: (() => Promise<void>) | undefined;
}

/** Observer of finished requests, with the clock and the id generator it needs. */
export interface Telemetry {
  /** Called with the event of each answered request. */
  readonly observe: (event: RequestEvent) => void;
  /** Makes a request id, which the reply carries as `X-Request-Id`. */
  readonly requestId: () => string;
  /** Monotonic clock for durations, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Returns the address of a request's caller, for the log; absent unless the operator wants it. */
  readonly peer?: ((request: Request) => string | undefined) | undefined;
}
