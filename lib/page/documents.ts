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
import { DEFAULT_FORMAT, type Format, FORMATS } from "./snippets/language.ts";

/** A part of the page, and the format of its samples. */
export interface PagePart {
  /** `script`, `style`, `overview`, `unknown` (no such operation), or `op=` and an operation. */
  readonly name: string;
  /** Format of the samples. */
  readonly format: Format;
}

/** Text of a part. */
export interface PageText {
  /** Status; 404 for an unknown operation. */
  readonly status: 200 | 404;
  /** Media type with charset. */
  readonly contentType: string;
  /** The text. */
  readonly body: string;
  /** Header fields of the part. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Page for people who open the service in a browser. */
export interface ServicePage {
  /** Chooses the part for the parameters of a query, with names in lower case. */
  readonly partOf: (parameter: (name: string) => string | undefined) => PagePart;
  /** Writes a part. */
  readonly write: (part: PagePart, context: PageContext) => Promise<PageText>;
}

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
