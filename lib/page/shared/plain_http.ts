/**
 * Check for secrets sent in the clear. The server checks its base URL; the browser checks the
 * page's address, since it alone knows the scheme behind a proxy.
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
