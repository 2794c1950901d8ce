/**
 * Service page: one document with the service, its operations, and a form for each. Texts from a
 * request or an option pass through the writer, which escapes them.
 *
 * @module
 */

import { type Operation, OPERATIONS } from "../operations/operations.ts";
import { element, type MarkupElement } from "../xml/writer.ts";
import type { PageContext } from "./context.ts";
import { KEY_FIELD } from "./form.ts";
import { copyButton, link } from "./layout/components.ts";
import { PRODUCT_NAME, servicePath, writePage } from "./layout/layout.ts";
import { loginSection } from "./login_section.ts";
import { operationSection } from "./operation_section.ts";
import { errorsSection } from "./reference.ts";
import { samplesOf } from "./samples/samples.ts";
import { codeSection, formatsSection, settingsSection, warnings, wsdlSection } from "./sections.ts";

/** Writes the page. The section of the operation that the address names comes first. */
export async function fullPage(context: PageContext): Promise<string> {
  const operations = [...OPERATIONS.values()];
  const first = operations.filter(({ name }) => name === context.op);
  const others = operations.filter(({ name }) => name !== context.op);
  const write = (list: readonly Operation[]): Promise<readonly MarkupElement[]> =>
    Promise.all(list.map((operation) => operationSection(operation, context)));
  const address = element(
    "p",
    { class: "address" },
    element("code", { id: "address" }, `${context.base}/api.asmx`),
    copyButton("address", "the address"),
    link("#wsdl", "Service description (WSDL)"),
    ...(context.exampleBase === undefined ? [] : [EXAMPLE_NOTE]),
  );
  return writePage(context, {
    title: context.op ?? PRODUCT_NAME,
    heading: PRODUCT_NAME,
    lead: LEAD,
    under: [address],
    current: context.op,
    sections: sectionsOf(first, others),
    main: [
      ...warnings(context),
      ...(context.wantsKey ? [KEY_FIELD] : []),
      ...await write(first),
      loginSection(operations, context),
      ...await write(others),
      errorsSection(context),
      codeSection(context),
      formatsSection(await samplesOf(operations[0]!, context)),
      wsdlSection(context),
      settingsSection(context),
    ],
  });
}

// Address of the page: the browser alone knows it where no option names it.
const EXAMPLE_NOTE = element(
  "span",
  { class: "no-js" },
  "is an example: use the address of this page.",
);

const LEAD =
  "Pairs an authenticator app by QR code, and checks the pins that it shows: the two calls of a " +
  "two-factor login. Try both here; nothing is stored.";

/** Lists the sections in their order, each with its address in the page. */
function sectionsOf(
  first: readonly Operation[],
  others: readonly Operation[],
): readonly (readonly [href: string, text: string])[] {
  const named = (list: readonly Operation[]): readonly (readonly [string, string])[] =>
    list.map(({ name }) => [`#${name}`, name]);
  return [
    ...named(first),
    ["#login", "Build the login"],
    ...named(others),
    ["#errors", "Errors"],
    ["#codes", "How a code comes about"],
    ["#formats", "Formats"],
    ["#wsdl", "WSDL"],
    ["#settings", "Settings"],
  ];
}

/** Writes the page for an unknown operation; it does not repeat the name. */
export function unknownOperationPage(context: PageContext): string {
  const operations = [...OPERATIONS.values()];
  const items = operations.map(({ name, documentation }) =>
    element("li", {}, link(`?op=${name}`, name), `: ${documentation}`)
  );
  const service = servicePath(context);
  return writePage(context, {
    title: "No such operation",
    heading: "No such operation",
    lead: `${PRODUCT_NAME} has these operations; their names are case sensitive.`,
    sections: [
      [service, "Overview"],
      ...operations.map(({ name }) => [`?op=${name}`, name] as const),
      [`${service}#wsdl`, "WSDL"],
    ],
    main: [element("div", { class: "card" }, element("ul", {}, ...items))],
  });
}
