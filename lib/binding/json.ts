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

// What stands before each string once it is read. To V8 the hash of a text that is a number is the
// number, which callers can choose, so that a table of such texts takes time that grows with their
// square; and what parses JSON keeps short strings in one.
const MARK = "_";

// One that does not end is taken whole. Otherwise each quote in it would begin another look to the end
// of the text, and the time would grow with their square as well.
const JSON_STRING = /"([^"\\]*(?:\\.[^"\\]*)*"?)/gs;

function readArguments(operation: Operation, text: string): Arguments {
  // What is not JSON does not become it so: a reader of JSON sees the same strings up to its error.
  const marked = text.replace(JSON_STRING, `"${MARK}$1`);
  const members = parseObject(marked);
  const args = new Map<string, string>();
  for (const { name } of operation.parameters) {
    const member = MARK + name;
    const value = Object.hasOwn(members, member) ? members[member] : undefined;
    if (value === undefined || value === null) continue;
    args.set(name, textOf(name, value));
  }
  const names = memberNames(marked);
  const twice = operation.parameters.find(({ name }) =>
    names.indexOf(MARK + name) !== names.lastIndexOf(MARK + name)
  );
  if (twice !== undefined) throw duplicateParameter(twice.name);
  return args;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // What the engine says of it would repeat a part of the request.
    throw new Fault("unreadable", "The body is not JSON.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Fault("unreadable", "The body must be a JSON object with the parameters.");
  }
  return value as Readonly<Record<string, unknown>>;
}

// A whole number becomes its decimal text; any other would lose digits, or have none of its own.
function textOf(name: string, value: unknown): string {
  if (typeof value === "string") return value.slice(MARK.length);
  if (Number.isSafeInteger(value)) return String(value);
  throw new Fault("invalid", `Parameter ${name} must be a string or a whole number.`);
}

const JSON_TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/** The names of the members of an object as often as they stand in it, which `JSON.parse` hides. */
function memberNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let last = "";
  for (const [token] of text.matchAll(JSON_TOKEN)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (token === ":" && depth === 1) names.push(JSON.parse(last));
    last = token;
  }
  return names;
}
