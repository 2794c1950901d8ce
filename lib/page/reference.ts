/**
 * Reference of an operation, derived from its row in `OPERATIONS` and from the bindings.
 *
 * @module
 */

import type { Operation, Parameter } from "../operations/operations.ts";
import type { PageContext } from "./service_page.ts";
import { code, section, table } from "./layout/components.ts";
import { type Content, type Markup, markup } from "./markup.ts";
import { fieldOf } from "./samples/fields.ts";

/** Writes the parameters and the reply of an operation. */
export function referenceParts(operation: Operation, context: PageContext): Markup {
  const { name, parameters } = operation;
  const rows = parameters.map((parameter) => parameterRow(parameter, context));
  return markup`
    <div class="part">
      <h3 id="${name}-parameters">Parameters</h3>
      <p>All are strings. Names are case sensitive in SOAP and JSON, and not in HTTP GET and HTTP
        POST.</p>
      ${table(`Parameters of ${name}`, ["Name", "Limit", "Meaning"], rows)}
    </div>
    <div class="part">
      <h3 id="${name}-result">Reply</h3>
      <p>The status is 200. Every format wraps the same result.</p>
      ${table(`Reply of ${name}`, ["Name", "Type", "Meaning"], replyRows(operation))}
    </div>`;
}

function parameterRow(
  { name, max, unit, mayBeEmpty }: Parameter,
  { service }: PageContext,
): readonly Content[] {
  const remark = name === "pin"
    ? "Send it as text: a number loses its leading zeros. Any other text is false."
    : "Nothing is trimmed.";
  const empty = mayBeEmpty ? "It can be empty. " : "";
  const limit = `${max.toLocaleString("en")} ${unit}`;
  return [code(name), limit, `${fieldOf(name, service).hint} ${empty}${remark}`];
}

const MEANINGS: ReadonlyMap<string, string> = new Map([
  ["ManualSetupCode", "The setup key: Base32 of the key, to type into an app."],
  ["Html", "A link with the QR code in it, as markup: put it into your page."],
]);

function replyRows({ name, result }: Operation): readonly (readonly Content[])[] {
  return result.kind === "record"
    ? result.fields.map((field) => [code(field), "string", MEANINGS.get(field)])
    : [[code(`${name}Result`), result.kind, VERDICT]];
}

const VERDICT =
  "true if the pin is accepted; false if it is wrong, expired, used or refused. In XML it is text: " +
  "compare it with the text true.";

/** Writes the errors that callers meet, with the remedy. */
export function errorsSection({ wantsKey }: PageContext): Markup {
  return section(
    "errors",
    "Errors",
    "One sentence says what is wrong, and repeats no value.",
    table("Errors", ["Status", "In SOAP", "When"], [
      ["400", "500", "A parameter is missing, empty, too long or sent twice; the message names it"],
      ...(wantsKey ? [["401", "401", "No API key, or a wrong one"]] : []),
      ["403", "403", "A web page of another site called ValidatePin"],
      ["404", "500", "No such operation"],
      ["408, 413", "408, 413", "The body came too slowly, or is longer than 64 KiB (JSON: 16 KiB)"],
      ["414", "414", "The query string is longer than 8,192 characters"],
      ["415", "415", "Another media type, compressed, or in no known charset"],
      ["500", "500", "A fault of the server; its log says more"],
      ["503", "503", "Too many requests at once: try again after a second"],
    ]),
  );
}
