/**
 * Commands whose standard error cannot be written: they do their work all the same.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { type Ended, runToEnd } from "../../support/child.ts";
import { withFolder } from "../../support/folder.ts";
import { freePort } from "../../support/free_port.ts";
import { programWords } from "../../support/program.ts";

/** Shell commands that give the program a standard error without a reader, full, or closed. */
const UNWRITABLE = ["exec 2> >(true); wait $!", "exec 2>/dev/full", "exec 2>&-"] as const;

/** The kind of message on standard error. */
type Message = "nothing" | "warning" | "error" | "note";

const UNUSED_PORT = String(freePort());
const STORE = `redis://127.0.0.1:${UNUSED_PORT}`;
const AT = "2026-01-02T03:04:05Z";

const COMMANDS: readonly (readonly [Message, code: number, args: string[], input?: string])[] = [
  ["nothing", 0, ["serve", "--help"]],
  ["error", 2, ["serve", "--no-such-option"]],
  ["warning", 0, ["pair", "--app-name", "A", "--app-info", "me"], "short\n"],
  ["note", 0, ["code", "--at", AT], "correct horse battery\n"],
  ["nothing", 1, ["doctor", "--at", AT], "1\ncorrect horse battery\n"],
  ["error", 2, ["doctor"]],
  ["warning", 0, ["check", "--port", "0", "--html", "image"]],
  ["error", 1, ["check", "--port", "0", "--guard", STORE]],
  ["error", 1, ["healthcheck", "--port", UNUSED_PORT]],
  ["error", 1, ["guard", "unlock"], "correct horse battery\n"],
  ["error", 1, ["status", "--metrics-port", UNUSED_PORT]],
];

function run(shell: string, args: readonly string[], input: string): Promise<Ended> {
  const words = ["bash", "-c", `${shell}; exec "$0" "$@"`, ...programWords(), ...args];
  return runToEnd(words, { input, env: { NO_COLOR: "1" } });
}

const PATTERNS: Readonly<Record<Message, RegExp>> = {
  nothing: /^$/,
  warning: /^authenticator: warning: /,
  error: /^(?:authenticator: error:|\S+Z error) /m,
  note: /left\n$/,
};

for (const [message, code, args, input = ""] of COMMANDS) {
  Deno.test(`${args.slice(0, 2).join(" ")} exits with ${code} although its standard error (${message}) cannot be written`, async () => {
    const written = await run(":", args, input);
    assertEquals(written.code, code, written.stderr);
    assert(PATTERNS[message].test(written.stderr), written.stderr);
    for (const shell of UNWRITABLE) {
      const { code, stdout } = await run(shell, args, input);
      assertEquals([shell, code, stdout], [shell, written.code, written.stdout]);
    }
  });
}

for (const args of [["serve", "--no-such-option"], ["serve", "--host", "203.0.113.1"]]) {
  Deno.test({
    name: `${args.slice(0, 2).join(" ")} ends although standard error is a full pipe`,
    ignore: Deno.build.os !== "linux",
    fn: () =>
      withFolder(async (folder) => {
        const path = `${folder}/pipe`;
        await runToEnd(["mkfifo", path]);
        using pipe = await Deno.open(path, { read: true, write: true });
        // A pipe holds 64 KiB (pipe(7)).
        await pipe.write(new Uint8Array(65_536));
        const { code } = await run(`exec 2>"${path}"`, args, "");
        assertEquals(code, args.includes("--host") ? 1 : 2);
      }),
  });
}
