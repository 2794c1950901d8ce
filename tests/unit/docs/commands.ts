/**
 * The calls that a page shows, each a command line of curl and what it prints.
 *
 * @module
 */

import { assertEquals } from "@std/assert/equals";
import type { Ask } from "./ask.ts";

/** The server that the pages call. */
export const HERE = "127.0.0.1:8080";

/** A command line as a shell cuts it apart, as far as the pages go. */
export function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);
}

/** The request that curl sends, as far as the pages go; without `-H`, a body is a form. */
export function requestOf(line: string): Ask {
  const [program, ...args] = wordsOf(line);
  assertEquals(program, "curl");
  let url: URL | undefined;
  let body: string | undefined;
  const headers = new Map([["Host", HERE]]);
  for (let i = 0; i < args.length; i++) {
    if (args[i] === "-d") body = args[++i]!;
    else if (args[i] === "-H") {
      const [name, value] = args[++i]!.split(": ");
      headers.set(name!, value!);
    } else url = new URL(args[i]!);
  }
  assertEquals(url?.host, HERE);
  if (body !== undefined && !headers.has("Content-Type")) {
    headers.set("Content-Type", "application/x-www-form-urlencoded");
  }
  return {
    target: `${url!.pathname}${url!.search}`,
    headers: Object.fromEntries(headers),
    ...(body !== undefined && { body }),
  };
}
