/**
 * The documents of the service, and their choice by the query string of a GET.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { eTag } from "@std/http/etag";
import type { Reply } from "../bindings/binding.ts";
import { disco } from "../bindings/description/disco.ts";
import { openApi } from "../bindings/description/openapi.ts";
import { wsdl } from "../bindings/description/wsdl.ts";
import type { PageContext, PagePart, ServicePage } from "../page/service_page.ts";
import { type Field, fieldOf } from "../page/samples/fields.ts";
import { OPERATIONS } from "../operations/operations.ts";
import { isFresh, plainReply, type RouteResult } from "./response.ts";
import type { RouteHandler } from "./exchange.ts";
import { textRoute } from "./probes.ts";
import type { ResolvedOptions } from "./options.ts";
import { baseOf, type Target } from "./request_target.ts";

/** Makes the route of the WSDL, the discovery document, and the service page if there is one. */
export function documents(state: ResolvedOptions): RouteHandler {
  const { page } = state;
  // Usual query strings, parsed once: parsing each time took a quarter of the handler's time.
  const usual = new Map(
    ["", "wsdl", "WSDL", "disco", "script", "style", ...OPERATIONS.keys().map((op) => `op=${op}`)]
      .map((query) => [query, documentIn(query, page)]),
  );
  const written = new Map<string, Promise<Written>>();
  return textRoute(state, ({ request, target }) => {
    const { query } = target;
    const wanted = usual.get(query) ?? documentIn(query, page);
    if (typeof wanted === "string") return answerDescription(wanted, request, target, state);
    return page === undefined || wanted === undefined
      ? NO_PAGE
      : answerPage({ page, part: wanted, written }, request, target, state);
  });
}

/** Makes the route of the OpenAPI description. */
export function openApiDocument(state: ResolvedOptions): RouteHandler {
  return textRoute(
    state,
    ({ request, target }) => answerDescription("openapi", request, target, state),
  );
}

/** Makes the redirect from the root to the service. */
export function redirect(state: ResolvedOptions): RouteHandler {
  // A proxy may have removed a path prefix. Without a base URL that names it, a reference relative
  // to the path is right with and without a prefix (RFC 9110 §10.2.2).
  const { baseUrl } = state;
  const headers = { location: baseUrl === undefined ? "api.asmx" : `${baseUrl}/api.asmx` };
  const reply = { ...plainReply(302, "See /api.asmx."), headers };
  const answer: RouteResult = { reply, outcome: "ok" };
  return textRoute(state, () => answer);
}

const NO_PAGE: RouteResult = {
  reply: plainReply(404, "The service is described at ?wsdl, and at /openapi.json."),
  outcome: "not-found",
};

/**
 * Base URL in the texts of a page when no option gives one. Links are relative, and the script puts
 * in the address of the page. Rendering a page for each Host instead would cost milliseconds for
 * every new Host that a caller sends.
 */
const EXAMPLE_BASE = "http://localhost:8080";

/** A document, rendered once. */
interface Written {
  readonly plain: Representation;
  /** The compressed document, for browsers only; other tools get the plain one, as before. */
  readonly zipped: Representation | undefined;
}

/** A document in one content coding, each with its own entity tag (RFC 9110 §8.8.3.3). */
interface Representation {
  readonly etag: string;
  readonly whole: RouteResult;
  /** 304 reply without a body, for a caller that has this version. */
  readonly fresh: RouteResult;
}

/**
 * Whether a client accepts gzip (RFC 9110 §12.5.3); without Accept-Encoding it gets the plain text.
 */
function takesGzip(request: Request): boolean {
  const accepted = request.headers.get("accept-encoding") ?? "";
  return /(?:^|,)[ \t]*gzip[ \t]*(?:,|$|;[ \t]*q=(?:1|0\.0{0,2}[1-9]))/i.test(accepted);
}

async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const zipped = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(zipped).arrayBuffer());
}

// Chromium's view of XML has inline styles and pictures. The descriptions hold no markup of callers.
const DESCRIPTION_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";

