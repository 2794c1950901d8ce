/**
 * Facts for samples of a call: address and settings of the service.
 *
 * @module
 */

import type { Binding } from "../../bindings/binding.ts";
import type { ServiceAddress } from "../../bindings/description/wsdl.ts";
import type { ServiceContext } from "../../operations/context.ts";

/** Facts for samples of a call. */
export interface SampleContext extends ServiceAddress {
  /** Settings of the operations, which the examples follow. */
  readonly service: ServiceContext;
  /** Bindings, which write the samples. */
  readonly bindings: readonly Binding[];
  /** Whether callers must show a key. */
  readonly wantsKey: boolean;
}
