/**
 * The bindings of the service.
 *
 * @module
 */

import type { Binding } from "./binding.ts";
import { httpGetBinding, httpPostBinding } from "./http_get_post.ts";
import { jsonBinding } from "./json.ts";
import { soapBindings } from "./soap/soap.ts";

/**
 * The bindings in the order in which they are asked whether a request is theirs. The original's
 * short routes have one each, which the table of routes names.
 *
 * @param namespace The namespace name of the service.
 */
export function bindingsOf(namespace: string): readonly Binding[] {
  return [
    ...soapBindings(namespace),
    jsonBinding(),
    httpPostBinding(namespace),
    httpGetBinding(namespace),
  ];
}
