/**
 * What the service page needs to know: where the service is and how it is set.
 *
 * @module
 */

import type { FrameContext } from "../frame/frame.ts";
import type { SampleContext } from "../samples/context.ts";

/** What the service page needs to know. */
export interface PageContext extends FrameContext, SampleContext {
  /** Consecutive failures for a secret before its pins are refused for a while; 0 for never. */
  readonly maxFailures: number;
  /** Whether a code is accepted once only. */
  readonly singleUse: boolean;
}
