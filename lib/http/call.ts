/**
 * A call of the service, from its binding to its binding. What goes wrong on the way, a missing key
 * or a bad Host among it, is said in the form of the binding: callers of `/Validate.aspx` take
 * anything but `False` for a success.
 *
 * @module
 */

import { type Binding, type ServiceRequest, SOURCE_FIELD } from "../bindings/binding.ts";
import { writePlainFault } from "../bindings/http_get_post.ts";
import { charsetOf, type MediaType, parseMediaType } from "../bindings/media_type.ts";
import type { Facts } from "../operations/facts.ts";
import { Fault } from "../operations/fault.ts";
import { type Result, VALIDATE_PIN } from "../operations/operations.ts";
import type { Outcome } from "../telemetry/request_event.ts";
import { type RouteResult, withAdvice } from "./response.ts";
import { readBody } from "./body.ts";
import { textOf } from "../bindings/charset.ts";
import type { CreateRouteHandler, Exchange } from "./exchange.ts";
import { toFault } from "./failure.ts";
import type { ResolvedOptions } from "./options.ts";
import { baseOf } from "./request_target.ts";

/**
 * What answers calls.
 *
 * @param bindingsFor The bindings that they may come by; the first that accepts a request has it.
 */
export function calls(
  bindingsFor: (state: ResolvedOptions) => readonly Binding[],
): CreateRouteHandler {
  return (state) => {
    const bindings = bindingsFor(state);
    // Before its head is read, nobody knows which of several bindings a request is for.
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
  const { request, target } = exchange;
  const serviceRequest = new RequestOfCall(exchange, state);
  let binding = bindingOf(serviceRequest, bindings);
  let operation = "";
  try {
    exchange.authorize();
    let called = await binding.readCall(serviceRequest);
    while ("readCall" in called) {
      binding = called;
      called = await binding.readCall(serviceRequest);
    }
    operation = called.operation.name;
    if (called.operation === VALIDATE_PIN) checkSite(exchange);
    const { result, facts } = await called.operation.invoke(called.args, {
      ...state.service,
      ...(called.html && { html: called.html }),
      source: sourceOf(exchange),
      base: () => baseOf(request, target, state),
    });
    const reply = binding.writeReply(called.operation, result);
    return { reply, outcome: outcomeOf(result, facts), operation, binding: binding.name, facts };
  } catch (error) {
    const fault: Fault = toFault(error, state.log);
    const reply = withAdvice(binding.writeFault(fault));
    return { reply, outcome: fault.code, operation, binding: binding.name };
  }
}

// Web pages must not spend the attempts of secrets from the browser of a visitor. Browsers say so of
// each request that a page of another site causes (Fetch Metadata Request Headers §2.3).
function checkSite({ request, caller }: Exchange): void {
  if (caller === undefined && request.headers.get("sec-fetch-site") === "cross-site") {
    throw new Fault(
      "forbidden",
      "ValidatePin does not answer pages of other sites: call it from your server.",
    );
  }
}

// Whom the calling application asks for, as it chose to name them; an empty field names nobody. Each
// caller with a key has those whom it asks for to itself: another caller cannot pass for it, nor for its
// users. No field holds a line feed, so no two of these are one text (RFC 9110 §5.5).
function sourceOf({ request, caller }: Exchange): string | undefined {
  const field = request.headers.get(SOURCE_FIELD) ?? "";
  return caller === undefined ? field || undefined : `${caller.id}\n${field}`;
}

function bindingOf(request: ServiceRequest, bindings: readonly Binding[]): Binding {
  const binding = bindings.find((candidate) => candidate.accepts(request));
  if (binding === undefined) throw new Error("A method that the route allows has no binding");
  return binding;
}

function outcomeOf(result: Result, facts: Facts | undefined): Outcome {
  return facts?.outcome ?? (typeof result === "boolean" ? `${result}` : "ok");
}

// A class, since getters of its own would be made anew for each request.
class RequestOfCall implements ServiceRequest {
  readonly method: string;
  readonly operationName: string | undefined;
  readonly query: string;
  // Functions that need no `this`: a binding may take the request apart.
  readonly header: ServiceRequest["header"];
  readonly readBytes: ServiceRequest["readBytes"];
  readonly readText: ServiceRequest["readText"];
  #mediaType: MediaType | undefined;
  #text: Promise<string> | undefined;

  constructor({ request, target, operationName }: Exchange, state: ResolvedOptions) {
    const { bodyTimeoutMs: timeoutMs, bodyLimit: limit } = state;
    this.method = request.method === "HEAD" ? "GET" : request.method;
    this.operationName = operationName;
    this.query = target.query;
    this.header = (name) => request.headers.get(name);
    this.readBytes = (mediaTypes, maxBytes) =>
      readBody(request, this.mediaType, { mediaTypes, maxBytes, timeoutMs, limit });
    this.readText = (mediaTypes, maxBytes) =>
      this.#text ??= this.readBytes(mediaTypes, maxBytes)
        .then((bytes) => textOf(bytes, charsetOf(this.mediaType)));
  }

  get mediaType(): MediaType {
    return this.#mediaType ??= parseMediaType(this.header("content-type"));
  }
}
