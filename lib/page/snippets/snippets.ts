/**
 * A working call of an operation in the languages of its callers. Each prints the result: the
 * fields of a record one on a line, or true or false.
 *
 * @module
 */

import { SOAP_11, SOAP_12, type SoapVersion } from "../../bindings/soap/versions.ts";
import type { Operation } from "../../operations/operations.ts";
import type { SampleContext } from "../samples/context.ts";
import { exampleArguments } from "../samples/fields.ts";
import type { Format, Language, SnippetCall, SoapCall } from "./language.ts";
import { csharp, csharpProxy } from "./csharp.ts";
import { curl } from "./curl.ts";
import { go } from "./go.ts";
import { java } from "./java.ts";
import { classicAsp, delphi } from "./asp_and_delphi.ts";
import { php } from "./php.ts";
import { powershell } from "./powershell.ts";
import { python } from "./python.ts";
import { ruby } from "./ruby.ts";
import { javascript, typescript } from "./javascript.ts";
import { visualBasic } from "./visual_basic.ts";
import { fillTemplate, marker, type TemplatePart } from "../samples/template.ts";
import { encoderOf, KEY_HOLE, KEY_PLACEHOLDER, keyEncoderOf } from "../samples/quoting.ts";

/** A program, or a command, that makes a call. */
export interface Snippet {
  /** The language, or the program that takes it. */
  readonly language: string;
  /** How it writes values. */
  readonly values: string;
  /** What it needs and how it calls, one sentence or two. */
  readonly needs: string;
  /** The text; its lines end in LF. */
  readonly pieces: readonly TemplatePart[];
}

const LANGUAGES: readonly Language[] = [
  ...[curl, csharp, csharpProxy, php, python, java, javascript, typescript, go, ruby, powershell],
  ...[visualBasic, classicAsp, delphi],
];

/**
 * The snippets of an operation in a format, or in the one that a language has. Their values are
 * marked, so that others can be put in.
 */
export function snippetsOf(
  operation: Operation,
  context: SampleContext,
  format: Format,
): readonly Snippet[] {
  return LANGUAGES.map((language) => snippetOf(language, operation, context, format));
}

// What is put in like a value: it may hold anything, even a mark.
const URL_MARK = "url";
const NAMESPACE_MARK = "namespace";
const NAMESPACE_IN_XML_MARK = "namespaceInXml";

function snippetOf(
  { language, values: valuesOf, needs, formats, write }: Language,
  operation: Operation,
  context: SampleContext,
  wanted: Format,
): Snippet {
  const format = formats.includes(wanted) ? wanted : formats[0]!;
  const { name, result } = operation;
  const args = exampleArguments(operation, context.service);
  const call: SnippetCall = {
    name,
    format,
    url: marker(URL_MARK),
    args: [...args.keys()].map((known) => [known, marker(known)]),
    fields: result.kind === "record" ? result.fields : undefined,
    isBoolean: result.kind === "boolean",
    key: context.wantsKey ? marker(KEY_HOLE) : undefined,
    soap: soapCall(format, name),
  };
  const values = typeof valuesOf === "string" ? valuesOf : valuesOf(format);
  // The values of parameters may stand inside of another format there; all else stands in strings.
  const [inString, inBody] = [keyEncoderOf(values), encoderOf(values)];
  const fixed = new Map([
    [URL_MARK, inString(`${context.base}/api.asmx`)],
    [NAMESPACE_MARK, inString(context.namespace)],
    [NAMESPACE_IN_XML_MARK, inString(encoderOf("xml")(context.namespace))],
  ]);
  const written = new Map([
    ...fixed,
    [KEY_HOLE, inString(KEY_PLACEHOLDER)],
    ...[...args].map(([known, value]) => [known, inBody(value)] as const),
  ]);
  return {
    language,
    needs: `${needs}. ${format}${format === wanted ? "." : ", whatever the format above."}`,
    values,
    pieces: fillTemplate(write(call), written)
      .map(({ text, placeholder }) =>
        placeholder === undefined || fixed.has(placeholder) ? { text } : { text, placeholder }
      ),
  };
}

const SOAP: ReadonlyMap<Format, SoapVersion> = new Map([
  ["SOAP 1.1", SOAP_11],
  ["SOAP 1.2", SOAP_12],
]);

function soapCall(format: Format, name: string): SoapCall | undefined {
  const version = SOAP.get(format);
  if (version === undefined) return undefined;
  const namespace = marker(NAMESPACE_MARK);
  return {
    mediaType: version.mediaType,
    envelope: version.envelope,
    namespace,
    namespaceInXml: marker(NAMESPACE_IN_XML_MARK),
    action: "header" in version.action ? `"${namespace}${name}"` : undefined,
  };
}
