/**
 * What the service page needs to know: where the service is and how it is set.
 *
 * @module
 */

import type { FrameContext } from "./layout/layout.ts";
import type { Format } from "./snippets/language.ts";
import type { SampleContext } from "./samples/context.ts";

/** What the service page needs to know. */
export interface PageContext extends FrameContext, SampleContext {
  /** Wrong pins for a secret before its pins are refused for a while; 0 for never. */
  readonly maxFailures: number;
  /** The format that the samples and programs begin with. */
  readonly format: Format;
  /** Whether a code is accepted once only. */
  readonly singleUse: boolean;
}
