/**
 * Texts with holes that values are put into: those of the examples by the server, those of the form by
 * the browser.
 *
 * @module
 */

/** A piece of a text. */
export interface Piece {
  /** What stands there. */
  readonly text: string;
  /** What it depends on, when it is not the same in every text: a parameter, for instance. */
  readonly hole?: string;
}

/**
 * What stands for a value where a text is made with marks. Letters and digits are the same in every
 * format and language, and none has such words of its own.
 */
export function markOf(name: string): string {
  return `0${name.replaceAll("-", "")}0`;
}

function split(marked: string, names: readonly string[]): readonly [string, string | undefined][] {
  return marked.split(new RegExp(`(${names.map(markOf).join("|")})`))
    .map((part) => [part, names.find((name) => markOf(name) === part)]);
}

/**
 * The pieces of a text, by the same text with marks in it: what stands between two fixed parts is the
 * value as it was written there.
 */
export function piecesOf(
  text: string,
  marked: string,
  names: readonly string[],
): readonly Piece[] {
  const parts = split(marked, names);
  let end = 0;
  return parts.map(([part, hole], i) => {
    const start = end;
    const [next] = parts[i + 1] ?? [];
    if (hole === undefined) end += part.length;
    else end = next ? text.indexOf(next, start) : text.length;
    const piece = { text: text.slice(start, end) };
    return hole === undefined ? piece : { ...piece, hole };
  }).filter((piece) => piece.text !== "");
}

/** The pieces of a text with marks, with a value in the place of each, as it is written there. */
export function fillMarks(
  marked: string,
  written: ReadonlyMap<string, string>,
): readonly Piece[] {
  return split(marked, [...written.keys()])
    .map(([text, hole]) => hole === undefined ? { text } : { text: written.get(hole)!, hole })
    .filter((piece) => piece.text !== "");
}
