/**
 * What the service page needs to know: where the service is and how it is set.
 *
 * @module
 */

import type { Binding } from "../binding/binding.ts";
import type { ServiceContext } from "../service/context.ts";
import type { ServiceAddress } from "../description/wsdl.ts";

/** What the service page needs to know. */
export interface PageContext extends ServiceAddress {
  /** The path that the page was asked for by, not decoded. */
  readonly path: string;
  /** How the operations are set; the page says so, and its examples follow it. */
  readonly service: ServiceContext;
  /** The bindings, which write the samples. */
  readonly bindings: readonly Binding[];
  /** Whether callers must show a key. */
  readonly wantsKey: boolean;
  /** Consecutive failures for a secret before its pins are refused for a while; 0 for never. */
  readonly maxFailures: number;
  /** Whether a code is accepted once only. */
  readonly singleUse: boolean;
  /** Whether the server describes its JSON form at `/openapi.json`. */
  readonly hasOpenApi: boolean;
}
