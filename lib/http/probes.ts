/**
 * Routes that call no operation: pictures, health, metrics, and the redirect to the service.
 *
 * @module
 */

import { FORM, readForm, readQuery } from "../bindings/form_urlencoded.ts";
import { charsetOf, parseMediaType } from "../bindings/media_type.ts";
import { qrPicture } from "../bindings/qr_aspx.ts";
import { faultReply, faultResult, plainReply, type RouteResult } from "./response.ts";
import { readBody } from "./body.ts";
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

/** Liveness: always 200. */
export function health(state: ResolvedOptions): RouteHandler {
  return textRoute(state, () => OK);
}

/**
 * Readiness for load balancers: the server takes new work, and its store has answered since the
 * start. A later outage of the store does not count: all instances share the store, and without it
 * an instance still answers `false`.
 */
export function readiness(state: ResolvedOptions): RouteHandler {
  const { isReady, service: { guard } } = state;
  return textRoute(state, () => {
    const isHealthy = guard === undefined || guard.store.isHealthy();
    if (!isReady() || isHealthy === undefined) return NOT_READY;
    return isHealthy ? OK : STORE_AWAY;
  });
}

/** Handler of `/metrics`; undefined when the operator disabled it. */
export function metrics(state: ResolvedOptions): RouteHandler | undefined {
  const { metricsPage } = state;
  return metricsPage && textRoute(state, () => ({
    reply: { status: 200, contentType: METRICS_TYPE, body: metricsPage() },
    outcome: "ok",
  }));
}

/**
 * Draws any text as a QR code. A form without a query holds the text in its body, so that a secret
 * need not be in a URL.
 */
export function picture(state: ResolvedOptions): RouteHandler {
  const { bodyLimit: limit } = state;
  return textRoute(state, async ({ request, target }) => {
    const mediaType = parseMediaType(request.headers.get("content-type"));
    const isForm = request.method === "POST" && target.query === "" && mediaType.essence === FORM;
    if (!isForm) return { reply: qrPicture(readQuery(target.query)), outcome: "ok" };
    const bytes = await readBody(request, mediaType, { mediaTypes: [FORM], limit });
    return { reply: readForm(bytes, charsetOf(mediaType), qrPicture), outcome: "ok" };
  });
}

/** Redirect from the root to the service. */
export function redirect(state: ResolvedOptions): RouteHandler {
  // A proxy may have removed a path prefix. Without a base URL that names it, a reference relative
  // to the path is right with and without a prefix (RFC 9110 §10.2.2).
  const { baseUrl } = state;
  const headers = { location: baseUrl === undefined ? "api.asmx" : `${baseUrl}/api.asmx` };
  const reply = { ...plainReply(302, "See /api.asmx."), headers };
  const answer: RouteResult = { reply, outcome: "ok" };
  return textRoute(state, () => answer);
}
