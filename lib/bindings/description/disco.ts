/**
 * Discovery document of the service, which old .NET tools read before the WSDL.
 *
 * @module
 */

import { XSD_NAMESPACE, XSI_NAMESPACE } from "../xsd.ts";
import { SERVICE_NAME } from "../../operations/operations.ts";
import { element, type MarkupElement, writeIndented } from "../../xml/writer.ts";
import type { ServiceAddress } from "./wsdl.ts";

/** Writes the discovery document. */
export function disco({ namespace, base }: ServiceAddress): string {
  const address = `${base}/api.asmx`;
  const soap = (prefix: string, binding: string): MarkupElement =>
    element("soap", {
      address,
      [`xmlns:${prefix}`]: namespace,
      binding: `${prefix}:${SERVICE_NAME}${binding}`,
      xmlns: "http://schemas.xmlsoap.org/disco/soap/",
    });
  return writeIndented(element(
    "discovery",
    {
      "xmlns:xsi": XSI_NAMESPACE,
      "xmlns:xsd": XSD_NAMESPACE,
      "xmlns": "http://schemas.xmlsoap.org/disco/",
    },
    element("contractRef", {
      ref: `${address}?wsdl`,
      docRef: address,
      xmlns: "http://schemas.xmlsoap.org/disco/scl/",
    }),
    soap("q1", "Soap"),
    soap("q2", "Soap12"),
  ));
}
