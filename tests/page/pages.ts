/** The pages of the service as they are served, and as little reading of HTML as the tests need. */

import { assert } from "@std/assert/assert";
import type { Handler } from "../../lib/http/handler.ts";
import type { HandlerOptions } from "../../lib/http/options.ts";
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

const TAG = /<(\/?[a-z][a-z0-9]*)((?: [a-zA-Z-]+="[^"<>]*")*)>/g;

/**
 * The elements and attributes of a page in their order, without any value or text: what a hostile
 * text would have to change.
 */
export function skeletonOf(html: string): readonly string[] {
  const withoutAssets = html.replace("<!DOCTYPE html>", "")
    .replace(/(<(style|script)>)[^]*?(<\/\2>)/g, "$1$3");
  assert(!withoutAssets.replace(TAG, "").includes("<"), "a tag is not as the writer writes them");
  return [...withoutAssets.matchAll(TAG)].map(([, name, attributes]) =>
    [name!, ...[...attributes!.matchAll(/ ([a-zA-Z-]+)=/g)].map((match) => match[1]!)].join(" ")
  );
}

/** A tab of the page, by its label: the texts that stand in its panes, in order. */
export function tabsOf(html: string, id: string): ReadonlyMap<string, readonly string[]> {
  const fieldset = new RegExp(`<fieldset class="tabs" id="${id}">[^]*?</fieldset>`).exec(html)?.[0];
  assert(fieldset !== undefined, `no tabs ${id}`);
  const tabs = [
    ...fieldset.matchAll(
      /<label [^>]*>([^]*?)<\/label><div class="panel">([^]*?)<\/div>(?=<input|<\/fieldset)/g,
    ),
  ];
  return new Map(tabs.map(([, label, panel]) => [
    textOf(label!),
    [...panel!.matchAll(/<pre[^>]*>([^]*?)<\/pre>/g)].map(([, text]) => textOf(text!)),
  ]));
}
