/**
 * What the page's script needs to know of how the server is set.
 *
 * @module
 */

import type { PinSettings } from "../../otp/diagnosis/diagnosis.ts";

/** What decides about a pin. */
export interface PageSettings extends PinSettings {
  /** Wrong pins for a secret before its pins are refused for a while; 0 for never. */
  readonly maxFailures: number;
  /** Whether a code is accepted once only. */
  readonly singleUse: boolean;
}
