/**
 * Replies on their way out: results of routes, fault replies, and the final Response.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { Reply } from "../bindings/binding.ts";
import type { CallFacts } from "../operations/facts.ts";
import { Fault } from "../operations/fault.ts";
import type { Log } from "../telemetry/log.ts";
import type { Outcome } from "../telemetry/request_event.ts";
import { CHALLENGE } from "./api_keys.ts";

/** Reply of a route, with its outcome and the facts for log and metrics. */
export interface RouteResult {
  /** The reply. */
  readonly reply: Reply;
  /** Outcome for log and metrics. */
  readonly outcome: Outcome;
  /** Facts of the call. */
  readonly facts?: CallFacts | undefined;
}

/** Makes a reply in JSON. */
export function jsonReply(value: object): Reply {
  return { status: 200, contentType: "application/json", body: JSON.stringify(value) };
}

/**
 * Converts a thrown value to a fault. Any value but a Fault is a mistake of ours: it is logged, and
 * the caller learns no details.
 */
export function faultOf(error: unknown, log: Pick<Log, "error">): Fault {
  if (error instanceof Fault) return error;
  try {
    log.error("a request failed", error);
  } catch {
    // A log that fails must not keep the caller from a reply.
  }
  return new Fault("internal", "Server was unable to process request.");
}

// Header fields by status: the challenge of a 401 (RFC 9110 §15.5.2), and the seconds until the
// next try for a 503 (§15.6.4).
const STATUS_FIELDS = new Map<number, Readonly<Record<string, string>>>([
  [401, { "www-authenticate": CHALLENGE }],
  [503, { "retry-after": "1" }],
]);

/** Adds the header fields that the status of a reply requires. */
export function withStatusFields(reply: Reply): Reply {
  const fields = STATUS_FIELDS.get(reply.status);
  return fields === undefined ? reply : { ...reply, headers: { ...reply.headers, ...fields } };
}

/**
 * Whether a caller's If-None-Match covers an entity tag: a list compared weakly, or `*` (RFC 9110
 * §13.1.2).
 */
export function matchesTag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  const value = ifNoneMatch.trim();
  // Split, then trim: an expression for commas with blanks around them backtracks at each blank,
  // and a long run of blanks would stall all other requests for minutes.
  return value === "*" || value.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** Default header fields of every reply. */
const USUAL_HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/**
 * Makes the response.
 *
 * The runtime sets the Content-Length of a body, but not for HEAD, whose reply has no body.
 *
 * @param method Method of the request, in capitals.
 * @param requestId Id of the request, if there is one.
 */
export function respond(
  method: string,
  { status, contentType, body, headers: ofReply }: Reply,
  requestId?: string,
): Response {
  const isHead = method === "HEAD";
  const response = new Response(isHead ? null : body, { status });
  // Set the fields afterwards: Deno prepares a Response that is constructed with several fields in
  // advance, and tracks it until it is collected.
  const { headers } = response;
  setAll(headers, USUAL_HEADERS);
  setAll(headers, ofReply);
  if (requestId !== undefined) headers.set("x-request-id", requestId);
  if (body !== null) headers.set("content-type", contentType);
  // Close the connection after CONNECT: a proxy in front has not inspected the bytes that follow,
  // so reading them as a request would bypass its rules.
  if (method === "CONNECT") headers.set("connection", "close");
  if (isHead && body !== null) headers.set("content-length", String(byteLength(body)));
  return response;
}

function setAll(headers: Headers, fields: Readonly<Record<string, string>> | undefined): void {
  for (const name in fields) headers.set(name, fields[name]!);
}

/** Returns the length of a body, in bytes. */
export function byteLength(body: Reply["body"]): number {
  return body === null ? 0 : Buffer.byteLength(body);
}
