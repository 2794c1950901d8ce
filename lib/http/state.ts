/**
 * What a handler is made with, and the two questions that every answer asks of it.
 *
 * @module
 */

import type { Binding } from "../binding/binding.ts";
import type { Log } from "../telemetry/log.ts";
import type { RequestEvent } from "../telemetry/request_event.ts";
import type { ServiceContext } from "../service/context.ts";
import { Fault } from "../service/fault.ts";
import type { BodyTurns } from "./body_turns.ts";
import type { BaseOptions } from "./target.ts";

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
  /** The keys that callers must show one of; without any, no caller must. */
  readonly apiKeys?: readonly string[] | undefined;
  /** Gives the text of `/metrics`; without it, that is no route. */
  readonly metricsPage?: (() => string) | undefined;
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
export interface HandlerState extends HandlerOptions {
  /** The bindings in the order in which they are asked. */
  readonly bindings: readonly Binding[];
  /** Whether a request shows a key, where one is wanted. */
  readonly hasKey: (request: Request) => boolean;
  /** Whose body is being read. */
  readonly bodyTurns: BodyTurns;
}

/**
 * Checks that a request shows a key, where one is wanted.
 *
 * @throws {Fault} When it does not.
 */
export function checkKey(request: Request, { hasKey }: HandlerState): void {
  if (!hasKey(request)) throw new Fault("unauthorized", "A key is required.");
}

/**
 * What was thrown as a fault. Whatever is none is a mistake of ours: its cause is logged, and the
 * caller learns nothing.
 */
export function asFault(error: unknown, { log }: Pick<HandlerState, "log">): Fault {
  if (error instanceof Fault) return error;
  tellSafely(() => log.error("a request failed", error));
  return new Fault("internal", "Server was unable to process request.");
}

/** Tells somebody of a request; that it cannot be told must not turn an answer into an error. */
export function tellSafely(tell: () => void): void {
  try {
    tell();
  } catch {
    // There is nobody left to tell.
  }
}
