/**
 * The program on a unix socket.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { runToEnd } from "../../support/child.ts";
import { eventually } from "../../support/eventually.ts";
import { PROGRAM, runProgram, startProgram, stop, withProgram } from "../../support/program.ts";
import { pinOf } from "../../support/reference_totp.ts";
import { runHealthcheck } from "../../support/command.ts";
import { withFolder } from "../../support/folder.ts";

const SECRET = "correct-horse-battery-staple";

const IN_USE = "Z error cannot listen on the socket: ";

// By the program itself: this test may not connect to a socket.
async function isAnswered(path: string): Promise<boolean> {
  return (await runHealthcheck(["--socket", path])).code === 0;
}

// By another process for the same reason: sends bytes on a connection, and returns the reply.
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

Deno.test("a socket has its mode, is the only file in its folder, and is removed at the end", async () => {
  await withFolder(async (folder) => {
    for (const [mode, args] of [[0o660, []], [0o600, ["--socket-mode", "0600"]]] as const) {
      const path = `${folder}/a.sock`;
      await withProgram(["--socket", path, ...args], async (program) => {
        assertEquals(program.url, `unix:${path}`);
        assertEquals(Deno.lstatSync(path).mode! & 0o777, mode);
        assertEquals(filesIn(folder), ["a.sock"]);
        assert(await isAnswered(path));
      });
      assertEquals(filesIn(folder), []);
    }
  });
});

Deno.test("a socket without a listener is replaced, and one with a listener is in use", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/a.sock`;
    const killed = await startProgram(["--socket", path]);
    killed.signal("SIGKILL");
    await killed.outcome;
    assertEquals(filesIn(folder), ["a.sock"]);
    await withProgram(["--socket", path], async () => {
      const { code, stdout, stderr } = await runProgram(["--socket", path]);
      assertEquals([code, stdout], [1, ""]);
      const reason = "it is in use by another program (stop it, or choose another)";
      assert(stderr.endsWith(`${IN_USE}${reason}\n`), stderr);
      assert(await isAnswered(path));
    });
  });
});

/** Starts of a successor, as shares of the time that a stop takes. */
const MOMENTS = [0, 0.3, 0.6, 0.8, 0.9, 0.95, 1, 1.05];

Deno.test("a successor that starts at any moment of a stop is reached, beside a third server", async () => {
  await withFolder(async (folder) => {
    const [path, third] = [`${folder}/a.sock`, `${folder}/b.sock`];
    await withProgram(["--socket", third], async () => {
      let running = await startProgram(["--socket", path]);
      let stopMs = 0;
      for (const share of MOMENTS) {
        const startMs = performance.now();
        running.signal("SIGTERM");
        const ended = running.outcome.then(() => stopMs ||= performance.now() - startMs);
        await eventually(() => !filesIn(folder).includes("a.sock"), "the stop begins");
        await new Promise((resolve) => setTimeout(resolve, stopMs * share));
        const successor = await startProgram(["--socket", path]);
        await ended;
        assert(await isAnswered(path), `after ${share} of a stop`);
        assertEquals(filesIn(folder).sort(), ["a.sock", "b.sock"]);
        running = successor;
      }
      await stop(running);
      assert(await isAnswered(third));
    });
  });
});

Deno.test("a socket that replaced another server's is not removed when that stops", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/a.sock`;
    await withProgram(["--socket", path], async () => {
      const first = await startProgram(["--socket", `${folder}/b.sock`]);
      await Deno.rename(path, `${folder}/b.sock`);
      await stop(first);
      assertEquals(filesIn(folder), ["b.sock"]);
      assert(await isAnswered(`${folder}/b.sock`));
    });
  });
});

Deno.test("a path as long as a socket may have is served, also with a name of one letter", async () => {
  await withFolder(async (folder) => {
    // Of sockaddr_un, without the zero at its end.
    const mostBytes = Deno.build.os === "darwin" ? 103 : 107;
    for (const name of ["s", "a.sock", "of-more-letters.sock"]) {
      const parent = `${folder}/${"x".repeat(mostBytes - folder.length - name.length - 2)}`;
      await Deno.mkdir(parent);
      await withProgram(["--socket", `${parent}/${name}`], async () => {
        assertEquals(filesIn(parent), [name]);
        assert(await isAnswered(`${parent}/${name}`));
      });
      assertEquals(filesIn(parent), []);
    }
  });
});

Deno.test("a caller without a Host, as HTTP/1.0 allows, is answered on a socket", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/a.sock`;
    await withProgram(["--socket", path], async () => {
      const query = `Pin=${pinOf(SECRET)}&SecretCode=${SECRET}`;
      for (const [target, body] of [["/healthz", "ok"], [`/Validate.aspx?${query}`, "True"]]) {
        const reply = await exchange(path, `GET ${target} HTTP/1.0\r\n\r\n`);
        assert(/^HTTP\/1\.[01] 200 OK\r\n/.test(reply), reply);
        assert(reply.endsWith(`\r\n\r\n${body}`), reply);
      }
      const wsdl = await exchange(path, "GET /api.asmx?wsdl HTTP/1.0\r\n\r\n");
      assert(wsdl.includes('location="http://localhost/api.asmx"'), wsdl);
      // A Host that is none, although it looks like the path of a socket.
      const none = await exchange(path, "GET /healthz HTTP/1.0\r\nHost: %2Ftmp\r\n\r\n");
      assert(/^HTTP\/1\.[01] 400 /.test(none), none);
    });
  });
});

Deno.test("a program ends although its socket cannot be removed, and logs that", async () => {
  await withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/a`);
    const { stderr } = await withProgram(["--socket", `${folder}/a/a.sock`], async () => {
      // A link to itself leads nowhere, for root as well.
      await Deno.rename(`${folder}/a`, `${folder}/b`);
      await Deno.symlink("a", `${folder}/a`);
    });
    assert(/^\S+ warn the socket could not be removed: ELOOP\n/m.test(stderr), stderr);
  });
});

Deno.test({
  name: "a socket needs permission to write in its folder only",
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
      await withProgram(["--socket", path], async () => {
        assertEquals(filesIn(folder), ["a.sock"]);
        assert(await isAnswered(path));
      }, { command });
      assertEquals(filesIn(folder), []);
    });
  },
});

Deno.test("a file that is no socket is kept, and a path that cannot be a socket is an error", async () => {
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
