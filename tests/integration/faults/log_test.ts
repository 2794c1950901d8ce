/**
 * What becomes of the server when its log cannot be written: the disk is full, standard error is
 * closed, or a pipe without a reader.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { eventually } from "../../support/eventually.ts";
import { runToEnd } from "../../support/child.ts";
import { withFolder } from "../../support/folder.ts";
import { residentBytes } from "../../support/process.ts";
import { Wire } from "../../support/http.ts";
import { type FaultedServer, withFaultedServer } from "../../support/faulted_server.ts";

// A pipe holds 64 KiB, and a line has about 150 bytes.
const REQUESTS = 5_000;
const ROUNDS = 5;
const BATCH = 100;

// Requests on one connection, all answered.
async function sendMany(server: FaultedServer): Promise<void> {
  const wire = await Wire.to(server.program.url);
  const request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (let sent = 0; sent < REQUESTS; sent += BATCH) {
    await wire.send(request.repeat(BATCH));
    await wire.receive((text) => text.split("\r\n\r\nok").length > sent + BATCH);
  }
  wire.close();
}

async function withPipe(run: (path: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const path = `${folder}/pipe`;
    assertEquals((await runToEnd(["mkfifo", path])).stderr, "");
    await run(path);
  });
}

Deno.test("a log on a full disk costs no answer", async () => {
  await withFaultedServer({ shell: "exec 2>/dev/full" }, async (server) => {
    await sendMany(server);
    await server.assertHealthy();
  });
});

// Far above the files that Deno keeps of its own; a shell counts half KiB.
const FULL_BYTES = 2 ** 30;

Deno.test("a log that may not grow any more costs no answer", async () => {
  const path = await Deno.makeTempFile();
  await Deno.truncate(path, FULL_BYTES - 1_000);
  const shell = `ulimit -f ${FULL_BYTES / 512}; exec 2>>'${path}'`;
  await withFaultedServer({ shell }, async (server) => {
    await sendMany(server);
    await server.assertHealthy();
  });
  await Deno.remove(path);
});

Deno.test("the log closed from the start costs no answer", async () => {
  await withFaultedServer({ shell: "exec 2>&-" }, async (server) => {
    // The lines of the log must not go where a connection got the descriptor of standard error.
    assertEquals(await Deno.readLink(`/proc/${server.program.pid}/fd/2`), "/dev/null");
    await sendMany(server);
    await server.assertHealthy();
  });
});

Deno.test("a reader of the log that ends costs no answer", async () => {
  await withPipe(async (path) => {
    const opened = Deno.open(path);
    await withFaultedServer({ shell: `exec 2>'${path}'` }, async (server) => {
      (await opened).close();
      await sendMany(server);
      await server.assertHealthy();
    });
  });
});

// Opened for both by the server itself, the pipe has a reader that never reads.
function unread(path: string): { shell: string } {
  return { shell: `exec 2<>'${path}'` };
}

Deno.test("a log that is not read costs no reply, and SIGTERM ends the server", async () => {
  await withPipe(async (path) => {
    await withFaultedServer(unread(path), async (server) => {
      await sendMany(server);
      const before = residentBytes(server.program.pid);
      for (let round = 0; round < ROUNDS; round++) await sendMany(server);
      assert(residentBytes(server.program.pid) - before < 64 * 2 ** 20, "the lines are kept");
      await server.assertHealthy();
    });
  });
});

Deno.test("a log that is read again goes on with the number of lines that are missing", async () => {
  await withPipe(async (path) => {
    await withFaultedServer(unread(path), async (server) => {
      for (let round = 0; round < ROUNDS; round++) await sendMany(server);
      await server.assertHealthy();
      using reader = await Deno.open(path);
      let text = "";
      const reading = (async () => {
        const decoder = new TextDecoder();
        for await (const chunk of reader.readable) text += decoder.decode(chunk);
      })().catch(() => {});
      await eventually(async () => {
        await server.get("/healthz");
        return /log lines lost/.test(text);
      }, "lines are missing");
      void reading;
      const [kept] = text.split("log lines lost");
      assert(kept!.split("\n").length < ROUNDS * REQUESTS / 2, "most of the lines were kept");
    });
  });
});
