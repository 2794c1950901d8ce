/**
 * A call of the service: read the body, read the call, run the operation, write the reply.
 *
 * @module
 */

import {
  type Binding,
  type Call,
  type CallRequest,
  type ParsedBody,
  SOURCE_FIELD,
} from "../bindings/binding.ts";
import { FORM } from "../bindings/form_urlencoded.ts";
import { JSON_TYPE } from "../bindings/json.ts";
import type { MediaType } from "../bindings/media_type.ts";
import { Fault } from "../operations/fault.ts";
import { type Operation, operationNamed, OPERATIONS } from "../operations/operations.ts";
import { outcomeOf } from "../telemetry/request_event.ts";
import { readBody } from "./body.ts";
import type { RequestContext } from "./route.ts";
import { baseOf } from "./request_target.ts";
import type { RouteResult } from "./response.ts";

/**
 * Answers a call.
 *
 * @throws {Fault} When the request is no call, or the operation refuses its arguments.
 */
export async function answerCall(context: RequestContext): Promise<RouteResult> {
  const { request, target, route, operationName, parts, binding } = context;
  if (binding === undefined) throw new Error("A method of the route has no binding");
  const named = operationName === undefined ? route.operation : operationNamed(operationName);
  if (binding.body !== undefined) {
    checkMediaType(context.mediaType, binding.body.mediaTypes);
    context.body = await readBody(context, binding.body.maxBytes);
  }
  const parsed = parseBody(binding, named, context);
  context.binding = parsed.binding;
  const { operation, args, html, ignored } = parsed.readCall();
  context.operation = operation;
  context.ignored = ignored;
  if (operation.refusesOtherSites) checkSite(operation, context);
  const completed = await operation.invoke(args, {
    ...parts,
    ...(html && { html }),
    source: sourceOf(context),
    base: () => baseOf(request, target, parts),
  });
  const reply = parsed.binding.writeReply(operation, completed.result);
  return { reply, outcome: outcomeOf(completed), facts: completed.facts };
}

// An ambiguous media type has a fault of its own.
function checkMediaType({ essence, isAmbiguous }: MediaType, allowed: readonly string[]): void {
  if (isAmbiguous || allowed.includes(essence)) return;
  const message = `The Content-Type must be ${allowed.join(" or ")}.${hintFor(essence)}`;
  throw new Fault("unsupported-media-type", message);
}

const PATHS = [...OPERATIONS.keys()].map((name) => `/api.asmx/${name}`).reverse();

function hintFor(essence: string): string {
  if (essence === FORM || essence === JSON_TYPE) {
    return ` For forms and JSON, call ${PATHS.join(" or ")}.`;
  }
  const isSoap = essence === "text/xml" || essence === "application/soap+xml";
  return isSoap ? " For SOAP, call /api.asmx." : "";
}

function parseBody(
  binding: Binding,
  named: Operation | undefined,
  request: CallRequest,
): ParsedBody {
  if ("parse" in binding) return binding.parse(request);
  if (named === undefined) throw new Error("A binding of paths accepted a request without one");
  const readCall = (): Call => ({ operation: named, ...binding.readArguments(named, request) });
  return { binding, readCall };
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
