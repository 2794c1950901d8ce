/**
 * The documents of the service, and which of them a GET asks for.
 *
 * @module
 */

import { eTag } from "@std/http/etag";
import type { Reply } from "../bindings/binding.ts";
import { disco } from "../bindings/description/disco.ts";
import { openApi } from "../bindings/description/openapi.ts";
import { wsdl } from "../bindings/description/wsdl.ts";
import type { PageContext } from "../page/context.ts";
import { CONTENT_SECURITY_POLICY } from "../page/layout/layout.ts";
import { STYLE } from "../page/layout/style.ts";
import { type Format, FORMATS } from "../page/snippets/language.ts";
import { fieldOf } from "../page/samples/fields.ts";
import { SCRIPT } from "../page/script.ts";
import { operationPage, servicePage, unknownOperationPage } from "../page/page.ts";
import { OPERATIONS } from "../operations/operations.ts";
import { type Answer, isFresh } from "./response.ts";
import type { AnswererMaker, Exchange } from "./exchange.ts";
import { question } from "./probes.ts";
import type { HandlerState } from "./options.ts";
import { baseOf, type Target } from "./request_target.ts";

/** A reply of text. */
type TextReply = Reply & { readonly body: string };

/** The service page, the WSDL and the discovery document. */
export const documents: AnswererMaker = documentsBy(({ query }) =>
  USUAL_QUERIES.get(query) ?? documentIn(query)
);

/** The OpenAPI description. */
export const openApiDocument: AnswererMaker = documentsBy(() => "openapi");

/** Makes what answers with documents, by what tells which one is asked for. */
function documentsBy(nameIn: (target: Target) => DocumentName): AnswererMaker {
  return (state) => {
    const written = new Map<string, Promise<Written>>();
    return question(
      state,
      (exchange) => answerDocument(exchange, nameIn(exchange.target), state, written),
    );
  };
}

/**
 * The base URL in the texts of a page where no option gives one. Links are relative, and the script
 * puts the address of the page in its place: a page that was written anew for each Host would cost
 * whoever sends other ones milliseconds each.
 */
const EXAMPLE_BASE = "http://localhost:8080";

/** A document as it was written once. */
interface Written {
  readonly plain: Representation;
  /** The same compressed, where it is for browsers; other tools get what they always got. */
  readonly zipped: Representation | undefined;
}

/** A document in one encoding. Each has a tag of its own (RFC 9110 §8.8.3.3). */
interface Representation {
  readonly etag: string;
  readonly whole: Answer;
  /** For a caller that has it: without the body. */
  readonly fresh: Answer;
}

/** Whether a client takes gzip (RFC 9110 §12.5.3); one that does not speak of it need not. */
function takesGzip(request: Request): boolean {
  const accepted = request.headers.get("accept-encoding") ?? "";
  return /(?:^|,)[ \t]*gzip[ \t]*(?:,|$|;[ \t]*q=(?:1|0\.0{0,2}[1-9]))/i.test(accepted);
}

async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const zipped = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(zipped).arrayBuffer());
}

async function answerDocument(
  { request, target }: Exchange,
  name: DocumentName,
  state: HandlerState,
  written: Map<string, Promise<Written>>,
): Promise<Answer> {
  const { plain, zipped } =
    await (isForTools(name)
      ? writeForTools(name, contextOf(state, target, baseOf(request, target, state)))
      : writtenPage(name, target, state, written));
  const { etag, whole, fresh } = zipped !== undefined && takesGzip(request) ? zipped : plain;
  return isFresh(request.headers.get("if-none-match"), etag) ? fresh : whole;
}

function contextOf(
  state: HandlerState,
  { path }: Target,
  base: string,
  format: Format = DEFAULT_FORMAT,
): PageContext {
  return {
    namespace: state.namespace,
    base,
    exampleBase: state.baseUrl === undefined ? EXAMPLE_BASE : undefined,
    path,
    service: state.service,
    bindings: state.bindings,
    wantsKey: state.keys !== undefined,
    maxFailures: state.maxFailures ?? 0,
    singleUse: state.singleUse ?? false,
    format,
  };
}

/** Writes a document with the base URL of its caller. */
async function writeForTools(name: ToolDocument, context: PageContext): Promise<Written> {
  const [type, body] = TOOL_DOCUMENTS[name](context);
  const headers = { "content-security-policy": "default-src 'none'; frame-ancestors 'none'" };
  const reply = { ...OK, contentType: `${type}; charset=utf-8`, body, headers };
  return { plain: representation(reply, await eTag(body)), zipped: undefined };
}

