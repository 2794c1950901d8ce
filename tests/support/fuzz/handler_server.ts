/** A server in this process, with a clock that stands and a log that can be read. */

import { randomBytes } from "node:crypto";
import { createGuard } from "../../../lib/server/guard.ts";
import { serviceHandler } from "../service_handler.ts";
import { createLog } from "../../../lib/telemetry/log.ts";
import type { RawReply } from "../http.ts";
import { configOf } from "../servers.ts";
import type { House } from "./house.ts";
import { type FuzzRequest, rawOf } from "./request.ts";

/** The time at which everything happens, in milliseconds since 1970-01-01T00:00:00Z. */
export const NOW_MS = 1_800_000_015_000;

/** What came of a request. */
export interface Outcome {
  /** The reply. */
  readonly reply: Omit<RawReply, "continued">;
  /** What the server wrote in its log. */
  readonly logged: string;
}

/**
 * Answers a request by a server of its own, so that none depends on those before it.
 *
 * @returns Undefined where no `Request` can be what would come over the wire: a method or a header
 * field that the platform does not take.
 */
export async function answer(
  { args, keys }: House,
  request: FuzzRequest,
): Promise<Outcome | undefined> {
  const made = platformRequest(request);
  if (made === undefined) return undefined;
  const config = configOf(args);
  let logged = "";
  const write = (line: string): void => void (logged += line);
  const log = createLog({ format: "text", color: false, write, now: () => NOW_MS });
  const handler = serviceHandler(config, {
    now: () => NOW_MS,
    guard: createGuard(config, {
      log,
      count: () => {},
      monotonicMs: () => performance.now(),
      randomBytes,
    }),
    apiKeys: keys,
    log,
    isReady: () => true,
    metricsPage: () => "",
    telemetry: {
      observe: log.request,
      requestId: () => "id",
      monotonicMs: () => performance.now(),
    },
  });
  const reply = await handler(made);
  const body = await reply.bytes();
  return { reply: { status: reply.status, headers: new Map(reply.headers), body }, logged };
}

// The URL and the method as a runtime hands them on; the constructor would put them right.
function platformRequest(request: FuzzRequest): Request | undefined {
  const { method, target } = request;
  const { head, body } = rawOf(request);
  try {
    const headers = new Headers();
    for (const line of head.slice(1)) {
      const colon = line.indexOf(":");
      headers.append(line.slice(0, colon), line.slice(colon + 1));
    }
    const hasBody = body.length > 0 && !/^(GET|HEAD)$/i.test(method);
    const made = new Request("http://x/", { method, headers, body: hasBody ? body : null });
    return Object.defineProperties(made, {
      url: { value: `http://${headers.get("host") ?? ""}${target}` },
      method: { value: method },
    });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
