/** The handler of a service in the process of a test, without a server. */

import { randomBytes } from "node:crypto";
import { assert } from "@std/assert/assert";
import { type Config, parseConfig } from "../../lib/config/options.ts";
import type { Guard } from "../../lib/guard/guard.ts";
import type { FindTimeStep } from "../../lib/otp/finder.ts";
import { KeyRing, parseKeys } from "../../lib/http/api_keys.ts";
import { createHandler, type Handler } from "../../lib/http/handler.ts";
import type { HandlerOptions } from "../../lib/http/options.ts";
import type { Route } from "../../lib/http/route.ts";
import { servicePage } from "../../lib/page/page.ts";
import { parseSealKeys, SealKeys } from "../../lib/sealing/seal_keys.ts";

/** Parts of a handler beside its options. */
export interface HandlerParts extends
  Omit<
    HandlerOptions,
    "service" | "namespace" | "baseUrl" | "trustProxy" | "maxFailures" | "singleUse" | "apiKeys"
  > {
  /** Lines of the file of API keys; callers need none unless there are any. */
  readonly apiKeys?: readonly string[] | undefined;
  /** Lines of the file of seal keys; no secret is sealed unless there are any. */
  readonly sealKeys?: readonly string[] | undefined;
  /** The clock: milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: () => number;
  /** The guard. */
  readonly guard?: Guard | undefined;
  /** A broken finder instead of that of the hash. */
  readonly find?: FindTimeStep;
}

/** Makes the handler, with the service page; without a guard in `parts`, it checks every pin. */
export function serviceHandler(
  config: Config,
  { now, guard, find, apiKeys: lines = [], sealKeys: sealLines = [], ...parts }: HandlerParts,
  rows?: readonly Route[],
): Handler {
  const { namespace, baseUrl, trustProxy, maxFailures, singleUse, secretEncoding, html } = config;
  const sealKeys = sealLines.length === 0
    ? undefined
    : new SealKeys(parseSealKeys(sealLines.join("\n")), randomBytes);
  const service = {
    otp: config,
    secretEncoding,
    html,
    now,
    guard,
    sealKeys,
    log: parts.log,
    ...(find && { find }),
  };
  const options = { namespace, baseUrl, trustProxy, maxFailures, singleUse };
  const apiKeys = lines.length === 0 ? undefined : new KeyRing(parseKeys(lines.join("\n")));
  return createHandler({ page: servicePage, ...options, service, apiKeys, ...parts }, rows);
}

/** Options and parts that a test changes; all others are as without any option. */
export interface HandlerChanges extends Partial<HandlerParts> {
  /** Options of the command line, without their dashes. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Options that no command line can give. */
  readonly config?: Partial<Config>;
}

/**
 * Makes a handler whose clock stands at 1970 and whose log fails the test.
 *
 * @param rows The routes; those of the service unless given.
 */
export function handlerWith(
  { flags = {}, config = {}, ...parts }: HandlerChanges = {},
  rows?: readonly Route[],
): Handler {
  const parsed = parseConfig({ flags: new Map(Object.entries(flags)), env: () => undefined });
  return serviceHandler({ ...parsed, ...config }, {
    now: () => 0,
    log: { error: (message, cause) => assert(false, `${message}: ${cause}`) },
    isReady: () => true,
    ...parts,
  }, rows);
}
