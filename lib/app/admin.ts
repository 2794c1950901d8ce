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
      return refused(404, "it does not know this question");
    }
    if (guard === undefined) return refused(409, "it checks every pin and refuses none");
    const key = secretKey(await request.text(), secretEncoding);
    if (key === undefined || key.length === 0) {
      return refused(400, "the secret is empty or malformed");
    }
    const fingerprint = guard.fingerprint(key);
    const answer: AdminAnswer = { name: shortName(fingerprint) };
    if (!isUnlock) return json(answer);
    if (guard.memory === undefined) {
      return refused(
        409,
        "it keeps this in the store of --guard: give --guard and --guard-key-file",
      );
    }
    return json({ ...answer, wasKept: guard.memory.unlock(fingerprint) });
  };
}

function json(value: AdminStatus | AdminAnswer): Response {
  return Response.json(value, { headers: { "cache-control": "no-store" } });
}

function refused(status: number, clause: string): Response {
  return new Response(clause, { status });
}
