/**
 * Addresses: which are on this machine, and the address of the service in the texts of the page. The
 * server puts in its base URL; the browser puts in the address of the page, since it alone knows the
 * scheme behind a proxy.
 *
 * @module
 */

/**
 * Whether a host, with or without a port, is this machine (RFC 6761 §6.3, RFC 1122 §3.2.1.3 (g), RFC
 * 4291 §2.5.3).
 */
export function isLoopback(host: string): boolean {
  return /^(?:(?:[^/:]+\.)?localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])(?::\d+)?$/i.test(host);
}

/** Whether a base URL sends secrets in the clear: plain HTTP, and not on the same machine. */
export function isInTheClear(base: string): boolean {
  const [, host] = /^http:\/\/([^/]*)/i.exec(base) ?? [];
  return host !== undefined && !isLoopback(host);
}

/**
 * Percent-encodes what could end or change a string literal of a programming language, so that the
 * programs of the page hold the URL as it is (RFC 3986 §2.1).
 */
export function literalUrl(url: string): string {
  return url.toWellFormed().replace(
    /[^\w\-.~:/?#[\]@!()*+,;=%]/gu,
    (character) => encodeURIComponent(character).replaceAll("'", "%27"),
  );
}
