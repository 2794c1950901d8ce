/**
 * Section of an operation: its form and result, its reference, and beside these its request, reply,
 * error and program in the chosen format and language.
 *
 * @module
 */

import type { Reply } from "../bindings/binding.ts";
import { missingParameter, type Operation } from "../operations/operations.ts";
import { choices } from "./choices.ts";
import type { PageContext } from "./service_page.ts";
import { tryIt } from "./form.ts";
import { marked, pane } from "./layout/components.ts";
import { type Content, type Markup, markup } from "./markup.ts";
import { referenceParts } from "./reference.ts";
import { textKindOf } from "./samples/quoting.ts";
import { samplesOf } from "./samples/samples.ts";
import { FORMATS } from "./snippets/language.ts";
import { LANGUAGE_NAMES, snippetIn } from "./snippets/snippets.ts";

/** Writes the section of an operation. */
export async function operationSection(
  operation: Operation,
  context: PageContext,
): Promise<Markup> {
  const { name, documentation, result } = operation;
  return markup`
    <section id="${name}" class="${result.kind === "record" && "has-pairing"}"
      aria-labelledby="${name}-title">
      <h2 id="${name}-title">${name}</h2>
      <p>${documentation}</p>
      <div class="card">${tryIt(operation, context)}</div>
      <div class="columns">
        <div class="text">${referenceParts(operation, context)}</div>
        ${await codeOf(operation, context)}
      </div>
    </section>`;
}

// Part that depends on the chosen format and language. The script replaces it by its id.
async function codeOf(operation: Operation, context: PageContext): Promise<Markup> {
  const { name, parameters } = operation;
  const { format, language, bindings } = context;
  const samples = await samplesOf(operation, context);
  const { call, request, reply } = samples.find(({ binding }) => binding === format) ?? samples[0]!;
  const fault = bindings.find((binding) => binding.name === format)
    ?.writeFault(missingParameter(parameters.at(-1)?.name ?? ""));
  const values = textKindOf(call.headers["Content-Type"]);
  const { needs, values: program, pieces } = snippetIn(language, operation, context, format);
  const part = (what: string, title: string, content: Content, encoding?: string): Markup =>
    pane(
      { id: `${name}-${what}`, of: `${name}-title`, title, className: what, values: encoding },
      content,
    );
  const place = { of: name, op: name };
  return markup`
    <div class="code swap" id="${name}-code">
      ${choices("Format", FORMATS, context, { ...place, fragment: `${name}-code` })}
      ${part("request", "Request", marked(request), values)}
      ${part("reply", "Sample reply", reply)}
      ${fault && part("fault", "Error", textOf(fault))}
      ${choices("Language", LANGUAGE_NAMES, context, { ...place, fragment: `${name}-program` })}
      <p class="hint">Needs ${needs}</p>
      ${part("program", language, marked(pieces), program)}
    </div>`;
}

function textOf({ status, contentType, body }: Reply): string {
  const reason = status === 400 ? "Bad Request" : "Internal Server Error";
  return `HTTP/1.1 ${status} ${reason}\nContent-Type: ${contentType}\n\n${String(body).trim()}`;
}
