/**
 * The service as a function from a request to a reply. The way of one request:
 *
 * ```text
 * Request ─ server/listen ─► http/handler
 *    ├─ http/request_target  Host, path, query                400 414
 *    ├─ http/router          route of the path and method     404 405
 *    ├─ http/api_keys        key of the caller                401
 *    ├─ http/body            media type, length, time         408 413 415 503
 *    ├─ bindings/*           body or query → call             fault
 *    ├─ operations/*         arguments, then one of:          fault
 *    │     ├─ pair:          otp/key_uri → qr/encode → qr/svg → xml/writer
 *    │     └─ validate_pin:  guard admits → otp/totp → guard settles
 *    ├─ bindings/*           result → reply, fault → reply
 *    └─ http/response        reply → Response; one event for log and metrics, without arguments
 * ```
 *
 * @module
 */

import { bindingsOf } from "../bindings/bindings.ts";
import type { RequestEvent } from "../telemetry/request_event.ts";
import {
  byteLength,
  faultReply,
  type OutgoingReply,
  plainReply,
  respond,
  type RouteResult,
} from "./response.ts";
import { BodyLimit } from "./body_limit.ts";
import { Exchange, type RouteHandler } from "./exchange.ts";
import { ignoreErrors, toFault } from "./failure.ts";
import { keyRingOf } from "./api_keys.ts";
import { textRoute } from "./probes.ts";
import { type Route, ROUTES } from "./routes.ts";
import { allowOf, createRouter, type Found, methodOf, routeFor, type Router } from "./router.ts";
import type { HandlerOptions, ResolvedOptions } from "./options.ts";
import { targetOf } from "./request_target.ts";

/** Answers a request; never rejects. */
export type Handler = (request: Request) => Promise<Response>;

/**
 * Makes the handler of a service.
 *
 * @param rows Routes of the service; all of them by default.
 */
export function createHandler(
  options: HandlerOptions,
  rows: readonly Route[] = ROUTES,
): Handler {
  const state: ResolvedOptions = {
    ...options,
    bindings: bindingsOf(options.namespace),
    keys: keyRingOf(options.apiKeys),
    bodyLimit: new BodyLimit(options.bodyTimeoutMs),
  };
  const router = createRouter(state, rows);
  const { telemetry } = options;
  return async (request) => {
    try {
      const requestId = telemetry?.requestId();
      const startMs = telemetry?.monotonicMs() ?? 0;
      const { exchange, routeHandler } = arrive(request, router, state);
      const answer = await routeHandler.answer(exchange);
      const response = respond(exchange.method, answer.reply, requestId);
      if (telemetry === undefined || requestId === undefined) return response;
      const durationMs = telemetry.monotonicMs() - startMs;
      const peer = telemetry.peer?.(request);
      const event = { ...eventOf(exchange, answer, requestId, durationMs), ...(peer && { peer }) };
      ignoreErrors(() => telemetry.observe(event));
      return response;
    } catch (error) {
      return respond(methodOf(request), lastReply(router, request, error, state));
    }
  };
}

// Writes the reply after a failure outside of any route handler. The route still writes the reply:
// callers of `/Validate.aspx` take any text but `False` for a right pin.
function lastReply(
  router: Router,
  request: Request,
  error: unknown,
  { log }: ResolvedOptions,
): OutgoingReply {
  const fault = toFault(error, log);
  const found = router(targetOf(request, null).path);
  const route = found && (routeFor(found, methodOf(request)) ?? found.routes[0]);
  return route?.routeHandler.fail(fault) ?? faultReply(fault);
}

const KNOWN_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "OPTIONS"]);

function eventOf(
  { method: sent, route, caller }: Exchange,
  { reply: { status, body }, outcome, operation = "", binding = "", facts }: RouteResult,
  requestId: string,
  durationMs: number,
): RequestEvent {
  const method = KNOWN_METHODS.has(sent) ? sent : "other";
  const replyBytes = method === "HEAD" || body === null ? 0 : byteLength(body);
  const call = { operation, binding, caller: caller?.name, facts };
  return { requestId, method, route, ...call, status, outcome, durationMs, replyBytes };
}

/** Route name of every path without a route. */
const UNKNOWN = "unknown";

function arrive(
  request: Request,
  router: Router,
  state: ResolvedOptions,
): { readonly exchange: Exchange; readonly routeHandler: RouteHandler } {
  const target = targetOf(request, request.headers.get("host"));
  const found = router(target.path);
  const method = methodOf(request);
  const route = found && routeFor(found, method);
  const { name, wantsKey } = route ?? found?.routes[0] ?? { name: UNKNOWN, wantsKey: true };
  const exchange = new Exchange(request, target, {
    method,
    route: name,
    operationName: found?.operationName,
    keys: wantsKey ? state.keys : undefined,
  });
  const routeHandler = route?.routeHandler ??
    textRoute(state, () => found ? methodAnswer(method, found) : NOT_FOUND);
  return { exchange, routeHandler };
}

const NOT_FOUND: RouteResult = { reply: plainReply(404, "Not found."), outcome: "not-found" };

function methodAnswer(method: string, found: Found): RouteResult {
  const headers = { allow: allowOf(found) };
  if (method === "OPTIONS") {
    return { reply: { status: 204, contentType: "", body: null, headers }, outcome: "ok" };
  }
  const reply = plainReply(405, `Method not allowed. Expected ${headers.allow}.`);
  return { reply: { ...reply, headers }, outcome: "method-not-allowed" };
}
