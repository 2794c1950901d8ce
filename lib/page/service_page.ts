/**
 * Interface of the service page. It is apart from the page's texts, so that a service without a
 * page does not load them.
 *
 * @module
 */

import type { FrameContext } from "./layout/layout.ts";
import type { SampleContext } from "./samples/samples.ts";
import type { Format } from "./snippets/language.ts";

/** Facts for the service page. */
export interface PageContext extends FrameContext, SampleContext {
  /** Wrong pins allowed for a secret before the guard throttles it; 0 for no limit. */
  readonly maxFailures: number;
  /** Operation that the address names, if any: its section comes first. */
  readonly op: string | undefined;
  /** Format of the samples and programs. */
  readonly format: Format;
  /** Language of the programs. */
  readonly language: string;
  /** Whether each code is accepted only once. */
  readonly singleUse: boolean;
}

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
