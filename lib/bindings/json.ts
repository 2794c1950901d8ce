/**
 * The binding JSON: an object with the parameters in, an object with one member `d` out, as for
 * script clients of the original stack.
 *
 * @module
 */

import type { Fault } from "../operations/fault.ts";
import {
  type Arguments,
  missingParameter,
  type Operation,
  type Parameter,
  type RecordType,
  type Result,
  type ResultType,
  SERVICE_NAME,
} from "../operations/operations.ts";
import { textOf } from "./charset.ts";
import { charsetOf } from "./media_type.ts";
import type { PathBinding, Reply } from "./binding.ts";
import { FAULTS } from "./faults.ts";
import { faultAt, type JsonMember, readJsonObject } from "./json_reader.ts";
import { fieldsOf, simpleOf } from "./result.ts";

/** Media type of JSON bodies. */
export const JSON_TYPE = "application/json";

/** Longest JSON body, in bytes. */
export const MAX_JSON_BYTES = 16_384;

/** Binding of POST requests to an operation with a JSON body. */
export const JSON_BINDING: PathBinding = {
  name: "JSON",
  accepts: (request) =>
    request.method === "POST" && request.operationName !== undefined &&
    request.mediaType.essence === JSON_TYPE,
  body: { mediaTypes: [JSON_TYPE], maxBytes: MAX_JSON_BYTES },
  readArguments: (operation, { mediaType, body }) => ({
    args: argumentsIn(textOf(body, charsetOf(mediaType)), operation),
  }),
  writeReply,
  writeFault,
};

/** Returns the value of the member `__type` of a record, as the original stack writes it. */
export function typeNameOf({ name }: RecordType): string {
  return `${SERVICE_NAME}.${name}`;
}

function writeReply({ result: type }: Operation, result: Result): Reply {
  return reply(200, { d: valueOf(type, result) });
}

function valueOf(type: ResultType, result: Result): unknown {
  return type.kind === "record"
    ? { __type: typeNameOf(type), ...Object.fromEntries(fieldsOf(type, result)) }
    : simpleOf(type, result);
}

/**
 * Members of an error, as in the original stack, in case callers look for them. All but the first
 * are empty: they would reveal internals.
 */
export const ERROR_MEMBERS = ["Message", "StackTrace", "ExceptionType"] as const;

function writeFault(fault: Fault): Reply {
  const texts = [fault.message, "", ""];
  const body = Object.fromEntries(ERROR_MEMBERS.map((name, i) => [name, texts[i]]));
  return { ...reply(FAULTS[fault.code].status, body), headers: { jsonerror: "true" } };
}

function reply(status: number, value: unknown): Reply {
  return { status, contentType: "application/json; charset=utf-8", body: stringify(value) };
}

// Writes JSON in ASCII, safe inside a script or an attribute, as the original stack does.
function stringify(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&'\x7F-\uFFFF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function argumentsIn(text: string, operation: Operation): Arguments {
  const members = readJsonObject(text);
  const args = new Map<string, string>();
  for (const parameter of operation.parameters) {
    const { name } = parameter;
    const [member, second] = members.filter((candidate) => candidate.name === name);
    if (second !== undefined) {
      throw faultAt("invalid", `Duplicate parameter: ${name}`, text, second.nameOffset);
    }
    if (member !== undefined && member.value !== null) {
      args.set(name, valueIn(parameter, member, text));
      continue;
    }
    const hint = hintFor(name, members);
    if (hint !== undefined) throw missingParameter(name, hint);
    // Client libraries write an empty text as null, or leave it out.
    if (parameter.mayBeEmpty) args.set(name, "");
  }
  return args;
}

// Returns a hint when the object has a missing parameter under a name in another case, or inside of
// another member.
function hintFor(name: string, members: readonly JsonMember[]): string | undefined {
  const isLike = (other: string): boolean =>
    other.length === name.length && other.toLowerCase() === name.toLowerCase();
  const isOther = (member: JsonMember): boolean => member.name !== name && isLike(member.name);
  if (members.some(isOther)) return "Names are case sensitive.";
  return members.some(({ nestedNames }) => nestedNames.some(isLike))
    ? "It is expected in the outermost object."
    : undefined;
}

// Reads a value as text, even a boolean pin: it is a wrong pin like any other.
function valueIn(
  { name, mayBeEmpty }: Parameter,
  { value, valueOffset }: JsonMember,
  text: string,
): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" && mayBeEmpty) return String(value);
  throw faultAt("invalid", `Parameter ${name} must be a string or a number`, text, valueOffset);
}
