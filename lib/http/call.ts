/**
 * A call of the service: read the body, read the call, run the operation, write the reply.
 *
 * @module
 */

import {
  type Binding,
  type Call,
  type CallHead,
  type CallRequest,
  SOURCE_FIELD,
} from "../bindings/binding.ts";
import { type MediaType, parseMediaType } from "../bindings/media_type.ts";
import type { CallFacts } from "../operations/facts.ts";
import { Fault } from "../operations/fault.ts";
import {
  type Operation,
  operationNamed,
  type Result,
  SEAL,
  VALIDATE_PIN,
} from "../operations/operations.ts";
import type { Outcome } from "../telemetry/request_event.ts";
import { readBody } from "./body.ts";
import type { HandlerParts, RequestContext, RoutedCall } from "./route.ts";
import { baseOf } from "./request_target.ts";
import type { RouteResult } from "./response.ts";

/** Begins a call with its binding; the first that accepts the request reads it. */
export function callOf(
  { request, method, target, operationName }: Omit<RequestContext, "call">,
  bindings: readonly Binding[],
): RoutedCall {
  const head: CallHead = {
    method: method === "HEAD" ? "GET" : method,
    operationName,
    query: target.query,
    mediaType: parseMediaType(request.headers.get("content-type")),
    headers: request.headers,
  };
  const binding = bindings.find((candidate) => candidate.accepts(head));
  if (binding === undefined) throw new Error("A method that the route allows has no binding");
  return { head, binding, operation: "", ignored: undefined };
}

/**
 * Answers a call.
 *
 * @throws {Fault} When the request is no call, or the operation refuses its arguments.
 */
export async function answerCall(context: RequestContext): Promise<RouteResult> {
  const { request, target, operationName, parts, call } = context;
  if (call === undefined) throw new Error("A route of calls has no bindings");
  const { head, binding } = call;
  const named = operationName === undefined ? undefined : operationNamed(operationName);
  const body = await bodyOf(binding, request, head.mediaType, parts);
  const read = { ...head, body, switchBinding: (other: Binding) => call.binding = other };
  const { operation, args, html, ignored } = readCall(binding, named, read);
  call.operation = operation.name;
  call.ignored = ignored || undefined;
  if (operation === VALIDATE_PIN || operation === SEAL) checkSite(operation, context);
  const { result, facts } = await operation.invoke(args, {
    ...parts.service,
    ...(html && { html }),
    source: sourceOf(context),
    base: () => baseOf(request, target, parts),
  });
  const reply = call.binding.writeReply(operation, result);
  const allFacts = ignored ? { ...facts, ignored } : facts;
  return { reply, outcome: outcomeOf(result, facts), facts: allFacts };
}

function readCall(binding: Binding, named: Operation | undefined, request: CallRequest): Call {
  if ("readCall" in binding) return binding.readCall(request);
  if (named === undefined) throw new Error("A binding of paths accepted a request without one");
  return { operation: named, ...binding.readArguments(named, request) };
}

const EMPTY = new Uint8Array();

function bodyOf(
  { body }: Binding,
  request: Request,
  mediaType: MediaType,
  { bodyLimit: limit }: HandlerParts,
): Uint8Array | Promise<Uint8Array> {
  return body === undefined ? EMPTY : readBody(request, mediaType, { ...body, limit });
}

// Refuses cross-site requests without a key: a web page must not spend the attempts of a secret, or
// have texts sealed, from a visitor's browser. Browsers mark such requests (Fetch Metadata Request Headers §2.3).
function checkSite({ name }: Operation, { request, caller }: RequestContext): void {
  if (caller === undefined && request.headers.get("sec-fetch-site") === "cross-site") {
    throw new Fault(
      "forbidden",
      `${name} does not answer pages of other sites: call it from your server.`,
    );
  }
}

// Returns the source of a call for the guard, as named by the calling application; an empty field
// names no source. The id of a caller with a key is put in front, so that no other caller can pass
// for it or its users. A line feed, which no field can hold (RFC 9110 §5.5), keeps id and field
// apart.
function sourceOf({ request, caller }: RequestContext): string | undefined {
  const field = request.headers.get(SOURCE_FIELD) ?? "";
  return caller === undefined ? field || undefined : `${caller.id}\n${field}`;
}

function outcomeOf(result: Result, facts: CallFacts | undefined): Outcome {
  return facts?.outcome ?? (typeof result === "boolean" ? `${result}` : "ok");
}
