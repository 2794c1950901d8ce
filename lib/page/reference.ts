/**
 * Reference of an operation, derived from its row in `OPERATIONS` and from the bindings.
 *
 * @module
 */

import type { Operation, Parameter } from "../operations/operations.ts";
import { element, type MarkupElement } from "../xml/writer.ts";
import type { PageContext } from "./context.ts";
import { fieldOf } from "./samples/fields.ts";
import { section, table } from "./layout/components.ts";

/** Writes the parameters and the reply of an operation. */
export function referenceParts(
  operation: Operation,
  context: PageContext,
): readonly MarkupElement[] {
  const { name } = operation;
  return [
    part(
      `${name}-parameters`,
      "Parameters",
      "All are strings. Names are case sensitive in SOAP and JSON, and not in HTTP GET " +
        "and HTTP POST.",
      table(`Parameters of ${name}`, ["Name", "Limit", "Meaning"], [
        ...operation.parameters.map((parameter) => parameterRow(parameter, context)),
      ]),
    ),
    part(
      `${name}-result`,
      "Reply",
      "The status is 200. Every format wraps the same result.",
      table(`Reply of ${name}`, ["Name", "Type", "Meaning"], replyRows(operation)),
    ),
  ];
}

function part(id: string, title: string, about: string, content: MarkupElement): MarkupElement {
  return element(
    "div",
    { class: "part" },
    element("h3", { id }, title),
    element("p", {}, about),
    content,
  );
}

function parameterRow(
  { name, max, unit, mayBeEmpty }: Parameter,
  { service }: PageContext,
): readonly (MarkupElement | string)[] {
  return [
    element("code", {}, name),
    `${max.toLocaleString("en")} ${unit}`,
    `${fieldOf(name, service).hint} ${mayBeEmpty ? "It can be empty. " : ""}${
      REMARKS.get(name) ?? "Nothing is trimmed."
    }`,
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

/** Writes the errors that callers meet, with the remedy. */
export function errorsSection(context: PageContext): MarkupElement {
  return section(
    {
      id: "errors",
      title: "Errors",
      about: "One sentence says what is wrong, and repeats no value.",
    },
    table("Errors", ["Status", "In SOAP", "When"], errorRows(context)),
  );
}

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
