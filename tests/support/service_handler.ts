/** The handler of a service from options as the command line gives them, and parts of a test. */

import type { Config } from "../../lib/config/options.ts";
import type { Guard } from "../../lib/guard/guard.ts";
import { createHandler, type Handler } from "../../lib/http/handler.ts";
import type { Route } from "../../lib/http/route.ts";
import { servicePage } from "../../lib/page/page.ts";
import type { HandlerOptions } from "../../lib/http/options.ts";

/** Parts of a handler beside its options. */
export interface HandlerParts extends
  Omit<
    HandlerOptions,
    "service" | "namespace" | "baseUrl" | "trustProxy" | "maxFailures" | "singleUse"
  > {
  /** The clock: milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: () => number;
  /** The guard. */
  readonly guard?: Guard | undefined;
}

/** Makes the handler, with the service page; without a guard in `parts`, it checks every pin. */
export function serviceHandler(
  config: Config,
  { now, guard, ...parts }: HandlerParts,
  rows?: readonly Route[],
): Handler {
  const { namespace, baseUrl, trustProxy, maxFailures, singleUse, secretEncoding, html } = config;
  const service = { otp: config, secretEncoding, html, now, guard };
  const options = { namespace, baseUrl, trustProxy, maxFailures, singleUse };
  return createHandler({ page: servicePage, ...options, service, ...parts }, rows);
}
