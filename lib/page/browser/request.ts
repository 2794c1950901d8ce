/**
 * Requests and replies as sent over the wire.
 *
 * The document holds a request in each format, with its parts and values marked. The script puts the
 * values of the fields in, and sends what the pane then shows.
 *
 * @module
 */

import type { Clock } from "./clock.ts";
import { absoluteUrl, all, first, one, valuesOf } from "./dom.ts";

/** A request, ready to send. */
export interface ReadyRequest {
  /** URL. */
  readonly url: string;
  /** Method, header fields and body. */
  readonly options: RequestInit;
}

/** Result of an operation: a text, or the texts of a record by field name. */
export type ReplyResult = string | Readonly<Record<string, string>>;

/** Content of a reply: a result, or a message in its place. */
export type Said =
  | { readonly result: ReplyResult; readonly message?: undefined }
  | { readonly message: string };

/** Outcome of a request. */
export type ShownReply = Said & {
  /** Duration in whole milliseconds. */
  readonly tookMs: number;
  /** Status and reason phrase; empty without a reply. */
  readonly status: string;
  /** Title of the pane. */
  readonly title: string;
  /** Reply as sent, or the reason why there is none. */
  readonly shown: string;
};

/** Timeout of a reply, in milliseconds. */
const REPLY_TIMEOUT_MS = 10_000;

/** Field of the caller's key, and its text in a request without a key. */
const KEY_FIELD = "X-Api-Key";
const KEY_PLACEHOLDER = "YOUR-API-KEY";

/** Encoders of a value inside a request, by the encoding of its pane. */
const ENCODERS: Readonly<Record<string, (value: string) => string>> = {
  /** XML 1.0 §2.4. */
  xml: (value) => value.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`),
  /** RFC 8259 §7. */
  json: (value) => JSON.stringify(value).slice(1, -1),
  /** URL Standard, application/x-www-form-urlencoded. */
  form: (value) => new URLSearchParams([["", value]]).toString().slice(1),
};

function nodeText(node: Node): string {
  return node.textContent ?? "";
}

/**
 * Puts values, and the length of the body, into the request of a pane.
 *
 * @param isSent Whether the request will be sent; otherwise an example fills each empty place.
 */
export function fillIn(
  pane: HTMLElement,
  values: Readonly<Record<string, string>>,
  isSent: boolean,
): void {
  const encode = ENCODERS[pane.dataset["encoding"] ?? ""]!;
  for (const place of all("var[data-name]", pane)) {
    const { name = "" } = place.dataset;
    const value = values[name];
    if (value === undefined) continue;
    const example = place.dataset["example"] ??= nodeText(place);
    const written = name === KEY_FIELD ? value : encode(value);
    place.textContent = value === "" && !isSent ? example : written;
  }
  const length = first(".length", pane);
  if (length === undefined) return;
  length.textContent = String(new TextEncoder().encode(nodeText(one(".body", pane))).length);
}

/** Section of the operation that a form calls: its requests and replies. */
export function sectionOf(form: HTMLFormElement): HTMLElement {
  return one(`#${form.dataset["operation"]}`);
}

/** Values for the requests of a form: its fields, and the key. */
export function valuesFor(form: HTMLFormElement): Readonly<Record<string, string>> {
  return { ...valuesOf(form), [KEY_FIELD]: keyShown() ?? KEY_PLACEHOLDER };
}

/** Puts the values of the forms into all requests of their operations. */
export function followForms(): void {
  for (const form of all<HTMLFormElement>("form")) {
    const values = valuesFor(form);
    for (const pane of all(".request pre", sectionOf(form))) fillIn(pane, values, false);
  }
}

/**
 * Makes the request that a pane shows. An empty key field sends no key: the browser adds the key that
 * it opened the page with.
 *
 * @param service Address of the service.
 */
export function requestIn(pane: HTMLElement, service: string): ReadyRequest {
  const headers = all("[data-header]", pane)
    .map((place): [string, string] => [place.dataset["header"] ?? "", nodeText(place)])
    .filter(([, value]) => value !== KEY_PLACEHOLDER);
  const body = first(".body", pane);
  return {
    url: service + nodeText(one(".call", pane)),
    options: {
      method: nodeText(one(".method", pane)),
      headers,
      cache: "no-store",
      ...(body === undefined ? {} : { body: nodeText(body) }),
    },
  };
}

/** Typed key; undefined without a key field or when it is empty. */
export function keyShown(): string | undefined {
  return first<HTMLInputElement>("#key")?.value.trim() || undefined;
}

/** Makes a POST request, with the typed key. */
export function postRequest(path: string, type: string, body: string): ReadyRequest {
  const key = keyShown();
  const headers = { "Content-Type": type, ...(key === undefined ? {} : { [KEY_FIELD]: key }) };
  return { url: absoluteUrl(path), options: { method: "POST", headers, body } };
}

/**
 * Sends a request and reads the reply. A missing or unreadable reply is an outcome too.
 *
 * @param clock Clock to set by the reply.
 * @throws {DOMException} When the signal aborts.
 */
