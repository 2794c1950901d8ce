import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { stop } from "../redis/two_servers.ts";
import { limitLife } from "../support/child.ts";
import { inTime } from "../support/eventually.ts";
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
    const said = await doctor(rightPin(), way);
    assert(
      said.endsWith(`\nThe log of the server calls this secret secret=${name.trim()}.\n`),
      said,
    );
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

// What stands in the place of a server, by another process, since this test may not listen on a socket:
// it answers whatever is asked, and prints what was.
const IMPOSTOR = `
  import { createServer } from "node:net";
  const [path, mode, owner, text, pauseMs] = Deno.args;
  const server = createServer((socket) => {
    socket.on("error", () => {}).on("data", (data) => {
      console.log("asked " + data.toString("hex"));
      if (Number(pauseMs) === 0) return socket.end(text);
      const timer = setInterval(() => socket.write(text), Number(pauseMs));
      socket.on("close", () => clearInterval(timer));
    });
  });
  server.listen(path, () => {
    Deno.chmodSync(path, Number(mode));
    if (owner !== "") Deno.chownSync(path, Number(owner), Number(owner));
    console.log("ready");
  });
`;

interface Trap {
  readonly path: string;
  readonly text?: string;
  readonly mode?: number;
  /** The user whose it is, if not that of this test. */
  readonly owner?: number;
  /** Every how many milliseconds the text comes again; 0 for once. */
  readonly pauseMs?: number;
}

/** Runs a command before an impostor; gives its outcome, and whether anything was asked. */
async function trapped(
  args: readonly string[],
  { path, text = "", mode = 0o600, owner, pauseMs = 0 }: Trap,
): Promise<readonly [outcome: readonly [number, string, string], wasAsked: boolean]> {
  const words = [path, String(mode), String(owner ?? ""), text, String(pauseMs)];
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", IMPOSTOR, ...words],
    stdout: "piped",
  }).spawn();
  limitLife(child);
  const reader = child.stdout.pipeThrough(new TextDecoderStream() as Decoder).getReader();
  try {
    assertEquals((await reader.read()).value, "ready\n");
    const outcome = await guard([...args, "--admin-socket", path]);
    child.kill();
    return [outcome, (await reader.read()).value !== undefined];
  } finally {
    await reader.cancel();
    await child.status;
    await Deno.remove(path).catch(() => {});
  }
}

// The platform's type of the decoder wants a wider kind of bytes than streams of a process have.
type Decoder = TransformStream<Uint8Array, string>;

function unix(name: string, run: (folder: string) => Promise<void>): void {
  Deno.test({ name, ignore: Deno.build.os === "windows", fn: () => withFolder(run) });
}

const QUESTIONS = [["status"], ["name"], ["unlock"]] as const;

unix("the guard asks nothing of a socket that another user made", async (folder) => {
  // Nobody else can make one for another user.
  if (Deno.statSync(folder).uid !== 0) return;
  await Deno.chmod(folder, 0o1777);
  for (const args of QUESTIONS) {
    const [[code, stdout, stderr], wasAsked] = await trapped(args, {
      path: `${folder}/admin`,
      mode: 0o666,
      owner: 65534,
    });
    assertEquals([code, stdout, wasAsked], [1, "", false]);
    assertEquals(
      stderr,
      "authenticator: error: the socket of --admin-socket belongs to another user.\n",
    );
  }
});

unix("the guard asks nothing of a socket where others may put theirs", async (folder) => {
  for (const mode of [0o777, 0o770, 0o702]) {
    await Deno.chmod(folder, mode);
    const [[code, stdout, stderr], wasAsked] = await trapped(["name"], { path: `${folder}/admin` });
    assertEquals([code, stdout, wasAsked], [1, "", false]);
    assertEquals(
      stderr,
      "authenticator: error: other users may write to the folder of --admin-socket, " +
        "or to one above it, and put a socket of theirs there.\n",
    );
  }
});

unix("the guard asks nothing of a socket that another can turn to theirs", async (folder) => {
  for (const name of ["real", "open"]) Deno.mkdirSync(`${folder}/${name}`, { mode: 0o700 });
  Deno.mkdirSync(`${folder}/open/inner`, { mode: 0o700 });
  Deno.symlinkSync(`${folder}/open/inner`, `${folder}/real/link`);
  Deno.chmodSync(`${folder}/open`, 0o777);
  const path = `${folder}/real/link/admin`;
  const [[code, stdout, stderr], wasAsked] = await trapped(["name"], { path });
  assertEquals([code, stdout, wasAsked], [1, "", false]);
  assertMatch(stderr, /other users may write to the folder .*, or to one above it/);
});

