/**
 * Section of an operation: its form and result, its reference, and beside these its request, reply,
 * error and program in the chosen format and language.
 *
 * @module
 */

import { missingParameter, type Operation } from "../operations/operations.ts";
import { choices } from "./choices.ts";
import type { PageContext } from "./context.ts";
import { tryIt } from "./form.ts";
import { marked, pane } from "./layout/components.ts";
import { type Markup, markup } from "./markup.ts";
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
  const error = bindings.find((binding) => binding.name === format)
    ?.writeFault(missingParameter(parameters.at(-1)?.name ?? ""));
  const values = textKindOf(call.headers["Content-Type"]);
  const { needs, values: program, pieces } = snippetIn(language, operation, context, format);
  const titled = (what: string): { readonly id: string; readonly of: string } => (
    { id: `${name}-${what}`, of: `${name}-title` }
  );
  const reason = error?.status === 400 ? "Bad Request" : "Internal Server Error";
  const place = { of: name, op: name };
  return markup`
    <div class="code swap" id="${name}-code">
      ${choices("Format", FORMATS, context, { ...place, fragment: `${name}-code` })}
      ${
    pane({ ...titled("request"), title: "Request", className: "request", values }, marked(request))
  }
      ${pane({ ...titled("reply"), title: "Sample reply", className: "reply" }, reply)}
      ${
    error && pane(
      { ...titled("error"), title: "Error" },
      `HTTP/1.1 ${error.status} ${reason}\nContent-Type: ${error.contentType}\n\n` +
        String(error.body).trim(),
    )
  }
      ${choices("Language", LANGUAGE_NAMES, context, { ...place, fragment: `${name}-program` })}
      <p class="hint">Needs ${needs}</p>
      ${pane({ ...titled("program"), title: language, values: program }, marked(pieces))}
    </div>`;
}
