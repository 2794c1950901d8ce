/**
 * The service as a function from a request to a reply; docs/house.md draws the way of a request.
 *
 * @module
 */

import { VALIDATE_ASPX } from "../bindings/aspx.ts";
import { plainReply } from "../bindings/binding.ts";
import { bindingsOf } from "../bindings/bindings.ts";
import { writePlainFault } from "../bindings/http_get_post.ts";
import { parseMediaType } from "../bindings/media_type.ts";
import { Fault } from "../operations/fault.ts";
import { factsOfFault, type RequestEvent } from "../telemetry/request_event.ts";
import { BodyLimit } from "./body_limit.ts";
import { createDocuments } from "./documents.ts";
import type { HandlerOptions, Telemetry } from "./handler_options.ts";
import type { HandlerParts, RequestContext, Route } from "./route.ts";
import { checkHost, checkQuery, targetOf } from "./request_target.ts";
import { byteLength, faultOf, respond, type RouteResult, withStatusFields } from "./response.ts";
import {
  allowOf,
  createRouter,
  methodOf,
  routeFor,
  type RouteMatch,
  type Router,
} from "./router.ts";
import { ROUTES } from "./routes.ts";

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
  const parts: HandlerParts = {
    ...options,
    bindings: bindingsOf(options.namespace),
    bodyLimit: new BodyLimit(),
    documents: createDocuments(options),
  };
  const router = createRouter(options, rows);
  let hasWarned = false;
  return async (request) => {
    let context: RequestContext | undefined;
    let result: RouteResult;
    let response: Response;
    try {
      context = contextOf(request, router, parts);
      authorize(context);
      result = await context.route.answer(context);
      response = respond(methodOf(request), result.reply, context.id);
    } catch (error) {
      const writeFault = context?.binding?.writeFault ?? writerOf(request, router, parts);
      const fault = faultOf(error, parts.log);
      result = faultResult(fault, writeFault);
      if (!hasWarned && fault.isMissing && context?.binding === VALIDATE_ASPX) {
        hasWarned = true;
        warn(parts.log);
      }
      response = respond(methodOf(request), result.reply, context?.id);
    }
    if (context !== undefined) observe(context, result);
    if (context?.operation?.repliesInBatches) await parts.replyBatch?.();
    return response;
  };
}

// A log that fails must not keep the caller from a reply.
function warn(log: HandlerOptions["log"]): void {
  try {
    log.warn?.(
      "a call of /Validate.aspx lacked a parameter in its query and was not answered False: a caller " +
        "that takes any other text for a success lets everyone in by it",
    );
  } catch {
    // Ignored: there is no other place to report it.
  }
}

function faultResult(fault: Fault, writeFault: typeof writePlainFault): RouteResult {
  return {
    reply: withStatusFields(writeFault(fault)),
    outcome: fault.code,
    facts: factsOfFault(fault),
  };
}

/**
 * Draws the id of a request.
 *
 * @throws {TypeError} When a header field cannot hold it (RFC 9110 §5.5).
 */
function requestIdOf(telemetry: Telemetry | undefined): string | undefined {
  const id = telemetry?.requestId();
  if (id !== undefined && !/^[\x21-\x7e]+$/.test(id)) {
    throw new TypeError("A request id must be visible ASCII");
  }
  return id;
}

/** Row of a path without one. */
const UNKNOWN: Route = {
  path: "",
  methods: [],
  name: "unknown",
  answer: () => ({ reply: plainReply(404, "Not found."), outcome: "not-found" }),
};

function contextOf(request: Request, router: Router, parts: HandlerParts): RequestContext {
  const { headers } = request;
  const target = targetOf(request, headers.get("host"));
  const match = router(target.path);
  const sent = methodOf(request);
  const route = match === undefined ? UNKNOWN : routeFor(match, sent) ?? otherMethods(match);
  const context: RequestContext = {
    method: sent === "HEAD" ? "GET" : sent,
    operationName: match?.operationName,
    query: target.query,
    mediaType: parseMediaType(headers.get("content-type")),
    headers,
    request,
    target,
    route,
    parts,
    id: requestIdOf(parts.telemetry),
    startMs: parts.telemetry?.monotonicMs() ?? 0,
    body: NO_BODY,
    caller: undefined,
    binding: undefined,
    operation: undefined,
    ignored: undefined,
  };
  // The binding is known before all checks, so that their faults are in its form: callers of
  // `/Validate.aspx` take any text but `False` for a success.
  context.binding = route.bindings?.(parts).find((binding) => binding.accepts(context));
  return context;
}

