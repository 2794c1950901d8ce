/** The program that TEST_PROGRAM names, started as an operator would and reached over TCP. */

import { programWords } from "../support/program.ts";

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

const START_TIMEOUT_MS = 30_000;

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
  const [program, ...args] = [...command, "--port", "0", ...options];
  const child = new Deno.Command(program!, {
    args,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const timer = setTimeout(() => child.kill("SIGKILL"), START_TIMEOUT_MS);
  const log = new Response(child.stderr).text();
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let printed = "";
  while (!printed.includes("\n")) {
    const { value, done } = await output.read();
    if (done) break;
    printed += value;
  }
  clearTimeout(timer);
  const url = /^Listening on (https?:\/\/\S+)\n/.exec(printed)?.[1];
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await output.cancel();
    const { code, signal } = await child.status;
    if (code !== 0) throw new Error(`The server ended with ${signal ?? `exit code ${code}`}`);
    if (/^\S+ error /m.test(await log)) throw new Error(`The server logged:\n${await log}`);
  };
  if (url !== undefined) return { url, stop };
  await child.status;
  throw new Error(`The server did not start; it printed: ${printed}${await log}`);
}
