/**
 * Parts of the service page: their choice by the query, and their texts.
 *
 * @module
 */

import { OPERATIONS } from "../operations/operations.ts";
import type { PageContext } from "./context.ts";
import { CONTENT_SECURITY_POLICY } from "./layout/layout.ts";
import { STYLE } from "./layout/style.ts";
import { operationPage, overviewPage, unknownOperationPage } from "./page.ts";
import { SCRIPT } from "./script.ts";
import type { PagePart, PageText, ServicePage } from "./service_page.ts";
import { DEFAULT_FORMAT, FORMATS } from "./snippets/language.ts";

/** The service page: a form for each operation, samples, and programs in thirteen languages. */
export const servicePage: ServicePage = { partOf, write };

function partOf(parameter: (name: string) => string | undefined): PagePart {
  for (const name of ["script", "style"]) {
    if (parameter(name) !== undefined) return { name, format: DEFAULT_FORMAT };
  }
  const op = parameter("op");
  if (op === undefined) return { name: "overview", format: DEFAULT_FORMAT };
  const asked = parameter("format");
  const format = FORMATS.find((known) => known === asked) ?? DEFAULT_FORMAT;
  return { name: OPERATIONS.has(op) ? `op=${op}` : "unknown", format };
}

async function write({ name }: PagePart, context: PageContext): Promise<PageText> {
  switch (name) {
    case "script":
      return { status: 200, contentType: "text/javascript; charset=utf-8", body: SCRIPT };
    case "style":
      return { status: 200, contentType: "text/css; charset=utf-8", body: STYLE };
  }
  const html = {
    status: 200,
    contentType: "text/html; charset=utf-8",
    headers: { "content-security-policy": CONTENT_SECURITY_POLICY },
  } as const;
  const operation = OPERATIONS.get(name.replace(/^op=/, ""));
  if (operation !== undefined) return { ...html, body: await operationPage(operation, context) };
  return name === "overview"
    ? { ...html, body: await overviewPage(context) }
    : { ...html, status: 404, body: unknownOperationPage(context) };
}
