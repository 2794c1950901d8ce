/**
 * Parts of the service page: their choice by the query, and their texts.
 *
 * @module
 */

import { OPERATIONS } from "../operations/operations.ts";
import { CONTENT_SECURITY_POLICY } from "./layout/layout.ts";
import { STYLE } from "./layout/style.ts";
import { fullPage, unknownOperationPage } from "./page.ts";
import { SCRIPT } from "./script.ts";
import type { PageContext, PagePart, PageText, ServicePage } from "./service_page.ts";
import { DEFAULT_FORMAT, FORMATS } from "./snippets/language.ts";
import { LANGUAGE_NAMES } from "./snippets/snippets.ts";

/** The service page: one document with a section for each operation: a form, samples, and a program. */
export const servicePage: ServicePage = { partOf, write };

function partOf(parameter: (name: string) => string | undefined): PagePart {
  const usual = { format: DEFAULT_FORMAT, language: LANGUAGE_NAMES[0]! };
  const asset = ["script", "style"].find((name) => parameter(name) !== undefined);
  if (asset !== undefined) return { name: asset, ...usual };
  const op = parameter("op");
  if (op !== undefined && !OPERATIONS.has(op)) return { name: "unknown", ...usual };
  return {
    name: op === undefined ? "overview" : `op=${op}`,
    format: FORMATS.find((item) => item === parameter("format")) ?? usual.format,
    language: LANGUAGE_NAMES.find((item) => item === parameter("lang")) ?? usual.language,
  };
}

async function write({ name }: PagePart, context: PageContext): Promise<PageText> {
  const textOf = (type: string, body: string): PageText => (
    { status: 200, contentType: `text/${type}; charset=utf-8`, body }
  );
  if (name === "script") return textOf("javascript", SCRIPT);
  if (name === "style") return textOf("css", STYLE);
  const headers = { "content-security-policy": CONTENT_SECURITY_POLICY };
  return name === "unknown"
    ? { ...textOf("html", unknownOperationPage(context)), headers, status: 404 }
    : { ...textOf("html", await fullPage(context)), headers };
}
