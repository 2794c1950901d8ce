/**
 * The bindings HTTP GET and HTTP POST: parameters in the query string or in a form body, the result
 * as an XML document, an error as one sentence of text.
 *
 * @module
 */

import { Fault } from "../service/fault.ts";
import {
  type Arguments,
  duplicateParameter,
  type Operation,
  OPERATIONS,
  type Result,
} from "../service/operations.ts";
import { element, type MarkupElement, writeIndented } from "../xml/writer.ts";
import { type Binding, FAULTS, type Reply, type ServiceRequest } from "./binding.ts";
import { resultContent } from "./result.ts";
import { XSD_NAMESPACE, XSI_NAMESPACE } from "./soap_versions.ts";

const FORM = "application/x-www-form-urlencoded";

/** The binding HTTP GET: parameters from the query string alone. */
export function httpGetBinding(namespace: string): Binding {
  return paramsBinding("HTTP GET", "GET", (request) => Promise.resolve(request.query), namespace);
}

/** The binding HTTP POST: parameters from the form body alone. */
export function httpPostBinding(namespace: string): Binding {
  return paramsBinding("HTTP POST", "POST", (request) => request.readText([FORM]), namespace);
}

function paramsBinding(
  name: string,
  method: string,
  readEncoded: (request: ServiceRequest) => Promise<string>,
  namespace: string,
): Binding {
  return {
    name,
    accepts: (request) => request.method === method && request.operationName !== undefined,
    readCall: async (request) => {
      const operation = operationNamed(request.operationName);
      return { operation, args: readParameters(operation, await readEncoded(request)) };
    },
    writeReply: (operation, result) => writeReply(operation, result, namespace),
    writeFault: writePlainFault,
  };
}

function operationNamed(name: string | undefined): Operation {
  const operation = OPERATIONS.get(name ?? "");
  if (operation === undefined) {
    const names = [...OPERATIONS.keys()].join(" or ");
    throw new Fault(
      "unknown-operation",
      `Web Service method name is not valid. Expected ${names}; names are case sensitive.`,
    );
  }
  return operation;
}

/** Writes a fault as text/plain: one sentence and CRLF. */
export function writePlainFault(fault: Fault): Reply {
  return {
    status: FAULTS[fault.code].status,
    contentType: "text/plain; charset=utf-8",
    body: `${fault.message}\r\n`,
  };
}

function writeReply(operation: Operation, result: Result, namespace: string): Reply {
  return {
    status: 200,
    contentType: "text/xml; charset=utf-8",
    body: writeIndented(resultDocument(operation, result, namespace)),
  };
}

function resultDocument(operation: Operation, result: Result, namespace: string): MarkupElement {
  const type = operation.result;
  const content = resultContent(type, result);
  if (type.kind === "boolean") return element("boolean", { xmlns: namespace }, ...content);
  const namespaces = { "xmlns:xsi": XSI_NAMESPACE, "xmlns:xsd": XSD_NAMESPACE, xmlns: namespace };
  return element(type.name, namespaces, ...content);
}

/**
 * Reads the parameters of an operation from a query string or form body. Names are compared without
 * case, names that the operation does not have are passed over, and so is a name without an equals
 * sign, as the original stack did.
 *
 * @throws {Fault} When a parameter stands twice, or a value is not UTF-8.
 */
function readParameters(operation: Operation, encoded: string): Arguments {
  const args = new Map<string, string>();
  for (const pair of encoded.split("&")) {
    const equals = pair.indexOf("=");
    if (equals < 0) continue;
    const name = decodeFormText(pair.slice(0, equals)).toLowerCase();
    const parameter = operation.parameters.find((known) => known.name.toLowerCase() === name);
    if (parameter === undefined) continue;
    if (args.has(parameter.name)) throw duplicateParameter(parameter.name);
    args.set(parameter.name, decodeFormText(pair.slice(equals + 1)));
  }
  return args;
}

// A run of escapes: %XX is a byte of UTF-8, %uXXXX a UTF-16 unit (what .NET's HttpGet and HttpPost
// proxies send). A per cent sign that begins neither stays as it is.
const ESCAPES = /(?:%[0-9A-Fa-f]{2})+|(?:%u[0-9A-Fa-f]{4})+/g;

// A byte order mark inside a value is a character like any other.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeFormText(encoded: string): string {
  const text = encoded.replaceAll("+", " ");
  if (!text.includes("%")) return text;
  return text.replace(ESCAPES, (run) => run[1] === "u" ? decodeUnits(run) : decodeBytes(run));
}

function decodeUnits(run: string): string {
  const units = run.split("%u").slice(1).map((digits) => parseInt(digits, 16));
  const text = String.fromCharCode(...units);
  if (!text.isWellFormed()) {
    throw new Fault("unreadable", "A %u escape in the parameters is half of a surrogate pair.");
  }
  return text;
}

function decodeBytes(run: string): string {
  const bytes = run.split("%").slice(1).map((digits) => parseInt(digits, 16));
  try {
    return decoder.decode(new Uint8Array(bytes));
  } catch {
    throw new Fault("unreadable", "A percent-encoded text in the parameters is not UTF-8.");
  }
}
