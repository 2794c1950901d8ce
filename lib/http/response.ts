/**
 * An answer on its way out: a reply, what is told of it, and the response that it becomes.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { Reply } from "../bindings/binding.ts";
import { writePlainFault } from "../bindings/http_get_post.ts";
import type { Facts } from "../operations/facts.ts";
import type { Fault } from "../operations/fault.ts";
import type { Outcome } from "../telemetry/request_event.ts";
import { CHALLENGE } from "./api_keys.ts";

/** A reply on its way out. */
export interface OutgoingReply extends Omit<Reply, "body"> {
  /** The body; null for a status that has none. */
  readonly body: Reply["body"] | null;
}

/** A reply, and what is told of it. */
export interface RouteResult {
  /** The reply. */
  readonly reply: OutgoingReply;
  /** How it ended. */
  readonly outcome: Outcome;
  /** The name of the operation, when one was reached. */
  readonly operation?: string;
  /** The name of the binding, when there is one. */
  readonly binding?: string;
  /** What the operation told of the call. */
  readonly facts?: Facts | undefined;
}

/** A reply of one sentence. */
export function plainReply(status: number, sentence: string): Reply {
  return { status, contentType: "text/plain; charset=utf-8", body: `${sentence}\r\n` };
}

/** The answer to a fault where no binding has a form for it. */
export function faultResult(fault: Fault): RouteResult {
  return { reply: faultReply(fault), outcome: fault.code };
}

/** The reply to a fault where no binding has a form for it. */
export function faultReply(fault: Fault): Reply {
  return withAdvice(writePlainFault(fault));
}

// By the status: how to be let in (RFC 9110 §15.5.2), and after how many seconds to try again
// (§15.6.4).
const ADVICE: ReadonlyMap<number, Readonly<Record<string, string>>> = new Map([
  [401, { "www-authenticate": CHALLENGE }],
  [503, { "retry-after": "1" }],
]);

/** Adds to a reply what its status tells callers to do. */
export function withAdvice(reply: Reply): Reply {
  const advice = ADVICE.get(reply.status);
  return advice === undefined ? reply : { ...reply, headers: { ...reply.headers, ...advice } };
}

/**
 * Whether a caller already has what an entity tag stands for, by its If-None-Match: a list compared
 * weakly, or `*` (RFC 9110 §13.1.2).
 */
export function isFresh(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  const value = ifNoneMatch.trim();
  // Not split at commas with the blanks around them: an expression for that looks again from each
  // blank, and a long run of them in one request would hold up all others for minutes.
  return value === "*" || value.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** Header fields of every reply that says nothing else. */
export const USUAL_HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/**
 * Makes the response.
 *
 * The runtime counts the Content-Length of a body; of the body that a HEAD does not get, it cannot.
 *
 * @param requestId The name of the request, where it has one.
 */
export function respond(
  request: Request,
  { status, contentType, body, headers: ofReply }: OutgoingReply,
  requestId?: string,
): Response {
  const { method } = request;
  const isHead = method === "HEAD";
  const response = new Response(isHead ? null : body, { status });
  // Not by the constructor: a response made with more fields than one is prepared by Deno in advance,
  // and watched until it is collected.
  const { headers } = response;
  setAll(headers, USUAL_HEADERS);
  setAll(headers, ofReply);
  if (requestId !== undefined) headers.set("x-request-id", requestId);
  if (body !== null) headers.set("content-type", contentType);
  // What comes behind it was meant for somebody else, and a proxy in front looked at none of it: to
  // read it as a request would let callers past whatever the proxy forbids.
  if (method === "CONNECT") headers.set("connection", "close");
  if (isHead && body !== null) headers.set("content-length", String(byteLength(body)));
  return response;
}

function setAll(headers: Headers, fields: Readonly<Record<string, string>> | undefined): void {
  for (const name in fields) headers.set(name, fields[name]!);
}

/** The length of a body in bytes. */
export function byteLength(body: Reply["body"]): number {
  return Buffer.byteLength(body);
}
