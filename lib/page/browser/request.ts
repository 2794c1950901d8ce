/**
 * Requests and replies as they go over the wire.
 *
 * It knows no form of request: the samples on the page have their values marked, and it puts those
 * of the fields in their place. What stands in the pane is what is sent.
 *
 * @module
 */

import { encoderOf, KEY_HOLE, KEY_PLACEHOLDER, keyEncoderOf } from "../samples/quoting.ts";
import { readClock } from "./clock.ts";
import { absoluteUrl, all, first, valuesOf } from "./dom.ts";
import { keyShown } from "./typed_values.ts";

/** A request to be sent. */
export interface ReadyRequest {
  /** Where to. */
  readonly url: string;
  /** The method, the header and the body. */
  readonly options: RequestInit;
}

/** A result of an operation: a text, or the texts of a record by the names of its fields. */
export type ReplyResult = string | Readonly<Record<string, string>>;

/** What a reply says: a result, or why there is none. */
export type Said =
  | { readonly result: ReplyResult; readonly message?: undefined }
  | { readonly message: string };

/** What became of a request. */
export type ShownReply = Said & {
  /** How long it took, in whole milliseconds. */
  readonly tookMs: number;
  /** Its status and reason; empty when there is none. */
  readonly status: string;
  /** What is to stand over it. */
  readonly title: string;
  /** The reply as it went over the wire, or why there is none. */
  readonly shown: string;
};

/** How long a reply may take, in milliseconds. */
const REPLY_TIMEOUT_MS = 10_000;

function textOf(node: Node): string {
  return node.textContent ?? "";
}

/**
 * Puts values into the marked places of a text.
 *
 * @param isSent Whether the text is to be sent; else an example stands where there is no value.
 */
export function fillIn(
  pane: HTMLElement,
  values: Readonly<Record<string, string>>,
  isSent: boolean,
): void {
  const encode = encoderOf(pane.dataset["values"]);
  const encodeKey = keyEncoderOf(pane.dataset["values"]);
  for (const hole of all("var", pane)) {
    const value = values[hole.dataset["name"] ?? ""];
    if (value === undefined) continue;
    const example = hole.dataset["example"] ??= textOf(hole);
    const write = hole.dataset["name"] === KEY_HOLE ? encodeKey : encode;
    hole.textContent = value === "" && !isSent ? example : write(value);
  }
  const length = first("var[data-name=Content-Length]", pane);
  if (length === undefined) return;
  const body = textOf(pane).split("\n\n").slice(1).join("\n\n");
  length.textContent = String(new TextEncoder().encode(body).length);
}

/**
 * The request that stands in a pane. A key that nobody typed is not sent: the browser shows the one
 * that it opened the page with.
 *
 * @param service The address of the service.
 */
export function requestIn(pane: HTMLElement, service: string): ReadyRequest {
  const [head = "", ...body] = textOf(pane).split("\n\n");
  const [line = "", ...fields] = head.trim().split("\n");
  const [method = "", target = ""] = line.split(" ");
  const headers = fields
    .map((field): [string, string] => {
      const [name = "", value = ""] = field.split(/: (.*)/s);
      return [name, value];
    })
    .filter(([name, value]) => !/^(Host|Content-Length)$/.test(name) && value !== KEY_PLACEHOLDER);
  const [path = "", query] = target.split("?");
  const operation = path.slice(path.lastIndexOf("/api.asmx") + "/api.asmx".length);
  return {
    url: service + operation + (query === undefined ? "" : `?${query}`),
    options: { method, headers, ...(method === "GET" ? {} : { body: body.join("\n\n") }) },
  };
}

/** A request with what the fields of a form hold: by POST, so that no secret is in an address. */
export function quietRequest(form: HTMLFormElement): ReadyRequest {
  return postRequest(
    form.getAttribute("action")!,
    "application/json",
    JSON.stringify(valuesOf(form)),
  );
}

/** A request by POST, with the key that was typed. */
export function postRequest(path: string, type: string, body: string): ReadyRequest {
  const key = keyShown();
  const headers = { "Content-Type": type, ...(key === undefined ? {} : { "X-Api-Key": key }) };
  return { url: absoluteUrl(path), options: { method: "POST", headers, body } };
}

/**
 * Sends a request and reads the reply. That there is none, or none that can be read, is an answer
 * too.
 *
 * @throws {DOMException} When the signal says that nobody waits any more.
 */
export async function call(
  { url, options }: ReadyRequest,
  signal: AbortSignal,
): Promise<ShownReply> {
  const started = performance.now();
  const tookMs = (): number => Math.max(1, Math.round(performance.now() - started));
  const patience = AbortSignal.timeout(REPLY_TIMEOUT_MS);
  try {
    const sentMs = Date.now();
    const reply = await fetch(url, {
      ...options,
      signal: AbortSignal.any([signal, patience]),
      cache: "no-store",
      redirect: "error",
    });
    readClock(reply, sentMs);
    const text = await reply.text();
    const type = reply.headers.get("content-type") ?? "";
    const status = `${reply.status} ${reply.statusText}`.trim();
    return {
      ...(saidIn(reply, type, text) ?? { message: strangeReply(status) }),
      status,
      tookMs: tookMs(),
      title: `Reply, ${tookMs()} ms`,
      shown: `HTTP/1.1 ${status}\nContent-Type: ${type}\n\n${text}`,
    };
  } catch (error) {
    if (signal.aborted) throw error;
    const message = patience.aborted
      ? `No reply within ${REPLY_TIMEOUT_MS / 1000} seconds.`
      : "No reply: the server is not running, or the connection broke.";
    return { message, status: "", tookMs: tookMs(), title: "No reply", shown: message };
  }
}

/** What is said of a reply that this service would not give. */
export function strangeReply(status: string): string {
  return `The reply is ${status}, and not one of this service: something in between may have sent ` +
    "it, or cut it off.";
}

function saidIn(reply: Response, type: string, text: string): Said | undefined {
  if (type.includes("json")) return saidInJson(text);
  return type.includes("xml") ? saidInXml(text) : saidInPlainText(reply, type, text);
}

// The service says what is wrong in one sentence.
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
  // What was cut off does not end as it began. A parser would find that too, but what browsers make of
  // it has a style of its own, which the policy of the page forbids.
  const [, first] = /<([\w:.-]+)/.exec(text) ?? [];
  const [, last] = /<\/([\w:.-]+)\s*>\s*$/.exec(text) ?? [];
  if (first === undefined || first !== last) return undefined;
  const xml = new DOMParser().parseFromString(text, "text/xml");
  if (xml.getElementsByTagName("parsererror").length > 0) return undefined;
  // Bare, or in an Envelope, a Body and the element of the response.
  const root = xml.documentElement;
  if (root.localName !== "Envelope") return { result: contentOf(root) };
  const content = all<Element>("*", xml).find(({ localName }) => localName === "Body")
    ?.firstElementChild ?? root;
  if (content.localName === "Fault") {
    const reason = all<Element>("*", content)
      .find(({ localName }) => localName === "faultstring" || localName === "Text");
    return reason && { message: textOf(reason) };
  }
  const holder = content.firstElementChild;
  return holder === null ? undefined : { result: contentOf(holder) };
}

function contentOf(holder: Element): ReplyResult {
  const fields = [...holder.children].map((field) => [field.localName, textOf(field)] as const);
  return fields.length === 0 ? textOf(holder) : Object.fromEntries(fields);
}