export async function call(
  request: ReadyRequest,
  clock: Clock,
  signal: AbortSignal,
): Promise<ShownReply> {
  const started = performance.now();
  const tookMs = (): number => Math.max(1, Math.round(performance.now() - started));
  const sentMs = Date.now();
  const outcome = await ask(request, async (reply): Promise<ShownReply> => {
    clock.read(reply, sentMs);
    const text = await reply.text();
    const type = reply.headers.get("content-type") ?? "";
    const status = statusOf(reply);
    const id = reply.headers.get("x-request-id");
    const head = `HTTP/1.1 ${status}\nContent-Type: ${type}\n${id ? `X-Request-Id: ${id}\n` : ""}`;
    return {
      ...(saidIn(reply, type, text) ?? { message: strangeReply(status) }),
      status,
      tookMs: tookMs(),
      title: `Reply, ${tookMs()} ms`,
      shown: `${head}\n${text}`,
    };
  }, signal);
  return typeof outcome === "string"
    ? { message: outcome, status: "", tookMs: tookMs(), title: "No reply", shown: outcome }
    : outcome;
}

/**
 * Loads a document of the service.
 *
 * @param selector Element that the document must have.
 * @returns A sentence when it cannot be loaded.
 */
export function loadDocument(request: ReadyRequest, selector: string): Promise<Document | string> {
  return ask(request, async (reply) => {
    const loaded = new DOMParser().parseFromString(await reply.text(), "text/html");
    return first(selector, loaded) === undefined ? strangeReply(statusOf(reply)) : loaded;
  });
}

// Sends a request; returns what is read of the reply, or a sentence when there is none.
async function ask<T>(
  { url, options }: ReadyRequest,
  read: (reply: Response) => Promise<T>,
  signal?: AbortSignal,
): Promise<T | string> {
  try {
    new Headers(options.headers);
  } catch {
    return UNSENDABLE;
  }
  // AbortSignal.any would be shorter, but browsers have it only since 2024.
  const control = new AbortController();
  const timeout = AbortSignal.timeout(REPLY_TIMEOUT_MS);
  for (const each of [timeout, signal]) {
    if (each?.aborted) control.abort();
    each?.addEventListener("abort", () => control.abort());
  }
  try {
    // A typed key goes alone: at a refusal, the browser would drop its own credentials.
    const credentials = keyShown() === undefined ? "same-origin" : "omit";
    const reply = await fetch(url, {
      ...options,
      credentials,
      redirect: "manual",
      signal: control.signal,
    });
    return reply.type === "opaqueredirect" ? REDIRECTED : await read(reply);
  } catch (error) {
    if (signal?.aborted) throw error;
    return timeout.aborted ? TOO_LATE : NO_REPLY;
  }
}

const TOO_LATE =
  `No reply within ${REPLY_TIMEOUT_MS / 1000} seconds. Try again, and look whether ` +
  "the server runs and is overloaded.";

const NO_REPLY = "No reply: the server is not running, or the connection broke.";

const UNSENDABLE = "Not sent: the API key has a character that no header field can hold.";

const REDIRECTED =
  "The reply leads to another address: a proxy in front may ask for a login. Reload this page.";

function statusOf({ status, statusText }: Response): string {
  return `${status} ${statusText}`.trim();
}

/** Message for a reply that this service would not send. */
export function strangeReply(status: string): string {
  return `The reply is ${status}, and not one of this service: something in between may have sent ` +
    "it, or cut it off.";
}

function saidIn(reply: Response, type: string, text: string): Said | undefined {
  if (type.includes("json")) return saidInJson(text);
  return type.includes("xml") ? saidInXml(text) : saidInPlainText(reply, type, text);
}

// The service describes a fault in one sentence.
function saidInPlainText(reply: Response, type: string, text: string): Said | undefined {
  const sentence = text.trim();
  if (reply.ok || !type.startsWith("text/plain") || /\n/.test(sentence) || sentence.length > 300) {
    return undefined;
  }
  return { message: reply.status < 500 ? sentence : `${reply.status}: ${sentence}` };
}

function saidInJson(text: string): Said | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  if ("Message" in value) return { message: String(value.Message) };
  if (!("d" in value)) return undefined;
  const { d } = value;
  return { result: typeof d === "object" ? d as ReplyResult : String(d) };
}

function saidInXml(text: string): Said | undefined {
  // Detect truncated XML before parsing: browsers put a style into their parser error, and the
  // policy of the page forbids it.
  const [, first] = /<([\w:.-]+)/.exec(text) ?? [];
  const [, last] = /<\/([\w:.-]+)\s*>\s*$/.exec(text) ?? [];
  if (first === undefined || first !== last) return undefined;
  const xml = new DOMParser().parseFromString(text, "text/xml");
  if (xml.getElementsByTagName("parsererror").length > 0) return undefined;
  // The result is the root, or inside Envelope, Body and response element.
  const root = xml.documentElement;
  if (root.localName !== "Envelope") return { result: contentOf(root) };
  const content = all<Element>("*", xml).find(({ localName }) => localName === "Body")
    ?.firstElementChild ?? root;
  if (content.localName === "Fault") {
    const reason = all<Element>("*", content)
      .find(({ localName }) => localName === "faultstring" || localName === "Text");
    return reason && { message: nodeText(reason) };
  }
  const holder = content.firstElementChild;
  return holder === null ? undefined : { result: contentOf(holder) };
}

function contentOf(holder: Element): ReplyResult {
  const fields = [...holder.children].map((field) => [field.localName, nodeText(field)] as const);
  return fields.length === 0 ? nodeText(holder) : Object.fromEntries(fields);
}
