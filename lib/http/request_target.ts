/**
 * Target of a request: its path and query as sent, and the base URL that its caller used.
 *
 * @module
 */

import { Fault } from "../operations/fault.ts";

/** Longest query string, in characters as sent. */
export const MAX_QUERY_LENGTH = 8_192;

/** Parts of a request's URL, undecoded. */
export interface Target {
  /** Host field, without an empty port; empty or null when the request's is. */
  readonly host: string | null;
  /** `http` or `https`. */
  readonly scheme: string;
  /** Host and port. */
  readonly authority: string;
  /** Path, from its first slash; repeated slashes are merged. */
  readonly path: string;
  /** Text behind the question mark; empty when absent. */
  readonly query: string;
}

// Subset of RFC 3986 §3.2.2 that host names use: IPv6 in brackets, or labels of letters, digits,
// hyphens and underscores between dots, with at most one dot at the end; then an optional port.
const AUTHORITY =
  /^(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?)(?::([0-9]{1,5}))?$/;

/** Whether a text is a host with an optional port, and so safe in a URL. */
export function isAuthority(text: string): boolean {
  if (text.length > 261) return false;
  const match = AUTHORITY.exec(text);
  if (match === null || Number(match[1] ?? 0) > 65_535) return false;
  // Leave the grammar of IPv6 addresses to the platform.
  return !text.startsWith("[") || URL.canParse(`http://${text}/`);
}

/**
 * Splits a request's URL. `URL` is not used: it normalises the path and costs more than all the
 * rest of routing.
 *
 * @param host Host field, which the runtime copies into the URL as sent, so a slash or question
 * mark in it starts no path or query. Null when absent.
 */
export function targetOf({ url }: Request, host: string | null): Target {
  const authorityStart = url.indexOf("://") + 3;
  const isOfHost = !!host && url.startsWith(host, authorityStart);
  const from = isOfHost ? authorityStart + host.length : authorityStart;
  const queryStart = indexOrEnd(url, "?", from);
  const pathStart = Math.min(indexOrEnd(url, "/", from), queryStart);
  return {
    host: host && withoutEmptyPort(host),
    scheme: url.startsWith("https:") ? "https" : "http",
    authority: withoutEmptyPort(url.slice(authorityStart, pathStart)),
    // RFC 3986 §6.2.3: an empty path is the root. Merge slashes: a base URL that ends with one
    // doubles the next, and a URL built from a path with two at its start would name a host.
    path: url.slice(pathStart, queryStart).replace(/\/{2,}/g, "/") || "/",
    query: url.slice(queryStart + 1),
  };
}

// Drops an empty port: it is the default port of the scheme (RFC 3986 §6.2.3).
function withoutEmptyPort(authority: string): string {
  return authority.endsWith(":") ? authority.replace(/^(\[[^\]]*\]|[^:]*):$/, "$1") : authority;
}

/**
 * Checks the Host of a request. A runtime copies any text into the URL.
 *
 * @param operator Stricter rule, against DNS rebinding: an IP address, `localhost` or the host of the
 * operator port, both in the target and in the Host field. A page from a name that was rebound to this machine sends that name.
 * @throws {Fault} When the Host is not a host, or not one that the rule allows.
 */
export function checkHost(
  { host, authority }: Target,
  operator?: { readonly metricsHost: string },
): void {
  if (!isAuthority(authority) || host && host !== authority && !isAuthority(host)) {
    throw new Fault("bad-host", "The Host header is not a host with an optional port.");
  }
  if (operator === undefined) return;
  const isAllowed = (authority: string): boolean => {
    const name = authority.replace(/:\d*$/, "").toLowerCase();
    return name === "localhost" || IP_ADDRESS.test(name) ||
      name === operator.metricsHost.toLowerCase();
  };
  // RFC 9112 §3.2.2: an absolute target stands over the Host field.
  if (!isAllowed(authority) || host && !isAllowed(host)) {
    const expected = "an IP address, localhost or the --metrics-host";
    throw new Fault("forbidden", `The Host of this request must be ${expected}.`);
  }
}

const IP_ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/;

/**
 * Checks the length of the query string.
 *
 * @throws {Fault} When it is longer than `MAX_QUERY_LENGTH`.
 */
export function checkQuery({ query }: Target): void {
  if (query.length > MAX_QUERY_LENGTH) {
    throw new Fault(
      "query-too-long",
      `The query string is longer than ${MAX_QUERY_LENGTH} characters.`,
    );
  }
}

function indexOrEnd(text: string, search: string, from: number): number {
  const index = text.indexOf(search, from);
  return index < 0 ? text.length : index;
}

/** Options that decide the base URL. */
export interface BaseOptions {
  /** Public base URL, if the operator gave one. */
  readonly baseUrl: string | undefined;
  /** Whether a proxy in front sets `X-Forwarded-Proto` and `X-Forwarded-Host`. */
  readonly trustProxy: boolean;
}

/**
 * Returns the base URL of the service as its caller sees it, without a slash at the end.
 *
 * @throws {Fault} When a forwarded host is not a host.
 */
export function baseOf(request: Request, target: Target, options: BaseOptions): string {
  if (options.baseUrl !== undefined) return options.baseUrl;
  if (!options.trustProxy) return `${target.scheme}://${target.authority}`;
  const scheme = lastForwarded(request, "x-forwarded-proto")?.toLowerCase();
  const host = withoutEmptyPort(lastForwarded(request, "x-forwarded-host") ?? target.authority);
  if (!isAuthority(host)) {
    throw new Fault("bad-host", "The X-Forwarded-Host header is not a host with an optional port.");
  }
  return `${scheme === "https" || scheme === "http" ? scheme : target.scheme}://${host}`;
}

/**
 * Returns the last entry of a header field of proxies: with several proxies only that one comes from
 * the trusted proxy, and earlier ones may come from the caller.
 */
export function lastForwarded(request: Request, name: string): string | undefined {
  return request.headers.get(name)?.split(",").at(-1)?.trim() || undefined;
}
