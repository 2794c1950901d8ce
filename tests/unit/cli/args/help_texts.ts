/**
 * Help of all commands, and of one of each kind, as people see it, and which options of the service the
 * help of each other has. `deno task generate` writes it into help.txt.
 *
 * @module
 */

import { COMMANDS } from "../../../../lib/cli/args/commands.ts";
import { help } from "../../../../lib/cli/args/help.ts";
import { flagOf, namesOf } from "../../../../lib/config/option.ts";
import { OPTIONS } from "../../../../lib/config/options.ts";

/** All of it. */
export function helpTexts(): string {
  const texts = [undefined, "pair", "licenses", "guard"].map((name) =>
    `$ ${["authenticator", name ?? [], "--help"].flat().join(" ")}\n${help(name)}\n`
  );
  const all = namesOf(OPTIONS).length;
  const uses = [...COMMANDS].filter(([, { uses }]) => uses.length > 0 && uses.length < all)
    .map(([name, { uses }]) => `${name}: ${uses.map(flagOf).join(" ")}\n`);
  return [...texts, uses.join("")].join("\n");
}

if (import.meta.main) Deno.stdout.writeSync(new TextEncoder().encode(helpTexts()));
