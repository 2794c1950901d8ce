/**
 * The documents of the service, and which of them a GET asks for.
 *
 * @module
 */

import { eTag } from "@std/http/etag";
import type { Reply } from "../binding/binding.ts";
import { disco } from "../description/disco.ts";
import { wsdl } from "../description/wsdl.ts";
import type { PageContext } from "../page/context.ts";
import { contentSecurityPolicy } from "../page/frame.ts";
import { SCRIPT } from "../page/script.ts";
import { operationPage, servicePage, unknownOperationPage } from "../page/page.ts";
import { OPERATIONS } from "../service/operations.ts";
import { isFresh } from "./answer.ts";
import type { Answerer, Exchange } from "./exchange.ts";
import { type Answered, question } from "./questions.ts";
import type { HandlerState } from "./state.ts";
import { baseOf } from "./target.ts";

/** A reply of text. */
export type TextReply = Reply & { readonly body: string };

/** The service page, the WSDL and the discovery document. */
export function documents(state: HandlerState): Answerer {
  return question(state, (exchange) => answerDocument(exchange, state));
}

async function answerDocument(
  { request, target }: Exchange,
  state: HandlerState,
): Promise<Answered> {
  const reply = await describe(target.query, {
    namespace: state.namespace,
    base: baseOf(request, target, state),
    path: target.path,
    service: state.service,
    bindings: state.bindings,
    wantsKey: (state.apiKeys ?? []).length > 0,
    maxFailures: state.maxFailures ?? 0,
    singleUse: state.singleUse ?? false,
    hasOpenApi: false,
  });
  if (reply.status !== 200) return { ...reply, ...await validators(reply), outcome: "not-found" };
  const headers = (await validators(reply)).headers;
  return isFresh(request.headers.get("if-none-match"), headers.etag)
    ? { ...reply, headers, status: 304, body: null }
    : { ...reply, headers };
}

async function validators(
  { body, headers }: TextReply,
): Promise<{ readonly headers: Readonly<Record<string, string>> & { readonly etag: string } }> {
  return { headers: { ...headers, "cache-control": "no-cache", etag: await eTag(body) } };
}

/**
 * The document that a query string asks for: `wsdl`, `disco`, `script`, `op=NAME`, each key in any case, or
 * the service page for anything else.
 *
 * @param query The query string without its question mark.
 */
export async function describe(query: string, context: PageContext): Promise<TextReply> {
  const keys = new Map([...new URLSearchParams(query)].map(([key, v]) => [key.toLowerCase(), v]));
  if (keys.has("wsdl")) return xml(wsdl(context));
  if (keys.has("disco")) return xml(disco(context));
  if (keys.has("script")) return SCRIPT_REPLY;
  const headers = { "content-security-policy": await contentSecurityPolicy(context) };
  const html = { status: 200, contentType: "text/html; charset=utf-8", headers };
  const op = keys.get("op");
  if (op === undefined) return { ...html, body: await servicePage(context) };
  const operation = OPERATIONS.get(op);
  return operation === undefined
    ? { ...html, status: 404, body: unknownOperationPage(context) }
    : { ...html, body: await operationPage(operation, context) };
}

const SCRIPT_REPLY: TextReply = {
  status: 200,
  contentType: "text/javascript; charset=utf-8",
  body: SCRIPT,
};

function xml(body: string): TextReply {
  const headers = { "content-security-policy": "default-src 'none'; frame-ancestors 'none'" };
  return { status: 200, contentType: "text/xml; charset=utf-8", body, headers };
}
