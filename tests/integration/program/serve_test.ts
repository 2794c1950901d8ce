import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { help } from "../../../lib/cli/args/help.ts";
import { MAX_DRAIN_MS } from "../../../lib/server/listen/drain.ts";
import { limitLife, runToEnd } from "../../support/child.ts";
import { eventually, inTime } from "../../support/eventually.ts";
import { freePort } from "../../support/free_port.ts";
import { startFakeRedis } from "../../support/fake_redis.ts";
import { withFolder } from "../../support/folder.ts";
import { Wire } from "../../support/http.ts";
import {
  type Outcome,
  PROGRAM,
  programWords,
  type RunningProgram,
  runProgram,
  startProgram,
  stop,
  withProgram,
} from "../../support/program.ts";

Deno.test("the program prints where it listens, and nothing else on stdout", async () => {
  const { stdout, stderr } = await withProgram(["--port", "0", "--log-probes"], async ({ url }) => {
    assertEquals(await (await fetch(`${url}/healthz`)).text(), "ok");
  });
  assertMatch(stdout, /^Listening on http:\/\/127\.0\.0\.1:[1-9][0-9]*\n$/);
  const [started, protections, request, stopping, stopped, ...rest] = stderr.replace(/^\S+ /gm, "")
    .split("\n");
  assertMatch(
    started!,
    /^info started: authenticator [0-9]\S* \((?:from source|commit (?:unknown|[0-9a-f]{7}(?:\+changes)?)), \w.*\), --port 0 --log-probes$/,
  );
  assertMatch(protections!, /^info protections: API keys off, single use off, /);
  assertMatch(request!, /^info request method=GET route=healthz /);
  assertEquals([stopping, stopped, ...rest], ["info stopping: SIGTERM", "info stopped", ""]);
});

Deno.test("only lines about the store precede the log line that the program started", async () => {
  const store = startFakeRedis();
  const absent = `redis://127.0.0.1:${freePort()}`;
  for (const [url, level] of [[store.url, "info"], [absent, "warn"]] as const) {
    const { stderr } = await withProgram(
      ["--port", "0", "--log-format", "json"],
      (program) => program.logged("started: "),
      { env: { AUTHENTICATOR_GUARD: `${url}?timeout=60000` } },
    );
    const lines = stderr.trim().split("\n").map((line) => JSON.parse(line));
    const starts = lines.filter(({ message }) => message.startsWith("started: "));
    const before = lines.slice(0, lines.indexOf(starts[0]));
    // On a busy machine nothing may be known of the store by then.
    const others = before.filter((line) =>
      line.level !== level || !line.message.startsWith(`the store of the guard, ${url}, `)
    );
    assertEquals([starts.length, others], [1, []]);
  }
  store.close();
});

for (
  const [how, surroundings] of [
    ["ends", { stdin: true }],
    ["cannot be read", { shell: "exec < /" }],
  ] as const
) {
  Deno.test(`with --exit-with-parent the program ends when its standard input ${how}`, async () => {
    const program = await startProgram(["--port", "0", "--exit-with-parent"], surroundings);
    if (how === "ends") {
      assertEquals(await (await fetch(`${program.url}/readyz`)).text(), "ok");
      await program.closeStdin();
    }
    const { code, stderr } = await program.outcome;
    const isLogged = stderr.includes(" info stopping: standard input ended\n");
    assertEquals([code, isLogged], [0, true], stderr);
  });
}

Deno.test("without --exit-with-parent the program goes on without standard input", async () => {
  await withProgram(["--port", "0"], async (program) => {
    await program.closeStdin();
    assertEquals(await (await fetch(`${program.url}/readyz`)).text(), "ok");
  }, { stdin: true });
});

// Waits until the server reports that it is not ready: the first signal, or the end of the parent,
// has arrived.
async function isDraining(program: RunningProgram): Promise<void> {
  while ((await (await fetch(`${program.url}/readyz`)).text()) === "ok");
}

/** A test of a program that stops beside a request; tried again where a busy machine was too slow. */
function testStop(
  name: string,
  act: (program: RunningProgram) => Promise<void>,
  ...options: readonly string[]
): void {
  const stdin = options.includes("--exit-with-parent");
  Deno.test(name, () =>
    inTime(MAX_DRAIN_MS, async () => {
      const program = await startProgram(["--port", "0", ...options], { stdin });
      try {
        await act(program);
      } finally {
        await stop(program);
      }
    }));
}

testStop("the program finishes a running request before it stops on SIGINT", async (program) => {
  const wire = await Wire.beginning(program.url);
  program.signal("SIGINT");
  const reply = await wire.finish();
  assert(reply.startsWith("HTTP/1.1 200 OK\r\n") && reply.endsWith(">false</boolean>"), reply);
  assertEquals((await program.outcome).code, 0);
});

