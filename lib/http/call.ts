/**
 * A call of the service: authorize, read, run, write. Every fault, also for a missing key or a bad
 * Host, is written in the form of the binding: callers of `/Validate.aspx` take any text but
 * `False` for a success.
 *
 * @module
 */

import { type Binding, type CallHead, SOURCE_FIELD } from "../bindings/binding.ts";
import { writePlainFault } from "../bindings/http_get_post.ts";
import { type MediaType, parseMediaType } from "../bindings/media_type.ts";
import type { Facts } from "../operations/facts.ts";
import { Fault } from "../operations/fault.ts";
import { operationNamed, type Result, VALIDATE_PIN } from "../operations/operations.ts";
import type { Outcome } from "../telemetry/request_event.ts";
import { type RouteResult, withAdvice } from "./response.ts";
import { readBody } from "./body.ts";
import type { CreateRouteHandler, Exchange } from "./exchange.ts";
import { toFault } from "./failure.ts";
import type { ResolvedOptions } from "./options.ts";
import { baseOf } from "./request_target.ts";

/**
 * Makes the handler of calls.
 *
 * @param bindingsFor Bindings of the route; the first that accepts a request reads it.
 */
export function calls(
  bindingsFor: (state: ResolvedOptions) => readonly Binding[],
): CreateRouteHandler {
  return (state) => {
    const bindings = bindingsFor(state);
    // The binding of a request is unknown before its head is read, unless the route has only one.
    const writeFault = bindings.length === 1 ? bindings[0]!.writeFault : writePlainFault;
    return {
      answer: (exchange) => answerCall(exchange, bindings, state),
      fail: (fault) => withAdvice(writeFault(fault)),
    };
  };
}

async function answerCall(
  exchange: Exchange,
  bindings: readonly Binding[],
  state: ResolvedOptions,
): Promise<RouteResult> {
  const { request, method, target, operationName } = exchange;
  const head: CallHead = {
    method: method === "HEAD" ? "GET" : method,
    operationName,
    query: target.query,
    mediaType: parseMediaType(request.headers.get("content-type")),
    headers: request.headers,
  };
  let binding = bindingOf(head, bindings);
  let name = "";
  let ignored: number | undefined;
  try {
    exchange.authorize();
    const named = operationName === undefined ? undefined : operationNamed(operationName);
    const body = await bodyOf(binding, request, head.mediaType, state);
    const read = { ...head, operation: named, body };
    let call = binding.readCall(read);
    while ("readCall" in call) {
      binding = call;
      call = binding.readCall(read);
    }
    const { operation, args, html } = call;
    name = operation.name;
    ignored = call.ignored || undefined;
    if (operation === VALIDATE_PIN) checkSite(exchange);
    const { result, facts } = await operation.invoke(args, {
      ...state.service,
      ...(html && { html }),
      source: sourceOf(exchange),
      base: () => baseOf(request, target, state),
    });
    const reply = binding.writeReply(operation, result);
    const outcome = outcomeOf(result, facts);
    const allFacts = ignored === undefined ? facts : { ...facts, ignored };
    return { reply, outcome, operation: name, binding: binding.name, facts: allFacts };
  } catch (error) {
    const fault: Fault = toFault(error, state.log);
    const reply = withAdvice(binding.writeFault(fault));
    const facts = { ...(ignored && { ignored }), reason: fault.message };
    return { reply, outcome: fault.code, operation: name, binding: binding.name, facts };
  }
}

const EMPTY = new Uint8Array();

function bodyOf(
  { body }: Binding,
  request: Request,
  mediaType: MediaType,
  { bodyLimit: limit }: ResolvedOptions,
): Uint8Array | Promise<Uint8Array> {
  return body === undefined ? EMPTY : readBody(request, mediaType, { ...body, limit });
}

// Refuses cross-site requests without a key: a web page must not spend the attempts of a secret
// from a visitor's browser. Browsers mark such requests (Fetch Metadata Request Headers §2.3).
function checkSite({ request, caller }: Exchange): void {
  if (caller === undefined && request.headers.get("sec-fetch-site") === "cross-site") {
    throw new Fault(
      "forbidden",
      "ValidatePin does not answer pages of other sites: call it from your server.",
    );
  }
}

// Returns the source of a call for the guard, as named by the calling application; an empty field
// names no source. The id of a caller with a key is put in front, so that no other caller can pass
// for it or its users. A line feed, which no field can hold (RFC 9110 §5.5), keeps id and field
// apart.
function sourceOf({ request, caller }: Exchange): string | undefined {
  const field = request.headers.get(SOURCE_FIELD) ?? "";
  return caller === undefined ? field || undefined : `${caller.id}\n${field}`;
}

function bindingOf(head: CallHead, bindings: readonly Binding[]): Binding {
  const binding = bindings.find((candidate) => candidate.accepts(head));
  if (binding === undefined) throw new Error("A method that the route allows has no binding");
  return binding;
}

function outcomeOf(result: Result, facts: Facts | undefined): Outcome {
  return facts?.outcome ?? (typeof result === "boolean" ? `${result}` : "ok");
}
