/**
 * The JSON form: an object with the parameters in, an object with one member `d` out, as the script
 * clients of the original stack have it.
 *
 * @module
 */

import { Fault } from "../service/fault.ts";
import {
  type Arguments,
  duplicateParameter,
  type Operation,
  operationNamed,
  type RecordType,
  type Result,
  SERVICE_NAME,
} from "../service/operations.ts";
import { type Binding, FAULTS, type Reply } from "./binding.ts";
import { booleansOnce, fieldsOf, valueOf } from "./result.ts";

/** The media type of JSON bodies. */
export const JSON_TYPE = "application/json";

/** The binding of POST requests to an operation whose body is JSON. */
export function jsonBinding(): Binding {
  return {
    name: "JSON",
    accepts: (request) =>
      request.method === "POST" && request.operationName !== undefined &&
      request.mediaType.essence === JSON_TYPE,
    readCall: async (request) => {
      const operation = operationNamed(request.operationName ?? "");
      return { operation, args: readArguments(operation, await request.readText([JSON_TYPE])) };
    },
    writeReply: booleansOnce(writeReply),
    writeFault,
    writeCall: ({ name, parameters }, args) => ({
      method: "POST",
      path: `/${name}`,
      headers: { "Content-Type": JSON_TYPE },
      body: JSON.stringify(
        Object.fromEntries(parameters.map((known) => [known.name, args.get(known.name) ?? ""])),
        null,
        2,
      ),
    }),
  };
}

/** What the member `__type` of a record says, as the original stack writes it. */
export function typeNameOf({ name }: RecordType): string {
  return `${SERVICE_NAME}.${name}`;
}

function writeReply({ result: type }: Operation, result: Result): Reply {
  const d = type.kind === "record"
    ? { __type: typeNameOf(type), ...Object.fromEntries(fieldsOf(type, result)) }
    : valueOf(type, result);
  return reply(200, { d });
}

/**
 * The members of an error, which are those of the original stack, since its callers may look for
 * them. All but the first are empty: they are about what is inside.
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

// ASCII, and safe to be put into a script or an attribute, as the original stack writes it.
function stringify(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&'\x7F-\uFFFF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

// A string as RFC 8259 §7 has it; without the quote at its end, all of it that could be one. Or what a
// number is written with.
const JSON_SCALAR =
  /"[ !#-[\]-\uFFFF]*(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[ !#-[\]-\uFFFF]*)*("?)|[-+.0-9][-+.0-9Ee]*/g;

// RFC 8259 §6.
const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[Ee][-+]?[0-9]+)?$/;

// `JSON.parse` puts names and short strings into tables, and callers can find many of one hash, which
// would take time that grows with their square: to V8 the hash of a number is the number, and to
// JavaScriptCore a text has the same hash in every process. So it is shown the place of each string
// in a list instead; and that of each number, of which it would lose digits.
function readArguments(operation: Operation, text: string): Arguments {
  const scalars: string[] = [];
  const members = Object.entries(parseObject(text.replace(JSON_SCALAR, (scalar, end) => {
    const isString = scalar.startsWith('"');
    if (isString ? end === "" : !JSON_NUMBER.test(scalar)) throw notJson();
    const place = scalars.push(scalar) - 1;
    return isString ? `"${place}"` : `${place}`;
  })));
  const scalarAt = (place: string | number): string => scalars[Number(place)]!;
  const names = members.map(([place]) => nameIn(scalarAt(place)));
  const args = new Map<string, string>();
  for (const { name } of operation.parameters) {
    const at = names.indexOf(name);
    if (at < 0) continue;
    if (names.includes(name, at + 1)) throw duplicateParameter(name);
    const [, value] = members[at]!;
    if (value === null) continue;
    if (typeof value === "string") args.set(name, JSON.parse(scalarAt(value)));
    else if (typeof value === "number") args.set(name, decimalOf(name, scalarAt(value)));
    else throw new Fault("invalid", `Parameter ${name} must be a string or a number.`);
  }
  return args;
}

// Not by `JSON.parse`, see above. Letters, of which the names of parameters are, have no other escape.
function nameIn(string: string): string {
  return string.slice(1, -1).replace(
    /\\u([0-9A-Fa-f]{4})/g,
    (_, digits) => String.fromCharCode(parseInt(digits, 16)),
  );
}

function notJson(): Fault {
  return new Fault("unreadable", "The body is not JSON.");
}

function parseObject(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // What the engine says of it would repeat a part of the request.
    throw notJson();
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Fault("unreadable", "The body must be a JSON object with the parameters.");
  }
  return value;
}

// As it is written, all digits of it; but 1e3 is 1000, and nothing needs longer ones of that kind.
function decimalOf(name: string, number: string): string {
  if (number !== "-0" && /^[-.0-9]+$/.test(number)) return number;
  if (Number.isSafeInteger(Number(number))) return String(Number(number));
  throw new Fault("invalid", `Parameter ${name} must be a string or a number without an exponent.`);
}