testStop(
  "a signal after the end of standard input still lets a request finish",
  async (program) => {
    const wire = await Wire.beginning(program.url);
    await program.closeStdin();
    await isDraining(program);
    program.signal("SIGTERM");
    // Time for the signal to end the process, if it did.
    await fetch(`${program.url}/healthz`).then((reply) => reply.body?.cancel());
    const reply = await wire.finish();
    assert(reply.endsWith(">false</boolean>"), reply);
    assertEquals((await program.outcome).code, 0);
  },
  "--exit-with-parent",
);

Deno.test("SIGHUP reads the API keys again, and keeps the old ones where it cannot", async () => {
  await withFolder(async (folder) => {
    const file = `${folder}/keys`;
    const [old, next, bare] = ["old", "next", "bare"].map((name) => `${name}-0123456789abcdef`);
    await Deno.writeTextFile(file, `billing:${old}\n`, { mode: 0o600 });
    const args = ["--port", "0", "--api-keys-file", file];
    const { stderr } = await withProgram(args, async (program) => {
      const statuses = (): Promise<readonly number[]> =>
        Promise.all([old!, next!].map((key) => statusWith(program, key)));
      assertEquals(await statuses(), [302, 401]);
      await Deno.writeTextFile(file, `billing:${next}\nbilling:${old}\n${bare}\n`);
      program.signal("SIGHUP");
      await program.logged("read again: 3 keys: billing (2), 1 without a name\n");
      assertEquals(await statuses(), [302, 302]);
      await Deno.writeTextFile(file, "billing:canary\n");
      program.signal("SIGHUP");
      await program.logged("the old API keys are kept: ");
      assertEquals(await statuses(), [302, 302]);
      await Deno.remove(file);
      program.signal("SIGHUP");
      await program.logged("cannot be read: there is no such file or folder\n");
      assertEquals(await statuses(), [302, 302]);
      await Deno.writeTextFile(file, `${next}\n`, { mode: 0o600 });
      program.signal("SIGHUP");
      await program.logged("read again: 1 key\n");
      assertEquals(await statuses(), [401, 302]);
    });
    assertEquals(stderr.match(/ warn .*$/gm)?.length, 2, stderr);
    assert(stderr.includes(" route=root caller=billing status=302 "), stderr);
    assert(![old!, next!, "canary"].some((key) => stderr.includes(key)), stderr);
  });
});

/** The status of the start page with a key. */
async function statusWith({ url }: RunningProgram, key: string): Promise<number> {
  const reply = await fetch(url, { headers: { "x-api-key": key }, redirect: "manual" });
  await reply.body?.cancel();
  return reply.status;
}

Deno.test("the program reads its keys from a pipe that a shell made", async () => {
  const key = "k".repeat(16);
  const shell = `exec 8<<end\n${key}\nend`;
  await withProgram(["--port", "0", "--api-keys-file", "/dev/fd/8"], async (program) => {
    assertEquals(await statusWith(program, key), 302);
  }, { shell });
});

Deno.test("SIGHUP does not end a program that does not listen yet", async () => {
  await withFolder(async (folder) => {
    const keys = `${folder}/keys`;
    await runToEnd(["mkfifo", keys]);
    // The pipe opens when the program reads its keys there, and it reads on until that is closed. What it
    // reads again is a file.
    const shell = `{ exec 3>${keys}; kill -HUP $$; echo ${"k".repeat(32)} >${keys}.new; ` +
      `mv ${keys}.new ${keys}; cat ${keys} >&3; } &`;
    await withProgram(
      ["--port", "0", "--api-keys-file", keys],
      (program) => program.logged("the API keys are unchanged: 1 key\n"),
      { shell },
    );
  });
});

Deno.test("SIGTERM and SIGINT end a program that does not listen yet", async () => {
  // The store accepts the connection and sends nothing, so the start waits for it.
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const store = `redis://127.0.0.1:${silent.addr.port}?timeout=60000`;
  for (const [signal, code] of [["SIGTERM", 143], ["SIGINT", 130]] as const) {
    const accepted = silent.accept();
    const [command, ...args] = [...programWords(), "--port", "0", "--guard", store];
    const child = new Deno.Command(command!, { args, stdin: "null", stderr: "null" }).spawn();
    limitLife(child, SECRET_MS);
    using _connection = await accepted;
    child.kill(signal);
    const ended = await child.status;
    assertEquals([ended.code, ended.signal], [code, null], signal);
  }
});

