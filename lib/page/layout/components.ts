/**
 * Components of the service page: sections, tabs, and panes of text.
 *
 * @module
 */

import { element, type MarkupElement, type MarkupNode } from "../../xml/writer.ts";
import type { TemplatePart } from "../samples/template.ts";

type Attributes = Readonly<Record<string, string>>;

/** A tab and its panel. */
export interface Tab {
  /** Label. */
  readonly label: string;
  /** Makes the panel; ids in it begin with the given id. */
  readonly content: (id: string) => MarkupElement;
}

/**
 * Makes tabs without script: radio buttons, each with a label and a panel behind it.
 *
 * @param id Id of the set, and prefix of all ids in it.
 * @param legend Name of the choice.
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

/** Makes a pane: a text to read and copy, under a title. */
export function pane(
  { id, title, className, values }: {
    readonly id: string;
    readonly title: string;
    readonly className?: string;
    /** Encoding of values in the text, if the script puts in the form's values. */
    readonly values?: string;
  },
  ...content: readonly MarkupNode[]
): MarkupElement {
  // A text taller than the screen scrolls, also by keyboard.
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
