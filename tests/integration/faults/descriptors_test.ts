/**
 * A server that has no descriptors left goes on, and accepts again when some come back.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { validateTarget } from "../../support/calls.ts";
import { eventually } from "../../support/eventually.ts";
import { descriptorCount } from "../../support/process.ts";
import { PROGRAM } from "../../support/program.ts";
import { Wire } from "../../support/http.ts";
import { type FaultedServer, withFaultedServer } from "../../support/faulted_server.ts";

const LIMIT = 96;
// More than there is room for; what the server does not accept waits in the queue of the system.
const SILENT = 160;

function request(pin: string): string {
  return `GET ${validateTarget(pin)} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
}

// The reply to a pin on a connection that stays open.
async function ask(wire: Wire, pin: string): Promise<string | undefined> {
  const answers = (text: string): string[] => text.match(/True|False/g) ?? [];
  const before = answers(await wire.receive(() => true)).length;
  await wire.send(request(pin));
  return answers(await wire.receive((text) => answers(text).length > before))[before];
}

// Deno closes idle connections once another could not be accepted.
const LETS_GO = PROGRAM === "deno";

// Bun does not accept a connection that has sent nothing.
async function begin(server: FaultedServer, text: string): Promise<Wire | undefined> {
  try {
    return await Wire.saying(server.program.url, text);
  } catch {
    // A server may close its port for a moment, and who is in the queue then is sent away.
    return undefined;
  }
}

async function isReached(server: FaultedServer): Promise<boolean> {
  try {
    return (await server.get("/healthz")).status === 200;
  } catch {
    return false;
  }
}

Deno.test("without descriptors the server answers on open connections, and accepts again later", async () => {
  await withFaultedServer({ shell: `ulimit -n ${LIMIT}` }, async (server) => {
    const { pid } = server.program;
    const before = descriptorCount(pid);
    for (let round = 0; round < 3; round++) {
      const kept = await Wire.to(server.program.url);
      assertEquals(await ask(kept, server.wrongPin()), "False");
      let someAreLetGo = false;
      const silent = Array.from({ length: SILENT }, () => begin(server, "G"));
      for (const wire of silent) {
        void wire.then((wire) => wire?.isClosed()).then(() => someAreLetGo = true);
      }
      // What the server holds besides connections differs.
      const isFull = (): boolean => descriptorCount(pid) >= LIMIT - 8;
      await eventually(() => LETS_GO && someAreLetGo || isFull(), "descriptors run out");
      const waiting = await begin(server, request(server.wrongPin()));
      const asked = [
        [server.wrongPin(), "False"],
        [server.usedPin(), "False"],
        [server.freshPin(), "True"],
      ] as const;
      let answer: string | undefined;
      for (const [pin, expected] of asked) {
        answer = await ask(kept, pin);
        if (answer !== undefined || !LETS_GO) assertEquals(answer, expected);
      }
      for (const wire of await Promise.all(silent)) wire?.close();
      const late = await waiting?.receive((text) => text.endsWith("False"));
      assert(late === undefined || late === "" || late.endsWith("False"), late);
      for (const wire of [kept, waiting]) wire?.close();
      await eventually(() => descriptorCount(pid) <= before + 2, "descriptors come back");
      await eventually(() => isReached(server), "the server accepts again");
      // Nobody knows whether a pin is used whose answer did not come.
      if (answer === undefined) await server.validate(server.usedPin());
      await server.assertHealthy();
    }
  });
});
