/**
 * The bindings HTTP GET and HTTP POST: parameters in the query string or a form body, the result as
 * an XML document, a fault as one sentence of text.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { Fault } from "../operations/fault.ts";
import type { Operation, Result } from "../operations/operations.ts";
import { element, type MarkupElement, writeIndented } from "../xml/writer.ts";
import { type PathBinding, plainReply, type Reply } from "./binding.ts";
import { emptyBody, FAULTS } from "./faults.ts";
import { FORM, readForm, readParameters, readQuery } from "./form_urlencoded.ts";
import { JSON_TYPE } from "./json.ts";
import { charsetOf } from "./media_type.ts";
import { resultContent } from "./result.ts";
import { rootNameOf, XSD_NAMESPACE, XSI_NAMESPACE } from "./xsd.ts";

/** Makes the binding HTTP GET: parameters from the query string only. */
export function httpGetBinding(namespace: string): PathBinding {
  const readArguments: PathBinding["readArguments"] = (operation, { query }) =>
    readParameters(operation, readQuery(query));
  return paramsBinding({ name: "HTTP GET", readArguments }, "GET", namespace);
}

/** Reading half of the binding HTTP POST: parameters from the form body only. */
export const FORM_READER: Pick<PathBinding, "name" | "body" | "readArguments"> = {
  name: "HTTP POST",
  // JSON stands here for the error message only: the JSON binding accepts such requests first.
  body: { mediaTypes: [FORM, JSON_TYPE] },
  readArguments: (operation, { mediaType, body }) => {
    if (body.length === 0) throw emptyBody("a form with the parameters");
    const read = readParameters(operation, readForm(body, charsetOf(mediaType)));
    if (read.args.size < operation.parameters.length && looksLikeJson(body)) {
      throw new Fault("unreadable", `The body looks like JSON; send Content-Type: ${JSON_TYPE}.`);
    }
    return read;
  },
};

/** Makes the binding HTTP POST. */
export function httpPostBinding(namespace: string): PathBinding {
  return paramsBinding(FORM_READER, "POST", namespace);
}

// Tools send JSON under the media type of forms by default.
function looksLikeJson(body: Uint8Array): boolean {
  return /^(?:\xEF\xBB\xBF)?[ \t\r\n]*\{/.test(Buffer.from(body).toString("latin1"));
}

function paramsBinding(
  own: Pick<PathBinding, "name" | "body" | "readArguments">,
  method: string,
  namespace: string,
): PathBinding {
  return {
    ...own,
    accepts: (request) => request.method === method && request.operationName !== undefined,
    writeReply: (operation, result) => writeReply(operation, result, namespace),
    writeFault: writePlainFault,
  };
}

/** Writes a fault as text/plain: one sentence and CRLF. */
export function writePlainFault(fault: Fault): Reply {
  return plainReply(FAULTS[fault.code].status, fault.message);
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
  const declared: Readonly<Record<string, string>> = type.kind === "record"
    ? { "xmlns:xsi": XSI_NAMESPACE, "xmlns:xsd": XSD_NAMESPACE }
    : {};
  return element(rootNameOf(type), { ...declared, xmlns: namespace }, ...content);
}