async function answerDescription(
  name: Description,
  request: Request,
  target: Target,
  state: ResolvedOptions,
): Promise<RouteResult> {
  const [type, body] = DESCRIPTIONS[name](baseOf(request, target, state), state);
  const headers = { "content-security-policy": DESCRIPTION_POLICY };
  const reply = { ...OK, contentType: `${type}; charset=utf-8`, body, headers };
  return answerOf(representation(reply, await eTag(body)), request);
}

/** Source of a rendered page. */
interface PageSource {
  readonly page: ServicePage;
  readonly part: PagePart;
  readonly written: Map<string, Promise<Written>>;
}

async function answerPage(
  { page, part, written }: PageSource,
  request: Request,
  target: Target,
  state: ResolvedOptions,
): Promise<RouteResult> {
  const key = `${target.path.endsWith("/")} ${part.name} ${part.format} ${part.language}`;
  let found = written.get(key);
  if (found === undefined) {
    found = writePart(page, part, target, state);
    written.set(key, found);
    // Forget a failed render, so that the next request tries again.
    found.catch(() => written.delete(key));
  }
  const { plain, zipped } = await found;
  return answerOf(zipped !== undefined && takesGzip(request) ? zipped : plain, request);
}

function answerOf({ etag, whole, fresh }: Representation, request: Request): RouteResult {
  return isFresh(request.headers.get("if-none-match"), etag) ? fresh : whole;
}

async function writePart(
  page: ServicePage,
  part: PagePart,
  { path }: Target,
  state: ResolvedOptions,
): Promise<Written> {
  const { namespace, service, bindings, keys, maxFailures = 0, singleUse = false } = state;
  const context: PageContext = {
    namespace,
    base: state.baseUrl ?? EXAMPLE_BASE,
    exampleBase: state.baseUrl === undefined ? EXAMPLE_BASE : undefined,
    path,
    service,
    bindings,
    wantsKey: keys !== undefined,
    maxFailures,
    singleUse,
    op: /^op=(.*)/.exec(part.name)?.[1],
    format: part.format,
    language: part.language,
  };
  const reply = await page.write(part, context);
  const etag = await eTag(reply.body);
  const plain = representation(reply, etag);
  if (reply.status !== 200) {
    const whole: RouteResult = { ...plain.whole, outcome: "not-found" };
    return { plain: { etag, whole, fresh: whole }, zipped: undefined };
  }
  const varied = { ...reply, headers: { ...reply.headers, vary: "accept-encoding" } };
  const zipped = await gzip(reply.body);
  // Tag the compressed bytes: they differ between runtimes.
  const zippedTag = (await eTag(Buffer.from(zipped).toString("base64"))).replace(/"$/, '-gzip"');
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

type Description = "wsdl" | "disco" | "openapi";

const DESCRIPTIONS: Readonly<
  Record<
    Description,
    (base: string, state: ResolvedOptions) => readonly [mediaType: string, text: string]
  >
> = {
  wsdl: (base, { namespace }) => ["text/xml", wsdl({ base, namespace })],
  disco: (base, { namespace }) => ["text/xml", disco({ base, namespace })],
  openapi: (base, { keys, service }) => {
    const describe = (name: string): Field => fieldOf(name, service);
    return ["application/json", openApi({ base, wantsKey: keys !== undefined, describe })];
  },
};

/** Chooses the document for a query string; keys are compared without case. */
function documentIn(
  query: string,
  page: ServicePage | undefined,
): Description | PagePart | undefined {
  const pairs = [...new URLSearchParams(query)].map(([key, v]) => [key.toLowerCase(), v]);
  // Searches the list instead of a table: callers choose the keys and could make them collide (see
  // `json_reader.ts`).
  const valueOf = (name: string): string | undefined =>
    pairs.findLast(([key]) => key === name)?.[1];
  for (const name of ["wsdl", "disco"] as const) {
    if (valueOf(name) !== undefined) return name;
  }
  return page?.partOf(valueOf);
}

const OK = { status: 200 } as const;
