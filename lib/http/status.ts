/**
 * Status of the server for its operator, the reply of `GET /status`. It shows no secret and no key.
 *
 * @module
 */

import { operatorEndpoint } from "./guard_endpoints.ts";
import type { RouteHandler } from "./exchange.ts";
import type { ResolvedOptions } from "./options.ts";

/** Makes the handler of `GET /status`. */
export function statusRoute(state: ResolvedOptions): RouteHandler {
  return operatorEndpoint(state, () => state.status?.() ?? {});
}
