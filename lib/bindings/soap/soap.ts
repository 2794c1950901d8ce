/**
 * Bindings SOAP 1.1 and SOAP 1.2: document style, literal use, one element in the Body each way.
 *
 * @module
 */

import type { Fault, HeaderBlockName } from "../../operations/fault.ts";
import type { Operation, Result } from "../../operations/operations.ts";
import { XML_NAMESPACE } from "../../xml/tree.ts";
import { element, type MarkupElement, writeCompact } from "../../xml/writer.ts";
import type { Binding, CallRequest, Reply } from "../binding.ts";
import { type FaultRow, FAULTS } from "../faults.ts";
import { textOf } from "../charset.ts";
import { charsetOf } from "../media_type.ts";
import { resultContent } from "../result.ts";
import type { ActionField } from "./action.ts";
import { parseEnvelope, readEnvelope } from "./envelope.ts";
import { SOAP_11, SOAP_12, type SoapVersion } from "./versions.ts";
import { XSD_NAMESPACE, XSI_NAMESPACE } from "../xsd.ts";

/** Makes the bindings of both SOAP versions. */
export function soapBindings(namespace: string): readonly [soap12: Binding, soap11: Binding] {
  const binding12 = soapBinding(SOAP_12, namespace);
  return [binding12, soapBinding(SOAP_11, namespace, binding12)];
}

/**
 * Makes the binding of a SOAP version. By media type, a request is SOAP 1.2 or else SOAP 1.1, which
 * also answers unknown media types.
 *
 * @param namespace Namespace name of the service.
 * @param newer Binding for an Envelope of SOAP 1.2 that was sent as `text/xml`.
 */
function soapBinding(version: SoapVersion, namespace: string, newer?: Binding): Binding {
  const binding: Binding = {
    name: version.name,
    accepts: (request) =>
      request.method === "POST" && request.operationName === undefined &&
      (request.mediaType.essence === SOAP_12.mediaType) === (version === SOAP_12),
    body: { mediaTypes: [SOAP_11.mediaType, SOAP_12.mediaType] },
    parse: (request) => {
      const document = parseEnvelope(textOf(request.body, charsetOf(request.mediaType)));
      const isNewer = newer !== undefined && document.root.namespaceName === SOAP_12.envelope;
      const found = isNewer ? SOAP_12 : version;
      const actions = actionsOf(request, found);
      return {
        binding: isNewer ? newer : binding,
        readCall: () => readEnvelope(document, { version: found, namespace, actions }),
      };
    },
    writeReply: (operation, result) => writeReply(operation, result, version, namespace),
    writeFault: (fault) => writeFault(fault, version),
  };
  return binding;
}

function actionsOf(request: CallRequest, version: SoapVersion): readonly ActionField[] {
  const field = {
    label: "HTTP Header SOAPAction",
    value: request.headers.get("SOAPAction") ?? "",
    isStrict: version === SOAP_11,
  };
  if (version === SOAP_11) return [field];
  const label = "the action parameter of the Content-Type";
  return [field, { label, value: request.mediaType.parameter("action") ?? "", isStrict: false }];
}

function writeReply(
  operation: Operation,
  result: Result,
  version: SoapVersion,
  namespace: string,
): Reply {
  const { name, result: type } = operation;
  const response = element(
    `${name}Response`,
    { xmlns: namespace },
    element(`${name}Result`, {}, ...resultContent(type, result)),
  );
  return envelope(version, 200, [element("soap:Body", {}, response)]);
}

function writeFault(fault: Fault, version: SoapVersion): Reply {
  const row = FAULTS[fault.code];
  const header = headerBlocks(fault, row, version);
  const content = version === SOAP_11 ? fault11(fault, row) : fault12(fault, row);
  const body = element("soap:Body", {}, element("soap:Fault", {}, ...content));
  const parts = header.length === 0 ? [body] : [element("soap:Header", {}, ...header), body];
  return envelope(version, row.soapStatus, parts);
}

