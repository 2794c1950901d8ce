/**
 * What a program of the instrumented tree does first: `mutate.ts` puts an import of this before all
 * others in its `main.ts`.
 *
 * @module
 */

import { COVERED, STATE, SWITCH, takeHits } from "./switch.ts";

// An empty text, not undefined: the instrumented code would look into the environment.
STATE.activeMutant = "";
try {
  STATE.activeMutant = Deno.readTextFileSync(SWITCH);
} catch {
  // Some tests start it without the permission to read.
}

addEventListener("unload", () => {
  try {
    const path = new URL(`${crypto.randomUUID()}.json`, COVERED);
    Deno.writeTextFileSync(path, JSON.stringify(takeHits()));
  } catch {
    // The folder is only there while somebody asks.
  }
});
