/**
 * Current runtime.
 *
 * @module
 */

import { bunRuntime } from "./bun.ts";
import { denoRuntime } from "./deno.ts";
import type { Runtime } from "./runtime.ts";

/** Returns the current runtime. */
export function currentRuntime(): Runtime {
  return "Bun" in globalThis ? bunRuntime() : denoRuntime();
}
