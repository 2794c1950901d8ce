/**
 * The calls that a page shows, each a command line of curl and what it prints.
 *
 * @module
 */

import { assertEquals } from "@std/assert/equals";

/** The server that the pages call. */
export const HERE = "127.0.0.1:8080";

/** A command line as a shell cuts it apart, as far as the pages go. */
export function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);
}

/** The request that curl sends, as far as the pages go; without `-H`, a body is a form. */
export function requestOf(line: string): Request {
  const [program, ...args] = wordsOf(line);
  assertEquals(program, "curl");
  let url = "";
  let body: string | null = null;
  const headers = new Headers();
  for (let i = 0; i < args.length; i++) {
    if (args[i] === "-d") body = args[++i]!;
    else if (args[i] === "-H") headers.set(...args[++i]!.split(": ") as [string, string]);
    else url = args[i]!;
  }
  assertEquals(new URL(url).host, HERE);
  if (body !== null && !headers.has("Content-Type")) {
    headers.set("Content-Type", "application/x-www-form-urlencoded");
  }
  return new Request(url, { method: body === null ? "GET" : "POST", headers, body });
}
