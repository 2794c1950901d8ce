/**
 * Reference of an operation, derived from its row in `OPERATIONS` and from the bindings.
 *
 * @module
 */

import type { Fault } from "../operations/fault.ts";
import { missingParameter, type Operation, type Parameter } from "../operations/operations.ts";
import { element, type MarkupElement } from "../xml/writer.ts";
import type { PageContext } from "./context.ts";
import { fieldOf } from "./samples/fields.ts";
import { pane, section, table, tabs } from "./layout/components.ts";

/** Writes the parameters, reply and errors of an operation. */
export function referenceSection(
  operation: Operation,
  context: PageContext,
): readonly MarkupElement[] {
  return [
    section(
      {
        id: "reference",
        title: "Parameters",
        about: "Names are case sensitive in SOAP and JSON, and not in HTTP GET and HTTP POST.",
      },
      table("Parameters", ["Name", "Type", "Required", "Limit", "Meaning"], [
        ...operation.parameters.map((parameter) => parameterRow(parameter, context)),
      ]),
    ),
    section(
      {
        id: "reply",
        title: "Reply",
        about: "The status is 200. Every format wraps the same result.",
      },
      table("Reply", ["Name", "Type", "Meaning"], replyRows(operation)),
    ),
    errorsSection(operation, context),
  ];
}

function parameterRow(
  { name, max, unit, mayBeEmpty }: Parameter,
  { service }: PageContext,
): readonly (MarkupElement | string)[] {
  return [
    element("code", {}, name),
    "string",
    mayBeEmpty ? "yes, but can be empty" : "yes",
    `${max.toLocaleString("en")} ${unit}`,
    `${fieldOf(name, service).hint} ${REMARKS.get(name) ?? "Nothing is trimmed."}`,
  ];
}

// Remarks in place of "Nothing is trimmed.", by parameters with a hint about trimming.
const REMARKS: ReadonlyMap<string, string> = new Map([
  [
    "pin",
    "Send it as text: a number loses its leading zeros. Any other text is false.",
  ],
]);

const MEANINGS: ReadonlyMap<string, string> = new Map([
  ["ManualSetupCode", "The setup key: Base32 of the key, to type into an app."],
  ["Html", "A link with the QR code in it, as markup: put it into your page."],
]);

function replyRows({ name, result }: Operation): readonly (readonly (MarkupElement | string)[])[] {
  if (result.kind === "record") {
    return result.fields.map((field) => [
      element("code", {}, field),
      "string",
      MEANINGS.get(field) ?? "",
    ]);
  }
  const meaning = result.kind === "boolean"
    ? "true if the pin is accepted; false if it is wrong, expired, used or refused. In XML it is " +
      "text: compare it with the text true."
    : "The result.";
  return [[element("code", {}, `${name}Result`), result.kind, meaning]];
}

// Lists the errors that callers meet, with the remedy.
function errorRows(context: PageContext): readonly (readonly string[])[] {
  return [
    ["400", "500", "A parameter is missing, empty, too long or sent twice; the message names it"],
    ...(context.wantsKey ? [["401", "401", "No API key, or a wrong one"]] : []),
    ["403", "403", "A web page of another site called ValidatePin"],
    ["404", "500", "No such operation"],
    ["408, 413", "408, 413", "The body came too slowly, or is longer than 64 KiB (JSON: 16 KiB)"],
    ["414", "414", "The query string is longer than 8,192 characters"],
    ["415", "415", "Another media type, compressed, or in no known charset"],
    ["500", "500", "A fault of the server; its log says more"],
    ["503", "503", "Too many requests at once: try again after a second"],
  ];
}

function errorsSection(operation: Operation, context: PageContext): MarkupElement {
  const { name = "" } = operation.parameters.at(-1) ?? {};
  const fault: Fault = missingParameter(name);
  const bindings = context.bindings
    .filter(({ writeCall }) => writeCall !== undefined)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const items = bindings.map((binding) => {
    const { status, contentType, body } = binding.writeFault(fault);
    const text =
      `HTTP/1.1 ${status} ${status === 400 ? "Bad Request" : "Internal Server Error"}\n` +
      `Content-Type: ${contentType}\n\n${String(body).trim()}`;
    return {
      label: binding.name,
      content: (id: string) => pane({ id, title: "Error" }, text),
    };
  });
  const chosen = bindings.findIndex(({ name }) => name === context.format);
  return section(
    {
      id: "errors",
      title: "Errors",
      about: `One sentence says what is wrong, and repeats no value; here ${name} is missing.`,
    },
    tabs("errors-by", "Format", items, Math.max(0, chosen)),
    table("Errors", ["Status", "In SOAP", "When"], errorRows(context)),
  );
}
