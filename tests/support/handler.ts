/** The handler of a service in the process of a test, without a server. */

import { randomBytes } from "node:crypto";
import { assert } from "@std/assert/assert";
import { createService, type ServiceParts } from "../../lib/config/create_service.ts";
import { type Config, parseConfig } from "../../lib/config/options.ts";
import { KeyRing, parseKeys } from "../../lib/http/api_keys.ts";
import { createHandler, type Handler } from "../../lib/http/handler.ts";
import type { Route } from "../../lib/http/route.ts";
import { servicePage } from "../../lib/page/page.ts";
import { parseSealKeys, SealKeys } from "../../lib/sealing/seal_keys.ts";

/** Parts of a handler beside its options. */
export interface HandlerParts extends Omit<ServiceParts, "apiKeys" | "sealKeys"> {
  /** Lines of the file of API keys; callers need none unless there are any. */
  readonly apiKeys?: readonly string[] | undefined;
  /** Lines of the file of seal keys; no secret is sealed unless there are any. */
  readonly sealKeys?: readonly string[] | undefined;
}

/**
 * Makes the handler, with the service page; without a guard in `parts`, it checks every pin.
 *
 * @param rows The routes; those of callers unless given.
 */
export function serviceHandler(
  config: Config,
  { apiKeys: lines = [], sealKeys: sealLines = [], ...others }: HandlerParts,
  rows?: readonly Route[],
): Handler {
  const parts: ServiceParts = {
    page: servicePage,
    apiKeys: lines.length === 0 ? undefined : new KeyRing(parseKeys(lines.join("\n"))),
    sealKeys: sealLines.length === 0
      ? undefined
      : new SealKeys(parseSealKeys(sealLines.join("\n")), randomBytes),
    ...others,
  };
  if (rows !== undefined) return createHandler({ ...config, ...parts }, rows);
  const { handler, selfCheck } = createService(config, parts);
  // A self-check that outlives a test looks like a leak.
  return async (request) => {
    const reply = await handler(request);
    await selfCheck.catch(() => {});
    return reply;
  };
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
