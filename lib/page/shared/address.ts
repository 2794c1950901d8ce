/**
 * Address of the service in the texts of the page. The server puts in its base URL; the browser puts
 * in the address of the page, since it alone knows the scheme behind a proxy.
 *
 * @module
 */

// RFC 6761 §6.3, RFC 1122 §3.2.1.3 (g), RFC 4291 §2.5.3.
const LOOPBACK =
  /^http:\/\/(?:(?:[^/:]+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:\/|$)/i;

/** Whether a base URL sends secrets in the clear: plain HTTP, and not on the same machine. */
export function isInTheClear(base: string): boolean {
  return /^http:/i.test(base) && !LOOPBACK.test(base);
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
