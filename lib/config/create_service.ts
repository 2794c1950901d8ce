/**
 * Maker of the service: options and parts in, handlers out.
 *
 * @module
 */

import type { Guard } from "../guard/guard.ts";
import { createHandler, type Handler } from "../http/handler.ts";
import type { HandlerOptions } from "../http/options.ts";
import { OPERATOR_ROUTES } from "../http/routes.ts";
import type { ServiceContext } from "../operations/context.ts";
import { checkFinder, FINDERS } from "../otp/finder.ts";
import type { SealKeys } from "../sealing/seal_keys.ts";
import type { Config } from "./options.ts";

/** Parts of a service that are not options. */
export interface ServiceParts extends
  Pick<
    HandlerOptions,
    | "apiKeys"
    | "log"
    | "isReady"
    | "telemetry"
    | "page"
    | "metricsPage"
    | "status"
    | "bodyTimeoutMs"
  > {
  /** Clock: milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: () => number;
  /** Guard; without it, every pin is checked. */
  readonly guard?: Guard | undefined;
  /** Keys of sealed secrets; without them, none can be opened. */
  readonly sealKeys?: SealKeys | undefined;
}

/** A service. */
export interface Service {
  /** Handler of callers' requests. */
  readonly handler: Handler;
  /** Handler of the operator port: probes, `/metrics`, `/status` and `/guard/*`. */
  readonly operatorHandler: Handler;
  /** Context of the operations, for calls in this process. */
  readonly context: ServiceContext;
  /** Rejects when the codes that pins are found by differ from WebCrypto's. */
  readonly selfCheck: Promise<void>;
}

/** Makes the service of its options. */
export function createService(
  config: Config,
  { now, guard, sealKeys, ...parts }: ServiceParts,
): Service {
  const { secretEncoding, html, metricsHost, metricsPort, ...settings } = config;
  const { namespace, baseUrl, trustProxy, maxFailures, singleUse } = settings;
  const selfCheck = checkFinder(FINDERS[config.algorithm], config);
  // A server does not start, and a library answers no pin: each call reports it.
  selfCheck.catch(() => {});
  const { log } = parts;
  const context: ServiceContext = {
    otp: config,
    secretEncoding,
    html,
    now,
    guard,
    sealKeys,
    log,
    selfCheck,
  };
  const options: HandlerOptions = {
    namespace,
    baseUrl,
    trustProxy,
    maxFailures,
    singleUse,
    ...parts,
    service: context,
    operatorHost: metricsHost,
  };
  return {
    // Metrics are not for callers where there is an operator port.
    handler: createHandler(
      metricsPort === undefined ? options : { ...options, metricsPage: undefined },
    ),
    operatorHandler: createHandler(options, OPERATOR_ROUTES),
    context,
    selfCheck,
  };
}
