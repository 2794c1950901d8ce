/**
 * Interface of the service page. It is apart from the page's texts, so that a service without a
 * page does not load them.
 *
 * @module
 */

import type { PageContext } from "./context.ts";
import type { Format } from "./snippets/language.ts";

/** A part of the page, and what its samples and programs are written in. */
export interface PagePart {
  /** `script`, `style`, `overview`, `unknown` (no such operation), or `op=` and an operation. */
  readonly name: string;
  /** Format of the samples. */
  readonly format: Format;
  /** Language of the programs. */
  readonly language: string;
}

/** Text of a part. */
export interface PageText {
  /** Status; 404 for an unknown operation. */
  readonly status: 200 | 404;
  /** Media type with charset. */
  readonly contentType: string;
  /** The text. */
  readonly body: string;
  /** Header fields of the part. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Page of the service for browsers. */
export interface ServicePage {
  /** Chooses the part for the parameters of a query, with names in lower case. */
  readonly partOf: (parameter: (name: string) => string | undefined) => PagePart;
  /** Writes a part. */
  readonly write: (part: PagePart, context: PageContext) => Promise<PageText>;
}
