/**
 * Documents of the service: descriptions for tools, and the service page. Each is written and tagged
 * once.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { eTag } from "@std/http/etag";
import type { Reply } from "../bindings/binding.ts";
import { disco } from "../bindings/description/disco.ts";
import { openApi } from "../bindings/description/openapi.ts";
import { wsdl } from "../bindings/description/wsdl.ts";
import type { ServicePage } from "../page/service_page.ts";
import { matchesTag } from "./response.ts";
import type { HandlerOptions } from "./handler_options.ts";
import { baseOf, type Target } from "./request_target.ts";

/** Documents of a service: descriptions and service page, by the target of a request. */
export interface Documents {
  /** Returns a description for the address that the caller used. */
  readonly description: DocumentHandler<Description>;
  /** Returns a document of the service page; undefined without a page. */
  readonly page: DocumentHandler<PageText> | undefined;
}

/** Name of a description. */
export type Description = "wsdl" | "disco" | "openapi";

/** Name of a text of the service page. */
export type PageText = "script" | "style" | "page" | "unknown-operation";

/** Function from the target of a request, and its conditions, to a document. */
export type DocumentHandler<Name> = (
  name: Name,
  target: Target,
  request: Request,
) => Promise<Reply>;

/** Makes the documents of a service. */
export function createDocuments(options: HandlerOptions): Documents {
  const { page } = options;
  return {
    description: descriptions(options),
    page: page && pageDocuments(page, options),
  };
}

/** Descriptions kept: three for each of four addresses, where no option sets one. */
const KEPT_DESCRIPTIONS = 12;

// Chromium's view of XML has inline styles and pictures. The descriptions hold no markup of callers.
const DESCRIPTION_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";

type DescriptionText = readonly [mediaType: string, text: string];

/** Place of the address in a description. */
const ADDRESS_PLACE = "http://address.invalid";

/** Makes the handler of the descriptions, which are written for the address that the caller used. */
function descriptions(options: HandlerOptions): DocumentHandler<Description> {
  const { namespace, apiKeys } = options;
  const texts: Readonly<Record<Description, (base: string) => DescriptionText>> = {
    wsdl: (base) => ["text/xml", wsdl({ base, namespace })],
    disco: (base) => ["text/xml", disco({ base, namespace })],
    openapi: (base) => [
      "application/json",
      openApi({ base, wantsKey: apiKeys !== undefined, service: options }),
    ],
  };
  const headers = { "content-security-policy": DESCRIPTION_POLICY };
  const templates = new Map<Description, DescriptionText>();
  // Puts the address into one text, since callers could make the service write one for each Host. No
  // address has a character that XML or JSON escapes.
  const textFor = (name: Description, base: string): DescriptionText => {
    const template = templates.get(name) ?? texts[name](ADDRESS_PLACE);
    templates.set(name, template);
    const [type, text] = template;
    return [type, text.split(ADDRESS_PLACE).join(base)];
  };
  const written = new Map<string, Promise<Representation>>();
  return async (name, target, request) => {
    const base = baseOf(request, target, options);
    const document = await kept(written, `${name} ${base}`, KEPT_DESCRIPTIONS, async () => {
      const [type, body] = textFor(name, base);
      const contentType = `${type}; charset=utf-8`;
      return representation({ status: 200, contentType, body, headers }, await eTag(body));
    });
    return answer(document, request);
  };
}

/** Makes the handler of the service page, whose documents are the same for every Host. */
function pageDocuments(
  page: ServicePage,
  options: HandlerOptions,
): DocumentHandler<PageText> {
  const replyOf = (name: string, root: "" | "../"): Reply => {
    const pageReply = (type: string, body: string): Reply => (
      { status: 200, contentType: `text/${type}; charset=utf-8`, body }
    );
    if (name === "script") return pageReply("javascript", page.script);
    if (name === "style") return pageReply("css", page.style);
    const isUnknownOperation = name === "unknown-operation";
    const document = page.document(options, { root, isUnknownOperation });
    const headers = { "content-security-policy": page.policy };
    return { ...pageReply("html", document), headers, status: isUnknownOperation ? 404 : 200 };
  };
  const written = new Map<string, Promise<Zipped>>();
  return async (name, { path }, request) => {
    const root = path.endsWith("/") ? "../" : "";
    const document = await kept(
      written,
      `${name} ${root}`,
      Infinity,
      () => zipped(replyOf(name, root)),
    );
    const coded = takesGzip(request) ? document.gzip : document.plain;
    // A 404 is no document that a browser could have kept (RFC 9110 §13.2.1).
    return name === "unknown-operation" ? coded.full : answer(coded, request);
  };
}

/**
 * Returns the document of a key, which is written at the first request for it.
 *
 * @param most Number of documents to keep; the oldest is dropped.
 */
function kept<Document>(
  written: Map<string, Promise<Document>>,
  key: string,
  most: number,
  write: () => Promise<Document>,
): Promise<Document> {
  const found = written.get(key);
  if (found !== undefined) return found;
  const made = write();
  if (written.size >= most) written.delete(written.keys().next().value!);
  written.set(key, made);
  // Forget a failure, so that the next request tries again.
  made.catch(() => written.delete(key));
  return made;
}

/** A document in one content coding, each with its own entity tag (RFC 9110 §8.8.3.3). */
interface Representation {
  readonly etag: string;
  readonly full: Reply;
  /** 304 reply without a body, for a caller that has this version. */
  readonly notModified: Reply;
}

function representation(reply: Reply, etag: string, coding?: string): Representation {
  const headers = { ...reply.headers, "cache-control": "no-cache", etag };
  const encoded = coding === undefined ? headers : { ...headers, "content-encoding": coding };
  return {
    etag,
    full: { ...reply, headers: encoded },
    notModified: { ...reply, headers, status: 304, body: null },
  };
}

function answer({ etag, full, notModified }: Representation, request: Request): Reply {
  return matchesTag(request.headers.get("if-none-match"), etag) ? notModified : full;
}

/** A document, plain and compressed. */
interface Zipped {
  readonly plain: Representation;
  readonly gzip: Representation;
}

async function zipped(reply: Reply): Promise<Zipped> {
  const varied = { ...reply, headers: { ...reply.headers, vary: "accept-encoding" } };
  const stream = new Blob([reply.body ?? ""]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  // Tag the compressed bytes: they differ between runtimes.
  const etag = (await eTag(Buffer.from(bytes).toString("base64"))).replace(/"$/, '-gzip"');
  return {
    plain: representation(varied, await eTag(String(reply.body))),
    gzip: representation({ ...varied, body: bytes }, etag, "gzip"),
  };
}

/**
 * Whether a client accepts gzip (RFC 9110 §12.5.3); without Accept-Encoding it gets the plain text.
 */
function takesGzip(request: Request): boolean {
  const accepted = request.headers.get("accept-encoding") ?? "";
  return /(?:^|,)[ \t]*gzip[ \t]*(?:,|$|;[ \t]*q=(?:1|0\.0{0,2}[1-9]))/i.test(accepted);
}
