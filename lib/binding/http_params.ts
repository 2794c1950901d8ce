/**
 * The bindings HTTP GET and HTTP POST: parameters in the query string or in a form body, the result
 * as an XML document, an error as one sentence of text.
 *
 * @module
 */

import type { Fault } from "../service/fault.ts";
import {
  type Arguments,
  type Operation,
  operationNamed,
  type Result,
} from "../service/operations.ts";
import { element, type MarkupElement, writeIndented } from "../xml/writer.ts";
import {
  type Binding,
  type Call,
  FAULTS,
  type Reply,
  type ServiceRequest,
  type WrittenCall,
} from "./binding.ts";
import { FORM, readParameters, writeParameters } from "./form_urlencoded.ts";
import { JSON_TYPE } from "./json.ts";
import { booleansOnce, resultContent } from "./result.ts";
import { rootNameOf, XSD_NAMESPACE, XSI_NAMESPACE } from "./xsd.ts";

/** The binding HTTP GET: parameters from the query string alone. */
export function httpGetBinding(namespace: string): Binding {
  const writeCall = (operation: Operation, args: Arguments): WrittenCall => ({
    method: "GET",
    path: `/${operation.name}?${writeParameters(operation, args)}`,
    headers: {},
    body: "",
  });
  const readCall = ({ operationName = "", query }: ServiceRequest): Call => {
    const operation = operationNamed(operationName);
    return { operation, args: readParameters(operation, query) };
  };
  return paramsBinding({ name: "HTTP GET", writeCall, readCall }, "GET", namespace);
}

/** The binding HTTP POST: parameters from the form body alone. */
export function httpPostBinding(namespace: string): Binding {
  const writeCall = (operation: Operation, args: Arguments): WrittenCall => ({
    method: "POST",
    path: `/${operation.name}`,
    headers: { "Content-Type": FORM },
    body: writeParameters(operation, args),
  });
  // JSON never gets here, its binding being asked before: it is named to those who have neither.
  const readCall = async (request: ServiceRequest): Promise<Call> => {
    const operation = operationNamed(request.operationName ?? "");
    return {
      operation,
      args: readParameters(operation, await request.readText([FORM, JSON_TYPE])),
    };
  };
  return paramsBinding({ name: "HTTP POST", writeCall, readCall }, "POST", namespace);
}

function paramsBinding(
  own: Pick<Binding, "name" | "writeCall" | "readCall">,
  method: string,
  namespace: string,
): Binding {
  return {
    ...own,
    accepts: (request) => request.method === method && request.operationName !== undefined,
    writeReply: booleansOnce((operation, result) => writeReply(operation, result, namespace)),
    writeFault: writePlainFault,
  };
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
  const declared = type.kind === "record"
    ? { "xmlns:xsi": XSI_NAMESPACE, "xmlns:xsd": XSD_NAMESPACE }
    : {};
  return element(rootNameOf(type), { ...declared, xmlns: namespace }, ...content);
}
