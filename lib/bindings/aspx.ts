/**
 * The original's short routes to the operations: parameters in the query string of a GET or POST,
 * the result as bare text with status 200.
 *
 * @module
 */

import type { Fault } from "../operations/fault.ts";
import { missingParameter, type Operation } from "../operations/operations.ts";
import type { CallArguments, PathBinding, Reply } from "./binding.ts";
import { readParameters, readQuery } from "./form_urlencoded.ts";
import { writePlainFault } from "./http_get_post.ts";
import { recordField } from "./result.ts";

/** Binding of `/pair.aspx`: the Html of a pairing in the original's byte shape. */
export const PAIR_ASPX: PathBinding = {
  name: "pair.aspx",
  accepts: () => true,
  readArguments: (operation, { query }) => ({
    ...readArguments(operation, query, (value) => !value),
    html: "image",
  }),
  writeReply: (_operation, result) => bare(recordField(result, "Html")),
  writeFault: (fault) => fault.isMissing ? missing(fault) : writePlainFault(fault),
};

/**
 * Binding of `/Validate.aspx`: `True` or `False`. Public callers take any other text or
 * status for a success, so once both parameters are present, every fault is written as `False`.
 */
export const VALIDATE_ASPX: PathBinding = {
  name: "validate.aspx",
  accepts: () => true,
  readArguments: (operation, { query }) =>
    readArguments(operation, query, (value) => value === undefined),
  writeReply: (_operation, result) => bare(result === true ? "True" : "False"),
  writeFault: (fault) => fault.isMissing ? missing(fault) : bare("False"),
};

function readArguments(
  operation: Operation,
  query: string,
  isAbsent: (value: string | undefined) => boolean,
): CallArguments {
  const read = readParameters(operation, readQuery(query));
  const absent = operation.parameters.find(({ name }) => isAbsent(read.args.get(name)));
  if (absent !== undefined) throw missingParameter(absent.name);
  return read;
}

/** Writes the original's message for a missing parameter. */
function missing({ parameters: [name = ""] }: Fault): Reply {
  return bare(`Pass '${name.charAt(0).toUpperCase()}${name.slice(1)}' in QueryString`);
}

function bare(body: string): Reply {
  return { status: 200, contentType: "text/html; charset=utf-8", body };
}
