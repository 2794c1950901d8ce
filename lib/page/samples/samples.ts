/**
 * A sample request and reply of an operation in every form, written by the bindings themselves.
 *
 * @module
 */

import type { Binding, WrittenCall } from "../../bindings/binding.ts";
import type { Operation, Result } from "../../operations/operations.ts";
import type { SampleContext } from "./context.ts";
import { exampleArguments } from "./fields.ts";
import { marker, type TemplatePart, templateParts } from "./template.ts";
import { KEY_HOLE, KEY_PLACEHOLDER } from "./quoting.ts";

/** The placeholder that the length of the body stands in; no parameter can have its name. */
const LENGTH_HOLE = "Content-Length";

/** A sample of one binding. */
export interface Sample {
  /** The name of the binding. */
  readonly binding: string;
  /** The call that the request makes. */
  readonly call: WrittenCall;
  /** The request as HTTP/1.1 has it; its lines end in LF. */
  readonly request: readonly TemplatePart[];
  /** The reply; what is longer than its use is cut out, and three dots stand for it. */
  readonly reply: string;
}

/** The samples of an operation, in the order of the names of the bindings. */
export async function samplesOf(
  operation: Operation,
  context: SampleContext,
): Promise<readonly Sample[]> {
  const result = await sampleResult(operation, context);
  return context.bindings
    .flatMap((binding) => sampleOf(binding, operation, result, context))
    .sort((a, b) => (a.binding < b.binding ? -1 : 1));
}

function sampleOf(
  { name, writeCall, writeReply }: Binding,
  operation: Operation,
  result: Result,
  context: SampleContext,
): Sample[] {
  if (writeCall === undefined) return [];
  const call = writeCall(operation, exampleArguments(operation, context.service));
  // The same call with a name in the place of each value shows which parts are values.
  const names = operation.parameters.map((parameter) => parameter.name);
  const marked = writeCall(
    operation,
    new Map(names.map((placeholder) => [placeholder, marker(placeholder)])),
  );
  const { contentType, body } = writeReply(operation, result);
  return [{
    binding: name,
    call,
    request: requestPieces(call, marked, names, context),
    reply: `HTTP/1.1 200 OK\nContent-Type: ${contentType}\n\n${String(body)}`
      .replaceAll("\r\n", "\n"),
  }];
}

function requestPieces(
  { method, path, headers, body }: WrittenCall,
  marked: WrittenCall,
  names: readonly string[],
  { base, wantsKey }: SampleContext,
): readonly TemplatePart[] {
  const [, host = "", prefix = ""] = /^https?:\/\/([^/]+)(.*)$/i.exec(base) ?? [];
  const fields = Object.entries({ Host: host, ...headers })
    .map(([name, value]) => `${name}: ${value}\n`)
    .join("");
  const length = String(new TextEncoder().encode(body).length);
  return [
    { text: `${method} ${prefix}/api.asmx` },
    ...templateParts(path, marked.path, names),
    { text: ` HTTP/1.1\n${fields}` },
    ...(wantsKey
      ? [{ text: `${KEY_HOLE}: ` }, { text: KEY_PLACEHOLDER, placeholder: KEY_HOLE }, {
        text: "\n",
      }]
      : []),
    ...(method === "GET"
      ? []
      : [{ text: "Content-Length: " }, { text: length, placeholder: LENGTH_HOLE }]),
    { text: method === "GET" ? "\n" : "\n\n" },
    ...templateParts(body, marked.body, names),
  ];
}

// A picture takes more room on the page than all the rest; the two ends of it say what it is.
function shorten(value: string): string {
  return value.replace(/<svg .*<\/svg>/s, "<svg ...>...</svg>").replace(
    /\?secret=[^']*/,
    "?secret=...",
  );
}

async function sampleResult(operation: Operation, context: SampleContext): Promise<Result> {
  // The example of a pin is right at no moment that can be told beforehand.
  if (operation.result.kind === "boolean") return true;
  const { base, service } = context;
  const args = exampleArguments(operation, service);
  const { result } = await operation.invoke(args, { ...service, base: () => base });
  if (typeof result !== "object") return result;
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, shorten(value)]));
}
