/**
 * Parts of which the service page is made: sections, tabs, and panes of text.
 *
 * @module
 */

import { element, type MarkupElement, type MarkupNode } from "../../xml/writer.ts";
import type { TemplatePart } from "../samples/template.ts";

type Attributes = Readonly<Record<string, string>>;

/** One of several panels, of which one is seen. */
export interface Tab {
  /** The text on it. */
  readonly label: string;
  /** What is seen when it is chosen; ids in it may begin with the one that is given. */
  readonly content: (id: string) => MarkupElement;
}

/**
 * Tabs that need no script: radio buttons, each followed by its label and its panel.
 *
 * @param id The id of the whole, from which all others in it are made.
 * @param legend What is chosen.
 */
export function tabs(id: string, legend: string, items: readonly Tab[], chosen = 0): MarkupElement {
  return element(
    "fieldset",
    { class: "tabs", id },
    element("legend", {}, legend),
    ...items.flatMap(({ label, content }, i) => {
      const checked: Attributes = i === chosen ? { checked: "" } : {};
      const radio = { type: "radio", name: id, id: `${id}-${i}`, ...checked };
      return [
        element("input", radio),
        element("label", { for: radio.id }, label),
        element("div", { class: "panel" }, content(radio.id)),
      ];
    }),
  );
}

/** A text to be read and copied, under a title. */
export function pane(
  { id, title, className, values }: {
    readonly id: string;
    readonly title: string;
    readonly className?: string;
    /** How values are written in it, where what is typed into the form is to stand in it. */
    readonly values?: string;
  },
  ...content: readonly MarkupNode[]
): MarkupElement {
  // A text may become taller than a screen; then it scrolls, for the keyboard too.
  const scrolling = { tabindex: "0", role: "region", "aria-labelledby": `${id}-title` };
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
          "aria-labelledby": `${id}-copy ${id}-title`,
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

/** A text whose values are marked. */
export function marked(pieces: readonly TemplatePart[]): readonly MarkupNode[] {
  return pieces.map(({ text, placeholder }) =>
    placeholder === undefined ? text : element("var", { "data-name": placeholder }, text)
  );
}

/** A button that copies the text of the element with an id. */
export function copyButton(id: string, what: string): MarkupElement {
  const facts = { "class": "small", "type": "button", "data-copy": id };
  return element("button", { ...facts, "aria-label": `Copy ${what}` }, "Copy");
}

/** A section with a heading, and a sentence or two about what stands under it. */
export function section(
  { id, title, about, withScript, attributes = {} }: {
    readonly id: string;
    readonly title: string;
    readonly about: string;
    /** What more there is to say where the page's script runs. */
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
 * A table. The first cell of each row is its heading.
 *
 * @param head The headings of the columns; none where they would say nothing.
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

// Where a row is too narrow for its cells, each stands on a line of its own under this.
function headOf(text: string | undefined): Attributes {
  return text === undefined ? {} : { "data-head": text };
}

/** Makes a link. */
export function link(href: string, text: string): MarkupElement {
  return element("a", { href }, text);
}
