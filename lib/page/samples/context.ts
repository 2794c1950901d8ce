/**
 * What samples of a call follow: where the service is and how it is set.
 *
 * @module
 */

import type { Binding } from "../../bindings/binding.ts";
import type { ServiceAddress } from "../../bindings/description/wsdl.ts";
import type { ServiceContext } from "../../operations/context.ts";

/** What samples of a call follow. */
export interface SampleContext extends ServiceAddress {
  /** How the operations are set: examples follow it. */
  readonly service: ServiceContext;
  /** The bindings, which write the samples. */
  readonly bindings: readonly Binding[];
  /** Whether callers must show a key. */
  readonly wantsKey: boolean;
}
