/**
 * Bodies that are all framing, read or not, and pipelined requests, sent as fast as a connection
 * carries them, plain, through TLS and on a unix socket: the server stays small, answers others, ends
 * on SIGTERM, and remembers wrong pins.
 *
 * @module
 */

import { assertEquals } from "@std/assert/equals";
import { eventually, inTime } from "../../support/eventually.ts";
import { withFaultedServer } from "../../support/faulted_server.ts";
import { exchangeRaw } from "../../support/http.ts";
import { startProgram, stop } from "../../support/program.ts";
import { withFolder } from "../../support/folder.ts";
import { TRANSPORTS } from "../program/transports.ts";
import {
  assertAnswers,
  assertPeakBelow,
  blockOf,
  type Flood,
  floodFor,
  idle,
  throttle,
} from "./flood.ts";

/** First wait of a secret with too many wrong pins. */
const FIRST_WAIT_MS = 30_000;

const CHUNKED = "POST /api.asmx/ValidatePin HTTP/1.1\r\nHost: localhost\r\n" +
  "Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n";

function chunked(start: string, repeated: string): Flood {
  return { start: CHUNKED + start, block: blockOf(repeated) };
}

/** A body to a path that reads none; chunks of a byte unless given. */
function unread(method: string, path: string, start = "", repeated = "1\r\na\r\n"): Flood {
  const head =
    `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`;
  return { start: head + start, block: blockOf(repeated) };
}

function pipelined(request: string): Flood {
  return { start: request, block: blockOf(request) };
}

const FLOODS: ReadonlyMap<string, Flood> = new Map([
  ["chunks of a byte", chunked("", "1\r\na\r\n")],
  [
    "chunks of a byte, cut off",
    { start: CHUNKED + "1\r\na\r\n".repeat(500_000), block: "", leaves: true },
  ],
  ["a chunk extension", chunked("1;", "a")],
  ["a quoted chunk extension", chunked('1;a="', "a")],
  ["zeros before a size", chunked("", "0")],
  ["blanks behind a size", chunked("1", " ")],
  ["an extension of the last chunk", chunked("0;", "a")],
  ["a trailer field", chunked("0\r\nX: ", "a")],
  ["trailer fields", chunked("0\r\n", "X: a\r\n")],
  ["trailer fields behind a body", chunked("12\r\npin=1&secretCode=x\r\n0\r\n", "X: a\r\n")],
  ["chunks of a byte behind a POST that reads none", unread("POST", "/healthz")],
  ["chunks of a byte behind a GET", unread("GET", "/api.asmx")],
  ["chunks of a byte behind a HEAD", unread("HEAD", "/nowhere")],
  ["chunks of a byte of a wrong type", unread("POST", "/api.asmx/ValidatePin")],
  ["trailer fields behind a POST that reads none", unread("POST", "/nowhere", "0\r\n", "X: a\r\n")],
  ["a chunk extension behind a GET", unread("GET", "/healthz", "1;", "a")],
  [
    "trailer fields behind a body that is too large",
    chunked(`11170\r\n${"a".repeat(70_000)}\r\n0\r\n`, "X: a\r\n"),
  ],
  ["pipelined requests", pipelined("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")],
]);

async function assertSurvives(t: Deno.TestContext, options: readonly string[]): Promise<void> {
  await withFaultedServer({ args: [...options, "--max-failures", "5"] }, async (server) => {
    for (const [what, flood] of FLOODS) {
      for (const callers of [1, 32]) {
        await t.step(`${what}, by ${callers}`, () =>
          inTime(FIRST_WAIT_MS, async () => {
            const secret = crypto.randomUUID();
            await eventually(() => throttle(server, secret).then(() => true, () => false));
            await assertAnswers(
              server,
              () => floodFor(server, flood, { callers, ms: 1_500 }),
              callers,
            );
            await idle(server);
            assertEquals(await server.validate(server.pinOf(secret), secret), "False");
          }));
      }
    }
    assertPeakBelow(server, 400);
  });
}

for (const [transport, optionsIn] of TRANSPORTS) {
  Deno.test(`bodies that are all framing take little memory, and the guard remembers wrong pins (${transport})`, (t) =>
    withFolder((folder) => assertSurvives(t, optionsIn(folder))));
}

for (const what of ["chunks of a byte", "trailer fields"]) {
  Deno.test(`a server that is stopped during ${what} without end, ends`, async () => {
    const program = await startProgram(["--port", "0"]);
    const ends = floodFor({ program }, FLOODS.get(what)!, { callers: 8, ms: 3_000 });
    await exchangeRaw(program.url, { head: ["GET /healthz HTTP/1.1", "Host: localhost"] });
    await stop(program);
    assertEquals((await program.outcome).code, 0);
    await ends;
  });
}
