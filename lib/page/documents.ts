/**
 * Parts of the service page: their choice by the query, and their texts.
 *
 * @module
 */

import { OPERATIONS } from "../operations/operations.ts";
import type { PageContext } from "./context.ts";
import { CONTENT_SECURITY_POLICY } from "./layout/layout.ts";
import { STYLE } from "./layout/style.ts";
import { fullPage, unknownOperationPage } from "./page.ts";
import { SCRIPT } from "./script.ts";
import type { PagePart, PageText, ServicePage } from "./service_page.ts";
import { DEFAULT_FORMAT, FORMATS } from "./snippets/language.ts";
import { LANGUAGE_NAMES } from "./snippets/snippets.ts";

/** The service page: one document with a section for each operation: a form, samples, and a program. */
export const servicePage: ServicePage = { partOf, write };

function partOf(parameter: (name: string) => string | undefined): PagePart {
  const chosen = <T extends string>(name: string, known: readonly T[], otherwise: T): T =>
    known.find((item) => item === parameter(name)) ?? otherwise;
  const format = chosen("format", FORMATS, DEFAULT_FORMAT);
  const language = chosen("lang", LANGUAGE_NAMES, LANGUAGE_NAMES[0]!);
  for (const name of ["script", "style"]) {
    if (parameter(name) !== undefined) {
      return { name, format: DEFAULT_FORMAT, language: LANGUAGE_NAMES[0]! };
    }
  }
  const op = parameter("op");
  if (op === undefined) return { name: "overview", format, language };
  return OPERATIONS.has(op)
    ? { name: `op=${op}`, format, language }
    : { name: "unknown", format: DEFAULT_FORMAT, language: LANGUAGE_NAMES[0]! };
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
  return name === "unknown"
    ? { ...html, status: 404, body: unknownOperationPage(context) }
    : { ...html, body: await fullPage(context) };
}
