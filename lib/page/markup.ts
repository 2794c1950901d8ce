/**
 * Markup of pages, as templates of HTML. Every text in them is escaped.
 *
 * @module
 */

import { escapeAttribute } from "../xml/writer.ts";

/** A piece of HTML in ASCII. */
export class Markup {
  /** The HTML. */
  readonly html: string;

  /** Takes HTML as it is: only {@linkcode markup} makes it. */
  constructor(html: string) {
    this.html = html;
  }
}

/** A value in a template: a text, markup, or a list of these; nothing for `false` and `undefined`. */
export type Content = Markup | string | number | false | undefined | readonly Content[];

/**
 * Makes markup of a template. A text may stand between tags and in the quotes of an attribute, and
 * nowhere else. The indentation of the template is left out.
 */
export function markup(template: TemplateStringsArray, ...values: readonly Content[]): Markup {
  const last = template.length - 1;
  const parts = template.map((part) => part.replace(/\n\s*/g, "\n"));
  parts[0] = parts[0]!.trimStart();
  parts[last] = parts[last]!.trimEnd();
  return new Markup(parts.map((part, i) => part + htmlOf(values[i])).join(""));
}

function htmlOf(content: Content): string {
  if (content instanceof Markup) return content.html;
  if (content === undefined || content === false) return "";
  if (typeof content === "object") return content.map(htmlOf).join("");
  // Line ends stay: they end no value in HTML, and requests and programs have many.
  return escapeAttribute(String(content)).replaceAll("&#10;", "\n");
}
