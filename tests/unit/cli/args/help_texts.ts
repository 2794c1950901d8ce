/**
 * Help of all commands, and of one of each kind, as people see it. `deno task generate` writes it into
 * help.txt.
 *
 * @module
 */

import { help } from "../../../../lib/cli/args/help.ts";

/** All of it. */
export function helpTexts(): string {
  return [undefined, "pair", "licenses", "guard"]
    .map((name) => `$ ${["authenticator", name ?? [], "--help"].flat().join(" ")}\n${help(name)}\n`)
    .join("\n");
}

if (import.meta.main) Deno.stdout.writeSync(new TextEncoder().encode(helpTexts()));
