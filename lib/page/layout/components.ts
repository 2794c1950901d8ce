/**
 * Components of the service page: sections, tables, and panes of text.
 *
 * @module
 */

import { type Content, type Markup, markup } from "../markup.ts";
import type { TemplatePart } from "../samples/template.ts";

/** Makes a pane: a text to read and copy, under a title. */
export function pane(
  { id, title, of, className, values }: {
    readonly id: string;
    readonly title: string;
    /** Id of the heading that its name begins with, where another pane has the same title. */
    readonly of?: string;
    readonly className?: string;
    /** Encoding of values in the text, if the script puts in the form's values. */
    readonly values?: string | undefined;
  },
  content: Content,
): Markup {
  const name = of === undefined ? `${id}-title` : `${of} ${id}-title`;
  // A text taller than the screen scrolls, also by keyboard.
  return markup`
    <figure class="${className}">
      <figcaption>
        <span class="title" id="${id}-title">${title}</span>
        <button class="small" type="button" id="${id}-copy" data-copy=""
          aria-labelledby="${id}-copy ${name}">Copy</button>
      </figcaption>
      <pre tabindex="0" role="region" aria-labelledby="${name}"
        ${values !== undefined && markup`data-values="${values}"`}>${content}</pre>
    </figure>`;
}

/** Marks the values in a text. */
export function marked(pieces: readonly TemplatePart[]): Content {
  return pieces.map(({ text, placeholder }) =>
    placeholder === undefined ? text : markup`<var data-name="${placeholder}">${text}</var>`
  );
}

/** Makes a button that copies the text of the element with an id. */
export function copyButton(id: string, what: string): Markup {
  return markup`
    <button class="small" type="button" data-copy="${id}" aria-label="Copy ${what}">Copy</button>`;
}

/** Makes a section with a heading and one or two sentences about it. */
export function section(id: string, title: string, about: string, content: Content): Markup {
  return markup`
    <section id="${id}" aria-labelledby="${id}-title">
      <h2 id="${id}-title">${title}</h2>
      <p>${about}</p>
      ${content}
    </section>`;
}

/**
 * Makes a table; the first cell of each row is its heading.
 *
 * @param head Column headings; empty when they would be redundant.
 */
export function table(
  name: string,
  head: readonly string[],
  rows: readonly (readonly Content[])[],
): Markup {
  // On a narrow screen each cell is on its own line, under its heading.
  const cell = (content: Content, i: number): Markup =>
    markup`<td ${i + 1 in head && markup`data-head="${head[i + 1]}"`}>${content}</td>`;
  const row = ([first, ...rest]: readonly Content[]): Markup =>
    markup`<tr><th scope="row">${first}</th>${rest.map(cell)}</tr>`;
  const columns = head.map((text) => markup`<th scope="col">${text}</th>`);
  return markup`
    <div class="scroll" tabindex="0" role="region" aria-label="Table: ${name}">
      <table>
        ${head.length > 0 && markup`<thead><tr>${columns}</tr></thead>`}
        <tbody>${rows.map(row)}</tbody>
      </table>
    </div>`;
}

/** Makes a piece of code in a text. */
export function code(text: string): Markup {
  return markup`<code>${text}</code>`;
}
