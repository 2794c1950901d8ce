/**
 * The bindings of the service.
 *
 * @module
 */

import type { Binding } from "./binding.ts";
import { httpGetBinding, httpPostBinding } from "./http_params.ts";
import { jsonBinding } from "./json.ts";
import { soapBinding } from "./soap/soap.ts";
import { SOAP_11, SOAP_12 } from "./soap/versions.ts";

/**
 * The bindings in the order in which they are asked whether a request is theirs. The original's
 * short routes have one each, which the table of routes names.
 *
 * @param namespace The namespace name of the service.
 */
export function bindingsOf(namespace: string): readonly Binding[] {
  return [
    soapBinding(SOAP_12, namespace),
    soapBinding(SOAP_11, namespace),
    jsonBinding(),
    httpPostBinding(namespace),
    httpGetBinding(namespace),
  ];
}
