/**
 * The program on each kind of connection: a plain port, one with TLS, and a unix socket.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { STORE_CERTIFICATE, STORE_KEY } from "../../support/certificates.ts";
import { exchangeRaw, Wire } from "../../support/http.ts";
import { type RunningProgram, startProgram } from "../../support/program.ts";

/** Options of a server for each kind of connection, beside its port, with files in a folder. */
export const TRANSPORTS = new Map<string, (folder: string) => readonly string[]>([
  ["plain", () => []],
  ["TLS", (folder) => {
    const [cert, key] = [`${folder}/cert.pem`, `${folder}/key.pem`];
    Deno.writeTextFileSync(cert, STORE_CERTIFICATE);
    Deno.writeTextFileSync(key, STORE_KEY);
    return ["--tls-cert", cert, "--tls-key", key];
  }],
  ["unix socket", (folder) => ["--socket", `${folder}/a.sock`]],
]);

/** Test of a connection to the program. */
export type ConnectionTest = (wire: Wire, program: RunningProgram) => Promise<void>;

/** Registers a test. */
export type Register = (title: string, act: ConnectionTest, transports?: Iterable<string>) => void;

/**
 * Starts the programs before the tests of a file, and stops them afterwards: their logs must have no
 * error.
 *
 * @param options Further options of all programs.
 * @returns Registers a test for connections of each kind, after which the server must still answer.
 */
export function onEachTransport(options: readonly string[] = []): Register {
  const programs = new Map<string, RunningProgram>();
  let folder: string;
  Deno.test.beforeAll(async () => {
    folder = await Deno.makeTempDir();
    await Promise.all([...TRANSPORTS].map(async ([transport, optionsIn]) => {
      programs.set(
        transport,
        await startProgram(["--port", "0", ...optionsIn(folder), ...options]),
      );
    }));
  });
  Deno.test.afterAll(async () => {
    for (const program of programs.values()) {
      program.signal("SIGTERM");
      const { code, stderr } = await program.outcome;
      assertEquals(code, 0);
      assert(!/^\S+ error /m.test(stderr), `The log has an error:\n${stderr}`);
    }
    await Deno.remove(folder, { recursive: true });
  });
  return (title, act, transports = TRANSPORTS.keys()) => {
    for (const transport of transports) {
      Deno.test(`${title} (${transport})`, async () => {
        const program = programs.get(transport)!;
        {
          using wire = await Wire.to(program.url);
          await act(wire, program);
        }
        await assertHealthy(program);
      });
    }
  };
}

/** Fails unless the program answers. */
export async function assertHealthy({ url }: RunningProgram): Promise<void> {
  const { body } = await exchangeRaw(url, { head: ["GET /healthz HTTP/1.1", "Host: localhost"] });
  assertEquals(new TextDecoder().decode(body), "ok");
}
