/**
 * Interface of the service page. It is apart from the page's texts, so that a service without a page
 * does not load them.
 *
 * @module
 */

import type { ServiceContext } from "../operations/context.ts";

/** Options and parts of the service that the page shows. */
export interface PageSettings extends ServiceContext {
  /** Namespace name of the service. */
  readonly namespace: string;
  /** Public base URL; undefined where none is set, and each caller sees another. */
  readonly baseUrl: string | undefined;
  /** Keys of which callers must send one; undefined when no key is required. */
  readonly apiKeys?: object | undefined;
  /** Wrong pins allowed for a secret before the guard throttles it; 0 for no limit. */
  readonly maxFailures: number;
  /** Whether each code is accepted only once. */
  readonly singleUse: boolean;
}

/** Variation of the document. */
export interface DocumentOptions {
  /** Path from the document to the root of the service: `../` for `/api.asmx/`, else empty. */
  readonly root: "" | "../";
  /** Whether the address names an operation that the service does not have. */
  readonly isUnknownOperation: boolean;
}

/** Page of the service for browsers: a document in HTML, and the files that it loads. */
export interface ServicePage {
  /** Writes the document. It holds no Host: the script puts the address in. */
  readonly document: (settings: PageSettings, options: DocumentOptions) => string;
  /** Script, for `?script`. */
  readonly script: string;
  /** Style sheet, for `?style`. */
  readonly style: string;
  /** Content security policy of the document (CSP Level 3). */
  readonly policy: string;
}
