/**
 * Texts with holes that values are put into: those of the examples by the server, those of the form by
 * the browser.
 *
 * @module
 */

/** A piece of a text. */
export interface TemplatePart {
  /** What stands there. */
  readonly text: string;
  /** What it depends on, when it is not the same in every text: a parameter, for instance. */
  readonly placeholder?: string;
}

/**
 * What stands for a value where a text is made with marks. Letters and digits are the same in every
 * format and language, and none has such words of its own.
 */
export function marker(name: string): string {
  return `0${name.replaceAll("-", "")}0`;
}

function split(marked: string, names: readonly string[]): readonly [string, string | undefined][] {
  return marked.split(new RegExp(`(${names.map(marker).join("|")})`))
    .map((part) => [part, names.find((name) => marker(name) === part)]);
}

/**
 * The pieces of a text, by the same text with marks in it: what stands between two fixed parts is the
 * value as it was written there.
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
    const piece = { text: text.slice(start, end) };
    return placeholder === undefined ? piece : { ...piece, placeholder };
  }).filter((piece) => piece.text !== "");
}

/** The pieces of a text with marks, with a value in the place of each, as it is written there. */
export function fillTemplate(
  marked: string,
  written: ReadonlyMap<string, string>,
): readonly TemplatePart[] {
  return split(marked, [...written.keys()])
    .map(([text, placeholder]) =>
      placeholder === undefined ? { text } : { text: written.get(placeholder)!, placeholder }
    )
    .filter((piece) => piece.text !== "");
}
