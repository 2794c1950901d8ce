/**
 * Requests and replies as they go over the wire.
 *
 * It knows no form of request: the samples on the page have their values marked, and it puts those
 * of the fields in their place. What stands in the pane is what is sent.
 *
 * @module
 */

import { readClock } from "./clock.ts";
import { all, first, valuesOf } from "./dom.ts";

/** A request to be sent. */
export interface ReadyRequest {
  /** Where to. */
  readonly url: string;
  /** The method, the header and the body. */
  readonly options: RequestInit;
}

/** A result of an operation: a text, or the texts of a record by the names of its fields. */
export type Result = string | Readonly<Record<string, string>>;

/** What a reply says: a result, or why there is none. */
export type Said =
  | { readonly result: Result; readonly message?: undefined }
  | { readonly message: string };

/** A reply that was read. */
export type Answer = Said & {
  /** How long it took, in whole milliseconds. */
  readonly tookMs: number;
  /** The reply as it went over the wire. */
  readonly shown: string;
};

type Encoder = (value: string) => string;

const ENCODERS: Readonly<Record<"xml" | "json" | "form", Encoder>> = {
  xml: (value) => value.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`),
  json: (value) => JSON.stringify(value).slice(1, -1),
  form: (value) => new URLSearchParams([["", value]]).toString().slice(1),
};

function textOf(node: Node): string {
  return node.textContent ?? "";
}

/** Puts values into the marked places of a sample request. */
export function fillIn(pane: HTMLElement, values: Readonly<Record<string, string>>): void {
  const form = /content-type:.*(xml|json)/i.exec(textOf(pane))?.[1] as "xml" | "json" | undefined;
  const encode = ENCODERS[form ?? "form"];
  for (const hole of all("var", pane)) {
    const value = values[hole.dataset["name"] ?? ""];
    if (value !== undefined) hole.textContent = encode(value);
  }
  const length = first("var[data-name=Content-Length]", pane);
  if (length === undefined) return;
  const body = textOf(pane).split("\n\n").slice(1).join("\n\n");
  length.textContent = String(new TextEncoder().encode(body).length);
}

/**
 * The request that stands in a pane.
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
    .filter(([name]) => !/^(Host|Content-Length)$/.test(name));
  const [path = "", query] = target.split("?");
  const operation = path.slice(path.lastIndexOf("/api.asmx") + "/api.asmx".length);
  return {
    url: service + operation + (query === undefined ? "" : `?${query}`),
    options: { method, headers, ...(method === "GET" ? {} : { body: body.join("\n\n") }) },
  };
}

/** A request with what the fields of a form hold: by POST, so that no secret is in an address. */
export function quietRequest(form: HTMLFormElement): ReadyRequest {
  return {
    url: form.action,
    options: {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(valuesOf(form)),
    },
  };
}

/**
 * Sends a request and reads the reply.
 *
 * @throws {Error} When there is no reply, or it cannot be read.
 */
export async function call(
  { url, options }: ReadyRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const started = performance.now();
  const reply = await fetch(url, { ...options, signal, cache: "no-store", redirect: "error" });
  const text = await reply.text();
  const tookMs = Math.max(1, Math.round(performance.now() - started));
  readClock(reply);
  const type = reply.headers.get("content-type") ?? "";
  const head = `HTTP/1.1 ${reply.status} ${reply.statusText}\nContent-Type: ${type}`;
  return { ...saidIn(type, text), tookMs, shown: `${head}\n\n${text}` };
}

function saidIn(type: string, text: string): Said {
  if (type.includes("json")) {
    const value = JSON.parse(text) as { d: unknown } | { Message: string };
    if (!("d" in value)) return { message: value.Message };
    const { d } = value;
    return { result: typeof d === "object" ? d as Result : String(d) };
  }
  if (!type.includes("xml")) return { message: text.trim() };
  const xml = new DOMParser().parseFromString(text, "text/xml");
  const valueOf = (name: string): string | undefined =>
    xml.getElementsByTagNameNS("*", name)[0]?.textContent ?? undefined;
  const message = valueOf("faultstring") ?? valueOf("Text");
  if (message !== undefined) return { message };
  // Bare, or in an Envelope, a Body and the element of the response.
  const root = xml.documentElement;
  const holder = root.localName === "Envelope"
    ? root.firstElementChild?.firstElementChild?.firstElementChild ?? root
    : root;
  const fields = [...holder.children].map((field) => [field.localName, textOf(field)] as const);
  return { result: fields.length === 0 ? textOf(holder) : Object.fromEntries(fields) };
}
