/**
 * The service as a function from a request to a reply. The way of one request:
 *
 * ```text
 * bytes ─ runtime ─► http/handler
 *    ├─ http/target: Host, path, query                        400 404 414
 *    ├─ http/keys: the caller's key, when there are any       401
 *    ├─ route: method ─► description/* (GET)                  200 304 405
 *    ├─ http/body: media type, limit, deadline, UTF-8         415 413 408
 *    ├─ binding.readCall: xml/* | query | form                fault
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
import { describe } from "../description/documents.ts";
import type { Log } from "../log.ts";
import type { ServiceContext } from "../service/context.ts";
import { Fault } from "../service/fault.ts";
import { BODY_TIMEOUT_MS, readBody } from "./body.ts";
import { CHALLENGE, createKeyCheck } from "./keys.ts";
import type { Outcome, RequestEvent, RouteName } from "../request_event.ts";
import { type Route, routeOf } from "./route.ts";
import { baseOf, type BaseOptions, type Target, targetOf } from "./target.ts";

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
  readonly body: string | null;
  readonly route: RouteName;
  readonly outcome: Outcome;
  readonly operation?: string;
  readonly binding?: string;
  readonly headers?: Readonly<Record<string, string>>;
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
    return { ...writePlainFault(fault), route: "unknown", outcome: fault.code };
  }
}

async function answer(request: Request, server: Server): Promise<Answer> {
  const target = targetOf(request);
  const route = routeOf(target.path);
  if (!route.isPublic && !server.hasKey(request)) return unauthorized(route);
  if (route.name === "unknown" || (route.name === "metrics" && server.metricsPage === undefined)) {
    return { ...plain(404, "Not found."), route: "unknown", outcome: "not-found" };
  }
  if (!route.methods.includes(request.method)) return methodAnswer(request, route);
  switch (route.name) {
    case "root": {
      const headers = { location: "/api.asmx" };
      return { ...plain(302, "See /api.asmx."), route: "root", outcome: "ok", headers };
    }
    case "healthz":
      return { ...OK, route: "healthz", outcome: "ok" };
    case "readyz":
      return server.isReady()
        ? { ...OK, route: "readyz", outcome: "ok" }
        : { ...plain(503, "Not ready."), route: "readyz", outcome: "not-ready" };
    case "metrics":
      return {
        status: 200,
        contentType: "text/plain; version=0.0.4; charset=utf-8",
        body: server.metricsPage?.() ?? "",
        route: "metrics",
        outcome: "ok",
      };
    case "service":
      return request.method !== "POST" && route.operationName === undefined
        ? await description(request, target, server)
        : await call(request, target, route, server);
  }
}

function unauthorized({ name: route }: Route): Answer {
  const headers = { "www-authenticate": CHALLENGE };
  return { ...plain(401, "A key is required."), route, outcome: "unauthorized", headers };
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
  { operationName }: Route,
  server: Server,
): Promise<Answer> {
  const serviceRequest = asServiceRequest(request, target, operationName, server);
  const binding = server.bindings.find((candidate) => candidate.accepts(serviceRequest));
  if (binding === undefined) throw new Error("A method that the route allows has no binding");
  const facts = { route: "service", binding: binding.name } as const;
  let operationReached = "";
  try {
    const { operation, args } = await binding.readCall(serviceRequest);
    operationReached = operation.name;
    const result = await operation.invoke(args, server.service);
    const outcome = typeof result === "boolean" ? `${result}` as const : "ok";
    const reply = binding.writeReply(operation, result);
    return { ...reply, ...facts, operation: operationReached, outcome };
  } catch (error) {
    const fault = asFault(error, server.log);
    const reply = binding.writeFault(fault);
    return { ...reply, ...facts, operation: operationReached, outcome: fault.code };
  }
}

function asServiceRequest(
  request: Request,
  target: Target,
  operationName: string | undefined,
  server: Server,
): ServiceRequest {
  const mediaType = parseMediaType(request.headers.get("content-type"));
  const timeoutMs = server.bodyTimeoutMs ?? BODY_TIMEOUT_MS;
  return {
    method: request.method === "HEAD" ? "GET" : request.method,
    operationName,
    query: target.query,
    mediaType,
    header: (name) => request.headers.get(name),
    readText: (mediaTypes) => readBody(request, mediaType, { mediaTypes, timeoutMs }),
  };
}

// Whatever is not a fault is a mistake of ours: its cause is logged, and the caller learns nothing.
function asFault(error: unknown, log: HandlerOptions["log"]): Fault {
  if (error instanceof Fault) return error;
  log.error("a request failed", error);
  return new Fault("internal", "Server was unable to process request.");
}

const OK: Reply = { status: 200, contentType: "text/plain; charset=utf-8", body: "ok" };

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
  headers["content-length"] = String(new TextEncoder().encode(body).length);
  return new Response(null, { status, headers });
}
