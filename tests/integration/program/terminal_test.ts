/** Commands at a terminal: the one that `script` of util-linux makes. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { referenceBase32 } from "../../support/reference_base32.ts";
import { referenceHotp } from "../../support/reference_totp.ts";
import { programWords } from "../../support/program.ts";
import { limitLife, runToEnd } from "../../support/child.ts";
import { eventually } from "../../support/eventually.ts";

const SECRET = "12345678901234567890";

/** What a terminal showed, and how the program in it ended. */
interface Session {
  readonly shown: string;
  readonly code: number;
}

/**
 * Runs the program in a terminal.
 *
 * @param answers What is typed, each once what is before it was shown.
 */
async function atTerminal(
  args: readonly string[],
  answers: readonly (readonly [after: string, typed: string])[],
): Promise<Session> {
  const line = [...programWords(), ...args].map((word) => `'${word}'`).join(" ");
  const child = new Deno.Command("script", {
    args: ["--quiet", "--return", "--echo", "never", "--command", line, "/dev/null"],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
    env: { NO_COLOR: "1", TERM: "dumb" },
  }).spawn();
  limitLife(child);
  const input = child.stdin.getWriter();
  const waiting = [...answers];
  let shown = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    shown += decoder.decode(chunk, { stream: true });
    const [next] = waiting;
    if (next === undefined || !shown.includes(next[0])) continue;
    waiting.shift();
    await input.write(new TextEncoder().encode(next[1]));
  }
  await input.close().catch(() => {});
  return { shown: shown.replaceAll("\r", ""), code: (await child.status).code };
}

Deno.test("a secret that is typed at a terminal is not shown", async () => {
  const { shown, code } = await atTerminal(["code", "--at", "59"], [["Secret", `${SECRET}\r`]]);
  assertEquals(code, 0, shown);
  assertEquals(shown, "Secret (not shown): \n287082\nat that moment, 1 second left\n");
});

Deno.test("keys that edit a line do so, and other keys are no part of the secret", async () => {
  const typed = `wrong\x15${SECRET}\u00e9\x7f\x1b[A\x1bOPx\b\r`;
  const { shown, code } = await atTerminal(["code", "--at", "59"], [["Secret", typed]]);
  assertEquals(code, 0, shown);
  assert(shown.includes("\n287082\n"), shown);
});

Deno.test("pair prompts for the secret, and does not show it", async () => {
  const names = ["--app-name", "Example", "--app-info", "jane"];
  const { shown, code } = await atTerminal(["pair", ...names], [["Secret", "pass w\u00f6rd 1\r"]]);
  assertEquals(code, 0, shown);
  assert(!shown.includes("pass"), shown);
  const groups = referenceBase32("pass w\u00f6rd 1").match(/.{1,4}/g)!.join(" ");
  assert(shown.includes(groups), shown);
});

Deno.test("doctor shows the pin while it is typed, and not the secret", async () => {
  const pin = referenceHotp(SECRET, 1);
  const answers = [["Pin", `${pin}\r`], ["Secret", `${SECRET}\r`]] as const;
  const { shown, code } = await atTerminal(["doctor", "--at", "59"], answers);
  assertEquals(code, 0, shown);
  assert(shown.startsWith(`Pin: ${pin}\nSecret (not shown): \nThe pin is right`), shown);
  assert(!shown.includes(SECRET));
});

Deno.test("Control-C ends the question, and Control-D the input", async () => {
  const interrupted = await atTerminal(["code"], [["Secret", "canary\x03"]]);
  assertEquals(interrupted, {
    code: 1,
    shown: "Secret (not shown): \nauthenticator: error: interrupted.\n",
  });
  const ended = await atTerminal(["doctor"], [["Pin", "123456\x04"]]);
  assertEquals(ended.code, 2);
  assert(ended.shown.includes("doctor needs two lines"), ended.shown);
});

/** A server in a terminal that is closed as soon as it listens. */
interface Bereft {
  /** Whether its process is still there. */
  readonly isThere: () => Promise<boolean>;
  readonly signal: (signal: Deno.Signal) => void;
  /** The exit code of `healthcheck`. */
  readonly health: () => Promise<number>;
}

async function inClosedTerminal(redirection: string): Promise<Bereft> {
  const words = [...programWords(), "--port", "0"].map((word) => `"${word}"`).join(" ");
  const line = `echo pid=$$; exec ${words} ${redirection}`;
  const child = new Deno.Command("script", {
    args: ["--quiet", "--command", `sh -c '${line}'`, "/dev/null"],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
    env: { NO_COLOR: "1", TERM: "dumb" },
  }).spawn();
  limitLife(child);
  const decoder = new TextDecoder();
  let shown = "";
  for await (const chunk of child.stdout) {
    shown += decoder.decode(chunk, { stream: true });
    if (/ started: [^\n]*\n/.test(shown)) break;
  }
  child.kill("SIGKILL");
  await child.status;
  const [, pid = ""] = /pid=([0-9]+)/.exec(shown) ?? [];
  const [, port = ""] = /Listening on \S+:([0-9]+)/.exec(shown) ?? [];
  assert(pid !== "" && port !== "", shown);
  const codeOf = async (words: readonly string[]): Promise<number> => (await runToEnd(words)).code;
  return {
    isThere: async () => await codeOf(["sh", "-c", `kill -0 ${pid}`]) === 0,
    signal: (signal) => Deno.kill(Number(pid), signal),
    health: () => codeOf([...programWords(), "healthcheck", "--port", port]),
  };
}

Deno.test("a server ends with the terminal that it is typed at", async () => {
  const { isThere } = await inClosedTerminal("");
  await eventually(async () => !await isThere(), "the server ends");
});

Deno.test("a server whose input is no terminal outlives one that it writes to", async () => {
  const { isThere, signal, health } = await inClosedTerminal("< /dev/null");
  // Each writes to what is gone.
  for (let times = 0; times < 3; times++) {
    signal("SIGHUP");
    assertEquals(await health(), 0);
  }
  signal("SIGTERM");
  await eventually(async () => !await isThere(), "the server ends");
});
