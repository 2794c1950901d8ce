/** Key file of the guard, for the servers and commands of a test file. */

/** The key. */
export const GUARD_KEY = "k".repeat(32);

/** The path of the file, which only this user can read. */
export const GUARD_KEY_FILE: string = Deno.makeTempFileSync();
Deno.writeTextFileSync(GUARD_KEY_FILE, GUARD_KEY);
globalThis.addEventListener("unload", () => Deno.removeSync(GUARD_KEY_FILE));