Deno.test("Ctrl-C ends a program that waits for its keys from a pipe", async () => {
  await withFolder(async (folder) => {
    const keys = `${folder}/keys`;
    await runToEnd(["mkfifo", keys]);
    const [command, ...args] = [...programWords(), "--port", "0", "--api-keys-file", keys];
    const child = new Deno.Command(command!, { args, stdin: "null", stderr: "null" }).spawn();
    limitLife(child, SECRET_MS);
    // The pipe opens when the program reads there.
    using _writer = await Deno.open(keys, { write: true });
    child.kill("SIGINT");
    assertEquals((await child.status).success, false);
  });
});

Deno.test("the program ends on SIGUSR1, by which a runtime would open a debugger", async () => {
  const { code, stderr } = await endedBy(await startProgram(["--port", "0"]), "SIGUSR1");
  assertEquals([code, /debugger/i.test(stderr)], [1, false], stderr);
});

// It ends at once, or waits for the secret for ever.
const SECRET_MS = 300_000;

Deno.test("a command that reads a secret ends on SIGUSR1 too", async () => {
  await withFolder(async (folder) => {
    const secret = `${folder}/secret`;
    await runToEnd(["mkfifo", secret]);
    const [command, ...args] = [...programWords(), "code", "--secret-file", secret];
    const child = new Deno.Command(command!, { args, stdin: "null", stderr: "piped" }).spawn();
    limitLife(child, SECRET_MS);
    // The pipe opens when the program reads there.
    using _writer = await Deno.open(secret, { write: true });
    child.kill("SIGUSR1");
    assertEquals((await child.output()).code, 1);
  });
});

/** Shell commands that give the program a full, a closed and an unread standard output. */
const UNWRITABLE = ["exec >/dev/full", "exec >&-", "exec > >(true)"] as const;

for (const shell of UNWRITABLE) {
  Deno.test(`the program serves even if it cannot print its URL: ${shell}`, async () => {
    const port = String(freePort());
    const child = new Deno.Command("bash", {
      args: ["-c", `${shell}; exec "$0" "$@"`, ...programWords(), "--port", port],
      stdin: "null",
      stderr: "piped",
    }).spawn();
    limitLife(child);
    const health = async (): Promise<boolean> =>
      await fetch(`http://127.0.0.1:${port}/healthz`).then((reply) => reply.text(), () => "") ===
        "ok";
    await eventually(health, "the program answers");
    child.kill("SIGTERM");
    const { code, stderr } = await child.output();
    const log = new TextDecoder().decode(stderr);
    assertEquals([code, /error/i.test(log)], [0, false], log);
  });
}

Deno.test("a command reports that its output cannot be written, unless its reader has gone", async () => {
  const run = (shell: string, ...args: string[]): Promise<Outcome> =>
    runToEnd(["bash", "-c", `${shell}; exec "$0" "$@"`, ...programWords(), ...args]);
  const [full, , gone] = UNWRITABLE.map((shell) => run(shell, "licenses"));
  // It goes on for a while behind what it prints.
  const goesOn = run(UNWRITABLE[0], "check", "--port", "0");
  for (const { code, stderr } of [await full!, await goesOn]) {
    assertEquals([code, stderr], [
      1,
      "authenticator: error: standard output cannot be written to: the disk is full.\n",
    ]);
  }
  const { code, stderr } = await gone!;
  assertEquals([code, stderr], [0, ""]);
});

testStop("the program ends at once on a second signal", async (program) => {
  const wire = await Wire.beginning(program.url);
  program.signal("SIGTERM");
  await isDraining(program);
  // One that comes within half a second is the first one, passed on.
  assertEquals((await endedBy(program, "SIGTERM")).code, 143);
  assertEquals(await wire.finish(), "");
});

/** Sends a signal again and again, until the program has ended. */
async function endedBy(program: RunningProgram, signal: Deno.Signal): Promise<Outcome> {
  let hasEnded = false;
  const outcome = program.outcome.finally(() => hasEnded = true);
  await eventually(() => {
    if (!hasEnded) signalIfThere(program, signal);
    return hasEnded;
  }, "the program ends");
  return await outcome;
}

function signalIfThere(program: RunningProgram, signal: Deno.Signal): void {
  try {
    program.signal(signal);
  } catch (error) {
    // It has ended in between.
    if (!(error instanceof TypeError)) throw error;
  }
}

/** Connects and sends requests whose replies exceed the system's buffers, without reading any. */
async function requestWithoutReading(program: RunningProgram): Promise<Deno.Conn> {
  const { hostname, port } = new URL(program.url);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const requests = "GET /api.asmx HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(2_000);
  await connection.write(new TextEncoder().encode(requests));
  return connection;
}

