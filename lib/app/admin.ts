/**
 * What an operator asks of a running server over a unix socket that nobody else may use: whose pins
 * are refused, what a secret is called in the log, and to lift its wait.
 *
 * @module
 */

import { shortName } from "../guard/fingerprint.ts";
import type { Guard } from "../guard/guard.ts";
import type { Handler } from "../http/handler.ts";
import { type SecretEncoding, secretKey } from "../otp/secret.ts";
import type { AttackedSecret, AttackWatch } from "../telemetry/attack_watch.ts";

/** What errors call the socket, beside the one for callers. */
export const ADMIN_SOCKET = "the admin socket";

/** What a server says of its guard. */
export interface AdminStatus {
  /** Of how many secrets this process remembers something; undefined where a store does. */
  readonly entries?: number | undefined;
  /** Secrets with a pin that was wrong or throttled in the last minute or two. */
  readonly attackedSecrets: number;
  /** Those of them with a pin that was throttled. */
  readonly throttledSecrets: number;
  /** The ten with the most such pins. */
  readonly top: readonly AttackedSecret[];
}

/** What a server says of a secret. */
export interface AdminAnswer {
  /** Its short name, as in the log. */
  readonly name: string;
  /** Of a wait that was to be lifted, whether anything was remembered of the secret. */
  readonly wasKept?: boolean;
}

/** The paths by what is asked. */
export const ADMIN_PATHS = { status: "/status", name: "/name", unlock: "/unlock" } as const;

/** Why a question is refused, as clauses that follow "the server says that". */
const REFUSALS = {
  everyPinIsChecked: { status: 409, clause: "it checks every pin and refuses none" },
  secretIsNone: { status: 400, clause: "the secret is empty or malformed" },
  storeKeeps: {
    status: 409,
    clause: "it keeps this in the store of --guard: give --guard and --guard-key-file",
  },
} as const;

/** All that a server says of a question that it knows and does not answer. */
export const ADMIN_REFUSALS: readonly { readonly status: number; readonly clause: string }[] =
  Object.values(REFUSALS);

/** What the answers are made from. */
export interface AdminOptions {
  /** The guard; undefined where every pin is looked at. */
  readonly guard: Guard | undefined;
  /** How a secret becomes key bytes. */
  readonly secretEncoding: SecretEncoding;
  /** What was seen of attacks. */
  readonly watch: Pick<AttackWatch, "figures" | "top">;
}

/** Makes what answers. A secret comes as the body, and no answer repeats it. */
export function adminHandler({ guard, secretEncoding, watch }: AdminOptions): Handler {
  const status = (): AdminStatus => {
    const { attackedSecrets, throttledSecrets } = watch.figures();
    const entries = guard?.memory?.size();
    return { entries, attackedSecrets, throttledSecrets, top: watch.top(10) };
  };
  return async (request) => {
    const { pathname } = new URL(request.url);
    if (request.method === "GET" && pathname === ADMIN_PATHS.status) return json(status());
    const isUnlock = pathname === ADMIN_PATHS.unlock;
    if (request.method !== "POST" || !isUnlock && pathname !== ADMIN_PATHS.name) {
      return refused({ status: 404, clause: "it does not know this question" });
    }
    if (guard === undefined) return refused(REFUSALS.everyPinIsChecked);
    const key = secretKey(await request.text(), secretEncoding);
    if (key === undefined || key.length === 0) return refused(REFUSALS.secretIsNone);
    const fingerprint = guard.fingerprint(key);
    const answer: AdminAnswer = { name: shortName(fingerprint) };
    if (!isUnlock) return json(answer);
    if (guard.memory === undefined) return refused(REFUSALS.storeKeeps);
    return json({ ...answer, wasKept: guard.memory.unlock(fingerprint) });
  };
}

function json(value: AdminStatus | AdminAnswer): Response {
  return Response.json(value, { headers: { "cache-control": "no-store" } });
}

function refused({ status, clause }: typeof ADMIN_REFUSALS[number]): Response {
  return new Response(clause, { status });
}
