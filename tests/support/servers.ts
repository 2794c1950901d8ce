/**
 * The servers that exchanges are replayed against: the handler in this process, and the program.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { configOf } from "./command.ts";
import type { Config } from "../../lib/config/options.ts";
import { listen } from "../../lib/server/listen/listen.ts";
import { denoRuntime } from "../../lib/server/runtime/deno.ts";
import { serviceHandler } from "./handler.ts";
import type { Handler } from "../../lib/http/handler.ts";
import { exchangeRaw, type RawReply, type RawRequest } from "./http.ts";
import type { PinClock } from "./placeholders.ts";
import type { RunningProgram } from "./program.ts";
import type { Server } from "./replay.ts";

// RFC 6238 appendix B: the last second of a time step of 30 s.
const FIXED_TIME_MS = 1_111_111_109_000;

function clockOf(config: Config, now: () => number): PinClock {
  const { algorithm, digits, period, window } = config;
  return { algorithm, digits, period, window, now };
}

// The clock stands.
function fixedService(args: readonly string[]): { handler: Handler; clock: PinClock } {
  const config = configOf(args);
  const now = (): number => FIXED_TIME_MS;
  const handler = serviceHandler(config, {
    now,
    apiKeys: linesOf(config.apiKeysFile),
    sealKeys: linesOf(config.sealKeysFile),
    log: {
      error: (_message, cause) => {
        throw cause;
      },
    },
    isReady: () => true,
  });
  return { handler, clock: clockOf(config, now) };
}

/** The handler in this process, with a clock that stands. */
export function handlerServer(args: readonly string[]): Server {
  const { handler, clock } = fixedService(args);
  return { send: (request) => callHandler(handler, request), clock, overTcp: false };
}

/** A server of this process that is stopped after its tests. */
export interface PortServer extends Server {
  /** Stops it. */
  readonly stop: () => Promise<void>;
}

/** The same handler behind a port of this process, so that its replies have the heads of the wire. */
export async function portServer(args: readonly string[]): Promise<PortServer> {
  const { handler, clock } = fixedService(args);
  const listener = await listen(denoRuntime(), {
    address: { hostname: "127.0.0.1", port: 0 },
    sharePort: false,
    tls: undefined,
    log: {
      info: () => {},
      warn: () => {},
      error: (message, cause) => assert(false, `${message}: ${cause}`),
    },
  }, handler);
  return {
    send: (request) => exchangeRaw(listener.url, request),
    clock,
    overTcp: true,
    stop: listener.stop,
  };
}

function linesOf(path: string | undefined): readonly string[] | undefined {
  return path === undefined ? undefined : Deno.readTextFileSync(path).split("\n");
}

async function callHandler(handler: Handler, raw: RawRequest): Promise<RawReply> {
  const [method = "", target = "", version] = raw.head[0]!.split(" ");
  const headers = new Headers();
  for (const line of raw.head.slice(1)) {
    const colon = line.indexOf(":");
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const url = `http://${headers.get("host")}${target}`;
  const body = raw.body.length === 0 ? null : raw.body;
  const request = new Request(url, { method, headers, body });
  const unchanged = request.url === url && request.method === method && version === "HTTP/1.1";
  assert(unchanged, "This request only exists on the wire: mark it so");
  const reply = await handler(request);
  return {
    status: reply.status,
    headers: new Map(reply.headers),
    body: await reply.bytes(),
    continued: false,
  };
}

/** A program that runs and was started with the same options. */
export function programServer(program: RunningProgram, args: readonly string[]): Server {
  const config = configOf(args);
  return {
    send: (request) => exchangeRaw(program.url, request),
    clock: clockOf(config, Date.now),
    overTcp: true,
  };
}
