/**
 * Maker of the service: options and parts in, handlers out.
 *
 * @module
 */

import { createHandler, type Handler } from "../http/handler.ts";
import type { HandlerOptions } from "../http/handler_options.ts";
import { OPERATOR_ROUTES } from "../http/routes.ts";
import type { ServiceContext } from "../operations/context.ts";
import { checkFinder, FINDERS } from "../otp/finder.ts";
import type { Config } from "./options.ts";

/** Parts of a service. One with the name of an option would be left out, and does not compile. */
export type ServiceParts =
  & Omit<HandlerOptions, keyof Config | "selfCheck" | "unconfirmed">
  & {
    /** Resolves when pins can be checked; the first checks wait for it. */
    readonly storeReady?: Promise<void> | undefined;
  };

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
  { storeReady, ...parts }: ServiceParts,
): Service {
  const selfCheck = Promise.all([checkFinder(FINDERS[config.algorithm], config), storeReady])
    .then(() => {});
  // A server does not start, and a library answers no pin: each call reports it.
  selfCheck.catch(() => {});
  const options = { ...config, ...parts, selfCheck, unconfirmed: { count: 0 } };
  // Metrics are not for callers where there is an operator port.
  const metricsPage = config.metricsPort === undefined ? parts.metricsPage : undefined;
  return {
    handler: createHandler({ ...options, metricsPage }),
    operatorHandler: createHandler({ ...options, isTls: false }, OPERATOR_ROUTES),
    context: options,
    selfCheck,
  };
}
