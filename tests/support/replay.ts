/**
 * Replays golden exchanges. How a request reaches a server is an argument, so that the same files
 * serve for the handler, for a program over TCP, and for other runtimes.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { SaxesParser } from "saxes";
import type { Block, Exchange, Step } from "./exchanges.ts";
import { type RawReply, type RawRequest, withLength } from "./http.ts";
import { checkPicture } from "./picture_check.ts";
import { fillIn, fillUp, type PinClock } from "./placeholders.ts";

/** A server that exchanges are replayed against. */
export interface Server {
  /** Sends a request and returns the reply. */
  readonly send: (request: RawRequest) => Promise<RawReply>;
  /** The clock of the server, and what its pins depend on. */
  readonly clock: PinClock;
  /** Whether the replies come over TCP, where each has its Content-Length. */
  readonly overTcp: boolean;
}

// An exchange that never fits into one time step is wrong in some other way.
const MAX_TRIES = 5;

/**
 * Replays an exchange; rejects at the first reply that differs from the file. It is repeated when the
 * time step has changed meanwhile, since a pin at the edge of the window was then another one.
 */
export async function replay(exchange: Exchange, server: Server): Promise<void> {
  const step = (): number => Math.floor(server.clock.now() / 1000 / server.clock.period);
  for (let tries = 1;; tries++) {
    const before = step();
    try {
      return await replayOnce(exchange, server);
    } catch (error) {
      if (step() === before || tries === MAX_TRIES) throw error;
    }
  }
}

async function replayOnce(exchange: Exchange, server: Server): Promise<void> {
  let earlier: RawReply | undefined;
  for (const step of exchange.steps) {
    const fill = (text: string): string =>
      fillIn(text, server.clock, (name) => earlier?.headers.get(name.toLowerCase()) ?? "");
    const request = requestOf(step.request, fill);
    const reply = await server.send(request);
    checkReply(reply, step, fill);
    checkEveryReply(reply, step, request, server.overTcp);
    checkPicture(reply, request, SYMBOL.exec(step.reply.body)?.[1]);
    earlier = reply;
  }
}

type Fill = (text: string) => string;

function requestOf(block: Block, fill: Fill): RawRequest {
  const head = block.head.map((line) => latin1(bytesOf(fill(line), block.escaped)));
  const body = fillUp(bytesOf(fill(block.body), block.escaped));
  const isChunked = head.some((line) => /^transfer-encoding: chunked/i.test(line));
  return withLength(head, isChunked ? chunked(body) : body);
}

