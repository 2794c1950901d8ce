/**
 * A service on loopback for the command `compare` to ask, which answers as the options say, or lies.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { openGuard } from "../../lib/guard/open_guard.ts";
import type { Handler } from "../../lib/http/handler.ts";
import type { BindingName } from "./calls.ts";
import { configOf } from "./command.ts";
import { serviceHandler } from "./handler.ts";
import { referenceHotp } from "./reference_totp.ts";

/** What a request asks. */
export interface AskedCall {
  /** The method. */
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** The header fields. */
  readonly headers: Headers;
  /** The body. */
  readonly body: string;
  /** The binding, or the short route. */
  readonly form: BindingName | "short route" | "other";
  /** The name of the operation as sent; empty where there is none. */
  readonly operation: string;
  /** The arguments by name in lower case. */
  readonly args: ReadonlyMap<string, string>;
  /** How many time steps of 30 s the pin is away, by SHA1; undefined where it is no code near. */
  readonly steps: number | undefined;
}

/** A reply before it is sent. */
export interface SentReply {
  /** The status. */
  readonly status: number;
  /** The value of Content-Type; none where it is empty. */
  readonly type: string;
  /** The body. */
  readonly text: string;
  /** More header fields. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A lie: another reply in place of a true one, or the same. */
export type Lie = (call: AskedCall, reply: SentReply) => SentReply | Promise<SentReply>;

/** How the service is made. */
export interface ComparedOptions {
  /** Options of the command line. */
  readonly args?: readonly string[];
  /** Lines of the file of API keys. */
  readonly apiKeys?: readonly string[];
  /** What it says in place of the truth. */
  readonly lie?: Lie;
  /** Its clock. */
  readonly now?: () => number;
  /** Answers in place of this program. */
  readonly handler?: (call: AskedCall) => SentReply;
  /** Certificate and key, for TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** A service that runs. */
export interface ComparedServer extends AsyncDisposable {
  /** Its address. */
  readonly url: string;
  /** All requests so far. */
  readonly calls: readonly AskedCall[];
}

/** Starts a service. */
export function startCompared(options: ComparedOptions = {}): ComparedServer {
  const { args = [], apiKeys = [], now = Date.now, lie = (_call, reply) => reply } = options;
  const config = configOf(args);
  const monotonic = { randomBytes, monotonicMs: () => performance.now() };
  const handler = serviceHandler(config, {
    now,
    apiKeys,
    ...(config.sealKeysFile && {
      sealKeys: Deno.readTextFileSync(config.sealKeysFile).trim().split("\n"),
    }),
    pinGuard: openGuard({ ...config, ...monotonic }),
    log: { error: () => {} },
    isReady: () => true,
  });
  const calls: AskedCall[] = [];
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen: () => {},
    ...options.tls,
  }, async (request) => {
    const call = callOf(request, await request.clone().text(), now());
    calls.push(call);
    const truth = options.handler?.(call) ?? await replyOf(handler, request);
    const { status, type, text, headers } = await lie(call, truth);
    return new Response(text, {
      status,
      headers: {
        ...(type !== "" && { "content-type": type }),
        date: new Date(now()).toUTCString(),
        ...headers,
      },
    });
  });
  const scheme = options.tls === undefined ? "http" : "https";
  return {
    url: `${scheme}://127.0.0.1:${server.addr.port}`,
    calls,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function replyOf(handler: Handler, request: Request): Promise<SentReply> {
  const reply = await handler(request);
  const type = reply.headers.get("content-type") ?? "";
  return { status: reply.status, type, text: await reply.text() };
}

function callOf(request: Request, body: string, nowMs: number): AskedCall {
  const { method, url, headers } = request;
  const { pathname, search, searchParams } = new URL(url);
  const type = headers.get("content-type") ?? "";
  const form = formOf(pathname, method, type);
  const inBody = /<(\w+) xmlns="[^"]*"[ />]/.exec(body)?.[1];
  const operation = form.startsWith("SOAP")
    ? inBody ?? ""
    : form === "short route"
    ? pathname.startsWith("/pair") ? "Pair" : "ValidatePin"
    : /^\/api\.asmx\/(\w+)$/.exec(pathname)?.[1] ?? "";
  const args = new Map(
    argsOf(form, searchParams, body).map(([name, value]) => [name.toLowerCase(), value] as const),
  );
  return {
    method,
    headers,
    body,
    form,
    operation,
    args,
    target: pathname + search,
    steps: stepsOf(args.get("pin"), args.get("secretcode"), nowMs),
  };
}

function formOf(path: string, method: string, type: string): AskedCall["form"] {
  if (path.endsWith(".aspx")) return "short route";
  if (type.startsWith("text/xml")) return "SOAP 1.1";
  if (type.startsWith("application/soap+xml")) return "SOAP 1.2";
  if (type.startsWith("application/json")) return "JSON";
  if (path === "/api.asmx") return "other";
  return method === "GET" ? "HTTP GET" : "HTTP POST";
}

function argsOf(
  form: AskedCall["form"],
  query: URLSearchParams,
  body: string,
): readonly (readonly [string, string])[] {
  if (form === "JSON") return Object.entries(JSON.parse(body) as Record<string, string>);
  if (form === "HTTP POST") return [...new URLSearchParams(body)];
  if (!form.startsWith("SOAP")) return [...query];
  return [...body.matchAll(/<(\w+)>([^<]*)<\/\1>/g)].map(([, name, value]) => [name!, value!]);
}

/** Time steps that pins are of, the most frequent first. */
const STEPS = [0, ...Array.from({ length: 12 }, (_, i) => [i + 1, -i - 1]).flat()];

function stepsOf(pin = "", secret = "", nowMs: number): number | undefined {
  const step = Math.floor(nowMs / 30_000);
  if (!/^\d{6}$/.test(pin)) return undefined;
  return STEPS.find((steps) => referenceHotp(secret, step + steps) === pin);
}
