/**
 * The handler of a service, put together from the options.
 *
 * @module
 */

import type { Config } from "../config/config.ts";
import type { Guard } from "../guard/guard.ts";
import { createHandler, type Handler } from "../http/handler.ts";
import type { Route } from "../http/routes.ts";
import type { HandlerOptions } from "../http/options.ts";

/** What the handler of a service gets beside its options. */
export interface HandlerParts extends
  Omit<
    HandlerOptions,
    "service" | "namespace" | "baseUrl" | "trustProxy" | "maxFailures" | "singleUse"
  > {
  /** The clock: milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: () => number;
  /** What holds guessing and reuse off; without it, every pin is looked at. */
  readonly guard?: Guard | undefined;
}

/**
 * Makes the handler of a service.
 *
 * @param rows What it answers; all that there is, unless given.
 */
export function serviceHandler(
  config: Config,
  { now, guard, ...parts }: HandlerParts,
  rows?: readonly Route[],
): Handler {
  const { namespace, baseUrl, trustProxy, maxFailures, singleUse, secretEncoding, html } = config;
  const service = { otp: config, secretEncoding, html, now, guard };
  const options = { namespace, baseUrl, trustProxy, maxFailures, singleUse };
  return createHandler({ ...options, service, ...parts }, rows);
}