// Writes a fault; its children are in no namespace (SOAP 1.1 §4.4).
function fault11(fault: Fault, row: FaultRow): readonly MarkupElement[] {
  return [
    element("faultcode", {}, `soap:${SOAP_11.faultCodes[row.blames]}`),
    element("faultstring", {}, faultText(fault, row)),
    ...(row.blames === "must-understand" ? [] : [element("detail", {})]),
  ];
}

// Writes a fault (SOAP 1.2 part 1 §5.4).
function fault12(fault: Fault, row: FaultRow): readonly MarkupElement[] {
  const code = `soap:${SOAP_12.faultCodes[row.blames]}`;
  const text = element("soap:Text", { "xml:lang": "en" }, faultText(fault, row));
  return [
    element("soap:Code", {}, element("soap:Value", {}, code)),
    element("soap:Reason", {}, text),
    // Add an empty Detail: from it a .NET caller knows that the Body was at fault, and not a header
    // block.
    ...(row.blames === "must-understand" ? [] : [element("soap:Detail", {})]),
  ];
}

function faultText(fault: Fault, row: FaultRow): string {
  return row.unread ? `Server was unable to read request. ---> ${fault.message}` : fault.message;
}

function headerBlocks(
  fault: Fault,
  row: FaultRow,
  version: SoapVersion,
): readonly MarkupElement[] {
  if (row.blames === "version-mismatch") return [UPGRADE];
  return version === SOAP_12 ? notUnderstoodBlocks(fault.notUnderstood) : [];
}

// Upgrade block of SOAP 1.2 part 1 §5.4.7; appendix A also asks a SOAP 1.1 node to send it.
const UPGRADE = element(
  "soap12:Upgrade",
  { "xmlns:soap12": SOAP_12.envelope },
  element("soap12:SupportedEnvelope", {
    "qname": "soap:Envelope",
    "xmlns:soap": SOAP_11.envelope,
  }),
  element("soap12:SupportedEnvelope", {
    "qname": "soap12:Envelope",
    "xmlns:soap12": SOAP_12.envelope,
  }),
);

// Maximum number of NotUnderstood blocks (SOAP 1.2 part 1 §5.4.8). They repeat the names of header
// blocks, the only part of a request in any reply. The standard says SHOULD, so some blocks are
// enough: a namespace name declared once in an Envelope would be repeated for every block that uses
// it.
const MAX_NOT_UNDERSTOOD = 8;
const SHORT_NAMESPACE_NAME = /^.{0,256}$/su;

function notUnderstoodBlocks(names: readonly HeaderBlockName[]): readonly MarkupElement[] {
  const distinct = new Map<string, HeaderBlockName>();
  for (const name of names) {
    if (distinct.size === MAX_NOT_UNDERSTOOD) break;
    if (!SHORT_NAMESPACE_NAME.test(name.namespaceName)) continue;
    // A local name contains no blank.
    distinct.set(`${name.localName} ${name.namespaceName}`, name);
  }
  return [...distinct.values()].map(notUnderstoodBlock);
}

function notUnderstoodBlock({ namespaceName, localName }: HeaderBlockName): MarkupElement {
  if (namespaceName === "") return element("soap:NotUnderstood", { qname: localName });
  // Namespaces in XML 1.0 §3: the xml namespace is bound to the prefix xml without a declaration,
  // and to no other prefix.
  return namespaceName === XML_NAMESPACE
    ? element("soap:NotUnderstood", { qname: `xml:${localName}` })
    : element("soap:NotUnderstood", { "qname": `q:${localName}`, "xmlns:q": namespaceName });
}

function envelope(
  version: SoapVersion,
  status: number,
  parts: readonly MarkupElement[],
): Reply {
  const namespaces = {
    "xmlns:soap": version.envelope,
    "xmlns:xsi": XSI_NAMESPACE,
    "xmlns:xsd": XSD_NAMESPACE,
  };
  return {
    status,
    contentType: `${version.mediaType}; charset=utf-8`,
    body: writeCompact(element("soap:Envelope", namespaces, ...parts)),
  };
}
