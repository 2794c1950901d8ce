/**
 * Service page: one document with the service, its operations, and a form for each.
 *
 * @module
 */

import { type Operation, OPERATIONS } from "../operations/operations.ts";
import type { PageContext } from "./service_page.ts";
import { KEY_FIELD } from "./form.ts";
import { copyButton } from "./layout/components.ts";
import { PRODUCT_NAME, servicePath, writePage } from "./layout/layout.ts";
import { loginSection } from "./login_section.ts";
import { type Markup, markup } from "./markup.ts";
import { operationSection } from "./operation_section.ts";
import { errorsSection } from "./reference.ts";
import { samplesOf } from "./samples/samples.ts";
import { codeSection, formatsSection, settingsSection, warnings, wsdlSection } from "./sections.ts";

/** Writes the page. The section of the operation that the address names comes first. */
export async function fullPage(context: PageContext): Promise<string> {
  const operations = [...OPERATIONS.values()];
  const first = operations.filter(({ name }) => name === context.op);
  const others = operations.filter(({ name }) => name !== context.op);
  const write = (list: readonly Operation[]): Promise<readonly Markup[]> =>
    Promise.all(list.map((operation) => operationSection(operation, context)));
  // The browser alone knows the address where no option names it.
  const address = markup`
    <p class="address">
      <code id="address">${context.base}/api.asmx</code> ${copyButton("address", "the address")}
      ${context.exampleBase !== undefined && EXAMPLE_NOTE}
      <a href="#wsdl">Service description (WSDL)</a>
    </p>`;
  return writePage(context, {
    heading: PRODUCT_NAME,
    title: context.op,
    lead: LEAD,
    under: address,
    current: context.op,
    sections: [
      ...first.map(({ name }) => [`#${name}`, name] as const),
      ["#login", "Build the login"],
      ...others.map(({ name }) => [`#${name}`, name] as const),
      ["#errors", "Errors"],
      ["#codes", "How a code comes about"],
      ["#formats", "Formats"],
      ["#wsdl", "Service description (WSDL)"],
      ["#settings", "Server settings"],
    ],
    main: [
      warnings(context),
      context.wantsKey && KEY_FIELD,
      await write(first),
      loginSection(operations, context),
      await write(others),
      errorsSection(context),
      codeSection(context),
      formatsSection(await samplesOf(operations[0]!, context)),
      wsdlSection(context),
      settingsSection(context),
    ],
  });
}

const EXAMPLE_NOTE = markup`
  <span class="no-js">is an example: use the address of this page.</span>`;

const LEAD =
  "Pairs an authenticator app by QR code, and checks the pins that it shows: the two calls of a " +
  "two-factor login. Try both here; nothing is stored.";

/** Writes the page for an unknown operation; it does not repeat the name. */
export function unknownOperationPage(context: PageContext): string {
  const operations = [...OPERATIONS.values()];
  const items = operations.map(({ name, documentation }) =>
    markup`<li><a href="?op=${name}">${name}</a>: ${documentation}</li>`
  );
  const service = servicePath(context);
  return writePage(context, {
    heading: "No such operation",
    lead: `${PRODUCT_NAME} has these operations; their names are case sensitive.`,
    sections: [
      [service, "Overview"],
      ...operations.map(({ name }) => [`?op=${name}`, name] as const),
      [`${service}#wsdl`, "WSDL"],
    ],
    main: markup`<div class="card"><ul>${items}</ul></div>`,
  });
}
