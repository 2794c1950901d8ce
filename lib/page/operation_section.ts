/**
 * Section of an operation: its form and result, its reference, and beside these its request, reply,
 * error and program in the chosen format and language.
 *
 * @module
 */

import type { Operation } from "../operations/operations.ts";
import { missingParameter } from "../operations/operations.ts";
import { element, type MarkupElement } from "../xml/writer.ts";
import { choices } from "./choices.ts";
import type { PageContext } from "./context.ts";
import { tryIt, viewOf } from "./form.ts";
import { marked, pane } from "./layout/components.ts";
import { servicePath } from "./layout/layout.ts";
import { referenceParts } from "./reference.ts";
import { samplesOf } from "./samples/samples.ts";
import { textKindOf } from "./samples/quoting.ts";
import { FORMATS } from "./snippets/language.ts";
import { LANGUAGE_NAMES, snippetIn } from "./snippets/snippets.ts";

/** Writes the section of an operation. */
export async function operationSection(
  operation: Operation,
  context: PageContext,
): Promise<MarkupElement> {
  const { name, documentation, result } = operation;
  return element(
    "section",
    {
      "id": name,
      "class": viewOf(result) === "picture" ? "has-pairing" : "",
      "aria-labelledby": `${name}-title`,
    },
    element("h2", { id: `${name}-title` }, name),
    element("p", {}, documentation),
    element("div", { class: "card" }, tryIt(operation, context, servicePath(context))),
    element(
      "div",
      { class: "columns" },
      element("div", { class: "text" }, ...referenceParts(operation, context)),
      await codeOf(operation, context),
    ),
  );
}

// Part that depends on the chosen format and language. The script replaces it by its id.
async function codeOf(operation: Operation, context: PageContext): Promise<MarkupElement> {
  const { name, parameters } = operation;
  const { format, language, bindings } = context;
  const id = `${name}-code`;
  const samples = await samplesOf(operation, context);
  const { call, request, reply } = samples.find(({ binding }) => binding === format) ?? samples[0]!;
  const error = bindings.find((binding) => binding.name === format)
    ?.writeFault(missingParameter(parameters.at(-1)?.name ?? ""));
  const values = textKindOf(call.headers["Content-Type"]);
  const { needs, values: program, pieces } = snippetIn(language, operation, context, format);
  const of = `${name}-title`;
  const titled = (what: string): string => `${name}-${what}`;
  return element(
    "div",
    { class: "code swap", id },
    choices("Format", FORMATS, format, context, { of: name, op: name, fragment: id }),
    pane(
      { id: titled("request"), of, title: "Request", className: "request", values },
      ...marked(request),
    ),
    pane({ id: titled("reply"), of, title: "Sample reply", className: "reply" }, reply),
    ...(error === undefined ? [] : [pane(
      { id: titled("error"), of, title: "Error" },
      `HTTP/1.1 ${error.status} ${
        error.status === 400 ? "Bad Request" : "Internal Server Error"
      }\n` +
        `Content-Type: ${error.contentType}\n\n${String(error.body).trim()}`,
    )]),
    choices("Language", LANGUAGE_NAMES, language, context, {
      of: name,
      op: name,
      fragment: titled("program"),
    }),
    element("p", { class: "hint" }, `Needs ${needs}`),
    pane({ id: titled("program"), of, title: language, values: program }, ...marked(pieces)),
  );
}
