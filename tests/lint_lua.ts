/**
 * Checks the scripts for the store: each is Lua 5.1, which Redis and Valkey run, and uses no global name
 * but those that they offer. A global that is set by mistake would be an error of the store.
 *
 *     deno run --allow-read tests/lint_lua.ts FILE...
 *
 * @module
 */

/// <reference types="./support/luaparse.d.ts" />

import luaparse from "luaparse";

const GLOBALS = ["ARGV", "KEYS", "ipairs", "math", "redis", "string", "table", "tonumber", "type"];

/** Mistakes in a script, one line each. */
export function mistakesIn(script: string): readonly string[] {
  try {
    const { globals } = luaparse.parse(script, { luaVersion: "5.1", scope: true, locations: true });
    return globals.filter(({ name }) => !GLOBALS.includes(name))
      .map(({ name, loc }) => `${loc.start.line}: ${name} is neither local nor of the store`);
  } catch (error) {
    if (error instanceof SyntaxError) return [error.message];
    throw error;
  }
}

if (import.meta.main) {
  for (const file of Deno.args) {
    for (const mistake of mistakesIn(await Deno.readTextFile(file))) {
      Deno.stderr.writeSync(new TextEncoder().encode(`${file}: ${mistake}\n`));
      Deno.exitCode = 1;
    }
  }
}
