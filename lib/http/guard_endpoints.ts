/**
 * Guard endpoints of the operator port: size of the guard's memory, log name of a secret, and
 * unlock. A secret travels in the body of a POST, and no reply repeats it.
 *
 * @module
 */

import { textOf } from "../bindings/charset.ts";
import { charsetOf, parseMediaType } from "../bindings/media_type.ts";
import { readBody } from "./body.ts";
import { shortName } from "../guard/fingerprint.ts";
import type { Guard, MemoryStoreAdmin } from "../guard/guard.ts";
import { secretKey } from "../otp/secret.ts";
import type { Facts } from "../operations/facts.ts";
import { Fault } from "../operations/fault.ts";
import type { GuardStatus } from "../telemetry/status.ts";
import type { RouteResult } from "./response.ts";
import type { Exchange, RouteHandler } from "./exchange.ts";
import { textRoute } from "./probes.ts";
import type { ResolvedOptions } from "./options.ts";

/** Reply of `POST /guard/name`. */
export interface NamedSecret {
  /** Short name of the secret, as in the log. */
  readonly name: string;
}

/** Reply of `POST /guard/unlock`. */
export interface UnlockedSecret extends NamedSecret {
  /** Whether anything was remembered of the secret. */
  readonly remembered: boolean;
}

/** Makes the handler of `GET /guard/status`. */
export function guardStatusRoute(state: ResolvedOptions): RouteHandler {
  return guardEndpoint(state, (guard): GuardStatus => {
    const memory = memoryOf(guard);
    return { entries: memory.size(), throttled: memory.throttled() };
  });
}

/** Makes the handler of `POST /guard/name`. */
export function guardNameRoute(state: ResolvedOptions): RouteHandler {
  return guardEndpoint(state, async (guard, { request }) => {
    return { name: shortName(await fingerprintIn(request, guard, state)) };
  });
}

/**
 * Makes the handler of `POST /guard/unlock`. It says whether anything was remembered: a help desk must
 * not believe a mistyped secret. The log names the secret.
 */
export function guardUnlockRoute(state: ResolvedOptions): RouteHandler {
  return guardEndpoint(state, async (guard, { request }): Promise<UnlockedSecret> => {
    const fingerprint = await fingerprintIn(request, guard, state);
    const remembered = await unlock(guard, fingerprint);
    return { name: shortName(fingerprint), remembered };
  }, ({ name }) => ({ secret: name }));
}

async function unlock({ memory, shared }: Guard, fingerprint: string): Promise<boolean> {
  if (memory !== undefined) return memory.unlock(fingerprint);
  try {
    if (shared !== undefined) return await shared.unlock(fingerprint);
  } catch {
    // The command asks the store then, and says why it fails.
  }
  throw new Fault("invalid", "The store of the guard did not end the wait.");
}

function guardEndpoint<Answer extends object>(
  state: ResolvedOptions,
  answer: (guard: Guard, exchange: Exchange) => Answer | Promise<Answer>,
  factsOf?: (answer: Answer) => Facts,
): RouteHandler {
  const { guard } = state.service;
  return operatorEndpoint(state, (exchange) => {
    if (guard === undefined) throw new Fault("invalid", "The guard is off: every pin is checked.");
    return answer(guard, exchange);
  }, factsOf);
}

/** Makes the handler of a route for the operator alone, which answers in JSON. */
export function operatorEndpoint<Answer extends object>(
  state: ResolvedOptions,
  answer: (exchange: Exchange) => Answer | Promise<Answer>,
  factsOf: (answer: Answer) => Facts | undefined = () => undefined,
): RouteHandler {
  return textRoute(state, async (exchange): Promise<RouteResult> => {
    // Check the Host against DNS rebinding: a page from a name that was rebound to this machine
    // sends that name.
    if (!isOperatorHost(exchange.target.host, state.operatorHost)) {
      const expected = "an IP address, localhost or the --metrics-host";
      throw new Fault("forbidden", `The Host of this request must be ${expected}.`);
    }
    const answered = await answer(exchange);
    const body = JSON.stringify(answered);
    const reply = { status: 200, contentType: "application/json", body };
    return { reply, outcome: "ok", facts: factsOf(answered) };
  });
}

const IP_ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/;

function isOperatorHost(host: string | null, operatorHost: string | undefined): boolean {
  const name = (host ?? "").replace(/:\d*$/, "").toLowerCase();
  return name === "" || name === "localhost" || name === operatorHost?.toLowerCase() ||
    IP_ADDRESS.test(name);
}

function memoryOf({ memory }: Guard): MemoryStoreAdmin {
  if (memory === undefined) {
    throw new Fault(
      "invalid",
      "The state is in the store of --guard: give the command the options of this server, such as " +
        "--guard, --guard-key-file and --max-failures.",
    );
  }
  return memory;
}

async function fingerprintIn(
  request: Request,
  guard: Guard,
  { service: { secretEncoding }, bodyLimit: limit }: ResolvedOptions,
): Promise<string> {
  const mediaType = parseMediaType(request.headers.get("content-type"));
  const mediaTypes = [mediaType.essence];
  const bytes = await readBody(request, mediaType, { mediaTypes, limit });
  const key = secretKey(textOf(bytes, charsetOf(mediaType)), secretEncoding);
  if (key === undefined || key.length === 0) {
    throw new Fault("invalid", "The secret is empty or malformed.");
  }
  return guard.fingerprint(key);
}