Deno.test("the program ends even if a caller does not read its replies", async () => {
  const callers: Deno.Conn[] = [];
  await withProgram(["--port", "0"], async (program) => {
    callers.push(await requestWithoutReading(program));
  });
  for (const caller of callers) caller.close();
});

Deno.test("the program names a variable that is not text", async () => {
  const shell = `AUTHENTICATOR_HOST=$'\\xff' exec "$0" "$@" check`;
  const { code, stderr } = await runToEnd(["bash", "-c", shell, ...programWords()]);
  assertEquals(code, 2, stderr);
  assertMatch(stderr, /^authenticator: error: .*\bAUTHENTICATOR_HOST\b.* Try --help\.\n$/);
});

Deno.test("the program does not blame the port for a name without an address", async () => {
  // A label has at most 63 characters (RFC 1035 §2.3.4), so the system's resolver asks nobody about it.
  const { code, stderr } = await runProgram(["--host", `${"x".repeat(64)}.invalid`]);
  assertEquals(code, 1);
  assertMatch(
    stderr,
    /^\S+Z error cannot listen on x+\.invalid, port 8080: (?:it is in use, or )?the name has no address\n$/,
  );
});

Deno.test("the program shows its usage and its version", async () => {
  assertEquals(await runProgram(["--help"]), {
    code: 0,
    stdout: `${help(undefined)}\n`,
    stderr: "",
  });
  const project = JSON.parse(Deno.readTextFileSync(new URL("../../../deno.json", import.meta.url)));
  const { stdout } = await runProgram(["--version"]);
  // npm users type a leading --.
  assertEquals((await runProgram(["--", "--version"])).stdout, stdout);
  const [, version, origin, rest] = /^authenticator (\S+) \(([^,]*), (.*)\)\n$/.exec(stdout) ?? [];
  assertEquals(version, project.version, stdout);
  // What compile.sh makes names the commit; the sources alone do not know theirs.
  const expected = PROGRAM === "deno"
    ? /^from source$/
    : /^commit (?:unknown|[0-9a-f]{7}(?:\+changes)?)$/;
  assertMatch(origin!, expected);
  assertMatch(rest!, /^(?:Deno|Bun) [\d.]+, [\w-]+$/);
});

/** Starts the program with a pipe as its log that nothing reads yet. */
async function startUnread(): Promise<{ child: Deno.ChildProcess; url: string }> {
  const [path, ...words] = programWords();
  const child = new Deno.Command(path!, {
    args: [...words, "--port", "0"],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  limitLife(child);
  const stdout = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const url = /http:\S+/.exec((await stdout.read()).value ?? "")![0];
  await stdout.cancel();
  return { child, url };
}

/** Checks a wrong pin so many times; each reply must be False. */
async function checkOften(url: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const reply = await fetch(`${url}/Validate.aspx?Pin=1&SecretCode=x`);
    assertEquals([reply.status, await reply.text()], [200, "False"]);
  }
}

Deno.test("the program serves and ends even if its standard output is a full pipe", async () => {
  const port = freePort();
  const [path, ...words] = programWords();
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", 'head -c 65536 /dev/zero; exec "$0" "$@"', path!, ...words, "--port", `${port}`],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  limitLife(child);
  const url = `http://127.0.0.1:${port}`;
  await eventually(() =>
    fetch(`${url}/healthz`).then((reply) => reply.text(), () => "")
      .then((text) => text === "ok")
  );
  await checkOften(url, 5);
  child.kill("SIGTERM");
  assertEquals((await child.status).code, 0);
  await child.stdout.cancel();
});

// A pipe holds 64 KiB, and a line has about 150 bytes.
const PIPE_LINES = 1_000;
const LAST_LINES = 100;

Deno.test("the program ends on SIGUSR1 although its log is not read", async () => {
  const { child, url } = await startUnread();
  await checkOften(url, PIPE_LINES);
  child.kill("SIGUSR1");
  assertEquals((await child.status).code, 1);
  await child.stderr.cancel();
});

Deno.test("the program writes all lines of its log that were late, and the last before it ends", async () => {
  const { child, url } = await startUnread();
  await checkOften(url, PIPE_LINES);
  let text = "";
  const read = async (): Promise<void> => {
    for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) text += chunk;
  };
  const isRead = read();
  const pinsIn = (): number => text.split("outcome=").length - 1;
  await eventually(() => pinsIn() === PIPE_LINES, "the lines are written that nobody has read");
  // Of these the pipe holds all, however late they are read.
  await checkOften(url, LAST_LINES);
  child.kill("SIGTERM");
  await isRead;
  assertEquals((await child.status).code, 0);
  assertEquals([pinsIn(), text.endsWith(" info stopped\n")], [PIPE_LINES + LAST_LINES, true]);
});
