/**
 * Sample request and reply of an operation in every format, written by the bindings themselves.
 *
 * @module
 */

import type { Binding, WrittenCall } from "../../bindings/binding.ts";
import type { ServiceAddress } from "../../bindings/description/wsdl.ts";
import type { ServiceContext } from "../../operations/context.ts";
import type { Operation, Result } from "../../operations/operations.ts";
import { exampleArguments } from "./fields.ts";
import { marker, type TemplatePart, templateParts } from "./template.ts";
import { KEY_HOLE, KEY_PLACEHOLDER } from "./quoting.ts";

/** Facts for samples of a call: address and settings of the service. */
export interface SampleContext extends ServiceAddress {
  /** Settings of the operations, which the examples follow. */
  readonly service: ServiceContext;
  /** Bindings, which write the samples. */
  readonly bindings: readonly Binding[];
  /** Whether callers must show a key. */
  readonly wantsKey: boolean;
}

/** Placeholder of the body's length; no parameter can have this name. */
const LENGTH_HOLE = "Content-Length";

/** Sample of one binding. */
export interface Sample {
  /** Name of the binding. */
  readonly binding: string;
  /** Call in the request. */
  readonly call: WrittenCall;
  /** Request in HTTP/1.1, with lines that end in LF. */
  readonly request: readonly TemplatePart[];
  /** Reply, with long values cut to three dots. */
  readonly reply: string;
}

/** Writes the samples of an operation, sorted by binding name. */
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
  // Write the same call with marks as values, to find the values in the request.
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
  const key = [{ text: `${KEY_HOLE}: ` }, { text: KEY_PLACEHOLDER, placeholder: KEY_HOLE }, NEXT];
  const bodyLength = [
    { text: "Content-Length: " },
    { text: length, placeholder: LENGTH_HOLE },
    NEXT,
  ];
  return [
    { text: `${method} ${prefix}/api.asmx` },
    ...templateParts(path, marked.path, names),
    { text: ` HTTP/1.1\n${fields}` },
    ...(wantsKey ? key : []),
    ...(method === "GET" ? [] : bodyLength),
    NEXT,
    ...templateParts(body, marked.body, names),
  ];
}

const NEXT = { text: "\n" };

// Shortens a picture, which would be longer than the rest of the page; its two ends identify it.
function shorten(value: string): string {
  return value.replace(/<svg .*<\/svg>/s, "<svg ...>...</svg>").replace(
    /\?secret=[^']*/,
    "?secret=...",
  );
}

async function sampleResult(operation: Operation, context: SampleContext): Promise<Result> {
  // The example pin is right at no predictable time.
  if (operation.result.kind === "boolean") return true;
  const { base, service } = context;
  const args = exampleArguments(operation, service);
  const { result } = await operation.invoke(args, { ...service, base: () => base });
  if (typeof result !== "object") return result;
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, shorten(value)]));
}
