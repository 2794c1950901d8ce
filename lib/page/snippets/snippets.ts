/**
 * A working call of an operation in its callers' languages. Each program prints the secret that it
 * made, if it made one, then the result: the fields of a record, one a line, or true or false.
 *
 * @module
 */

import type { Operation } from "../../operations/operations.ts";
import type { SampleContext } from "../samples/samples.ts";
import { exampleArguments, fieldOf } from "../samples/fields.ts";
import { type Format, type Language, snippetCall } from "./language.ts";
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

/** A program or command that makes a call. */
export interface Snippet {
  /** Name of the language or tool. */
  readonly language: string;
  /** Encoding of values. */
  readonly values: string;
  /** Requirements and format, one or two sentences. */
  readonly needs: string;
  /** Text in pieces; lines end in LF. */
  readonly pieces: readonly TemplatePart[];
}

const LANGUAGES: readonly Language[] = [
  ...[curl, csharp, csharpProxy, php, python, java, javascript, typescript, go, ruby, powershell],
  ...[visualBasic, classicAsp, delphi],
];

/** Names of the languages and tools. */
export const LANGUAGE_NAMES: readonly string[] = LANGUAGES.map(({ language }) => language);

// Marks of fixed texts. They are put in like values, since they may contain any text, even a mark.
const URL_MARK = "url";
const NAMESPACE_MARK = "namespace";
const NAMESPACE_IN_XML_MARK = "namespaceInXml";

/**
 * Writes the snippet of an operation in a language and a format, or else in the first format of the
 * language. Values are marked, so that the script can replace them.
 */
export function snippetIn(
  language: string,
  operation: Operation,
  context: SampleContext,
  wanted: Format,
): Snippet {
  const { values: valuesOf, needs, formats, secret, variable = "secret", write } =
    LANGUAGES.find((known) => known.language === language) ?? LANGUAGES[0]!;
  const format = formats.includes(wanted) ? wanted : formats[0]!;
  const { name, result } = operation;
  const args = exampleArguments(operation, context.service);
  // A pairing needs a new secret; any other operation, the secret of a pairing.
  const isSecret = (known: string): boolean => fieldOf(known, context.service).kind === "secret";
  const secrets = [...args.keys()].filter(isSecret);
  const isPairing = result.kind === "record" && result.picture !== undefined;
  const made = isPairing ? secrets : [];
  const values = typeof valuesOf === "string" ? valuesOf : valuesOf(format);
  // Parameters may be inside another format; all other values are in strings.
  const [inString, inBody] = [keyEncoderOf(values), encoderOf(values)];
  const quoteMark = /^(?:c|basic)$/.test(values) ? '"' : "'";
  const call = snippetCall({
    name,
    format,
    url: marker(URL_MARK),
    args: [...args.keys()].map((
      known,
    ) => [known, made.includes(known) ? undefined : marker(known)]),
    secret: made.length === 0 ? "" : secret,
    earlier: isPairing ? [] : secrets,
    fields: result.kind === "record" ? result.fields : undefined,
    key: context.wantsKey ? marker(KEY_HOLE) : undefined,
    namespace: marker(NAMESPACE_MARK),
    namespaceInXml: marker(NAMESPACE_IN_XML_MARK),
    quote: (text) => text === undefined ? variable : `${quoteMark}${inString(text)}${quoteMark}`,
  });
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
    needs: `${needs}. Shown in ${format}${format === wanted ? "" : ", whatever format is chosen"}.`,
    values,
    pieces: fillTemplate(write(call), written)
      .map((piece) => fixed.has(piece.placeholder ?? "") ? { text: piece.text } : piece),
  };
}
