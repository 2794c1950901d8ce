/**
 * Route of `/status`: status of the server for its operator. It shows no secret and no key.
 *
 * @module
 */

import type { RequestContext } from "./route.ts";
import { jsonReply, type RouteResult } from "./response.ts";

/** Answers `GET /status`. */
export function answerStatus({ parts: { status } }: RequestContext): RouteResult {
  return { reply: jsonReply(status?.() ?? {}), outcome: "ok" };
}
