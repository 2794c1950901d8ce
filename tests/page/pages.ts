/** The pages of the service as they are served, and as little reading of HTML as the tests need. */

import { assert } from "@std/assert/assert";
import type { Handler } from "../../lib/http/handler.ts";
import type { HandlerOptions } from "../../lib/http/options.ts";
import { LANGUAGE_NAMES } from "../../lib/page/snippets/snippets.ts";
import { handlerWith as anyHandlerWith } from "../support/handler.ts";

/** The handler with the given options and changes to them. */
export function handlerWith(
  flags: Readonly<Record<string, string>> = {},
  changes: Partial<HandlerOptions> = {},
  now: () => number = () => 0,
): Handler {
  const { namespace, baseUrl, trustProxy, maxFailures, singleUse, ...parts } = changes;
  const config = { namespace, baseUrl, trustProxy, maxFailures, singleUse };
  const given = Object.fromEntries(
    Object.entries(config).filter(([, value]) => value !== undefined),
  );
  return anyHandlerWith({ flags, config: given, now, ...parts });
}

/** A page. */
export interface Page {
  /** The reply that brought it. */
  readonly reply: Response;
  /** Its text. */
  readonly html: string;
}

/** Gets a page. */
export async function getPage(
  handler: Handler,
  query = "",
  { base = "http://localhost", headers = {} }: {
    readonly base?: string;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<Page> {
  const reply = await handler(new Request(`${base}/api.asmx${query}`, { headers }));
  return { reply, html: await reply.text() };
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
]);

/** The text of a piece of HTML: without its tags, and its references decoded. */
export function textOf(html: string): string {
  return html.replace(/<[^>]*>/g, "").replace(
    /&(?:#(\d+)|([a-z]+));/g,
    (_, number, name) =>
      number === undefined ? ENTITIES.get(name)! : String.fromCodePoint(Number(number)),
  );
}

const TAG = /<(\/?[a-z][a-z0-9]*)((?:\s+[a-zA-Z-]+(?:="[^"<>]*")?)*)\s*>/g;

/**
 * The elements and attributes of a page in their order, without any value or text: what a hostile
 * text would have to change.
 */
export function skeletonOf(html: string): readonly string[] {
  const withoutAssets = html.replace("<!DOCTYPE html>", "")
    .replace(/(<(style|script)>)[^]*?(<\/\2>)/g, "$1$3");
  assert(!withoutAssets.replace(TAG, "").includes("<"), "a tag is not as the templates write them");
  return [...withoutAssets.matchAll(TAG)].map(([, name, attributes]) =>
    [name!, ...[...attributes!.matchAll(/\s([a-zA-Z-]+)(?:="[^"]*")?/g)].map((match) => match[1]!)]
      .join(" ")
  );
}

/** The text of the pane with an id. */
export function paneOf(html: string, id: string): string {
  const text = new RegExp(`id="${id}-title"[^]*?<pre[^>]*>([^]*?)</pre>`).exec(html)?.[1];
  assert(text !== undefined, `no pane ${id}`);
  return textOf(text);
}

/** The pages of an operation in a format, by the languages that they lead to. */
export async function pagesByLanguage(
  handler: Handler,
  operation: string,
  format = "HTTP POST",
  options: Parameters<typeof getPage>[2] = {},
): Promise<ReadonlyMap<string, string>> {
  const pages = LANGUAGE_NAMES.map(async (lang) => {
    const query = new URLSearchParams({ op: operation, format, lang });
    return [lang, (await getPage(handler, `?${query}`, options)).html] as const;
  });
  return new Map(await Promise.all(pages));
}
