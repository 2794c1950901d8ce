/**
 * Templates of the service page.
 *
 * A place is `{{name}}`; a piece of HTML may be a part of the name, as in `{{reply{{operation}}JSON}}`.
 * An element with `data-if="condition"` is kept or removed whole, and holds no other. There is nothing
 * else: what reads better as a sentence is written out in the HTML.
 *
 * @module
 */

import { escapeAttribute } from "../xml/writer.ts";

const PLACE = /\{\{ ?(\w+) ?\}\}/g;

/** Puts pieces of HTML into their places; all other places stay. */
export function insert(template: string, pieces: Readonly<Record<string, string>>): string {
  return template.replace(PLACE, (place, name) => pieces[name] ?? place);
}

/**
 * Fills the places of a template with values, each escaped for HTML.
 *
 * @throws {Error} When a place has no value.
 */
export function fill(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replace(PLACE, (place, name) => {
    if (!Object.hasOwn(values, name)) throw new Error(`The service page has no value for ${place}`);
    return escapeHtml(String(values[name]));
  });
}

/** Escapes a text for HTML. */
export function escapeHtml(text: string): string {
  // Tabs and line ends stay: they end no value in HTML, and programs have many.
  return escapeAttribute(text).replaceAll("&#9;", "\t").replaceAll("&#10;", "\n");
}

/** Keeps or removes each element that has a condition, and keeps its content without the attribute. */
export function keep(text: string, conditions: Readonly<Record<string, boolean>>): string {
  return text.replace(
    /<(\w+)([^<>]*?)\s+data-if="([\w-]+)"([^<>]*>[^]*?<\/\1>)/g,
    (_, name, before, condition, after) => {
      if (conditions[condition] === undefined) {
        throw new Error(`The service page has no condition ${condition}`);
      }
      return conditions[condition] ? `<${name}${before}${after}` : "";
    },
  );
}
