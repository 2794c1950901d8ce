/**
 * Form of a sealed secret: the one rule that tells it from a plain one, for server and browser.
 *
 * @module
 */

// Base64url of `{"alg":"dir"`, in any case of its letters: a column may have changed the case, cut
// the rest or put quotes around it, and no piece of a sealed secret may be taken for a plain one.
const SEALED = /eyJhbGciOiJkaXIi/i;

/** Whether a secretCode is sealed, even if it was cut or changed and cannot be opened. */
export function isSealed(secretCode: string): boolean {
  return SEALED.test(secretCode);
}

/** Blank, tab, carriage return and line feed. */
const BLANKS = " \t\r\n";

/**
 * Drops the blanks, tabs and line ends around a sealed secret: columns of a fixed width pad, and
 * exports add line ends.
 */
export function withoutBlanks(sealed: string): string {
  // An expression for the end of a text takes quadratic time for blanks inside.
  let [start, end] = [0, sealed.length];
  while (start < end && BLANKS.includes(sealed[start]!)) start++;
  while (end > start && BLANKS.includes(sealed[end - 1]!)) end--;
  return sealed.slice(start, end);
}