/** Writes a part of the page once. */
function writtenPage(
  name: PageName,
  target: Target,
  state: HandlerState,
  written: Map<string, Promise<Written>>,
): Promise<Written> {
  const wanted = typeof name === "string" ? name : `${name.op} ${name.format}`;
  const key = `${target.path.endsWith("/")} ${wanted}`;
  let found = written.get(key);
  if (found === undefined) {
    found = writePart(name, target, state);
    written.set(key, found);
    // What failed may succeed the next time.
    found.catch(() => written.delete(key));
  }
  return found;
}

async function writePart(name: PageName, target: Target, state: HandlerState): Promise<Written> {
  const format = typeof name === "string" ? undefined : name.format;
  const context = contextOf(state, target, state.baseUrl ?? EXAMPLE_BASE, format);
  const reply = await describe(name, context);
  const etag = await eTag(reply.body);
  const plain = representation(reply, etag);
  if (reply.status !== 200) {
    const whole: Answer = { ...plain.whole, outcome: "not-found" };
    return { plain: { etag, whole, fresh: whole }, zipped: undefined };
  }
  const varied = { ...reply, headers: { ...reply.headers, vary: "accept-encoding" } };
  const zipped = await gzip(reply.body);
  // Of the bytes, since another runtime compresses to others.
  const zippedTag = (await eTag(zipped.toBase64())).replace(/"$/, '-gzip"');
  return {
    plain: representation(varied, etag),
    zipped: representation({ ...varied, body: zipped }, zippedTag, "gzip"),
  };
}

function representation(reply: Reply, etag: string, coding?: string): Representation {
  const headers = { ...reply.headers, "cache-control": "no-cache", etag };
  const encoded = coding === undefined ? headers : { ...headers, "content-encoding": coding };
  return {
    etag,
    whole: { reply: { ...reply, headers: encoded }, outcome: "ok" },
    fresh: { reply: { ...reply, headers, status: 304, body: null }, outcome: "ok" },
  };
}

/** A document. */
type DocumentName = ToolDocument | PageName;

/** A description of the service for tools. */
type ToolDocument = "wsdl" | "disco" | "openapi";

/** A part of the page: the script, the style, the overview, or the view of an operation. */
type PageName =
  | "script"
  | "style"
  | "overview"
  | "unknown"
  | { readonly op: string; readonly format: Format };

const TOOL_DOCUMENTS: Readonly<
  Record<ToolDocument, (context: PageContext) => readonly [mediaType: string, text: string]>
> = {
  wsdl: (context) => ["text/xml", wsdl(context)],
  disco: (context) => ["text/xml", disco(context)],
  openapi: (context) => ["application/json", openApiOf(context)],
};

function isForTools(name: DocumentName): name is ToolDocument {
  return typeof name === "string" && Object.hasOwn(TOOL_DOCUMENTS, name);
}

// As the form itself goes.
const DEFAULT_FORMAT: Format = "HTTP POST";

/** The document that a query string asks for; each key in any case. */
function documentIn(query: string): DocumentName {
  const pairs = [...new URLSearchParams(query)].map(([key, v]) => [key.toLowerCase(), v]);
  // Not by a table: callers choose the keys, and so how long it would take (see `json.ts`).
  const valueOf = (name: string): string | undefined =>
    pairs.findLast(([key]) => key === name)?.[1];
  for (const name of ["wsdl", "disco", "script", "style"] as const) {
    if (valueOf(name) !== undefined) return name;
  }
  const op = valueOf("op");
  if (op === undefined) return "overview";
  const asked = valueOf("format");
  const format = FORMATS.find((known) => known === asked) ?? DEFAULT_FORMAT;
  return OPERATIONS.has(op) ? { op, format } : "unknown";
}

// Those of most callers, taken apart once: each time, it would take a quarter of the handler's time.
const USUAL_QUERIES: ReadonlyMap<string, DocumentName> = new Map(
  ["", "wsdl", "WSDL", "disco", "script", "style", ...OPERATIONS.keys().map((op) => `op=${op}`)]
    .map((query) => [query, documentIn(query)]),
);

async function describe(name: PageName, context: PageContext): Promise<TextReply> {
  switch (name) {
    case "script":
      return { ...OK, contentType: "text/javascript; charset=utf-8", body: SCRIPT };
    case "style":
      return { ...OK, contentType: "text/css; charset=utf-8", body: STYLE };
  }
  const headers = { "content-security-policy": CONTENT_SECURITY_POLICY };
  const html = { status: 200, contentType: "text/html; charset=utf-8", headers };
  if (name === "overview") return { ...html, body: await servicePage(context) };
  return name === "unknown"
    ? { ...html, status: 404, body: unknownOperationPage(context) }
    : { ...html, body: await operationPage(OPERATIONS.get(name.op)!, context) };
}

const OK = { status: 200 } as const;

function openApiOf({ base, wantsKey, service }: PageContext): string {
  return openApi({ base, wantsKey, describe: (name) => fieldOf(name, service) });
}
