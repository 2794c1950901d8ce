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
}

// RFC 6761 §6.3, RFC 1122 §3.2.1.3 (g), RFC 4291 §2.5.3.
const LOOPBACK =
  /^http:\/\/(?:(?:[^/:]+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:\/|$)/i;

/** Whether secrets come to a base URL in the clear: by plain HTTP, and not from the same machine. */
export function isInTheClear(base: string): boolean {
  return /^http:/i.test(base) && !LOOPBACK.test(base);
}
