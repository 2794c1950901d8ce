/**
 * The program on a unix socket.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { runToEnd } from "../../support/child.ts";
import { PROGRAM, runProgram, startProgram } from "../../support/program.ts";
import { referenceHotp } from "../../support/reference_totp.ts";
import { askForHealth, withFolder } from "../../support/command.ts";

const SECRET = "correct-horse-battery-staple";

const IN_USE = "Z error cannot listen on the socket: ";

// By the program itself: this test may not connect to a socket.
async function isAnswered(path: string): Promise<boolean> {
  return (await askForHealth(["--socket", path])).code === 0;
}

// By another process for the same reason: what it gets for bytes that it sends on a connection.
async function exchange(path: string, sent: string): Promise<string> {
  const script = `
    import { connect } from "node:net";
    connect(${JSON.stringify(path)}).on("data", (data) => process.stdout.write(data))
      .write(${JSON.stringify(sent)});
  `;
  const { stdout, stderr } = await runToEnd([Deno.execPath(), "eval", script]);
  assertEquals(stderr, "");
  return stdout;
}

function filesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name);
}

Deno.test("a socket has its mode, and is all there is in its folder until the end", async () => {
  await withFolder(async (folder) => {
    for (const [mode, args] of [[0o660, []], [0o600, ["--socket-mode", "0600"]]] as const) {
      const path = `${folder}/a.sock`;
      const program = await startProgram(["--socket", path, ...args]);
      assertEquals(program.url, `unix:${path}`);
      assertEquals(Deno.lstatSync(path).mode! & 0o777, mode);
      assertEquals(filesIn(folder), ["a.sock"]);
      assert(await isAnswered(path));
      program.signal("SIGTERM");
      assertEquals((await program.outcome).code, 0);
      assertEquals(filesIn(folder), []);
    }
  });
});

Deno.test("a socket without a listener is replaced, one that is answered is in use", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/a.sock`;
    const killed = await startProgram(["--socket", path]);
    killed.signal("SIGKILL");
    await killed.outcome;
    assertEquals(filesIn(folder), ["a.sock"]);
    const program = await startProgram(["--socket", path]);
    const { code, stdout, stderr } = await runProgram(["--socket", path]);
    assertEquals([code, stdout], [1, ""]);
    const reason = "it is in use by another program (stop it, or choose another)";
    assert(stderr.endsWith(`${IN_USE}${reason}\n`), stderr);
    assert(await isAnswered(path));
    program.signal("SIGTERM");
    await program.outcome;
  });
});

Deno.test("a caller without a Host, as HTTP/1.0 allows, is answered on a socket", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/a.sock`;
    const program = await startProgram(["--socket", path]);
    const asked = [
      ["/healthz", "ok"],
      [
        `/Validate.aspx?Pin=${
          referenceHotp(SECRET, Math.floor(Date.now() / 30_000))
        }&SecretCode=${SECRET}`,
        "True",
      ],
    ] as const;
    for (const [target, body] of asked) {
      const reply = await exchange(path, `GET ${target} HTTP/1.0\r\n\r\n`);
      assert(/^HTTP\/1\.[01] 200 OK\r\n/.test(reply) && reply.endsWith(`\r\n\r\n${body}`), reply);
    }
    const wsdl = await exchange(path, "GET /api.asmx?wsdl HTTP/1.0\r\n\r\n");
    assert(wsdl.includes('location="http://localhost/api.asmx"'), wsdl);
    // What only looks like the path of a socket is a Host that is none.
    const none = await exchange(path, "GET /healthz HTTP/1.0\r\nHost: %2Ftmp\r\n\r\n");
    assert(/^HTTP\/1\.[01] 400 /.test(none), none);
    program.signal("SIGTERM");
    await program.outcome;
  });
});

Deno.test("a socket that cannot be removed does not keep a program from ending", async () => {
  await withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/a`);
    const program = await startProgram(["--socket", `${folder}/a/a.sock`]);
    // What is true of root as well: a link to itself leads nowhere.
    await Deno.rename(`${folder}/a`, `${folder}/b`);
    await Deno.symlink("a", `${folder}/a`);
    program.signal("SIGTERM");
    const { code, stderr } = await program.outcome;
    assertEquals(code, 0, stderr);
    assert(/^\S+ warn the socket could not be removed: ELOOP\n/m.test(stderr), stderr);
  });
});

Deno.test({
  name: "a program that may write in the folder of its socket alone has it there",
  ignore: PROGRAM !== "deno",
  fn: async () => {
    await withFolder(async (folder) => {
      const path = `${folder}/a.sock`;
      const permissions = [
        "--allow-net",
        "--allow-read",
        "--allow-env",
        "--allow-sys",
        `--allow-write=${folder}`,
      ];
      const main = fileURLToPath(new URL("../../../main.ts", import.meta.url));
      const command = [Deno.execPath(), "run", "--no-prompt", ...permissions, main];
      const program = await startProgram(["--socket", path], { command });
      assertEquals(filesIn(folder), ["a.sock"]);
      assert(await isAnswered(path));
      program.signal("SIGTERM");
      assertEquals((await program.outcome).code, 0);
      assertEquals(filesIn(folder), []);
    });
  },
});

Deno.test("what is no socket is left alone, and a path that cannot be one is an error", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/file`, "text");
    const cases = [
      [`${folder}/file`, "the path is taken by something that is not a socket"],
      [`${folder}/none/a.sock`, "its folder does not exist"],
      [`${folder}/${"a".repeat(120)}`, "the path is too long"],
    ] as const;
    for (const [path, reason] of cases) {
      const { code, stderr } = await runProgram(["--socket", path]);
      assertEquals([code, stderr.endsWith(`${IN_USE}${reason}\n`)], [1, true], stderr);
    }
    assertEquals(await Deno.readTextFile(`${folder}/file`), "text");
    assertEquals(filesIn(folder), ["file"]);
  });
});
