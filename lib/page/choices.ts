/**
 * Links that choose the format of the calls or the language of the programs. Each is the address of
 * the page with that choice; the script loads it without leaving the page.
 *
 * @module
 */

import { element, type MarkupElement } from "../xml/writer.ts";
import type { PageContext } from "./context.ts";

/**
 * Writes a link for each item.
 *
 * @param name `Format` or `Language`.
 * @param of What the choice is for, as its accessible name says.
 * @param op Operation of the addresses, if any; without script its section comes first.
 * @param fragment Id of the element to show.
 */
export function choices(
  name: "Format" | "Language",
  items: readonly string[],
  chosen: string,
  { format, language }: PageContext,
  { of, op, fragment }: {
    readonly of: string;
    readonly op: string | undefined;
    readonly fragment: string;
  },
): MarkupElement {
  const addressOf = (item: string): string => {
    const query = new URLSearchParams({
      ...(op === undefined ? {} : { op }),
      format: name === "Format" ? item : format,
      lang: name === "Language" ? item : language,
    });
    return `?${query}#${fragment}`;
  };
  return element(
    "div",
    { "class": "choices", "role": "group", "aria-label": `${name} for ${of}`, "data-name": name },
    element("span", { class: "hint" }, name),
    ...items.map((item) =>
      element(
        "a",
        { href: addressOf(item), ...(item === chosen ? { "aria-current": "true" } : {}) },
        item,
      )
    ),
    element("p", { class: "error", hidden: "" }),
  );
}
