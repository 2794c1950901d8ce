/**
 * Where a request goes: its path and query as they were sent, and the base URL that its caller used.
 *
 * @module
 */

import { Fault } from "../operations/fault.ts";

/** The longest query string in characters, as it was sent. */
export const MAX_QUERY_LENGTH = 8_192;

/** The parts of a request's URL, none of them decoded. */
export interface Target {
  /** The Host field, without an empty port; empty or null when it is so. */
  readonly host: string | null;
  /** `http` or `https`. */
  readonly scheme: string;
  /** Host and port. */
  readonly authority: string;
  /** The path, which begins with a slash; repeated slashes are one. */
  readonly path: string;
  /** What follows the question mark, empty when there is none. */
  readonly query: string;
}

// RFC 3986 §3.2.2 without what no host name has: IPv6 in brackets, or labels of letters, digits,
// hyphens and underscores between dots, with one at the end at most; then a port.
const AUTHORITY =
  /^(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?)(?::([0-9]{1,5}))?$/;

/** Whether a text is a host with an optional port, so that it can stand in an address. */
export function isAuthority(text: string): boolean {
  if (text.length > 261) return false;
  const match = AUTHORITY.exec(text);
  if (match === null || Number(match[1] ?? 0) > 65_535) return false;
  // What is in brackets has a grammar of its own, which the platform knows.
  return !text.startsWith("[") || URL.canParse(`http://${text}/`);
}

/**
 * Takes a request's URL apart. Not by `URL`, which normalises what callers sent and costs more than
 * all the rest of routing.
 *
 * @param host The Host, which a runtime puts into the URL as it came: what it holds is no path and no
 * query. Null when there is none.
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
    // RFC 3986 §6.2.3: a whole URL without a path is that of the root. A base address that ends with a
    // slash doubles the next; and an address that is built from two of them would name a host.
    path: url.slice(pathStart, queryStart).replace(/\/{2,}/g, "/") || "/",
    query: url.slice(queryStart + 1),
  };
}

// RFC 3986 §6.2.3: an empty port is that of the scheme.
function withoutEmptyPort(authority: string): string {
  return authority.replace(/^(\[[^\]]*\]|[^:]*):$/, "$1");
}

/**
 * Checks the parts of a request's URL that its path does not decide.
 *
 * @throws {Fault} When the Host is not a host (a runtime puts whatever it holds into the URL), or
 * the query string is longer than `MAX_QUERY_LENGTH`.
 */
export function checkTarget({ host, authority, query }: Target): void {
  if (!isAuthority(authority) || host && host !== authority && !isAuthority(host)) {
    throw new Fault("bad-host", "The Host header is not a host with an optional port.");
  }
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

/** What decides the base URL beside the request. */
export interface BaseOptions {
  /** The public base URL, when the operator gave one. */
  readonly baseUrl: string | undefined;
  /** Whether a proxy stands in front that sets `X-Forwarded-Proto` and `X-Forwarded-Host`. */
  readonly trustProxy: boolean;
}

/**
 * The base URL of the service as its caller sees it, without a slash at its end.
 *
 * @throws {Fault} When a forwarded host is not a host.
 */
export function baseOf(request: Request, target: Target, options: BaseOptions): string {
  if (options.baseUrl !== undefined) return options.baseUrl;
  if (!options.trustProxy) return `${target.scheme}://${target.authority}`;
  const scheme = forwarded(request, "x-forwarded-proto")?.toLowerCase();
  const host = withoutEmptyPort(forwarded(request, "x-forwarded-host") ?? target.authority);
  if (!isAuthority(host)) {
    throw new Fault("bad-host", "The X-Forwarded-Host header is not a host with an optional port.");
  }
  return `${scheme === "https" || scheme === "http" ? scheme : target.scheme}://${host}`;
}

// Where several proxies append, only the last entry comes from the one that is trusted: whatever
// stands before it may be the caller's own.
function forwarded(request: Request, name: string): string | undefined {
  return request.headers.get(name)?.split(",").at(-1)?.trim() || undefined;
}
