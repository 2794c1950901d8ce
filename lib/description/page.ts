/**
 * The service page: what the service is, its operations, and a form for each.
 *
 * @module
 */

import { type Operation, OPERATIONS, SERVICE_NAME } from "../service/operations.ts";
import { element, type MarkupElement, type MarkupNode, writeHtmlPage } from "../xml/writer.ts";

/** Writes the page that lists the operations. */
export function servicePage(): string {
  return page(
    element("h1", {}, SERVICE_NAME),
    element(
      "p",
      {},
      "Pairs authenticator apps and checks their pins, over SOAP 1.1, SOAP 1.2, HTTP GET and HTTP " +
        "POST. For a formal definition, see the ",
      element("a", { href: "/api.asmx?wsdl" }, "service description (WSDL)"),
      ".",
    ),
    operationList(),
  );
}

/** Writes the page of one operation, with a form that calls it by HTTP POST. */
export function operationPage({ name, documentation, parameters }: Operation): string {
  const fields = parameters.map((parameter) =>
    element(
      "p",
      {},
      element("label", { for: parameter.name }, parameter.name),
      element("br", {}),
      element("input", {
        id: parameter.name,
        name: parameter.name,
        type: "text",
        autocomplete: "off",
        size: "50",
      }),
    )
  );
  const form = { action: `/api.asmx/${name}`, method: "post" };
  const submit = element("p", {}, element("button", {}, "Invoke"));
  return page(
    element("h1", {}, name),
    element("p", {}, documentation),
    element("form", form, ...fields, submit),
    allOperations(),
  );
}

/** Writes the page for an operation that does not exist; it does not repeat the name. */
export function unknownOperationPage(): string {
  return page(
    element("h1", {}, "No such operation"),
    element("p", {}, `${SERVICE_NAME} has these operations; their names are case sensitive.`),
    operationList(),
    allOperations(),
  );
}

function operationList(): MarkupElement {
  const items = [...OPERATIONS.values()].map(({ name, documentation }) =>
    element(
      "li",
      {},
      element("a", { href: `/api.asmx?op=${name}` }, name),
      `: ${documentation}`,
    )
  );
  return element("ul", {}, ...items);
}

function allOperations(): MarkupElement {
  return element("p", {}, element("a", { href: "/api.asmx" }, "All operations"));
}

function page(...content: readonly MarkupNode[]): string {
  const head = element(
    "head",
    {},
    element("meta", { charset: "utf-8" }),
    element("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    element("title", {}, `${SERVICE_NAME} Web Service`),
    element("link", { rel: "alternate", type: "text/xml", href: "/api.asmx?disco" }),
  );
  const body = element("body", {}, element("main", {}, ...content));
  return writeHtmlPage(element("html", { lang: "en" }, head, body));
}
