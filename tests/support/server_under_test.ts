/** The program that TEST_PROGRAM names, started as an operator would and reached over TCP. */

import { programWords, startProgram } from "./program.ts";

/** With these options a pin is still right when a slow machine has compiled and started its caller. */
export const PATIENT: readonly string[] = ["--window", "10"];

/** A server under test. */
export interface ServerUnderTest {
  /** Its address, without a slash at the end. */
  readonly url: string;
}

/**
 * Serves from before the first test of the file that calls this until after its last; the address
 * is there in between.
 *
 * @param options Options of the command line.
 */
export function serverForTests(...options: readonly string[]): ServerUnderTest {
  let server: Server | undefined;
  Deno.test.beforeAll(async () => {
    server = await startServer(options);
  });
  Deno.test.afterAll(() => server?.stop());
  return {
    get url() {
      if (server === undefined) throw new Error("The server does not run");
      return server.url;
    },
  };
}

/** A server that runs. */
export interface Server extends ServerUnderTest {
  /**
   * Tells it to stop, as a service manager would; fails when it does not end well, or logged an
   * error.
   */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a server on a port that is free.
 *
 * @param options Options of the command line.
 * @param command What starts it.
 */
export async function startServer(
  options: readonly string[] = [],
  command: readonly string[] = programWords(),
): Promise<Server> {
  const program = await startProgram(["--port", "0", ...options], { command });
  const stop = async (): Promise<void> => {
    program.signal("SIGTERM");
    const { code, stderr } = await program.outcome;
    if (code !== 0) throw new Error(`The server ended with exit code ${code}`);
    if (/^\S+ error /m.test(stderr)) throw new Error(`The server logged:\n${stderr}`);
  };
  return { url: program.url, stop };
}
