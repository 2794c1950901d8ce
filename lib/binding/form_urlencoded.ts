/**
 * Parameters as query strings and form bodies carry them (`application/x-www-form-urlencoded`),
 * with what the original stack's own clients make of it.
 *
 * @module
 */

import { Fault } from "../service/fault.ts";
import { type Arguments, duplicateParameter, type Operation } from "../service/operations.ts";

/** The media type of form bodies. */
export const FORM = "application/x-www-form-urlencoded";

/**
 * Reads the parameters of an operation from a query string or form body. Names are compared without
 * case, and names that the operation does not have are passed over.
 *
 * @throws {Fault} When a parameter stands twice, or a name or value is not UTF-8.
 */
export function readParameters(operation: Operation, encoded: string): Arguments {
  const args = new Map<string, string>();
  for (const [sent, value] of readPairs(encoded)) {
    const name = parameterNamed(operation, sent);
    if (name === undefined) continue;
    if (args.has(name)) throw duplicateParameter(name);
    args.set(name, value);
  }
  return args;
}

// Almost every caller writes it as it is.
function parameterNamed({ parameters }: Operation, sent: string): string | undefined {
  for (const { name } of parameters) if (name === sent) return name;
  // Of another length there is no other spelling of a name in ASCII, and many names are of none.
  return parameters.find(({ name }) =>
    name.length === sent.length && name.toLowerCase() === sent.toLowerCase()
  )?.name;
}

/** Writes the parameters of an operation as a query string or form body; what is missing is empty. */
export function writeParameters({ parameters }: Operation, args: Arguments): string {
  return new URLSearchParams(parameters.map(({ name }) => [name, args.get(name) ?? ""])).toString();
}

/**
 * Reads the names and values of a query string or form body, both decoded. The value of a name
 * without an equals sign is empty (WHATWG URL §5.1), so that what stands twice for another reader of
 * the request stands twice here.
 *
 * @throws {Fault} When a name or value is not UTF-8.
 */
export function* readPairs(encoded: string): Generator<readonly [string, string], void, void> {
  for (const pair of encoded.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const end = equals < 0 ? pair.length : equals;
    yield [decodeFormText(pair.slice(0, end)), decodeFormText(pair.slice(end + 1))];
  }
}

// A run of escapes: %XX is a byte of UTF-8, %uXXXX a UTF-16 unit (what .NET's HttpGet and HttpPost
// proxies send). A per cent sign that begins neither stays as it is.
const ESCAPES = /(?:%[0-9A-Fa-f]{2})+|(?:%u[0-9A-Fa-f]{4})+/g;

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

// As strict as a decoder of UTF-8 can be, and much faster on a body of escapes alone.
function decodeBytes(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    throw new Fault("unreadable", "A percent-encoded text in the parameters is not UTF-8.");
  }
}