const NO_BODY = new Uint8Array();

/** Makes the row of a path for the methods that it does not have. */
function otherMethods(match: RouteMatch): Route {
  const [{ bindings: _, ...first }] = match.routes;
  return { ...first, answer: ({ method }) => methodAnswer(method, allowOf(match)) };
}

function methodAnswer(method: string, allow: string): RouteResult {
  const headers = { allow };
  if (method === "OPTIONS") {
    return { reply: { status: 204, contentType: "", body: null, headers }, outcome: "ok" };
  }
  const reply = plainReply(405, `Method not allowed. Expected ${allow}.`);
  return { reply: { ...reply, headers }, outcome: "method-not-allowed" };
}

// Browsers show this text when their login dialog is cancelled.
const KEY_WANTED =
  "An API key is required: as X-Api-Key, as a Bearer token, or in HTTP Basic with any user name and the key as password.";

/**
 * Checks that the service is open, the Host, the page that sent it, the length of the query, and the
 * key if one is required.
 *
 * @throws {Fault} When a check fails.
 */
function authorize(context: RequestContext): void {
  const { request, target, route, parts: { apiKeys, metricsHost, isClosed } } = context;
  if (isClosed?.() && !route.isOpen) throw new Fault("closed", "The service is closed.");
  if (route.isForOperators) {
    checkHost(target, { metricsHost });
    checkOperator(context);
  } else checkHost(target);
  checkQuery(target);
  if (apiKeys === undefined || route.isOpen === true) return;
  context.caller = apiKeys.callerOf(request);
  if (context.caller === undefined) throw new Fault("unauthorized", KEY_WANTED);
}

/** Values of `Sec-Fetch-Site` of a request that no page of another origin made. */
const OWN_SITES: ReadonlySet<string> = new Set(["none", "same-origin"]);

// Refuses pages: one of another port of this machine has an allowed Host, and could send secrets that
// it guesses (Fetch Metadata Request Headers §2). A link to the status is followed: no page can read
// what it shows.
function checkOperator({ request: { headers }, method, route }: RequestContext): void {
  const isLink = route.name === "status" && method === "GET" &&
    headers.get("sec-fetch-mode") === "navigate";
  const isOwn = headers.get("origin") === null &&
    OWN_SITES.has(headers.get("sec-fetch-site") ?? "none");
  if (!isLink && !isOwn) {
    throw new Fault("forbidden", "This path does not answer pages: ask it from a program.");
  }
}

// Finds the writer of a fault for a request whose binding is unknown: of the path's only binding, or
// else plain text.
function writerOf(
  request: Request,
  router: Router,
  parts: HandlerParts,
): typeof writePlainFault {
  const [route] = router(targetOf(request, null).path)?.routes ?? [UNKNOWN];
  const [binding, second] = route.bindings?.(parts) ?? [];
  return second === undefined && binding !== undefined ? binding.writeFault : writePlainFault;
}

const KNOWN_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "OPTIONS"]);

/** Reports an answered request. A failure of the observer must not turn an answer into an error. */
function observe(context: RequestContext, { reply, outcome, facts }: RouteResult): void {
  const { request, id, startMs, route, binding, operation, caller, ignored } = context;
  const { telemetry } = context.parts;
  if (telemetry === undefined || id === undefined) return;
  try {
    const sent = methodOf(request);
    const peer = telemetry.peer?.(request);
    const event: RequestEvent = {
      requestId: id,
      method: KNOWN_METHODS.has(sent) ? sent : "other",
      route: route.name,
      operation: operation?.name ?? "",
      binding: binding?.name ?? "",
      caller: caller?.name,
      facts: ignored ? { ...facts, ignored } : facts,
      status: reply.status,
      outcome,
      durationMs: telemetry.monotonicMs() - startMs,
      replyBytes: sent === "HEAD" ? 0 : byteLength(reply.body),
      ...(peer && { peer }),
    };
    telemetry.observe(event);
  } catch {
    // Ignored: there is no other place to report it.
  }
}
