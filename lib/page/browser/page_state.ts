/**
 * State of the page. It lives only in the memory of this document, and ends with it.
 *
 * @module
 */

import type { HmacOfCounter } from "../../otp/import_hmac.ts";
import type { ScriptSettings } from "../shared/settings.ts";
import { Clock } from "./clock.ts";
import { readSettings } from "./dom.ts";

/** Pending work of a form: the timer of a pause in typing, or the abort of a request. */
export type PendingWork = { readonly timer?: number; readonly control?: AbortController };

/** Secret that the test authenticator shows codes of, and its HMAC; none if it is not valid. */
export type TestKey = {
  readonly secret: string;
  readonly hmac: Promise<HmacOfCounter | undefined>;
};

/** State of the page, made once by the script and given to each function that needs it. */
export class PageState {
  /** Settings of the server. */
  readonly settings: ScriptSettings = readSettings();
  /** Clock of the server. */
  readonly clock: Clock = new Clock(this.settings.period);
  /** Pending work, by form. */
  readonly pending: WeakMap<HTMLFormElement, PendingWork> = new WeakMap();
  /** Secrets of the QR codes that the page has shown, the newest last. */
  readonly shownSecrets: Set<string> = new Set();
  /** Whether Pair has succeeded, with the typed key or the browser's own: the picture is live then. */
  hasPaired = false;
  /** Number of answers that the user asked for. */
  answers = 0;
  /** Key of the test authenticator. */
  testKey: TestKey | undefined;
}
