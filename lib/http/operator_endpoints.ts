/**
 * Routes of the operator port: `/status` of the server, and `/guard/*` with the size of the guard's
 * memory, the log name of a secret, and unlock. A secret travels in the body of a POST, and no reply
 * repeats it.
 *
 * @module
 */

import { plainReply } from "../bindings/binding.ts";
import { textOf } from "../bindings/charset.ts";
import { charsetOf } from "../bindings/media_type.ts";
import { readBody } from "./body.ts";
import { shortName } from "../guard/fingerprint.ts";
import type { Guard } from "../guard/guard.ts";
import { storeClause } from "../guard/redis/reasons.ts";
import { noKeyClause, secretKey } from "../otp/secret.ts";
import { Fault, wrongParameter } from "../operations/fault.ts";
import { isSealed } from "../sealing/sealed.ts";
import type { HandlerParts, RequestContext } from "./route.ts";
import { jsonReply, type RouteResult } from "./response.ts";

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

/** Answers `GET /status`, which shows no secret and no key. */
export function answerStatus({ parts: { status } }: RequestContext): RouteResult {
  return { reply: jsonReply(status?.() ?? {}), outcome: "ok" };
}

/** Answers `POST /guard/name`. */
export async function answerGuardName(context: RequestContext): Promise<RouteResult> {
  const name = shortName(await fingerprintIn(context, guardOf(context.parts)));
  const named: NamedSecret = { name };
  return { reply: jsonReply(named), outcome: "ok" };
}

/**
 * Answers `POST /guard/unlock`. The reply says whether anything was remembered: a help desk must not
 * believe a mistyped secret. The log names the secret.
 */
export async function answerGuardUnlock(context: RequestContext): Promise<RouteResult> {
  const guard = guardOf(context.parts);
  const fingerprint = await fingerprintIn(context, guard);
  const name = shortName(fingerprint);
  try {
    const unlocked: UnlockedSecret = { name, remembered: await guard.store.unlock(fingerprint) };
    return { reply: jsonReply(unlocked), outcome: "ok", facts: { secret: name } };
  } catch (error) {
    const reply = plainReply(503, `The store of the guard ${storeClause(error)}.`);
    return { reply, outcome: "unavailable", facts: { secret: name } };
  }
}

function guardOf({ pinGuard: guard }: HandlerParts): Guard {
  if (guard === undefined) throw new Fault("invalid", "The guard is off: every pin is checked.");
  return guard;
}

async function fingerprintIn(context: RequestContext, guard: Guard): Promise<string> {
  const { mediaType, parts: { secretEncoding } } = context;
  const bytes = await readBody(context);
  const secret = textOf(bytes, charsetOf(mediaType));
  // To ask here is to know the secret: a copy of the callers' database must prove nothing.
  if (isSealed(secret)) throw wrongParameter("secret", "is sealed: give the secret itself");
  const key = secretKey(secret, secretEncoding);
  if (key === undefined) throw wrongParameter("secret", noKeyClause(secret));
  return guard.fingerprint(key);
}
