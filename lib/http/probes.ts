/**
 * Routes for the operator: health, readiness, metrics.
 *
 * @module
 */

import { faultReply, faultResult, plainReply, type RouteResult } from "./response.ts";
import type { Exchange, RouteHandler } from "./exchange.ts";
import { toFault } from "./failure.ts";
import type { ResolvedOptions } from "./options.ts";

/**
 * Makes a route handler of a function that may throw faults, which are written as a sentence of
 * text.
 */
export function textRoute(
  { log }: Pick<ResolvedOptions, "log">,
  answer: (exchange: Exchange) => RouteResult | Promise<RouteResult>,
): RouteHandler {
  return {
    answer: async (exchange) => {
      try {
        exchange.authorize();
        return await answer(exchange);
      } catch (error) {
        return faultResult(toFault(error, log));
      }
    },
    fail: faultReply,
  };
}

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const OK: RouteResult = {
  reply: { status: 200, contentType: "text/plain; charset=utf-8", body: "ok" },
  outcome: "ok",
};
const STORE_AWAY: RouteResult = {
  reply: { ...OK.reply, body: "ok; the store does not answer" },
  outcome: "ok",
};
const NOT_READY: RouteResult = { reply: plainReply(503, "Not ready."), outcome: "not-ready" };

/** Makes the liveness route: always 200. */
export function health(state: ResolvedOptions): RouteHandler {
  return textRoute(state, () => OK);
}

/**
 * Makes the readiness route for load balancers: ready when the server takes new work and its store
 * has answered since the start. A later outage of the store does not count: all instances share the
 * store, and without it an instance still answers `false`.
 */
export function readiness(state: ResolvedOptions): RouteHandler {
  const { isReady, service: { guard } } = state;
  return textRoute(state, () => {
    const isHealthy = guard === undefined || guard.store.isHealthy();
    if (!isReady() || isHealthy === undefined) return NOT_READY;
    return isHealthy ? OK : STORE_AWAY;
  });
}

/** Makes the route of the metrics page; the page is empty when the options render no metrics. */
export function metrics(state: ResolvedOptions): RouteHandler {
  const { metricsPage = () => "" } = state;
  return textRoute(state, () => ({
    reply: { status: 200, contentType: METRICS_TYPE, body: metricsPage() },
    outcome: "ok",
  }));
}
