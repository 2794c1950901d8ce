/**
 * State of the page. It lives only in the memory of this document, and ends with it.
 *
 * @module
 */

import { Clock } from "./clock.ts";

/** Pending work of a form: the timer of a pause in typing, or the abort of a request. */
export type PendingWork = { readonly timer?: number; readonly control?: AbortController };

/** Secret that the test authenticator shows codes of, and its key; none if it is not valid. */
export type TestKey = { readonly secret: string; readonly key: Promise<CryptoKey | undefined> };

/** State of the page, made once by the script and given to each function that needs it. */
export class PageState {
  /** Clock of the server. */
  readonly clock: Clock = new Clock();
  /** Pending work, by form. */
  readonly pending: WeakMap<HTMLFormElement, PendingWork> = new WeakMap();
  /** Secrets of the QR codes that the page has shown, the newest last. */
  readonly shownSecrets: Set<string> = new Set();
  /** Number of answers that the user asked for. */
  answers = 0;
  /** Key of the test authenticator. */
  testKey: TestKey | undefined;
  /** Number of formats and languages asked for: only the last one is shown. */
  choices = 0;
}
