/**
 * The service as a function from a request to a reply. The way of one request:
 *
 * ```text
 * bytes ─ runtime ─► http/handler
 *    ├─ http/target, route: Host, path, method                400 404 405
 *    ├─ http/keys, target: the caller's key, the query        401 414
 *    ├─ page/*, description/* (GET), healthz, readyz, metrics  200 304 503
 *    ├─ http/body: media type, limit, deadline, UTF-8         415 413 408 503
 *    ├─ binding.readCall: xml/* | query | form | JSON         fault
 *    ├─ service: OPERATIONS.get(name).invoke(args, context)
 *    │     ├─ pair:          otp/key_uri → qr/encode → qr/svg
 *    │     └─ validate_pin:  guard → otp/totp → guard
 *    ├─ binding.writeReply | writeFault
 *    └─ one event for log and metrics, never the arguments
 * ```
 *
 * @module
 */

import { eTag } from "@std/http/etag";
import { validateAspxBinding } from "../binding/aspx.ts";
import type { Reply } from "../binding/binding.ts";
import { bindingsOf } from "../binding/bindings.ts";
import { qrPicture } from "../binding/qr_aspx.ts";
import type { Fault } from "../service/fault.ts";
import type { RequestEvent } from "../telemetry/request_event.ts";
import { type Answer, byteLength, faultAnswer, isFresh, plainReply, respond } from "./answer.ts";
import { BodyTurns } from "./body_turns.ts";
import { answerCall, isCall } from "./call.ts";
import { describe } from "./documents.ts";
import { createKeyCheck } from "./keys.ts";
import { type Route, routeOf } from "./route.ts";
import {
  asFault,
  checkKey,
  type HandlerOptions,
  type HandlerState,
  type Telemetry,
  tellSafely,
} from "./state.ts";
import { baseOf, checkTarget, type Target, targetOf } from "./target.ts";

/** Answers a request. It never rejects, whatever fails inside. */
export type Handler = (request: Request) => Promise<Response>;

/** Makes the handler of a service. */
export function createHandler(options: HandlerOptions): Handler {
  const hasKey = createKeyCheck(options.apiKeys ?? []);
  const state: HandlerState = {
    ...options,
    bindings: bindingsOf(options.namespace),
    hasKey,
    bodyTurns: new BodyTurns(),
  };
  const { telemetry } = options;
  return async (request) => {
    try {
      return telemetry === undefined
        ? respond(request, await answer(request, state))
        : await answerAndTell(request, state, telemetry);
    } catch (error) {
      return respond(request, lastAnswer(request, asFault(error, state)));
    }
  };
}

async function answerAndTell(
  request: Request,
  state: HandlerState,
  telemetry: Telemetry,
): Promise<Response> {
  const startMs = telemetry.monotonicMs();
  const requestId = telemetry.requestId();
  const answered = await answer(request, state);
  const response = respond(request, answered, { "x-request-id": requestId });
  const durationMs = telemetry.monotonicMs() - startMs;
  const event = eventOf(request, answered, { requestId, durationMs });
  tellSafely(() => telemetry.observe(event));
  return response;
}

// The answer when something fails that is in no binding's hands. Callers of `/Validate.aspx` take
// anything but its `False` for a right pin.
function lastAnswer(request: Request, fault: Fault): Answer {
  const { name } = routeOf(targetOf(request).path);
  return name === "validate.aspx"
    ? { ...validateAspxBinding().writeFault(fault), route: name, outcome: fault.code }
    : faultAnswer(fault, name);
}

const KNOWN_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "OPTIONS"]);

function eventOf(
  request: Request,
  { status, route, outcome, operation = "", binding = "", body, facts }: Answer,
  measured: Pick<RequestEvent, "requestId" | "durationMs">,
): RequestEvent {
  const method = KNOWN_METHODS.has(request.method) ? request.method : "other";
  const replyBytes = request.method === "HEAD" || body === null ? 0 : byteLength(body);
  return { method, route, operation, binding, status, outcome, facts, replyBytes, ...measured };
}

async function answer(request: Request, state: HandlerState): Promise<Answer> {
  const target = targetOf(request);
  const route = routeOf(target.path);
  if (isCall(request, route)) return await answerCall(request, target, route, state);
  try {
    checkTarget(request, target);
    if (!route.isPublic) checkKey(request, state);
    return await answerQuestion(request, target, route, state);
  } catch (error) {
    return faultAnswer(asFault(error, state), route.name);
  }
}

/** Answers what is not a call. */
async function answerQuestion(
  request: Request,
  target: Target,
  route: Route,
  state: HandlerState,
): Promise<Answer> {
  const { metricsPage } = state;
  if (route.name === "unknown" || (route.name === "metrics" && metricsPage === undefined)) {
    return { ...plainReply(404, "Not found."), route: "unknown", outcome: "not-found" };
  }
  if (!route.methods.includes(request.method)) return methodAnswer(request, route);
  const facts = { route: route.name, outcome: "ok" } as const;
  switch (route.name) {
    case "root":
      return { ...redirect(state), ...facts };
    case "healthz":
      return { ...OK, ...facts };
    case "readyz":
      return state.isReady()
        ? { ...OK, ...facts }
        : { ...plainReply(503, "Not ready."), ...facts, outcome: "not-ready" };
    case "metrics":
      return { ...metricsReply(metricsPage?.() ?? ""), ...facts };
    case "qr.aspx":
      return { ...qrPicture(target.query), ...facts };
    default:
      return await description(request, target, state);
  }
}

function methodAnswer(request: Request, { name: route, methods }: Route): Answer {
  const headers = { allow: [...methods, "OPTIONS"].join(", ") };
  if (request.method === "OPTIONS") {
    return { status: 204, contentType: "", body: null, route, outcome: "ok", headers };
  }
  const reply = plainReply(405, `Method not allowed. Expected ${headers.allow}.`);
  return { ...reply, route, outcome: "method-not-allowed", headers };
}

async function description(request: Request, target: Target, state: HandlerState): Promise<Answer> {
  const reply = await describe(target.query, {
    namespace: state.namespace,
    base: baseOf(request, target, state),
    path: target.path,
    service: state.service,
    bindings: state.bindings,
    wantsKey: (state.apiKeys ?? []).length > 0,
  });
  const etag = await eTag(reply.body);
  const answered = {
    ...reply,
    route: "description",
    outcome: reply.status === 200 ? "ok" : "not-found",
    headers: { ...reply.headers, "cache-control": "no-cache", etag },
  } as const;
  return reply.status === 200 && isFresh(request.headers.get("if-none-match"), etag)
    ? { ...answered, status: 304, body: null }
    : answered;
}

const OK: Reply = { status: 200, contentType: "text/plain; charset=utf-8", body: "ok" };

// A public base URL may have a path that a proxy takes off; without one, the path is as sent.
function redirect({ baseUrl = "" }: HandlerState): Reply {
  const headers = { location: `${baseUrl}/api.asmx` };
  return { ...plainReply(302, "See /api.asmx."), headers };
}

function metricsReply(body: string): Reply {
  return { status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", body };
}
