/**
 * The WSDL 1.1 description of the service, derived from `OPERATIONS`.
 *
 * @module
 */

import { FORM } from "../form_urlencoded.ts";
import { rootNameOf, XSD_NAMESPACE } from "../xsd.ts";
import {
  type Operation,
  OPERATIONS,
  type RecordType,
  type ResultType,
  SERVICE_NAME,
} from "../../operations/operations.ts";
import { element, type MarkupElement, type MarkupNode, writeIndented } from "../../xml/writer.ts";

/** Address and namespace of the service. */
export interface ServiceAddress {
  /** Namespace name of the service. */
  readonly namespace: string;
  /** Public base URL, without a slash at the end. */
  readonly base: string;
}

/** A port: its name, its portType, and the parts of its binding that differ. */
interface Port {
  readonly name: string;
  readonly portType: string;
  /** Prefix of the extension elements of the binding, by SOAP version or HTTP. */
  readonly prefix: "soap" | "soap12" | "http";
  readonly binding: Readonly<Record<string, string>>;
  readonly operation: (name: string, namespace: string) => Readonly<Record<string, string>>;
  readonly input: MarkupElement;
  readonly output: MarkupElement;
}

const SOAP_TRANSPORT = { transport: "http://schemas.xmlsoap.org/soap/http" };

const PORTS: readonly Port[] = [
  soapPort("Soap", "soap"),
  soapPort("Soap12", "soap12"),
  httpPort("HttpGet", "GET", element("http:urlEncoded", {})),
  httpPort("HttpPost", "POST", element("mime:content", { type: FORM })),
];

function soapPort(suffix: string, prefix: "soap" | "soap12"): Port {
  const literal = element(`${prefix}:body`, { use: "literal" });
  return {
    name: SERVICE_NAME + suffix,
    // Both SOAP versions share one portType and its messages.
    portType: "Soap",
    prefix,
    binding: SOAP_TRANSPORT,
    operation: (name, namespace) => ({ soapAction: namespace + name, style: "document" }),
    input: literal,
    output: literal,
  };
}

function httpPort(suffix: string, verb: string, input: MarkupElement): Port {
  return {
    name: SERVICE_NAME + suffix,
    portType: suffix,
    prefix: "http",
    binding: { verb },
    operation: (name) => ({ location: `/${name}` }),
    input,
    output: element("mime:mimeXml", { part: "Body" }),
  };
}

/** Writes the WSDL document; by default, of all operations. */
export function wsdl(
  { namespace, base }: ServiceAddress,
  operations: readonly Operation[] = [...OPERATIONS.values()],
): string {
  const portTypes = [...new Set(PORTS.map((port) => port.portType))];
  return writeIndented(element(
    "wsdl:definitions",
    {
      "xmlns:tm": "http://microsoft.com/wsdl/mime/textMatching/",
      "xmlns:soapenc": "http://schemas.xmlsoap.org/soap/encoding/",
      "xmlns:mime": "http://schemas.xmlsoap.org/wsdl/mime/",
      "xmlns:tns": namespace,
      "xmlns:soap": "http://schemas.xmlsoap.org/wsdl/soap/",
      "xmlns:s": XSD_NAMESPACE,
      "xmlns:soap12": "http://schemas.xmlsoap.org/wsdl/soap12/",
      "xmlns:http": "http://schemas.xmlsoap.org/wsdl/http/",
      "targetNamespace": namespace,
      "xmlns:wsdl": "http://schemas.xmlsoap.org/wsdl/",
    },
    element("wsdl:types", {}, schema(operations, namespace)),
    ...portTypes.flatMap((portType) => operations.flatMap((o) => messages(o, portType))),
    ...portTypes.map((portType) => portTypeElement(portType, operations)),
    ...PORTS.map((port) => bindingElement(port, operations, namespace)),
    service(`${base}/api.asmx`),
  ));
}

/**
 * Writes the schema: one element for each message of the SOAP ports, and one for each result type.
 * Operations with the same result share its type, since a name is declared once (XML Schema part 1
 * §3.15.6).
 */
