/**
 * Callers of HTTP/2 that take no replies, one attack after the other on one server: it drops
 * connections and says so, and lives on with the wrong pins that it remembers. Bun speaks no HTTP/2.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { eventually } from "../../support/eventually.ts";
import { type FaultedServer, withFaultedServer } from "../../support/faulted_server.ts";
import {
  emptyData,
  PREFACE,
  request,
  startOf,
  windowSettings,
} from "../../support/http2_frames.ts";
import { PROGRAM } from "../../support/program.ts";
import { withFolder } from "../../support/folder.ts";
import { TRANSPORTS } from "../program/transports.ts";
import { assertPeakBelow, type Flood, floodFor, idle, throttle } from "./flood.ts";

const STREAMS = 200;
const PAIR = "/api.asmx/Pair?appName=a&appInfo=b&secretCode=guess";

function held(path: string, block: string | Uint8Array = ""): Flood {
  const requests = Array.from({ length: STREAMS }, (_, i) => request(1 + 2 * i, { ":path": path }));
  return { start: Buffer.concat([startOf(0), ...requests]), block };
}

/** Empty DATA frames behind the reply to a request whose body goes on. */
function emptyFrames(fields: Readonly<Record<string, string>>): Flood {
  const start = Buffer.concat([startOf(0), request(1, fields, false)]);
  return { start, block: Buffer.concat(Array.from({ length: 1_800 }, () => emptyData(1))) };
}

const ATTACKS: readonly (readonly [string, Flood, number])[] = [
  ["pages that are not taken", held("/api.asmx"), 70],
  ["empty DATA frames behind a reply", emptyFrames({ ":path": "/api.asmx" }), 1],
  ["pairings that are not taken", held(PAIR), 70],
  [
    "empty DATA frames behind an error",
    emptyFrames({ ":path": "/nowhere", ":method": "POST" }),
    4,
  ],
  ["prefaces alone", { start: PREFACE, block: "" }, 70],
  ["a window that opens and closes", held(PAIR, windowSettings(0)), 1],
];

async function remembers(server: FaultedServer, secret: string): Promise<boolean> {
  try {
    return await server.validate(server.pinOf(secret), secret) === "False";
  } catch {
    // The connection was dropped.
    return false;
  }
}

Deno.test({
  name:
    "replies over HTTP/2 that are not taken end with dropped connections, never with the process",
  ignore: PROGRAM !== "deno",
  fn: async (t) => {
    await withFaultedServer({ args: ["--max-failures", "5"] }, async (server) => {
      for (let round = 0; round < 2; round++) {
        for (const [what, flood, callers] of ATTACKS) {
          await t.step(`${what}, by ${callers}, round ${round + 1}`, async () => {
            const secret = `${what} ${round}`;
            await eventually(() => throttle(server, secret).then(() => true, () => false));
            await floodFor(server, flood, { callers, ms: 3_000, readsReplies: false });
            await eventually(
              () => remembers(server, secret),
              "it answers, and remembers the wrong pins",
            );
          });
        }
      }
      assertPeakBelow(server, 900);
      assert(server.program.stderr().includes("all connections were dropped"));
      const metrics = await (await fetch(`${server.program.url}/metrics`)).text();
      const [, drops] = /^authenticator_connections_dropped_total (\d+)$/m.exec(metrics)!;
      assert(Number(drops) > 0, drops);
      assertEquals((await server.get("/readyz")).status, 200);
    });
  },
});

Deno.test({
  // A fault of Deno 2.9.6 (tests/integration/upstream/deno_tls_turns.md): meanwhile nobody is answered,
  // and the memory grows.
  name: "empty DATA frames through TLS take their server's memory no longer than they are sent",
  ignore: PROGRAM !== "deno",
  fn: () =>
    withFolder(async (folder) => {
      const options = TRANSPORTS.get("TLS")!(folder);
      await withFaultedServer({ args: [...options, "--max-failures", "5"] }, async (server) => {
        await throttle(server, "guess");
        const what = emptyFrames({ ":path": "/api.asmx" });
        await floodFor(server, what, { callers: 1, ms: 2_000, readsReplies: false });
        await eventually(
          () => remembers(server, "guess"),
          "it answers, and remembers the wrong pins",
        );
        await idle(server);
      });
    }),
});