function bytesOf(text: string, escaped: boolean): Uint8Array {
  if (!escaped) return Buffer.from(text, "utf8");
  const parts = [...text.matchAll(/\\x([0-9A-Fa-f]{2})|\\([rnt\\])|[^\\]+/g)];
  return Buffer.concat(parts.map(([part, hexadecimal, letter]) => {
    if (hexadecimal !== undefined) return Buffer.from(hexadecimal, "hex");
    if (letter === undefined) return Buffer.from(part, "utf8");
    return Buffer.from({ r: "\r", n: "\n", t: "\t" }[letter] ?? letter, "utf8");
  }));
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

// RFC 9112 §7.1, in chunks of three sizes, so that characters and limits are cut across.
function chunked(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const chunks: Uint8Array[] = [];
  for (let from = 0; from < body.length; from += chunks.at(-1)!.length) {
    chunks.push(body.subarray(from, from + [1, 7, 8192][chunks.length % 3]!));
  }
  const parts = [...chunks, new Uint8Array()].map((chunk) =>
    Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")])
  );
  return new Uint8Array(Buffer.concat(parts));
}

function checkReply(reply: RawReply, { reply: block, continued }: Step, fill: Fill): void {
  const [statusLine, ...fields] = block.head;
  const wanted = latin1(bytesOf(fill(block.body), block.escaped));
  const got = latin1(reply.body);
  const shown = `status ${reply.status}, body:\n${Buffer.from(reply.body).toString("utf8")}`;
  assertEquals(`HTTP/1.1 ${reply.status}`, statusLine!.slice(0, "HTTP/1.1 200".length), shown);
  if (continued) assert(reply.continued, "100 (Continue) did not come first");
  for (const field of fields) checkField(reply, latin1(bytesOf(fill(field), block.escaped)));
  if (OPEN.test(wanted)) assert(matches(got, wanted), `${shown}\nexpected:\n${block.body}`);
  else if (got !== wanted) {
    assertEquals(shown.slice(shown.indexOf("\n") + 1), Buffer.from(wanted, "latin1").toString());
    assertEquals(JSON.stringify(got), JSON.stringify(wanted));
  }
}

// What leaves a part of a reply open, and the symbol that a picture must show.
const OPEN = /\{\{(?:any|qr \d+-[LM])\}\}/;
const SYMBOL = /\{\{qr (\d+-[LM])\}\}/;

function matches(text: string, pattern: string): boolean {
  const literals = pattern.split(OPEN).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literals.join("[^]+?")}$`).test(text);
}

function checkField(reply: RawReply, field: string): void {
  const [, absent, name, value] = /^(! )?([A-Za-z0-9-]+)(?:: *(.*))?$/.exec(field) ?? [];
  const got = reply.headers.get(name!.toLowerCase());
  if (absent !== undefined) return assertEquals(got, undefined, `${name} must not be there`);
  assert(got !== undefined && matches(got, value!), `${name} is ${got}, not ${value}`);
}

// wire.md §2.2 and wire.md §3.11.
function checkEveryReply(
  { status, headers, body }: RawReply,
  { reply }: Step,
  request: RawRequest,
  overTcp: boolean,
): void {
  assertEquals(headers.get("x-content-type-options"), "nosniff");
  assertEquals(headers.get("referrer-policy"), "no-referrer");
  // RFC 9110 §8.8.3, a strong one: no W/ before it, no quote in it.
  assert(/^"[\x21\x23-\x7e]+"$/.test(headers.get("etag") ?? '"none"'), headers.get("etag"));
  const ownCaching = reply.head.some((field) => /^cache-control:/i.test(field));
  if (!ownCaching) assertEquals(headers.get("cache-control"), "no-store");
  // RFC 9110 §8.6: a 204 has no Content-Length, and a 304 need not have one.
  if (status === 204) assertEquals(headers.get("content-length"), undefined);
  if (overTcp && ![204, 304].includes(status)) {
    assert(headers.has("content-length"), "The reply has no Content-Length");
    assertEquals(headers.get("transfer-encoding"), undefined);
  }
  const isXml = /^(?:text\/xml|application\/soap\+xml|image\/svg\+xml)\b/;
  if (isXml.test(headers.get("content-type") ?? "") && body.length > 0) {
    new SaxesParser({ xmlns: true }).write(Buffer.from(body).toString("utf8")).close();
  }
  // What must not come back is written with this word in the files.
  const whole = [...headers.values(), latin1(body)].join("\n");
  assert(!/hush/i.test(whole), `The reply repeats a part of the request:\n${whole}`);
  for (const secret of secretsOf(request)) {
    assert(!whole.includes(secret), `The reply holds a secretCode:\n${whole}`);
  }
}

// As far as they can be told from other text: eight characters, and not the same as a name. `/seal`
// gives back a secret that is sealed with the first key (wire.md §11).
function secretsOf({ head, body }: RawRequest): readonly string[] {
  const text = `${head[0]}\n${latin1(body)}`;
  const found = [...text.matchAll(/secretCode(?:=|[^<>]*>)([A-Za-z0-9-]{8,})/gi)];
  const isSeal = /^POST \/seal /i.test(head[0]!);
  return found.map(([, secret]) => secret!)
    .filter((secret) => !isSeal || !secret.startsWith("eyJhbGciOiJkaXIi"));
}
