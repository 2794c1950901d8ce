/**
 * The service as a function from a request to a reply. The way of one request:
 *
 * ```text
 * bytes ─ runtime ─► http/handler
 *    ├─ http/target: Host, path, query                        400 404 414
 *    ├─ route: method ─► description/* (GET)                  200 304 405
 *    ├─ http/body: media type, limit, deadline, UTF-8         415 413 408
 *    ├─ binding.readCall: xml/* | query | form                fault
 *    ├─ service: OPERATIONS.get(name).invoke(args, context)
 *    │     ├─ pair:          otp/key_uri → qr/encode → qr/svg
 *    │     └─ validate_pin:  otp/totp
 *    └─ binding.writeReply | writeFault
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
import { baseOf, type BaseOptions, type Target, targetOf } from "./target.ts";

/** The longest query string in characters, as it was sent. */
export const MAX_QUERY_LENGTH = 8_192;

/** What a handler needs. */
export interface HandlerOptions extends BaseOptions {
  /** The namespace name of the service, an absolute URI that ends with a slash. */
  readonly namespace: string;
  /** What the operations need. */
  readonly service: ServiceContext;
  /** Where unexpected errors go. */
  readonly log: Log;
  /** Whether the server takes new work; while it does not, `/readyz` answers 503. */
  readonly isReady: () => boolean;
  /** How long a body may take to arrive, in milliseconds; 10 s unless given. */
  readonly bodyTimeoutMs?: number;
}

/** Answers a request. It never rejects. */
export type Handler = (request: Request) => Promise<Response>;

/** What a request is about, by its path. */
type Route =
  | { readonly kind: "service"; readonly operationName: string | undefined }
  | { readonly kind: "root" | "healthz" | "readyz" };

const METHODS: Readonly<Record<Route["kind"], readonly string[]>> = {
  service: ["GET", "HEAD", "POST"],
  root: ["GET", "HEAD"],
  healthz: ["GET", "HEAD"],
  readyz: ["GET", "HEAD"],
};

/** Makes the handler of a service. */
export function createHandler(options: HandlerOptions): Handler {
  const bindings = bindingsOf(options.namespace);
  return async (request) => {
    try {
      const target = targetOf(request);
      const route = routeOf(target.path);
      if (target.query.length > MAX_QUERY_LENGTH) {
        throw new Fault(
          "query-too-long",
          `The query string is longer than ${MAX_QUERY_LENGTH} characters.`,
        );
      }
      if (route === undefined) return respond(request, text(404, "Not found."));
      const methods = METHODS[route.kind];
      if (request.method === "OPTIONS") return allow(request, 204, methods);
      if (!methods.includes(request.method)) return allow(request, 405, methods);
      return await answer(request, target, route, bindings, options);
    } catch (error) {
      return respond(request, writePlainFault(asFault(error, options.log)));
    }
  };
}

// The file part of a path is compared without case, the name of an operation behind it with case.
function routeOf(path: string): Route | undefined {
  const slash = path.indexOf("/", 1);
  const file = (slash < 0 ? path : path.slice(0, slash)).toLowerCase();
  const rest = slash < 0 ? "" : path.slice(slash + 1);
  if (file === "/api.asmx") return { kind: "service", operationName: rest || undefined };
  if (slash >= 0) return undefined;
  switch (file) {
    case "/":
    case "":
      return { kind: "root" };
    case "/healthz":
      return { kind: "healthz" };
    case "/readyz":
      return { kind: "readyz" };
    default:
      return undefined;
  }
}

async function answer(
  request: Request,
  target: Target,
  route: Route,
  bindings: readonly Binding[],
  options: HandlerOptions,
): Promise<Response> {
  switch (route.kind) {
    case "root":
      return respond(request, text(302, "See /api.asmx."), { location: "/api.asmx" });
    case "healthz":
      return respond(request, OK);
    case "readyz":
      return respond(request, options.isReady() ? OK : text(503, "Not ready."));
    case "service":
      return request.method !== "POST" && route.operationName === undefined
        ? await description(request, target, options)
        : await call(request, target, route.operationName, bindings, options);
  }
}

async function description(
  request: Request,
  target: Target,
  options: HandlerOptions,
): Promise<Response> {
  const base = baseOf(request, target, options);
  const reply = describe(target.query, { namespace: options.namespace, base });
  const etag = await eTag(reply.body);
  const headers = {
    "cache-control": "no-cache",
    "content-security-policy": "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
    etag,
  };
  const fresh = reply.status === 200 && !ifNoneMatch(request.headers.get("if-none-match"), etag);
  return fresh
    ? new Response(null, { status: 304, headers: { ...COMMON_HEADERS, ...headers } })
    : respond(request, reply, headers);
}

async function call(
  request: Request,
  target: Target,
  operationName: string | undefined,
  bindings: readonly Binding[],
  options: HandlerOptions,
): Promise<Response> {
  const serviceRequest = asServiceRequest(request, target, operationName, options);
  const binding = bindings.find((candidate) => candidate.accepts(serviceRequest));
  if (binding === undefined) throw new Error("A method that the route allows has no binding");
  try {
    const { operation, args } = await binding.readCall(serviceRequest);
    const result = await operation.invoke(args, options.service);
    return respond(request, binding.writeReply(operation, result));
  } catch (error) {
    return respond(request, binding.writeFault(asFault(error, options.log)));
  }
}

function asServiceRequest(
  request: Request,
  target: Target,
  operationName: string | undefined,
  options: HandlerOptions,
): ServiceRequest {
  const mediaType = parseMediaType(request.headers.get("content-type"));
  const timeoutMs = options.bodyTimeoutMs ?? BODY_TIMEOUT_MS;
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
function asFault(error: unknown, log: Log): Fault {
  if (error instanceof Fault) return error;
  log.error("a request failed", error);
  return new Fault("internal", "Server was unable to process request.");
}

const COMMON_HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

const OK: Reply = { status: 200, contentType: "text/plain; charset=utf-8", body: "ok" };

function text(status: number, sentence: string): Reply {
  return { status, contentType: "text/plain; charset=utf-8", body: `${sentence}\r\n` };
}

function allow(request: Request, status: 204 | 405, methods: readonly string[]): Response {
  const headers = { allow: [...methods, "OPTIONS"].join(", ") };
  return status === 204
    ? new Response(null, { status, headers: { ...COMMON_HEADERS, ...headers } })
    : respond(request, text(status, `Method not allowed. Expected ${headers.allow}.`), headers);
}

// The runtime counts the Content-Length of a body; of the body that a HEAD does not get, it cannot.
function respond(
  request: Request,
  { status, contentType, body }: Reply,
  more: Readonly<Record<string, string>> = {},
): Response {
  const headers = { "content-type": contentType, ...COMMON_HEADERS, ...more };
  if (request.method !== "HEAD") return new Response(body, { status, headers });
  const length = String(new TextEncoder().encode(body).length);
  return new Response(null, { status, headers: { ...headers, "content-length": length } });
}