function schema(operations: readonly Operation[], namespace: string): MarkupElement {
  const results = new Map(operations.map(({ result }) => [rootNameOf(result), result]));
  const undefinedYet = new Set(results.keys());
  return element(
    "s:schema",
    { elementFormDefault: "qualified", targetNamespace: namespace },
    ...operations.flatMap((operation) => {
      const { result } = operation;
      const messages = requestAndResponse(operation);
      // Define a record after the first operation that returns it.
      const isDefinedHere = undefinedYet.delete(rootNameOf(result)) && result.kind === "record";
      return isDefinedHere ? [...messages, complexType(result)] : messages;
    }),
    ...[...results].map(([name, result]) => {
      const nillable: Readonly<Record<string, string>> = isNillable(result)
        ? { nillable: "true" }
        : {};
      return element("s:element", { name, ...nillable, type: typeName(result) });
    }),
  );
}

function requestAndResponse({ name, parameters, result }: Operation): MarkupElement[] {
  const minOccurs = isNillable(result) ? "0" : "1";
  return [
    sequenceElement(name, parameters.map((parameter) => particle(parameter.name, "s:string", "0"))),
    sequenceElement(`${name}Response`, [particle(`${name}Result`, typeName(result), minOccurs)]),
  ];
}

function complexType({ name, fields }: RecordType): MarkupElement {
  const particles = fields.map((field) => particle(field, "s:string", "0"));
  return element("s:complexType", { name }, sequence(particles));
}

// Whether an element may be absent or nil, as for a reference type of .NET.
function isNillable(type: ResultType): boolean {
  return type.kind === "record";
}

function typeName(type: ResultType): string {
  return `${type.kind === "record" ? "tns" : "s"}:${rootNameOf(type)}`;
}

function sequenceElement(name: string, particles: readonly MarkupElement[]): MarkupElement {
  return element("s:element", { name }, element("s:complexType", {}, sequence(particles)));
}

function sequence(particles: readonly MarkupElement[]): MarkupElement {
  return element("s:sequence", {}, ...particles);
}

function particle(name: string, type: string, minOccurs: string): MarkupElement {
  return element("s:element", { minOccurs, maxOccurs: "1", name, type });
}

function messages(operation: Operation, portType: string): MarkupElement[] {
  const { name, parameters, result } = operation;
  const message = (direction: string, ...parts: readonly MarkupNode[]): MarkupElement =>
    element("wsdl:message", { name: name + portType + direction }, ...parts);
  const part = (facts: Readonly<Record<string, string>>): MarkupElement =>
    element("wsdl:part", facts);
  if (portType === "Soap") {
    return [
      message("In", part({ name: "parameters", element: `tns:${name}` })),
      message("Out", part({ name: "parameters", element: `tns:${name}Response` })),
    ];
  }
  return [
    message("In", ...parameters.map((p) => part({ name: p.name, type: "s:string" }))),
    message("Out", part({ name: "Body", element: `tns:${rootNameOf(result)}` })),
  ];
}

function portTypeElement(portType: string, operations: readonly Operation[]): MarkupElement {
  return element(
    "wsdl:portType",
    { name: SERVICE_NAME + portType },
    ...operations.map(({ name }) =>
      element(
        "wsdl:operation",
        { name },
        element("wsdl:input", { message: `tns:${name}${portType}In` }),
        element("wsdl:output", { message: `tns:${name}${portType}Out` }),
      )
    ),
  );
}

function bindingElement(
  port: Port,
  operations: readonly Operation[],
  namespace: string,
): MarkupElement {
  return element(
    "wsdl:binding",
    { name: port.name, type: `tns:${SERVICE_NAME}${port.portType}` },
    element(`${port.prefix}:binding`, port.binding),
    ...operations.map(({ name }) =>
      element(
        "wsdl:operation",
        { name },
        element(`${port.prefix}:operation`, port.operation(name, namespace)),
        element("wsdl:input", {}, port.input),
        element("wsdl:output", {}, port.output),
      )
    ),
  );
}

function service(location: string): MarkupElement {
  return element(
    "wsdl:service",
    { name: SERVICE_NAME },
    ...PORTS.map(({ name, prefix }) =>
      element(
        "wsdl:port",
        { name, binding: `tns:${name}` },
        element(`${prefix}:address`, { location }),
      )
    ),
  );
}
