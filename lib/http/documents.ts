/**
 * The documents of the service, and which of them a GET asks for.
 *
 * @module
 */

import { eTag } from "@std/http/etag";
import type { Reply } from "../binding/binding.ts";
import { disco } from "../description/disco.ts";
import { openApi } from "../description/openapi.ts";
import { wsdl } from "../description/wsdl.ts";
import type { PageContext } from "../page/context.ts";
import { CONTENT_SECURITY_POLICY } from "../frame/frame.ts";
import { STYLE } from "../frame/style.ts";
import { type Format, FORMATS } from "../snippets/language.ts";
import { fieldOf } from "../samples/fields.ts";
import { SCRIPT } from "../page/script.ts";
import { operationPage, servicePage, unknownOperationPage } from "../page/page.ts";
import { OPERATIONS } from "../service/operations.ts";
import { type Answer, isFresh } from "./answer.ts";
import type { AnswererMaker, Exchange } from "./exchange.ts";
import { question } from "./questions.ts";
import type { HandlerState } from "./state.ts";
import { baseOf, type Target } from "./target.ts";

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

/** How many documents are kept: those of a few hosts. Callers choose the host. */
const MAX_WRITTEN = 64;

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
  const base = baseOf(request, target, state);
  const wanted = typeof name === "string" ? name : `${name.op} ${name.format}`;
  // A document depends on nothing else that differs between requests.
  const key = `${base} ${target.path.endsWith("/")} ${wanted}`;
  let found = written.get(key);
  if (found === undefined) {
    found = write(name, target, base, state);
    const [oldest] = written.keys();
    if (written.size >= MAX_WRITTEN && oldest !== undefined) written.delete(oldest);
    written.set(key, found);
    // What failed may succeed the next time.
    found.catch(() => written.delete(key));
  }
  const { plain, zipped } = await found;
  const { etag, whole, fresh } = zipped !== undefined && takesGzip(request) ? zipped : plain;
  return isFresh(request.headers.get("if-none-match"), etag) ? fresh : whole;
}

async function write(
  name: DocumentName,
  target: Target,
  base: string,
  state: HandlerState,
): Promise<Written> {
  const reply = await describe(name, {
    namespace: state.namespace,
    base,
    path: target.path,
    service: state.service,
    bindings: state.bindings,
    wantsKey: state.keys !== undefined,
    maxFailures: state.maxFailures ?? 0,
    singleUse: state.singleUse ?? false,
    format: typeof name === "string" ? DEFAULT_FORMAT : name.format,
  });
  const etag = await eTag(reply.body);
  const plain = representation(reply, etag);
  if (reply.status !== 200) {
    const whole: Answer = { ...plain.whole, outcome: "not-found" };
    return { plain: { etag, whole, fresh: whole }, zipped: undefined };
  }
  if (reply.contentType.startsWith("text/xml")) return { plain, zipped: undefined };
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

/** A document: a description, the script, the style, the overview, or the page of an operation. */
type DocumentName =
  | "wsdl"
  | "disco"
  | "openapi"
  | "script"
  | "style"
  | "overview"
  | "unknown"
  | { readonly op: string; readonly format: Format };

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

async function describe(name: DocumentName, context: PageContext): Promise<TextReply> {
  switch (name) {
    case "wsdl":
      return forTools("text/xml", wsdl(context));
    case "disco":
      return forTools("text/xml", disco(context));
    case "openapi":
      return forTools("application/json", openApiOf(context));
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

function forTools(type: string, body: string): TextReply {
  const headers = { "content-security-policy": "default-src 'none'; frame-ancestors 'none'" };
  return { status: 200, contentType: `${type}; charset=utf-8`, body, headers };
}
