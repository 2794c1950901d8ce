/**
 * The service as a function from a request to a reply. The way of one request:
 *
 * ```text
 * bytes ─ runtime ─► http/handler
 *    ├─ http/target, route: Host, path, method                400 404 405
 *    ├─ http/keys, target: the caller's key, the query        401 414
 *    ├─ page/*, description/* (GET), healthz, readyz, metrics  200 304 503
 *    ├─ body/body: media type, limit, deadline, UTF-8         415 413 408 503
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

import { bindingsOf } from "../binding/bindings.ts";
import type { RequestEvent } from "../telemetry/request_event.ts";
import { type Answer, byteLength, faultAnswer, plainReply, respond } from "./answer.ts";
import { BODY_TIMEOUT_MS } from "../body/body.ts";
import { BodyTurns } from "../body/body_turns.ts";
import type { Exchange } from "./exchange.ts";
import { asFault, tellSafely } from "./failure.ts";
import { checkKey, keyRingOf } from "./keys.ts";
import { question } from "./questions.ts";
import { type Route, ROUTES } from "./route.ts";
import { allowOf, createRouter, type Found, routeFor, type Router } from "./router.ts";
import type { HandlerOptions, HandlerState, Telemetry } from "./state.ts";
import { checkTarget, type Target, targetOf } from "./target.ts";

/** Answers a request. It never rejects, whatever fails inside. */
export type Handler = (request: Request) => Promise<Response>;

/**
 * Makes the handler of a service.
 *
 * @param rows What it answers; all that there is, unless given.
 */
export function createHandler(
  options: HandlerOptions,
  rows: readonly Route[] = ROUTES,
): Handler {
  const state: HandlerState = {
    ...options,
    bindings: bindingsOf(options.namespace),
    keys: keyRingOf(options.apiKeys),
    bodyTimeoutMs: options.bodyTimeoutMs ?? BODY_TIMEOUT_MS,
    bodyTurns: new BodyTurns(),
  };
  const router = createRouter(state, rows);
  const answer = (request: Request): Promise<Answer> => answerBy(router, request, state);
  const { telemetry } = options;
  return async (request) => {
    try {
      return telemetry === undefined
        ? respond(request, await answer(request))
        : await answerAndTell(request, answer, telemetry);
    } catch (error) {
      return respond(request, lastAnswer(router, request, error, state));
    }
  };
}

async function answerAndTell(
  request: Request,
  answer: (request: Request) => Promise<Answer>,
  telemetry: Telemetry,
): Promise<Response> {
  const startMs = telemetry.monotonicMs();
  const requestId = telemetry.requestId();
  const answered = await answer(request);
  const response = respond(request, answered, { "x-request-id": requestId });
  const durationMs = telemetry.monotonicMs() - startMs;
  const event = eventOf(request, answered, { requestId, durationMs });
  tellSafely(() => telemetry.observe(event));
  return response;
}

// The answer when something fails that is in no route's hands. Callers of `/Validate.aspx` take
// anything but its `False` for a right pin.
function lastAnswer(
  router: Router,
  request: Request,
  error: unknown,
  { log }: HandlerState,
): Answer {
  const fault = asFault(error, log);
  const found = router(targetOf(request, null).path);
  const route = found && (routeFor(found, request.method) ?? found.routes[0]);
  return route?.answerer.fail(fault, route.name) ?? faultAnswer(fault, UNKNOWN);
}

const KNOWN_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "OPTIONS"]);

function eventOf(
  request: Request,
  { status, route, outcome, operation = "", binding = "", body, caller, facts }: Answer,
  measured: Pick<RequestEvent, "requestId" | "durationMs">,
): RequestEvent {
  const method = KNOWN_METHODS.has(request.method) ? request.method : "other";
  const replyBytes = request.method === "HEAD" || body === null ? 0 : byteLength(body);
  const told = { operation, binding, caller, facts };
  return { method, route, status, outcome, ...told, replyBytes, ...measured };
}

/** The name of all paths that are no route. */
const UNKNOWN = "unknown";

async function answerBy(router: Router, request: Request, state: HandlerState): Promise<Answer> {
  const target = targetOf(request, request.headers.get("host"));
  const found = router(target.path);
  const route = found && routeFor(found, request.method);
  const { name, wantsKey } = route ?? found?.routes[0] ?? { name: UNKNOWN, wantsKey: true };
  let caller: string | undefined;
  const exchange: Exchange = {
    request,
    target,
    route: name,
    operationName: found?.operationName,
    admit: () => caller = admit(request, target, wantsKey, state),
  };
  const { answer } = route?.answerer ??
    question(state, () => found ? methodReply(request, found) : NOT_FOUND);
  const answered = await answer(exchange);
  return caller === undefined ? answered : { ...answered, caller };
}

function admit(
  request: Request,
  target: Target,
  wantsKey: boolean,
  { keys }: HandlerState,
): string | undefined {
  checkTarget(request, target);
  return wantsKey && keys !== undefined ? checkKey(request, keys).name : undefined;
}

const NOT_FOUND = { ...plainReply(404, "Not found."), outcome: "not-found" } as const;

function methodReply(request: Request, found: Found): ReturnType<Parameters<typeof question>[1]> {
  const headers = { allow: allowOf(found) };
  if (request.method === "OPTIONS") return { status: 204, contentType: "", body: null, headers };
  const reply = plainReply(405, `Method not allowed. Expected ${headers.allow}.`);
  return { ...reply, outcome: "method-not-allowed", headers };
}
