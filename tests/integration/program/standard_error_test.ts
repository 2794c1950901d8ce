/**
 * Commands whose standard error nobody can read: what they are for is done all the same.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { type Ended, runToEnd } from "../../support/child.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free_port.ts";
import { programWords, startProgram } from "../../support/program.ts";

/** What starts the program with a standard error whose reader has gone, that is full, or closed. */
const UNHEARD = ["exec 2> >(true); wait $!", "exec 2>/dev/full", "exec 2>&-"] as const;

/** What the program says on standard error when it is heard. */
type Said = "nothing" | "warning" | "error" | "note";

const NOBODY = String(freePort());
const STORE = `redis://127.0.0.1:${NOBODY}`;
const AT = "2026-01-02T03:04:05Z";

const COMMANDS: readonly (readonly [Said, code: number, args: string[], input?: string])[] = [
  ["nothing", 0, ["serve", "--help"]],
  ["error", 2, ["serve", "--no-such-option"]],
  ["warning", 0, ["pair", "--app-name", "A", "--app-info", "me"], "short\n"],
  ["note", 0, ["code", "--at", AT], "correct horse battery\n"],
  ["nothing", 1, ["doctor", "--at", AT], "1\ncorrect horse battery\n"],
  ["error", 2, ["doctor"]],
  ["warning", 0, ["check", "--port", "0", "--html", "image"]],
  ["error", 1, ["check", "--port", "0", "--guard", STORE]],
  ["error", 1, ["healthcheck", "--port", NOBODY]],
  ["error", 1, ["guard", "unlock"], "correct horse battery\n"],
  ["error", 1, ["status", "--metrics-port", NOBODY]],
];

function run(shell: string, args: readonly string[], input: string): Promise<Ended> {
  const words = ["bash", "-c", `${shell}; exec "$0" "$@"`, ...programWords(), ...args];
  return runToEnd(words, { input, env: { NO_COLOR: "1" } });
}

const SAYINGS: Readonly<Record<Said, RegExp>> = {
  nothing: /^$/,
  warning: /^authenticator: warning: /,
  error: /^(?:authenticator: error:|\S+Z error) /m,
  note: /left\n$/,
};

for (const [said, code, args, input = ""] of COMMANDS) {
  Deno.test(`a closed standard error loses the ${said} of ${args.slice(0, 2).join(" ")}, and it ends with ${code}`, async () => {
    const heard = await run(":", args, input);
    assertEquals(heard.code, code, heard.stderr);
    assert(SAYINGS[said].test(heard.stderr), heard.stderr);
    for (const shell of UNHEARD) {
      const { code, stdout } = await run(shell, args, input);
      assertEquals([shell, code, stdout], [shell, heard.code, heard.stdout]);
    }
  });
}

for (const shell of UNHEARD) {
  Deno.test(`a server answers and stops though its log cannot be read: ${shell}`, async () => {
    const words = ["bash", "-c", `${shell}; exec "$0" "$@"`, ...programWords()];
    const program = await startProgram(["--port", "0"], { command: words });
    await eventually(
      async () => await fetch(`${program.url}/healthz`).then((r) => r.text()) === "ok",
      "the program answers",
    );
    program.signal("SIGTERM");
    assertEquals((await program.outcome).code, 0);
  });
}

for (const args of [["serve", "--no-such-option"], ["serve", "--host", "203.0.113.1"]]) {
  Deno.test({
    name: `${args.slice(0, 2).join(" ")} ends although standard error is a full pipe`,
    ignore: Deno.build.os !== "linux",
    fn: async () => {
      const path = `${await Deno.makeTempDir()}/pipe`;
      await runToEnd(["mkfifo", path]);
      using pipe = await Deno.open(path, { read: true, write: true });
      // A pipe holds 64 KiB (pipe(7)).
      await pipe.write(new Uint8Array(65_536));
      const { code } = await run(`exec 2>"${path}"`, args, "");
      assertEquals(code, args.includes("--host") ? 1 : 2);
    },
  });
}
