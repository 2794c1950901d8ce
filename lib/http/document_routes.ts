/**
 * Routes of the documents: the query of the service's path names one.
 *
 * @module
 */

import { plainReply, type Reply } from "../bindings/binding.ts";
import { OPERATIONS } from "../operations/operations.ts";
import type { PageText } from "./documents.ts";
import type { RouteResult } from "./response.ts";
import type { RequestContext } from "./route.ts";

/** Answers with the WSDL, the discovery document, or the service page if there is one. */
export async function answerDescription(
  { request, target, parts: { documents } }: RequestContext,
): Promise<RouteResult> {
  const part = partIn(target.query);
  if (part === "wsdl" || part === "disco") {
    return resultOf(await documents.description(part, target, request));
  }
  return resultOf(await documents.page?.(part, target, request) ?? NO_PAGE);
}

/** Answers with the OpenAPI description. */
export async function answerOpenApi(
  { request, target, parts: { documents } }: RequestContext,
): Promise<RouteResult> {
  return resultOf(await documents.description("openapi", target, request));
}

/** Redirects from the root to the service. */
export function answerRoot({ parts: { baseUrl } }: RequestContext): RouteResult {
  // A proxy may have removed a path prefix. Without a base URL that names it, a reference relative
  // to the path is right with and without a prefix (RFC 9110 §10.2.2).
  const headers = { location: baseUrl === undefined ? "api.asmx" : `${baseUrl}/api.asmx` };
  return resultOf({ ...plainReply(302, "See /api.asmx."), headers });
}

const NO_PAGE = plainReply(404, "The service is described at ?wsdl, and at /openapi.json.");

function resultOf(reply: Reply): RouteResult {
  return { reply, outcome: reply.status === 404 ? "not-found" : "ok" };
}

/** Part of the service by the query of a GET. */
type Part = "wsdl" | "disco" | PageText;

/** Reads the part from a query string; its keys are compared without case. */
function partIn(query: string): Part {
  const pairs = [...new URLSearchParams(query)].map(([key, v]) => [key.toLowerCase(), v]);
  // Searches the list instead of a table: callers choose the keys and could make them collide (see
  // `json_reader.ts`).
  const valueOf = (name: string): string | undefined =>
    pairs.findLast(([key]) => key === name)?.[1];
  for (const name of ["wsdl", "disco", "script", "style"] as const) {
    if (valueOf(name) !== undefined) return name;
  }
  const operation = valueOf("op");
  return operation === undefined || OPERATIONS.has(operation) ? "page" : "unknown-operation";
}
