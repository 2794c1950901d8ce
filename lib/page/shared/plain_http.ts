/**
 * Whether secrets come to an address in the clear. The server asks it of its base URL, and the
 * browser, which alone knows how the page came, of the page's address.
 *
 * @module
 */

// RFC 6761 §6.3, RFC 1122 §3.2.1.3 (g), RFC 4291 §2.5.3.
const LOOPBACK =
  /^http:\/\/(?:(?:[^/:]+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:\/|$)/i;

/** Whether secrets come to a base URL in the clear: by plain HTTP, and not from the same machine. */
export function isInTheClear(base: string): boolean {
  return /^http:/i.test(base) && !LOOPBACK.test(base);
}
