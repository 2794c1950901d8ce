/** The program that TEST_PROGRAM names, for all tests of a file. */

import { type RunningProgram, startProgram, stop } from "./program.ts";

/** A window in which a pin is still right after a slow machine has compiled and started its caller. */
export const PATIENT: readonly string[] = ["--window", "10"];

/** A server under test. */
export interface TestServer {
  /** Its address, without a slash at the end. */
  readonly url: string;
}

/**
 * Serves from before the first test of the file that calls this until after its last, and fails when
 * the server does not end well, or has logged an error.
 *
 * @param options Options of the command line.
 */
export function serverForTests(...options: readonly string[]): TestServer {
  let program: RunningProgram | undefined;
  Deno.test.beforeAll(async () => {
    program = await startProgram(["--port", "0", ...options]);
  });
  Deno.test.afterAll(async () => {
    if (program === undefined) return;
    await stop(program);
    const { code, stderr } = await program.outcome;
    if (code !== 0) throw new Error(`The server ended with exit code ${code}`);
    if (/^\S+ error /m.test(stderr)) throw new Error(`The server logged:\n${stderr}`);
  });
  return {
    get url() {
      if (program === undefined) throw new Error("The server does not run");
      return program.url;
    },
  };
}
