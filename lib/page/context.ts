/**
 * Facts for the service page: address and settings of the service.
 *
 * @module
 */

import type { FrameContext } from "./layout/layout.ts";
import type { Format } from "./snippets/language.ts";
import type { SampleContext } from "./samples/context.ts";

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
