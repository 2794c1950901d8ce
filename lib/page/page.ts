/**
 * Service page: the service, its operations, and a form for each. Texts from a request or an option
 * pass through the writer, which escapes them.
 *
 * @module
 */

import { type Operation, OPERATIONS } from "../operations/operations.ts";
import { element, type MarkupElement } from "../xml/writer.ts";
import type { PageContext } from "./context.ts";
import { PRODUCT_NAME, servicePath, writePage } from "./layout/layout.ts";
import { copyButton, link } from "./layout/components.ts";
import { referenceSection } from "./reference.ts";
import {
  formsSection,
  loginSection,
  samplesSection,
  settingsSection,
  snippetsSection,
  warnings,
  wsdlSection,
} from "./sections.ts";
import { samplesOf } from "./samples/samples.ts";
import { KEY_FIELD, tryIt, viewOf } from "./form.ts";

/** Writes the overview of all operations. */
export async function overviewPage(context: PageContext): Promise<string> {
  const operations = [...OPERATIONS.values()];
  const url = `${context.base}/api.asmx`;
  const address = element(
    "p",
    { class: "address" },
    element("code", { id: "address" }, url),
    copyButton("address", "the address"),
    link(`${servicePath(context)}#wsdl`, "Service description (WSDL)"),
  );
  return writePage(context, {
    title: PRODUCT_NAME,
    lead: LEAD,
    under: [address],
    main: [
      ...warnings(context),
      ...(context.wantsKey ? [KEY_FIELD] : []),
      element(
        "div",
        { class: "grid lift" },
        ...operations.map((operation, i) => operationCard(operation, i + 1, context)),
      ),
      loginSection(context),
      formsSection(await samplesOf(operations[0]!, context)),
      wsdlSection(context),
      settingsSection(context),
    ],
  });
}

const LEAD =
  "Pairs an authenticator app by QR code, and checks the pins that it shows: the two calls of a " +
  "two-factor login. Try both here; nothing is stored.";

/** Writes the page of an operation: a form that calls it, samples and programs. */
export async function operationPage(operation: Operation, context: PageContext): Promise<string> {
  const { name, documentation } = operation;
  const card = element(
    "section",
    { "class": cardClass(operation, "card lift"), "aria-labelledby": "try" },
    element("h2", { id: "try" }, "Try it"),
    tryIt(operation, context, servicePath(context)),
  );
  return writePage(context, {
    title: name,
    lead: documentation,
    current: name,
    main: [
      ...warnings(context),
      ...(context.wantsKey ? [KEY_FIELD] : []),
      card,
      samplesSection(await samplesOf(operation, context), context.format),
      snippetsSection(operation, context),
      ...referenceSection(operation, context),
      element("p", {}, link(servicePath(context), "All operations")),
    ],
  });
}

/** Writes the page for an unknown operation; it does not repeat the name. */
export function unknownOperationPage(context: PageContext): string {
  const items = [...OPERATIONS.values()].map(({ name, documentation }) =>
    element("li", {}, link(`?op=${name}`, name), `: ${documentation}`)
  );
  return writePage(context, {
    title: "No such operation",
    lead: `${PRODUCT_NAME} has these operations; their names are case sensitive.`,
    main: [element("div", { class: "card lift" }, element("ul", {}, ...items))],
  });
}

function operationCard(operation: Operation, step: number, context: PageContext): MarkupElement {
  const { name, documentation } = operation;
  return element(
    "section",
    { "class": cardClass(operation, "card"), "aria-labelledby": `try-${name}` },
    element(
      "h2",
      { id: `try-${name}` },
      element("span", { "class": "step", "aria-hidden": "true" }, String(step)),
      name,
    ),
    element("p", {}, documentation),
    tryIt(operation, context, servicePath(context)),
    element("p", { class: "more" }, link(`?op=${name}`, `Requests, replies and code for ${name}`)),
  );
}

function cardClass({ result }: Operation, name: string): string {
  return viewOf(result) === "picture" ? `${name} has-pairing` : name;
}
