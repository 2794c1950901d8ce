/**
 * Which route a path takes.
 *
 * @module
 */

import type { RouteName } from "../telemetry/request_event.ts";

/** A route, and what its requests may do. */
export interface Route {
  /** The route; `unknown` for a path that is none. */
  readonly name: Exclude<RouteName, "description">;
  /** The methods that it answers, beside OPTIONS. */
  readonly methods: readonly string[];
  /** Whether callers need no key, since load balancers have none. */
  readonly isPublic: boolean;
  /** What stands behind the file part and a slash, undefined when nothing does. */
  readonly operationName?: string | undefined;
}

const READ = ["GET", "HEAD"];

const SERVICE: Route = { name: "service", methods: [...READ, "POST"], isPublic: false };
const UNKNOWN: Route = { name: "unknown", methods: [], isPublic: false };

const SHORT = { methods: [...READ, "POST"], isPublic: false };

const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ["/api.asmx", SERVICE],
  ["/", { name: "root", methods: READ, isPublic: false }],
  ["/pair.aspx", { name: "pair.aspx", ...SHORT }],
  ["/validate.aspx", { name: "validate.aspx", ...SHORT }],
  ["/qr.aspx", { name: "qr.aspx", ...SHORT }],
  ["/healthz", { name: "healthz", methods: READ, isPublic: true }],
  ["/readyz", { name: "readyz", methods: READ, isPublic: true }],
  ["/metrics", { name: "metrics", methods: READ, isPublic: false }],
]);

/**
 * The route of a path. Its file part is compared without case; the name of an operation behind it
 * is left as it was sent.
 */
export function routeOf(path: string): Route {
  const slash = path.indexOf("/", 1);
  const file = slash < 0 ? path : path.slice(0, slash);
  const route = ROUTES.get(file.toLowerCase() || "/") ?? UNKNOWN;
  if (slash < 0) return route;
  const operationName = path.slice(slash + 1) || undefined;
  return route === SERVICE ? { ...route, operationName } : UNKNOWN;
}
