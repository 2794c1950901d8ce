/** What holds for every reply, whatever the request was. */

/// <reference types="../peers.d.ts" />

import { PNG } from "pngjs";
import { Buffer } from "node:buffer";
import type { RawReply } from "../http.ts";
import { structureBySaxes } from "../xml/structure.ts";
import type { Expectation } from "./expectation.ts";
import { NAMESPACE, type Route } from "./reading.ts";
import { textOf } from "./request.ts";

/** A reply, and what is known of its request. */
export interface Answered {
  /** The method of the request, in capitals. */
  readonly method: string;
  /** The route of the request. */
  readonly route: Route;
  /** What the reply must say. */
  readonly expectation: Expectation;
  /** Whether the request was made from a call with a right pin, or two of which one has. */
  readonly fromRightPin: boolean;
  /** The word that no error may repeat. */
  readonly canary: string;
  /** The reply. */
  readonly reply: Omit<RawReply, "continued">;
}

/** The longest body of a reply, in bytes (wire.md §4.2). */
const MAX_REPLY_BYTES = 131_072;

const FAULTS = [400, 401, 414];
const BODY_FAULTS = [...FAULTS, 408, 413, 415, 503];
const STATUSES: Readonly<Record<Route, readonly number[]>> = {
  "SOAP 1.1": [200, 500, ...BODY_FAULTS],
  "SOAP 1.2": [200, 500, ...BODY_FAULTS],
  "HTTP GET": [200, 404, ...FAULTS],
  "HTTP POST": [200, 404, ...BODY_FAULTS],
  "JSON": [200, 404, ...BODY_FAULTS],
  "pair.aspx": [200, ...FAULTS],
  "validate.aspx": [200],
  "qr.aspx": [200, 204, 405, ...BODY_FAULTS],
  "description": [200, 304, 404, ...FAULTS],
  "other": [200, 204, 302, 404, 405, 503, ...FAULTS],
};

/**
 * What is wrong with a reply: nothing, where all is well.
 */
export function problemsOf(answered: Answered): readonly string[] {
  const { reply, route } = answered;
  const result = resultIn(answered);
  const problems = [
    !STATUSES[route].includes(reply.status) && `status ${reply.status} is none of ${route}`,
    reply.headers.get("x-content-type-options") !== "nosniff" && "no nosniff",
    reply.headers.get("referrer-policy") !== "no-referrer" && "no Referrer-Policy",
    !reply.headers.has("cache-control") && "no Cache-Control",
    reply.body.length > MAX_REPLY_BYTES && `a body of ${reply.body.length} bytes`,
    textOf(reply.body).includes("Server was unable to process request.") && "an internal error",
    formProblem(answered),
    repeats(answered, result) && "it repeats a part of its request",
    resultProblem(answered, result),
  ];
  return problems.filter((problem) => typeof problem === "string");
}

function resultProblem(
  { method, route, expectation, fromRightPin, reply }: Answered,
  result: string | undefined,
): string | undefined {
  if (method === "HEAD") return undefined;
  if (expectation === undefined) {
    return result === "true" && !fromRightPin ? "true without a right pin" : undefined;
  }
  // Its callers take whatever is not False for a success.
  const refusal = route === "validate.aspx" ? ["false", undefined] : [undefined];
  if (expectation === "refused") {
    return refusal.includes(result) ? undefined : `${result} where an error was expected`;
  }
  return result === expectation ? undefined : `${result} (${reply.status}), not ${expectation}`;
}

/** The result in a reply: `true`, `false`, a setup code; undefined when it has none. */
function resultIn({ route, reply }: Answered): string | undefined {
  if (reply.status !== 200) return undefined;
  const text = Buffer.from(reply.body).toString();
  switch (route) {
    case "validate.aspx":
      return { True: "true", False: "false" }[text];
    case "pair.aspx":
      return /title='Manually pair with ([A-Z2-7]*)'/.exec(text)?.[1];
    case "JSON": {
      const { d } = JSON.parse(text) as { d?: boolean | { ManualSetupCode: string } };
      return typeof d === "object" ? d.ManualSetupCode : d === undefined ? undefined : String(d);
    }
    default: {
      const lines = structureBySaxesOrNone(text);
      const at = lines.findIndex((line) => RESULT_ELEMENTS.has(line));
      return at < 0 ? undefined : lines[at + 1]?.slice(1);
    }
  }
}

const RESULT_ELEMENTS: ReadonlySet<string> = new Set(
  ["ValidatePinResult", "boolean", "ManualSetupCode"].map((name) => `<{${NAMESPACE}}${name}`),
);

function structureBySaxesOrNone(text: string): readonly string[] {
  return text.startsWith("<?xml") ? structureBySaxes(text) ?? [] : [];
}

// The one reply that holds what its request does by purpose is a pairing; descriptions hold the Host,
// and a fault names the header blocks that it does not understand.
function repeats({ route, reply, canary }: Answered, result: string | undefined): boolean {
  if (result !== undefined && result !== "true" && result !== "false") return false;
  if (route === "description" && reply.status === 200) return false;
  const body = textOf(reply.body).replace(/<soap:NotUnderstood [^>]*>/g, "");
  const whole = [...reply.headers.values(), body].join("\n").toLowerCase();
  return whole.includes(canary);
}

/** What is not well-formed about a reply, by a reader of its media type that is not ours. */
function formProblem({ method, reply, route }: Answered): string | undefined {
  const { status, headers, body } = reply;
  if (method === "HEAD" || status === 204 || status === 304) {
    return body.length > 0 ? "a body where there is none" : undefined;
  }
  const type = headers.get("content-type") ?? "none";
  const isFormed = FORMS.get(type)?.(Buffer.from(body), route);
  if (isFormed === undefined) return `a Content-Type of ${type}`;
  return isFormed ? undefined : `a body that is no ${type}`;
}

const isXml = (body: Buffer): boolean =>
  body.includes('<?xml version="1.0" encoding="utf-8"?>') &&
  structureBySaxes(body.toString()) !== undefined;

const FORMS: ReadonlyMap<string, (body: Buffer, route: Route) => boolean> = new Map([
  ["text/xml; charset=utf-8", isXml],
  ["application/soap+xml; charset=utf-8", isXml],
  ["image/svg+xml", isXml],
  ["application/json; charset=utf-8", (body: Buffer, route: Route) => {
    JSON.parse(body.toString());
    const pattern = route === "description" ? /^[\n\x20-\x7E]+$/ : /^[\x20-\x7E]+$/;
    return pattern.test(body.toString("latin1"));
  }],
  [
    "text/plain; charset=utf-8",
    (body: Buffer) => /^(ok|[A-Z][\x20-\x7E]+\.\r\n)$/.test(body.toString("latin1")),
  ],
  [
    "text/plain; version=0.0.4; charset=utf-8",
    (body: Buffer) => /^([\x20-\x7E]+\n)*$/.test(body.toString("latin1")),
  ],
  ["text/html; charset=utf-8", (body: Buffer, route: Route) => {
    const pattern = route === "description"
      ? /^<!DOCTYPE html>\n<html[\t\n\x20-\x7E]+<\/html>\n$/
      : /^(True|False|Pass '[A-Za-z]+' in QueryString|<a title='[^'<>]+' href='[^'<>]+'><img src='[^'<>]+' border=0><\/a>)$/;
    return pattern.test(body.toString("latin1"));
  }],
  ["image/png", (body: Buffer) => PNG.sync.read(body).width > 20],
]);
