/** The pages of the service as they are served, and as little reading of HTML as the tests need. */

import { assert } from "@std/assert/assert";
import type { Handler } from "../../lib/http/handler.ts";

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
  ["hellip", "\u2026"],
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

/** A pane of the page. */
export interface Pane {
  /** `request`, `reply`, `fault` or `program`. */
  readonly kind: string;
  /** Title. */
  readonly title: string;
  /** Text in it. */
  readonly text: string;
}

/** Lists the panes in a section of the page, in their order. */
export function panesOf(html: string, section: string): readonly Pane[] {
  const [, content = ""] = new RegExp(`<section id="${section}"([^]*?)</section>`).exec(html) ?? [];
  const pattern =
    /<figure class="(\w+)">\s*<figcaption>([^<]*)<\/figcaption>\s*<pre[^>]*>([^]*?)<\/pre>/g;
  return [...content.matchAll(pattern)]
    .map(([, kind, title, text]) => ({ kind: kind!, title: title!, text: textOf(text!) }));
}

/** Names in a choice of the page, in their order: its formats, or its languages. */
export function choicesOf(html: string, name: string): readonly string[] {
  const pattern = new RegExp(`<label\\s+for="${name}-[^"]*">([^<]*)</label>`, "g");
  return [...html.matchAll(pattern)].map(([, label]) => label!);
}
