/**
 * The runtime that the program runs on.
 *
 * @module
 */

import { bunRuntime } from "./bun.ts";
import { denoRuntime } from "./deno.ts";
import type { Runtime } from "./runtime.ts";

/** The runtime that the program runs on. */
export function currentRuntime(): Runtime {
  return "Bun" in globalThis ? bunRuntime() : denoRuntime();
}
