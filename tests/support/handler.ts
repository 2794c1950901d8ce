/** The handler of a service in the process of a test. */

import { assert } from "@std/assert/assert";
import { type HandlerParts, serviceHandler } from "./service_handler.ts";
import type { Config } from "../../lib/config/options.ts";
import { parseConfig } from "../../lib/config/options.ts";
import type { Handler } from "../../lib/http/handler.ts";
import type { Route } from "../../lib/http/route.ts";

/** What a test may want of a handler; all else is as when nothing is said. */
export interface HandlerWishes extends Partial<HandlerParts> {
  /** Options of the command line, without their dashes. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Options that no command line can give. */
  readonly config?: Partial<Config>;
}

/**
 * Makes a handler whose clock stands at 1970 and whose log fails the test.
 *
 * @param rows What it answers; all that callers can ask, unless given.
 */
export function handlerWith(
  { flags = {}, config = {}, ...parts }: HandlerWishes = {},
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
