/**
 * What the commands keep of the reply of a hostile server; on Linux only, where memory is read.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { assert } from "@std/assert/assert";
import { STORE_CERTIFICATE, STORE_KEY } from "../../support/certificates.ts";
import { limitLife, spawn } from "../../support/child.ts";
import { peakResidentBytes } from "../../support/process.ts";
import { PROGRAM, programWords } from "../../support/program.ts";
import { startRaw } from "../../support/raw_server.ts";

const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const JSON_HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ";

/** What a server sends, and then repeats without end. */
const REPLIES: readonly (readonly [string, string])[] = [
  ["", "\r\n"],
  ["HTTP/1.1 200 OK\r\n", "A: b\r\n"],
  ["HTTP/1.1 103 Early Hints\r\n", "A: b\r\n"],
  [CHUNKED, "0"],
  [`${CHUNKED}1;`, "a"],
  [CHUNKED, "1\r\na\r\n"],
  [`${CHUNKED}0\r\n`, "A: b\r\n"],
  // As large as a reply may be, and expensive to parse.
  [`${JSON_HEAD}520000\r\n\r\n[`, '{"a":0},'],
  [`${JSON_HEAD}520000\r\n\r\n`, "[".repeat(260_000) + "]".repeat(260_000)],
];

const FOLDER = fileURLToPath(new URL("../../support/certificates/", import.meta.url));
const TLS = ["--tls-cert", `${FOLDER}store.pem`, "--tls-key", `${FOLDER}store_key.pem`];

const COMMANDS: readonly (readonly [string, (port: number) => readonly string[]])[] = [
  ["status", (port) => ["--metrics-port", `${port}`]],
  ["guard name", (port) => ["--metrics-port", `${port}`]],
  ["healthcheck", (port) => ["--port", `${port}`]],
  ["healthcheck", (port) => ["--port", `${port}`, ...TLS]],
  ["compare", (port) => [`http://127.0.0.1:${port}`]],
];

/** Most that a server may add to what a command has after its start. */
const MOST_BYTES = 80_000_000;

/** Runs a command to its end, and returns the peak of its memory. */
async function peakOf(words: readonly string[]): Promise<number> {
  const [program, ...args] = words;
  const child = spawn(program!, { args, stdin: "piped", stdout: "null", stderr: "null" });
  limitLife(child, 300_000);
  // The secret of `guard name`; other commands leave it.
  void new Blob(["secret\n"]).stream().pipeTo(child.stdin).catch(() => {});
  let peak = 0;
  let isRunning = true;
  void child.status.then(() => isRunning = false);
  while (isRunning) {
    try {
      peak = Math.max(peak, peakResidentBytes(child.pid));
    } catch {
      // A process that ends has no memory.
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return peak;
}

for (const [command, args] of COMMANDS) {
  const isTls = args(0).includes("--tls-cert");
  const title = isTls ? `${command} through TLS` : command;
  Deno.test(`no server makes ${title} keep more than 80 MB (${PROGRAM})`, async () => {
    const peakAt = async (start: string, repeated: string): Promise<number> => {
      await using server = startRaw(
        async (write, gone) => {
          await write(start);
          if (repeated === "") return await gone;
          const bytes = repeated.repeat(Math.ceil(65_536 / repeated.length));
          for (;;) await write(bytes);
        },
        false,
        isTls ? { cert: STORE_CERTIFICATE, key: STORE_KEY } : undefined,
      );
      return await peakOf([...programWords(), ...command.split(" "), ...args(server.port)]);
    };
    const least = await peakAt("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "");
    assert(least > 10_000_000, `${least}`);
    for (const [start, repeated] of REPLIES) {
      const more = await peakAt(start, repeated) - least;
      assert(more < MOST_BYTES, `${more} bytes more: ${(start + repeated).slice(0, 80)}`);
    }
  });
}
