/**
 * Codes as apps show them, for the document and for the script that fills it in.
 *
 * @module
 */

/** Writes a code in two halves; the first has the digit more. */
export function inGroups(code: string): string {
  const half = Math.ceil(code.length / 2);
  return `${code.slice(0, half)} ${code.slice(half)}`;
}

/** Placeholder of a code, as wide as the code. */
export function codePlaceholder(digits: number): string {
  return inGroups("-".repeat(digits));
}
