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
import { Fault } from "../operations/fault.ts";
import type { RouteResult } from "./response.ts";
import type { Exchange, RouteHandler } from "./exchange.ts";
import { textRoute } from "./probes.ts";
import type { ResolvedOptions } from "./options.ts";

/** State of the guard's memory, the reply of `GET /guard/status`. */
export interface GuardStatus {
  /** Number of secrets remembered. */
  readonly entries: number;
  /** Number of secrets throttled now. */
  readonly throttled: number;
}

/** Reply of `POST /guard/name` and `POST /guard/unlock`. */
export interface NamedSecret {
  /** Short name of the secret, as in the log. */
  readonly name: string;
}

/** Makes the handler of `GET /guard/status`. */
export function guardStatusRoute(state: ResolvedOptions): RouteHandler {
  return guardEndpoint(state, (guard) => {
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
 * Makes the handler of `POST /guard/unlock`; it answers alike for remembered and for unknown
 * secrets.
 */
export function guardUnlockRoute(state: ResolvedOptions): RouteHandler {
  return guardEndpoint(state, async (guard, { request }) => {
    const memory = memoryOf(guard);
    const fingerprint = await fingerprintIn(request, guard, state);
    memory.unlock(fingerprint);
    return { name: shortName(fingerprint) };
  });
}

function guardEndpoint(
  state: ResolvedOptions,
  answer: (guard: Guard, exchange: Exchange) => object | Promise<object>,
): RouteHandler {
  const { guard } = state.service;
  return textRoute(state, async (exchange): Promise<RouteResult> => {
    // Check the Host against DNS rebinding: a page from a name that was rebound to this machine
    // sends that name.
    if (!isOperatorHost(exchange.target.host, state.operatorHost)) {
      const expected = "an IP address, localhost or the --metrics-host";
      throw new Fault("forbidden", `The Host of this request must be ${expected}.`);
    }
    if (guard === undefined) throw new Fault("invalid", "The guard is off: every pin is checked.");
    const body = JSON.stringify(await answer(guard, exchange));
    return { reply: { status: 200, contentType: "application/json", body }, outcome: "ok" };
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
