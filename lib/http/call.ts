/**
 * A call of the service, from its binding to its binding. What goes wrong on the way, a missing key
 * or a bad Host among it, is said in the form of the binding: callers of `/Validate.aspx` take
 * anything but `False` for a success.
 *
 * @module
 */

import type { Binding, ServiceRequest } from "../binding/binding.ts";
import { parseMediaType } from "../binding/media_type.ts";
import type { Facts } from "../service/facts.ts";
import type { Result } from "../service/operations.ts";
import type { Outcome } from "../telemetry/request_event.ts";
import { type Answer, withAdvice } from "./answer.ts";
import { BODY_TIMEOUT_MS, readBody } from "./body.ts";
import { asFault, checkKey, type HandlerState } from "./state.ts";
import type { Route } from "./route.ts";
import { baseOf, checkTarget, type Target } from "./target.ts";

/** Whether a request is a call, or only asks about the service. */
export function isCall(request: Request, { name, methods, operationName }: Route): boolean {
  if (!methods.includes(request.method)) return false;
  if (name === "service") return request.method === "POST" || operationName !== undefined;
  return name === "pair.aspx" || name === "validate.aspx";
}

/** Answers a call, also when it fails. */
export async function answerCall(
  request: Request,
  target: Target,
  route: Route,
  state: HandlerState,
): Promise<Answer> {
  const serviceRequest = asServiceRequest(request, target, route, state);
  const binding = bindingOf(serviceRequest, state);
  const facts = { route: route.name, binding: binding.name };
  let operation = "";
  let told: Facts | undefined;
  try {
    checkTarget(request, target);
    checkKey(request, state);
    const called = await binding.readCall(serviceRequest);
    operation = called.operation.name;
    const result = await called.operation.invoke(called.args, {
      ...state.service,
      ...(called.html && { html: called.html }),
      base: () => baseOf(request, target, state),
      report: (known) => void (told = known),
    });
    const reply = binding.writeReply(called.operation, result);
    return { ...reply, ...facts, operation, facts: told, outcome: outcomeOf(result, told) };
  } catch (error) {
    const fault = asFault(error, state);
    const reply = withAdvice(binding.writeFault(fault));
    return { ...reply, ...facts, operation, outcome: fault.code };
  }
}

function bindingOf(request: ServiceRequest, { bindings }: HandlerState): Binding {
  const binding = bindings.find((candidate) => candidate.accepts(request));
  if (binding === undefined) throw new Error("A method that the route allows has no binding");
  return binding;
}

function outcomeOf(result: Result, told: Facts | undefined): Outcome {
  return told?.outcome ?? (typeof result === "boolean" ? `${result}` : "ok");
}

function asServiceRequest(
  request: Request,
  { query }: Target,
  { name, operationName }: Route,
  state: HandlerState,
): ServiceRequest {
  const mediaType = parseMediaType(request.headers.get("content-type"));
  const { bodyTimeoutMs: timeoutMs = BODY_TIMEOUT_MS, bodyTurns: turns } = state;
  return {
    route: name === "pair.aspx" || name === "validate.aspx" ? name : "service",
    method: request.method === "HEAD" ? "GET" : request.method,
    operationName,
    query,
    mediaType,
    header: (field) => request.headers.get(field),
    readText: (mediaTypes) => readBody(request, mediaType, { mediaTypes, timeoutMs, turns }),
  };
}
