/**
 * Links that choose the format of the calls or the language of the programs. Each is the address of
 * the page with that choice; the script loads it without leaving the page.
 *
 * @module
 */

import type { PageContext } from "./service_page.ts";
import { type Markup, markup } from "./markup.ts";

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
  { format, language }: PageContext,
  { of, op, fragment }: {
    readonly of: string;
    readonly op: string | undefined;
    readonly fragment: string;
  },
): Markup {
  const chosen = name === "Format" ? format : language;
  const addressOf = (item: string): string => {
    const choice = name === "Format" ? { format: item, lang: language } : { format, lang: item };
    return `?${new URLSearchParams({
      ...(op === undefined ? {} : { op }),
      ...choice,
    })}#${fragment}`;
  };
  const link = (item: string): Markup =>
    markup`<a href="${addressOf(item)}" ${item === chosen && CURRENT}>${item}</a>`;
  return markup`
    <div class="choices" role="group" aria-label="${name} for ${of}" data-name="${name}">
      <span class="hint">${name}</span>${items.map(link)}<p class="error" hidden></p>
    </div>`;
}

const CURRENT = markup`aria-current="true"`;
