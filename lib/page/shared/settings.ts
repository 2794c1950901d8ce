/**
 * Server settings for the page's script.
 *
 * @module
 */

import type { PinSettings } from "../../otp/diagnosis/diagnosis.ts";

/** Settings that decide on a pin. */
export interface ScriptSettings extends PinSettings {
  /** Wrong pins allowed for a secret before the guard throttles it; 0 for no limit. */
  readonly maxFailures: number;
  /** Whether each code is accepted only once. */
  readonly singleUse: boolean;
}
