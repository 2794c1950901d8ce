/**
 * The original's short routes to the operations: parameters in the query string of a GET or POST,
 * the result as bare text with status 200.
 *
 * @module
 */

import { Fault } from "../operations/fault.ts";
import { type Operation, PAIR, VALIDATE_PIN } from "../operations/operations.ts";
import type { Binding, Call, Reply } from "./binding.ts";
import { readParameters, readQuery } from "./form_urlencoded.ts";
import { writePlainFault } from "./http_get_post.ts";
import { recordField } from "./result.ts";

/** A missing parameter of a short route, with the message of the original. */
class AbsentParameter extends Fault {
  constructor(name: string) {
    super("invalid", `Pass '${name[0]!.toUpperCase()}${name.slice(1)}' in QueryString`);
  }
}

/** Makes the binding of `/pair.aspx`: the Html of a pairing in the original's byte shape. */
export function pairAspxBinding(): Binding {
  return {
    name: "pair.aspx",
    accepts: () => true,
    readCall: ({ query }) => ({ ...readCall(PAIR, query, (value) => !value), html: "image" }),
    writeReply: (_operation, result) => bare(recordField(result, "Html")),
    writeFault: (fault) =>
      fault instanceof AbsentParameter ? bare(fault.message) : writePlainFault(fault),
  };
}

/**
 * Makes the binding of `/Validate.aspx`: `True` or `False`. Public callers take any other text or
 * status for a success, so once both parameters are present, every fault is written as `False`.
 */
export function validateAspxBinding(): Binding {
  return {
    name: "validate.aspx",
    accepts: () => true,
    readCall: ({ query }) => readCall(VALIDATE_PIN, query, (value) => value === undefined),
    writeReply: (_operation, result) => bare(result === true ? "True" : "False"),
    writeFault: (fault) => bare(fault instanceof AbsentParameter ? fault.message : "False"),
  };
}

function readCall(
  operation: Operation,
  query: string,
  isAbsent: (value: string | undefined) => boolean,
): Call {
  const { args, ignored } = readParameters(operation, readQuery(query));
  const absent = operation.parameters.find((parameter) => isAbsent(args.get(parameter.name)));
  if (absent !== undefined) throw new AbsentParameter(absent.name);
  return { operation, args, ignored };
}

function bare(body: string): Reply {
  return { status: 200, contentType: "text/html; charset=utf-8", body };
}
