/**
 * The service as a function from a request to a reply. The way of one request:
 *
 * ```text
 * bytes ─ runtime ─► http/handler
 *    ├─ http/target, route: Host, path, method                400 404 405
 *    ├─ http/keys, target: the caller's key, the query        401 414
 *    ├─ description/* (GET), healthz, readyz, metrics         200 304 503
 *    ├─ http/body: media type, limit, deadline, UTF-8         415 413 408
 *    ├─ binding.readCall: xml/* | query | form | JSON         fault
 *    ├─ service: OPERATIONS.get(name).invoke(args, context)
 *    │     ├─ pair:          otp/key_uri → qr/encode → qr/svg
 *    │     └─ validate_pin:  otp/totp
 *    ├─ binding.writeReply | writeFault
 *    └─ one event for log and metrics, never the arguments
 * ```
 *
 * @module
 */

import { eTag, ifNoneMatch } from "@std/http/etag";
import type { Binding, Reply, ServiceRequest } from "../binding/binding.ts";
import { bindingsOf } from "../binding/bindings.ts";
import { writePlainFault } from "../binding/http_params.ts";
import { parseMediaType } from "../binding/media_type.ts";
import { qrPicture } from "../binding/qr_aspx.ts";
import { describe } from "../description/documents.ts";
import type { Log } from "../log.ts";
import type { ServiceContext } from "../service/context.ts";
import { Fault } from "../service/fault.ts";
import { BODY_TIMEOUT_MS, readBody } from "./body.ts";
import { CHALLENGE, createKeyCheck } from "./keys.ts";
import type { Outcome, RequestEvent, RouteName } from "../request_event.ts";
import { type Route, routeOf } from "./route.ts";
import { baseOf, type BaseOptions, checkQuery, type Target, targetOf } from "./target.ts";

/** What a handler needs. */
export interface HandlerOptions extends BaseOptions {
  /** The namespace name of the service, an absolute URI that ends with a slash. */
  readonly namespace: string;
  /** What the operations need. */
  readonly service: ServiceContext;
  /** Where unexpected errors go. */
  readonly log: Pick<Log, "error">;
  /** Whether the server takes new work; while it does not, `/readyz` answers 503. */
  readonly isReady: () => boolean;
  /** The keys that callers must show one of; without any, no caller must. */
  readonly apiKeys?: readonly string[] | undefined;
  /** Gives the text of `/metrics`; without it, that is no route. */
  readonly metricsPage?: (() => string) | undefined;
  /** Who is told of requests; without it, nobody is. */
  readonly telemetry?: Telemetry | undefined;
  /** How long a body may take to arrive, in milliseconds; 10 s unless given. */
  readonly bodyTimeoutMs?: number | undefined;
}

/** Who is told of requests, and what that takes. */
export interface Telemetry {
  /** Told of every request once it is answered. */
  readonly observe: (event: RequestEvent) => void;
  /** Makes the name of a request, which its reply carries as `X-Request-Id`. */
  readonly requestId: () => string;
  /** A clock for durations, in milliseconds. */
  readonly monotonicMs: () => number;
}

/** Answers a request. It never rejects. */
export type Handler = (request: Request) => Promise<Response>;

/** A reply, and what is told of it. */
interface Answer extends Omit<Reply, "body"> {
  /** The body; null for a status that has none. */
  readonly body: Reply["body"] | null;
  readonly route: RouteName;
  readonly outcome: Outcome;
  readonly operation?: string;
  readonly binding?: string;
}

interface Server extends HandlerOptions {
  readonly bindings: readonly Binding[];
  readonly hasKey: (request: Request) => boolean;
}

/** Makes the handler of a service. */
export function createHandler(options: HandlerOptions): Handler {
  const bindings = bindingsOf(options.namespace);
  const server: Server = { ...options, bindings, hasKey: createKeyCheck(options.apiKeys ?? []) };
  const { telemetry } = options;
  if (telemetry === undefined) {
    return async (request) => respond(request, await answerSafely(request, server));
  }
  return async (request) => {
    const startMs = telemetry.monotonicMs();
    const requestId = telemetry.requestId();
    const answered = await answerSafely(request, server);
    const durationMs = telemetry.monotonicMs() - startMs;
    telemetry.observe(eventOf(request, answered, { requestId, durationMs }));
    return respond(request, answered, { "x-request-id": requestId });
  };
}

const KNOWN_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "OPTIONS"]);

function eventOf(
  request: Request,
  { status, route, outcome, operation = "", binding = "", body }: Answer,
  measured: Pick<RequestEvent, "requestId" | "durationMs">,
): RequestEvent {
  const method = KNOWN_METHODS.has(request.method) ? request.method : "other";
  const replyBytes = request.method === "HEAD" ? 0 : body?.length ?? 0;
  return { method, route, operation, binding, status, outcome, replyBytes, ...measured };
}

async function answerSafely(request: Request, server: Server): Promise<Answer> {
  try {
    return await answer(request, server);
  } catch (error) {
    const fault = asFault(error, server.log);
    return {
      ...withChallenge(writePlainFault(fault), fault),
      route: "unknown",
      outcome: fault.code,
    };
  }
}

