/**
 * State of the page. It lives only in the memory of this document: it moves from view to view, and
 * ends with the tab.
 *
 * @module
 */

import { Clock } from "./clock.ts";

/** Pending work of a form: a pause in typing, or a reply. */
export interface PendingWork {
  /** Timer of the pause. */
  readonly timer?: number;
  /** Controller that aborts the request. */
  readonly control?: AbortController;
}

/** Key of the test authenticator. */
export interface TestKey {
  /** Secret in the form. */
  readonly secret: string;
  /** Key of the secret; undefined for a secret that is not valid. */
  readonly key: Promise<CryptoKey | undefined>;
}

/** State of the page, made once by the script and given to each function that needs it. */
export class PageState {
  /** Clock of the server. */
  readonly clock: Clock = new Clock();
  /** Typed values, by field name. */
  readonly typed: Map<string, string> = new Map();
  /** Whether the user has begun to use the page, so that its secret is worth keeping. */
  isUsed = false;
  /** Labels of the tabs chosen last, by tab set. */
  readonly chosenTabs: Map<string, string> = new Map();
  /** Pending work, by form. */
  readonly pending: WeakMap<HTMLFormElement, PendingWork> = new WeakMap();
  /** Number of answers that the user asked for. */
  answers = 0;
  /** Key of the secret that the test authenticator shows codes of. */
  testKey: TestKey | undefined;
  /** Address of the shown view without its fragment. */
  shownView = "";
  /** Number of views asked for: only the last one is shown. */
  visits = 0;
  /** Format of the programs; undefined until a format is chosen. */
  snippetFormat: string | undefined;
  /** Number of requests for programs: only the last one counts. */
  snippetRequests = 0;
}
