/**
 * Routes of probes: health, readiness, metrics.
 *
 * @module
 */

import { plainReply } from "../bindings/binding.ts";
import type { RequestContext } from "./route.ts";
import type { RouteResult } from "./response.ts";

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

function okWith(body: string): RouteResult {
  return { reply: { status: 200, contentType: "text/plain; charset=utf-8", body }, outcome: "ok" };
}

const OK = okWith("ok");
const STORE_AWAY = okWith("ok; the store does not answer");
const PART_AWAY = okWith("ok; a part of the store does not answer");
const NOT_READY: RouteResult = { reply: plainReply(503, "Not ready."), outcome: "not-ready" };

/** Answers `/healthz`: always 200. */
export function answerHealth(): RouteResult {
  return OK;
}

/**
 * Answers `/readyz` for load balancers: ready when the server takes new work and its store has
 * answered since the start. A later outage of the store does not count: all instances share the
 * store, and without it an instance still answers `false`.
 */
export function answerReadiness({ parts }: RequestContext): RouteResult {
  const { isReady, pinGuard } = parts;
  const store = pinGuard?.shared;
  const isHealthy = store === undefined || store.isHealthy();
  if (!isReady() || isHealthy === undefined) return NOT_READY;
  if (!isHealthy) return STORE_AWAY;
  return store?.failing().length ? PART_AWAY : OK;
}

/** Answers `/metrics`. */
export function answerMetrics({ parts: { metricsPage } }: RequestContext): RouteResult {
  const body = metricsPage?.() ?? "";
  return { reply: { status: 200, contentType: METRICS_TYPE, body }, outcome: "ok" };
}
