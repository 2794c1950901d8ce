/**
 * Routing: from a path and method to a row of the route table.
 *
 * @module
 */

import type { HandlerOptions } from "./handler_options.ts";
import type { Route } from "./route.ts";

/** Rows of a path. */
export interface RouteMatch {
  /** Rows of the path, at least one. */
  readonly routes: readonly [Route, ...Route[]];
  /** Path behind the file part and a slash; undefined when absent or ignored. */
  readonly operationName: string | undefined;
}

/** Finds the rows of a path; undefined for an unknown path. */
export type Router = (path: string) => RouteMatch | undefined;

/** Makes a router of the rows that the options enable. */
export function createRouter(options: HandlerOptions, rows: readonly Route[]): Router {
  const routes = new Map<string, [Route, ...Route[]]>();
  for (const row of rows) {
    if (row.isEnabled?.(options) === false) continue;
    const others = routes.get(row.path);
    if (others === undefined) routes.set(row.path, [row]);
    else others.push(row);
  }
  const named = (path: string): RouteMatch | undefined => {
    const slash = path.indexOf("/", 1);
    const file = (slash < 0 ? path : path.slice(0, slash)).toLowerCase();
    // A trailing slash names no operation: it is routed like the file part alone, and allowed only
    // before the name of an operation.
    const operationName = slash < 0 ? undefined : path.slice(slash + 1) || undefined;
    const others = slash < 0
      ? undefined
      : routes.get(`${file}/*`) ?? routes.get(`${file}/${operationName ?? ""}`);
    if (slash >= 0 && others === undefined) return undefined;
    const matched = operationName === undefined ? routes.get(file) : others;
    return matched && { routes: matched, operationName };
  };
  // Pages, by their path as IIS reads it: callers of `/Validate.aspx` take `Not found.`, too, for a
  // success.
  const page = (path: string): RouteMatch | undefined => {
    const [file = ""] = /^\/[^/]*/.exec(decoded(path)) ?? [];
    const matched = routes.get(file.toLowerCase());
    return matched?.[0].ignoresPathInfo ? { routes: matched, operationName: undefined } : undefined;
  };
  return (path) => named(path) ?? page(path);
}

// Decodes the ASCII characters of a path, and merges the slashes that this makes.
function decoded(path: string): string {
  if (!path.includes("%")) return path;
  return path
    .replace(/%([0-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)))
    .replace(/\/{2,}/g, "/");
}

/**
 * Returns the method of a request in capitals. RFC 9110 §9.1 compares methods with case, but IIS did
 * not, and T-SQL's `sp_OAMethod` and R send them as their callers type them.
 */
export function methodOf({ method }: Request): string {
  return method.toUpperCase();
}

/** Returns the row of a path that answers a method, or undefined. */
export function routeFor({ routes }: RouteMatch, method: string): Route | undefined {
  const routed = method === "HEAD" ? "GET" : method;
  return routes.find(({ methods }) => methods.some((known) => known === routed));
}

const METHODS = ["GET", "POST"] as const;

/** Returns the value of Allow for a path (RFC 9110 §10.2.1). */
export function allowOf({ routes }: RouteMatch): string {
  const allowed = METHODS.filter((method) =>
    routes.some((route) => route.methods.includes(method))
  );
  return [...allowed.flatMap((method) => method === "GET" ? ["GET", "HEAD"] : [method]), "OPTIONS"]
    .join(", ");
}
