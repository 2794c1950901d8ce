import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { stop } from "../redis/two_servers.ts";
import { inTime } from "../support/eventually.ts";
import { startProgram } from "../support/program.ts";
import { referenceHotp } from "../support/reference_totp.ts";
import { runCommand } from "./command.ts";

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

// How long each command waits for the server.
const PATIENCE_MS = 5_000;

Deno.test("guard status, name and unlock ask a server over its admin socket", async () => {
  await inTime(PATIENCE_MS, askOverSocket);
});

async function askOverSocket(): Promise<void> {
  const folder = await Deno.makeTempDir();
  const socket = `${folder}/admin`;
  const args = ["--port", "0", "--max-failures", "1", "--metrics"];
  const program = await startProgram([...args, "--admin-socket", socket]);
  const way = ["--admin-socket", socket];
  const check = async (pin: string): Promise<string> => {
    const query = new URLSearchParams({ Pin: pin, SecretCode: SECRET });
    return await (await fetch(`${program.url}/Validate.aspx?${query}`)).text();
  };
  const rightPin = (): string => referenceHotp(SECRET, Math.floor(Date.now() / 30_000));
  try {
    assertEquals((await Deno.stat(socket)).mode! & 0o777, 0o600);
    assertEquals(await guard(["unlock", ...way]).then(([code]) => code), 0);
    assertEquals([await check("wrong"), await check(rightPin())], ["False", "False"]);
    const [code, name] = await guard(["name", ...way]);
    assertEquals(code, 0);
    assertMatch(name, /^[\w-]{10}\n$/);
    const status = (await guard(["status", ...way]))[1];
    assert(status.startsWith("secrets remembered: 1\n"), status);
    assert(status.endsWith(`secret=${name.trim()} pins=2\n`), status);
    const [, unlocked] = await guard(["unlock", ...way]);
    assert(unlocked.startsWith(`pins for secret=${name.trim()} are checked again`), unlocked);
    assertEquals(await check(rightPin()), "True");
    const page = await (await fetch(`${program.url}/metrics`)).text();
    assert(page.includes("\nauthenticator_guard_wrong_pins_total 1\n"), page);
    assert(page.includes("\nauthenticator_guard_throttled_secrets 1\n"), page);
    assert(!page.includes(name.trim()), "the name of a secret is no label");
    program.signal("SIGTERM");
    const { stderr } = await program.outcome;
    const named = stderr.split("\n").filter((line) => line.includes(` secret=${name.trim()} `));
    assertEquals(named.map((line) => / outcome=(\w+)/.exec(line)?.[1]), ["false", "throttled"]);
    assert(!stderr.includes("canary"), stderr);
  } finally {
    await stop(program);
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("guard name knows a secret by the file of the key, whatever server runs", async () => {
  const file = await Deno.makeTempFile();
  await Deno.writeTextFile(file, "k".repeat(43));
  const names = [
    await guard(["name", "--guard-key-file", file]),
    await guard(["name", "--guard-key-file", file], SECRET),
  ];
  assertEquals(names[0], names[1]!);
  assertMatch(names[0]![1], /^[\w-]{10}\n$/);
  await Deno.remove(file);
});

const MISTAKES: readonly (readonly [readonly string[], number, string])[] = [
  [["status"], 2, "give --guard with the shared store, or the --admin-socket of the server"],
  [["unlock"], 2, "give --guard with the shared store, or the --admin-socket of the server"],
  [["name"], 2, "give --guard-key-file, or the --admin-socket of the server"],
  [["unlock", "--guard", "redis://127.0.0.1:9"], 2, "give --guard-key-file: it names the secrets"],
  [["status", "--admin-socket", "/nowhere/socket"], 1, "no server answers this user at the socket"],
  [["status", "--guard", "redis://127.0.0.1:9"], 1, "cannot be reached (ECONNREFUSED)"],
];

for (const [args, expected, said] of MISTAKES) {
  Deno.test(`guard ${args.join(" ")} fails with ${expected}: ${said}`, async () => {
    const [code, stdout, stderr] = await guard(args);
    assertEquals([code, stdout], [expected, ""]);
    assert(stderr.includes(said), stderr);
  });
}
