/**
 * Components of the service page: sections, tables, and panes of text.
 *
 * @module
 */

import { element, type MarkupElement, type MarkupNode } from "../../xml/writer.ts";
import type { TemplatePart } from "../samples/template.ts";

type Attributes = Readonly<Record<string, string>>;

/** Makes a pane: a text to read and copy, under a title. */
export function pane(
  { id, title, of, className, values }: {
    readonly id: string;
    readonly title: string;
    /** Id of the heading that its name begins with, where another pane has the same title. */
    readonly of?: string;
    readonly className?: string;
    /** Encoding of values in the text, if the script puts in the form's values. */
    readonly values?: string;
  },
  ...content: readonly MarkupNode[]
): MarkupElement {
  // A text taller than the screen scrolls, also by keyboard.
  const name = of === undefined ? `${id}-title` : `${of} ${id}-title`;
  const scrolling = { tabindex: "0", role: "region", "aria-labelledby": name };
  return element(
    "figure",
    className === undefined ? {} : { class: className },
    element(
      "figcaption",
      {},
      element("span", { class: "title", id: `${id}-title` }, title),
      element(
        "button",
        {
          "class": "small",
          "type": "button",
          "id": `${id}-copy`,
          "data-copy": "",
          "aria-labelledby": `${id}-copy ${name}`,
        },
        "Copy",
      ),
    ),
    element(
      "pre",
      { ...scrolling, ...(values === undefined ? {} : { "data-values": values }) },
      ...content,
    ),
  );
}

/** Marks the values in a text. */
export function marked(pieces: readonly TemplatePart[]): readonly MarkupNode[] {
  return pieces.map(({ text, placeholder }) =>
    placeholder === undefined ? text : element("var", { "data-name": placeholder }, text)
  );
}

/** Makes a button that copies the text of the element with an id. */
export function copyButton(id: string, what: string): MarkupElement {
  const facts = { "class": "small", "type": "button", "data-copy": id };
  return element("button", { ...facts, "aria-label": `Copy ${what}` }, "Copy");
}

/** Makes a section with a heading and one or two sentences about it. */
export function section(
  { id, title, about, withScript, attributes = {} }: {
    readonly id: string;
    readonly title: string;
    readonly about: string;
    /** Further sentence when the page's script runs. */
    readonly withScript?: string;
    readonly attributes?: Readonly<Record<string, string>>;
  },
  ...content: readonly MarkupNode[]
): MarkupElement {
  return element(
    "section",
    { id, "aria-labelledby": `${id}-title`, ...attributes },
    element("h2", { id: `${id}-title` }, title),
    element(
      "p",
      {},
      about,
      ...(withScript === undefined
        ? []
        : [element("span", { class: "js-only" }, ` ${withScript}`)]),
    ),
    ...content,
  );
}

/**
 * Makes a table; the first cell of each row is its heading.
 *
 * @param head Column headings; empty when they would be redundant.
 */
export function table(
  name: string,
  head: readonly string[],
  rows: readonly (readonly MarkupNode[])[],
): MarkupElement {
  const columns = head.map((text) => element("th", { scope: "col" }, text));
  const body = rows.map(([first = "", ...rest]) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, first),
      ...rest.map((cell, i) => element("td", headOf(head[i + 1]), cell)),
    )
  );
  return element(
    "div",
    { "class": "scroll", "tabindex": "0", "role": "region", "aria-label": `Table: ${name}` },
    element(
      "table",
      {},
      ...(head.length === 0 ? [] : [element("thead", {}, element("tr", {}, ...columns))]),
      element("tbody", {}, ...body),
    ),
  );
}

// Makes the attribute with a cell's heading: on a narrow screen each cell is on its own line, under
// this heading.
function headOf(text: string | undefined): Attributes {
  return text === undefined ? {} : { "data-head": text };
}

/** Makes a link. */
export function link(href: string, text: string): MarkupElement {
  return element("a", { href }, text);
}
