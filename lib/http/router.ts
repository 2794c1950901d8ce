/**
 * The way from a request to the row of the table that answers it.
 *
 * @module
 */

import type { RouteHandler } from "./exchange.ts";
import type { Route } from "./routes.ts";
import type { ResolvedOptions } from "./options.ts";

/** A row, and what it was made to answer with. */
export interface PreparedRoute extends Pick<Route, "name" | "wantsKey" | "methods"> {
  /** What answers. */
  readonly answerer: RouteHandler;
}

/** Where a path leads. */
export interface Found {
  /** The rows of the path, one at least. */
  readonly routes: readonly [PreparedRoute, ...PreparedRoute[]];
  /** What stands behind the file part and a slash, undefined when nothing does. */
  readonly operationName: string | undefined;
}

/** Finds where a path leads; undefined when it leads nowhere. */
export type Router = (path: string) => Found | undefined;

/** Prepares those of the rows that the options want. */
export function createRouter(state: ResolvedOptions, rows: readonly Route[]): Router {
  const routes = new Map<string, [PreparedRoute, ...PreparedRoute[]]>();
  for (const { path, answer, ...row } of rows) {
    const answerer = answer(state);
    if (answerer === undefined) continue;
    const prepared = { ...row, answerer };
    const others = routes.get(path);
    if (others === undefined) routes.set(path, [prepared]);
    else others.push(prepared);
  }
  return (path) => {
    const slash = path.indexOf("/", 1);
    const file = (slash < 0 ? path : path.slice(0, slash)).toLowerCase();
    const operationName = slash < 0 ? "" : path.slice(slash + 1);
    // A slash with nothing behind it names no operation, and belongs to a path that may have one.
    const named = slash < 0
      ? undefined
      : routes.get(`${file}/*`) ?? routes.get(`${file}/${operationName}`);
    if (slash >= 0 && named === undefined) return undefined;
    const found = operationName === "" ? routes.get(file) : named;
    return found && { routes: found, operationName: operationName || undefined };
  };
}

/** The row of a path that answers a method, if there is one. */
export function routeFor({ routes }: Found, method: string): PreparedRoute | undefined {
  const asked = method === "HEAD" ? "GET" : method;
  return routes.find(({ methods }) => methods.some((known) => known === asked));
}

const METHODS = ["GET", "POST"] as const;

/** The value of Allow for a path (RFC 9110 §10.2.1). */
export function allowOf({ routes }: Found): string {
  const allowed = METHODS.filter((method) =>
    routes.some((route) => route.methods.includes(method))
  );
  return [...allowed.flatMap((method) => method === "GET" ? ["GET", "HEAD"] : [method]), "OPTIONS"]
    .join(", ");
}