async function answer(request: Request, server: Server): Promise<Answer> {
  const target = targetOf(request);
  const route = routeOf(target.path);
  if (isCall(request, route)) return await call(request, target, route, server);
  if (!route.isPublic) checkKey(request, server);
  checkQuery(target);
  if (route.name === "unknown" || (route.name === "metrics" && server.metricsPage === undefined)) {
    return { ...plain(404, "Not found."), route: "unknown", outcome: "not-found" };
  }
  if (!route.methods.includes(request.method)) return methodAnswer(request, route);
  switch (route.name) {
    case "root":
      return { ...REDIRECT, route: "root", outcome: "ok" };
    case "healthz":
      return { ...OK, route: "healthz", outcome: "ok" };
    case "readyz":
      return server.isReady()
        ? { ...OK, route: "readyz", outcome: "ok" }
        : { ...plain(503, "Not ready."), route: "readyz", outcome: "not-ready" };
    case "metrics":
      return { ...metricsReply(server.metricsPage?.() ?? ""), route: "metrics", outcome: "ok" };
    case "qr.aspx":
      return { ...qrPicture(target.query), route: "qr.aspx", outcome: "ok" };
    default:
      return await description(request, target, server);
  }
}

// Calls check key and query themselves, so that what is wrong with them is said in the form of
// their binding.
function isCall(request: Request, { name, methods, operationName }: Route): boolean {
  if (!methods.includes(request.method)) return false;
  if (name === "service") return request.method === "POST" || operationName !== undefined;
  return name === "pair.aspx" || name === "validate.aspx";
}

function checkKey(request: Request, server: Server): void {
  if (!server.hasKey(request)) throw new Fault("unauthorized", "A key is required.");
}

function methodAnswer(request: Request, { name: route, methods }: Route): Answer {
  const headers = { allow: [...methods, "OPTIONS"].join(", ") };
  if (request.method === "OPTIONS") {
    return { status: 204, contentType: "", body: null, route, outcome: "ok", headers };
  }
  const reply = plain(405, `Method not allowed. Expected ${headers.allow}.`);
  return { ...reply, route, outcome: "method-not-allowed", headers };
}

async function description(request: Request, target: Target, server: Server): Promise<Answer> {
  const base = baseOf(request, target, server);
  const reply = describe(target.query, { namespace: server.namespace, base });
  const etag = await eTag(reply.body);
  const answered = {
    ...reply,
    route: "description",
    outcome: reply.status === 200 ? "ok" : "not-found",
    headers: {
      "cache-control": "no-cache",
      "content-security-policy": "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
      etag,
    },
  } as const;
  const isFresh = reply.status === 200 && !ifNoneMatch(request.headers.get("if-none-match"), etag);
  return isFresh ? { ...answered, status: 304, body: null } : answered;
}

async function call(
  request: Request,
  target: Target,
  route: Route,
  server: Server,
): Promise<Answer> {
  const serviceRequest = asServiceRequest(request, target, route, server);
  const binding = server.bindings.find((candidate) => candidate.accepts(serviceRequest));
  if (binding === undefined) throw new Error("A method that the route allows has no binding");
  const facts = { route: route.name, binding: binding.name };
  let operation = "";
  try {
    checkKey(request, server);
    checkQuery(target);
    const called = await binding.readCall(serviceRequest);
    operation = called.operation.name;
    const context = {
      ...server.service,
      ...(called.html && { html: called.html }),
      base: () => baseOf(request, target, server),
    };
    const result = await called.operation.invoke(called.args, context);
    const outcome = typeof result === "boolean" ? `${result}` as const : "ok";
    return { ...binding.writeReply(called.operation, result), ...facts, operation, outcome };
  } catch (error) {
    const fault = asFault(error, server.log);
    const reply = withChallenge(binding.writeFault(fault), fault);
    return { ...reply, ...facts, operation, outcome: fault.code };
  }
}

// RFC 9110 §15.5.2: a 401 says how to be let in.
function withChallenge(reply: Reply, fault: Fault): Reply {
  return fault.code === "unauthorized" && reply.status === 401
    ? { ...reply, headers: { ...reply.headers, "www-authenticate": CHALLENGE } }
    : reply;
}

function asServiceRequest(
  request: Request,
  { query }: Target,
  { name, operationName }: Route,
  server: Server,
): ServiceRequest {
  const mediaType = parseMediaType(request.headers.get("content-type"));
  const timeoutMs = server.bodyTimeoutMs ?? BODY_TIMEOUT_MS;
  return {
    route: name === "pair.aspx" || name === "validate.aspx" ? name : "service",
    method: request.method === "HEAD" ? "GET" : request.method,
    operationName,
    query,
    mediaType,
    header: (field) => request.headers.get(field),
    readText: (mediaTypes) => readBody(request, mediaType, { mediaTypes, timeoutMs }),
  };
}

// Whatever is not a fault is a mistake of ours: its cause is logged, and the caller learns nothing.
function asFault(error: unknown, log: HandlerOptions["log"]): Fault {
  if (error instanceof Fault) return error;
  log.error("a request failed", error);
  return new Fault("internal", "Server was unable to process request.");
}

const REDIRECT: Reply = { ...plain(302, "See /api.asmx."), headers: { location: "/api.asmx" } };

const OK: Reply = { status: 200, contentType: "text/plain; charset=utf-8", body: "ok" };

function metricsReply(body: string): Reply {
  return { status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", body };
}

function plain(status: number, sentence: string): Reply {
  return { status, contentType: "text/plain; charset=utf-8", body: `${sentence}\r\n` };
}

// The runtime counts the Content-Length of a body; of the body that a HEAD does not get, it cannot.
function respond(
  request: Request,
  { status, contentType, body, headers: ofAnswer }: Answer,
  more?: Readonly<Record<string, string>>,
): Response {
  const headers: Record<string, string> = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    ...ofAnswer,
    ...more,
  };
  if (body === null) return new Response(null, { status, headers });
  headers["content-type"] = contentType;
  if (request.method !== "HEAD") return new Response(body, { status, headers });
  headers["content-length"] = String(body.length);
  return new Response(null, { status, headers });
}
