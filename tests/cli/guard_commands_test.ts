import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { stop } from "../redis/two_servers.ts";
import { freePort } from "../support/free_port.ts";
import { startProgram } from "../support/program.ts";
import { referenceHotp } from "../support/reference_totp.ts";
import { runCommand, withFolder } from "./command.ts";

const SECRET = "canary battery staple";

/** Runs a command of the program with a secret on standard input. */
async function guard(
  args: readonly string[],
  input = `${SECRET}\n`,
): Promise<readonly [number, string, string]> {
  const { code, stdout, stderr } = await runCommand(["guard", ...args], { stdin: input });
  assert(!(stdout + stderr).includes("canary"), stdout + stderr);
  return [code, stdout, stderr];
}

/** What doctor says of a pin. */
async function doctor(pin: string, args: readonly string[]): Promise<string> {
  const { stdout } = await runCommand(["doctor", ...args], { stdin: `${pin}\n${SECRET}\n` });
  assert(!stdout.includes("canary"), stdout);
  return stdout;
}

Deno.test("guard status, name and unlock ask a server on its operator port", async () => {
  const way = ["--metrics-port", String(freePort())];
  const program = await startProgram(["--port", "0", "--max-failures", "1", ...way]);
  const check = async (pin: string): Promise<string> => {
    const query = new URLSearchParams({ Pin: pin, SecretCode: SECRET });
    return await (await fetch(`${program.url}/Validate.aspx?${query}`)).text();
  };
  const rightPin = (): string => referenceHotp(SECRET, Math.floor(Date.now() / 30_000));
  try {
    assertEquals(await guard(["unlock", ...way]).then(([code]) => code), 0);
    const [, , elsewhere] = await guard(["status", "--metrics-port", new URL(program.url).port]);
    assert(elsewhere.includes("is no operator port"), elsewhere);
    assertEquals([await check("wrong"), await check(rightPin())], ["False", "False"]);
    const [code, name] = await guard(["name", ...way]);
    assertEquals(code, 0);
    assertMatch(name, /^[\w-]{10}\n$/);
    assertEquals(
      (await guard(["status", ...way]))[1],
      "secrets remembered: 1\nsecrets whose pins are refused now: 1\n",
    );
    const said = await doctor(rightPin(), way);
    const line = `\nThe log of the server calls this secret secret=${name.trim()}.\n`;
    assert(said.endsWith(line), said);
    const [, unlocked] = await guard(["unlock", ...way]);
    assertEquals(unlocked, `pins for secret=${name.trim()} are checked again\n`);
    assertEquals(await check(rightPin()), "True");
    const page = await (await fetch(`http://127.0.0.1:${way[1]}/metrics`)).text();
    assert(page.includes("\nauthenticator_guard_wrong_pins_total 1\n"), page);
    assert(!page.includes(name.trim()), "the name of a secret is no label");
    program.signal("SIGTERM");
    const { stderr } = await program.outcome;
    const named = stderr.split("\n").filter((line) => line.includes(` secret=${name.trim()} `));
    assertEquals(named.map((line) => / outcome=(\w+)/.exec(line)?.[1]), ["false", "throttled"]);
    assert(!stderr.includes("canary"), stderr);
  } finally {
    await stop(program);
  }
});

Deno.test("guard commands show a key of the file where the server wants one", async () => {
  await withFolder(async (folder) => {
    const keys = ["--api-keys-file", `${folder}/keys`];
    await Deno.writeTextFile(`${folder}/keys`, "web:0123456789abcdef\n");
    const way = ["--metrics-port", String(freePort())];
    const program = await startProgram(["--port", "0", ...way, ...keys]);
    try {
      assertEquals((await guard(["name", ...way, ...keys]))[0], 0);
      const [code, stdout, stderr] = await guard(["name", ...way]);
      assertEquals([code, stdout], [1, ""]);
      assert(stderr.includes("wants an API key: give its --api-keys-file"), stderr);
      for (const path of ["healthz", "metrics"]) {
        const reply = await fetch(`http://127.0.0.1:${way[1]}/${path}`);
        await reply.body?.cancel();
        assertEquals(reply.status, 200, path);
      }
    } finally {
      await stop(program);
    }
  });
});

const NOBODY = ["--metrics-port", String(freePort())];
const NO_SERVER = `no server answers at 127.0.0.1:${NOBODY[1]}: start it with --metrics-port`;

const MISTAKES: readonly (readonly [readonly string[], number, string])[] = [
  [["status", ...NOBODY], 1, NO_SERVER],
  [["unlock", ...NOBODY], 1, NO_SERVER],
  [["name", ...NOBODY], 1, NO_SERVER],
  [["unlock", "--guard", "redis://127.0.0.1:9"], 2, "give --guard-key-file: it names the secrets"],
  [["status", "--guard", "redis://127.0.0.1:9"], 1, "cannot be reached (ECONNREFUSED)"],
];

for (const [args, expected, said] of MISTAKES) {
  Deno.test(`guard ${args[0]} ${args[1]} fails with ${expected}`, async () => {
    const [code, stdout, stderr] = await guard(args);
    assertEquals([code, stdout], [expected, ""]);
    assert(stderr.includes(said), stderr);
  });
}
