/**
 * Text from elsewhere (a server, a store, a caller): its bytes, places in it, and its way to a terminal
 * or a log.
 *
 * @module
 */

/** Default limit of a printed text, in characters. */
const MAX_CHARACTERS = 100;

// Control and format characters, lone surrogates, line and paragraph separators: they command a
// terminal, begin a line of a log, or change the order of other characters (UAX #9). The two joiners
// (UAX #31 §2.3) only shape their neighbours: in names in Persian, and in emoji.
const UNPRINTABLE = /(?![\u200C\u200D])[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Makes a text harmless for a terminal and a log: a space replaces each character that could command
 * them, an ellipsis the end of a long text.
 *
 * @param maxCharacters Limit of the length, in characters.
 */
export function printable(text: string, maxCharacters = MAX_CHARACTERS): string {
  const characters = [...text.replace(UNPRINTABLE, " ")];
  return characters.length <= maxCharacters
    ? characters.join("")
    : `${characters.slice(0, maxCharacters - 1).join("")}…`;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes UTF-8; undefined for bytes that are not UTF-8. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the line and column, both from 1, of the end of a text; columns are characters. */
export function placeAfter(text: string): { readonly line: number; readonly column: number } {
  const lines = text.split(/\r\n?|\n/);
  return { line: lines.length, column: [...lines.at(-1)!].length + 1 };
}
