/**
 * What a handler is made with.
 *
 * @module
 */

import type { Binding } from "../bindings/binding.ts";
import type { ServiceContext } from "../operations/context.ts";
import type { ServicePage } from "../page/documents.ts";
import type { Log } from "../telemetry/log.ts";
import type { RequestEvent } from "../telemetry/request_event.ts";
import type { BodyLimit } from "./body_limit.ts";
import type { KeyRing } from "./api_keys.ts";
import type { BaseOptions } from "./request_target.ts";

/** What a handler needs. */
export interface HandlerOptions extends BaseOptions {
  /** The namespace name of the service, an absolute URI that ends with a slash. */
  readonly namespace: string;
  /** What the operations need. */
  readonly service: ServiceContext;
  /** Where unexpected errors go. */
  readonly log: Pick<Log, "error">;
  /** Whether the server takes new work; while it does not, `/readyz` answers 503. */
  readonly isReady: () => boolean;
  /** Wrong pins that the guard allows for a secret, which the service page says. */
  readonly maxFailures?: number | undefined;
  /** Whether the guard accepts a code once only, which the service page says. */
  readonly singleUse?: boolean | undefined;
  /**
   * The keys that callers must show one of; without any, no caller must. A ring where they have names,
   * or others are to take their place.
   */
  readonly apiKeys?: readonly string[] | KeyRing | undefined;
  /** The page for people; without it, `/api.asmx` names the descriptions for tools. */
  readonly page?: ServicePage | undefined;
  /** Gives the text of `/metrics`; without it, that is no route. */
  readonly metricsPage?: (() => string) | undefined;
  /** The name of the address that the operator port listens on, which its Host may have. */
  readonly operatorHost?: string | undefined;
  /** Who is told of requests; without it, nobody is. */
  readonly telemetry?: Telemetry | undefined;
  /** How long a body may take to arrive, in milliseconds; 10 s unless given. */
  readonly bodyTimeoutMs?: number | undefined;
}

/** Who is told of requests, and what that takes. */
export interface Telemetry {
  /** Told of every request once it is answered. */
  readonly observe: (event: RequestEvent) => void;
  /** Makes the name of a request, which its reply carries as `X-Request-Id`. */
  readonly requestId: () => string;
  /** A clock for durations, in milliseconds. */
  readonly monotonicMs: () => number;
}

/** The options, and what is made of them once. */
export interface ResolvedOptions extends HandlerOptions {
  /** The bindings of the service, in the order in which they are asked. */
  readonly bindings: readonly Binding[];
  /** The keys that callers must show one of; undefined where none must. */
  readonly keys: KeyRing | undefined;
  /** The limit for bodies that are read at once, and for the time of each. */
  readonly bodyLimit: BodyLimit;
}
