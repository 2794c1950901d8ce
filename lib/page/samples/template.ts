/**
 * Texts with marked places for values: the server fills in the examples, the browser the values of
 * the form.
 *
 * @module
 */

/** A piece of a text. */
export interface TemplatePart {
  /** The text. */
  readonly text: string;
  /** Name of the value in this piece, such as a parameter; absent for fixed text. */
  readonly placeholder?: string | undefined;
}

/**
 * Makes the mark in place of a value. Letters and digits are never escaped in any format or
 * language, and no format or language has such a word of its own.
 */
export function marker(name: string): string {
  return `0${name.replaceAll("-", "")}0`;
}

function split(marked: string, names: readonly string[]): readonly [string, string | undefined][] {
  return marked.split(new RegExp(`(${names.map(marker).join("|")})`))
    .map((part) => [part, names.find((name) => marker(name) === part)]);
}

/**
 * Splits a text by the same text with marks: the part between two fixed parts is the value, as
 * encoded there.
 */
export function templateParts(
  text: string,
  marked: string,
  names: readonly string[],
): readonly TemplatePart[] {
  const parts = split(marked, names);
  let end = 0;
  return parts.map(([part, placeholder], i) => {
    const start = end;
    const [next] = parts[i + 1] ?? [];
    if (placeholder === undefined) end += part.length;
    else end = next ? text.indexOf(next, start) : text.length;
    return { text: text.slice(start, end), placeholder };
  }).filter((piece) => piece.text !== "");
}

/** Splits a text with marks, and puts an encoded value into each. */
export function fillTemplate(
  marked: string,
  written: ReadonlyMap<string, string>,
): readonly TemplatePart[] {
  return split(marked, [...written.keys()])
    .map(([text, placeholder]) => ({ text: written.get(placeholder ?? "") ?? text, placeholder }))
    .filter((piece) => piece.text !== "");
}
