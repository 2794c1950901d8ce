/**
 * The WSDL 1.1 description of the service, derived from `OPERATIONS`.
 *
 * @module
 */

import {
  type Operation,
  OPERATIONS,
  type ResultType,
  SERVICE_NAME,
} from "../service/operations.ts";
import { element, type MarkupElement, type MarkupNode, writeIndented } from "../xml/writer.ts";

/** Where the service is, and under which namespace. */
export interface ServiceAddress {
  /** The namespace name of the service. */
  readonly namespace: string;
  /** The public base URL, without a slash at its end. */
  readonly base: string;
}

/** A port: its name, its portType, and what differs in its binding. */
interface Port {
  readonly name: string;
  readonly portType: string;
  /** The prefix of the extension elements of its binding, which differs by version and verb. */
  readonly prefix: "soap" | "soap12" | "http";
  readonly binding: Readonly<Record<string, string>>;
  readonly operation: (name: string, namespace: string) => Readonly<Record<string, string>>;
  readonly input: MarkupElement;
  readonly output: MarkupElement;
}

const SOAP_TRANSPORT = { transport: "http://schemas.xmlsoap.org/soap/http" };
const FORM = { type: "application/x-www-form-urlencoded" };

const PORTS: readonly Port[] = [
  soapPort("Soap", "soap"),
  soapPort("Soap12", "soap12"),
  httpPort("HttpGet", "GET", element("http:urlEncoded", {})),
  httpPort("HttpPost", "POST", element("mime:content", FORM)),
];

function soapPort(suffix: string, prefix: "soap" | "soap12"): Port {
  const literal = element(`${prefix}:body`, { use: "literal" });
  return {
    name: SERVICE_NAME + suffix,
    // Both versions of SOAP share one portType and its messages.
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

/** Writes the WSDL document. */
export function wsdl({ namespace, base }: ServiceAddress): string {
  const operations = [...OPERATIONS.values()];
  const portTypes = [...new Set(PORTS.map((port) => port.portType))];
  return writeIndented(element(
    "wsdl:definitions",
    {
      "xmlns:tm": "http://microsoft.com/wsdl/mime/textMatching/",
      "xmlns:soapenc": "http://schemas.xmlsoap.org/soap/encoding/",
      "xmlns:mime": "http://schemas.xmlsoap.org/wsdl/mime/",
      "xmlns:tns": namespace,
      "xmlns:soap": "http://schemas.xmlsoap.org/wsdl/soap/",
      "xmlns:s": "http://www.w3.org/2001/XMLSchema",
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

/** The schema: an element for each message of the SOAP ports, and one for each result type. */
function schema(operations: readonly Operation[], namespace: string): MarkupElement {
  const defined = new Set<string>();
  return element(
    "s:schema",
    { elementFormDefault: "qualified", targetNamespace: namespace },
    ...operations.flatMap((operation) => requestAndResponse(operation, defined)),
    ...operations.map(({ result }) =>
      result.kind === "boolean"
        ? element("s:element", { name: "boolean", type: "s:boolean" })
        : element("s:element", { name: result.name, nillable: "true", type: typeName(result) })
    ),
  );
}

function requestAndResponse(operation: Operation, defined: Set<string>): MarkupElement[] {
  const { name, parameters, result } = operation;
  const minOccurs = result.kind === "boolean" ? "1" : "0";
  const elements = [
    sequenceElement(name, parameters.map((parameter) => particle(parameter.name, "s:string", "0"))),
    sequenceElement(`${name}Response`, [particle(`${name}Result`, typeName(result), minOccurs)]),
  ];
  // A result type is defined behind the first operation that returns it.
  if (result.kind === "record" && !defined.has(result.name)) {
    defined.add(result.name);
    const fields = result.fields.map((field) => particle(field, "s:string", "0"));
    elements.push(element("s:complexType", { name: result.name }, sequence(fields)));
  }
  return elements;
}

function typeName(type: ResultType): string {
  return type.kind === "boolean" ? "s:boolean" : `tns:${type.name}`;
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
  const root = result.kind === "boolean" ? "boolean" : result.name;
  return [
    message("In", ...parameters.map((p) => part({ name: p.name, type: "s:string" }))),
    message("Out", part({ name: "Body", element: `tns:${root}` })),
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