unix("doctor says why the server of --admin-socket cannot be asked", async (folder) => {
  const reason = "there is no socket at the path of --admin-socket";
  // Whoever keeps what is remembered, if anybody does.
  for (const more of [[], ["--max-failures", "0"], ["--guard", "redis://127.0.0.1:1"]]) {
    const said = await doctor("123456", ["--admin-socket", `${folder}/none`, ...more]);
    assertMatch(said, /^The pin is wrong: /);
    assert(
      said.endsWith(`\nThe server cannot be asked what its log calls this secret: ${reason}.\n`),
      said,
    );
  }
});

unix("the guard asks nothing of what is no socket", async (folder) => {
  const path = `${folder}/admin`;
  await Deno.writeTextFile(`${folder}/file`, "");
  for (
    const [name, said] of [
      ["file", "what is at the path of --admin-socket is no socket"],
      ["none", "there is no socket at the path of --admin-socket"],
      ["none/admin", "there is no socket at the path of --admin-socket"],
    ] as const
  ) {
    const [code, stdout, stderr] = await guard(["name", "--admin-socket", `${folder}/${name}`]);
    assertEquals([code, stdout, stderr], [1, "", `authenticator: error: ${said}.\n`]);
  }
  // Where a link leads may be changed after the look.
  const { url, ...program } = await startProgram([
    "--port",
    "0",
    "--admin-socket",
    `${folder}/real`,
  ]);
  assert(url !== "");
  await Deno.symlink("real", path);
  const [code, , stderr] = await guard(["name", "--admin-socket", path]);
  assertEquals([code, stderr.includes("is no socket")], [1, true]);
  program.signal("SIGTERM");
  await program.outcome;
});

function http(status: string, body: string): string {
  return `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

const NO_SERVER = "what answers at the socket of --admin-socket is no admin socket of a server";

// Whatever the command is given to print, a terminal may obey.
const LIES = [
  "\x1b[2Jcanary\r\n\r\n",
  http("400 Bad Request", "\x1b]0;canary\x07"),
  http("409 Conflict", "canary"),
  http("200 OK", '{"name":"\x1b[2Jcanary"}'),
  http("200 OK", JSON.stringify({ name: "\x1b[2Jcanary", wasKept: true })),
  http("200 OK", JSON.stringify({ name: "canary4567\n", wasKept: true })),
  http("200 OK", JSON.stringify({ name: "0123456789", wasKept: "canary" })),
  http("200 OK", JSON.stringify({ attackedSecrets: "canary", throttledSecrets: 0, top: [] })),
  http("200 OK", JSON.stringify({ attackedSecrets: 0, throttledSecrets: "\x1b[2J", top: [] })),
  http("200 OK", JSON.stringify({ attackedSecrets: 0, throttledSecrets: 0, top: "canary" })),
  http("200 OK", JSON.stringify({ attackedSecrets: 0, throttledSecrets: 0, top: [null] })),
  http("200 OK", `{"name":"0123456789","wasKept":true,"x":"${"canary".repeat(10_000)}"}`),
];

unix("the guard shows nothing of an answer that no server of ours gives", async (folder) => {
  for (const text of LIES) {
    const args = [text.includes("attacked") ? "status" : "unlock"];
    const [[code, stdout, stderr], wasAsked] = await trapped(args, {
      path: `${folder}/admin`,
      text,
    });
    assert(wasAsked);
    assertEquals([code, stdout, stderr], [1, "", `authenticator: error: ${NO_SERVER}.\n`]);
  }
});

unix("the guard does not wait for an answer without an end", async (folder) => {
  for (const text of ["", " ", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"]) {
    const path = `${folder}/admin`;
    const [[code, stdout, stderr]] = await trapped(["name"], { path, text, pauseMs: 200 });
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, /does not answer within 5 seconds|is no admin socket of a server/);
  }
});

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
  [["status", "--admin-socket", "/nowhere/socket"], 1, "there is no socket at the path of"],
  [["status", "--guard", "redis://127.0.0.1:9"], 1, "cannot be reached (ECONNREFUSED)"],
];

for (const [args, expected, said] of MISTAKES) {
  Deno.test(`guard ${args.join(" ")} fails with ${expected}: ${said}`, async () => {
    const [code, stdout, stderr] = await guard(args);
    assertEquals([code, stdout], [expected, ""]);
    assert(stderr.includes(said), stderr);
  });
}

unix("the guard asks at the real path of a socket, or says that it is too long", async (folder) => {
  const long = `${folder}/${"x".repeat(100)}`;
  await Deno.mkdir(long, { mode: 0o700 });
  await Deno.symlink(long, `${folder}/link`);
  const way = ["--admin-socket", `${folder}/link/admin`];
  const program = await startProgram(["--port", "0", ...way]);
  const [code, stdout, stderr] = await guard(["name", ...way]);
  program.signal("SIGTERM");
  await program.outcome;
  // Deno gives the system the whole path, Bun a shorter way to it.
  const tooLong =
    "authenticator: error: the absolute path of --admin-socket is too long for a socket.\n";
  if (code === 0) assertMatch(stdout, /^[\w-]{10}\n$/);
  else assertEquals([code, stdout, stderr], [1, "", tooLong]);
});
