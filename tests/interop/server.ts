/** The program itself, started as an operator would and reached over TCP. */

/**
 * Serves from before the first test of the file that calls this until after its last; the address,
 * without a slash at the end, is there in between.
 */
export function serverForTests(): { readonly url: string } {
  let server: Server | undefined;
  Deno.test.beforeAll(async () => {
    server = await startServer();
  });
  Deno.test.afterAll(() => server?.stop());
  return {
    get url() {
      if (server === undefined) throw new Error("The server does not run");
      return server.url;
    },
  };
}

interface Server {
  readonly url: string;
  /** Tells it to stop, as a service manager would; fails when it does not end well. */
  readonly stop: () => Promise<void>;
}

const START_TIMEOUT_MS = 30_000;
const PERMISSIONS = ["--no-prompt", "--allow-net", "--allow-env=AUTHENTICATOR_*"];

// What the program writes on standard error is let through, since it writes nothing there while all
// is well.
async function startServer(): Promise<Server> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", ...PERMISSIONS, "main.ts", "--port", "0"],
    cwd: new URL("../../", import.meta.url),
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const timer = setTimeout(() => child.kill("SIGKILL"), START_TIMEOUT_MS);
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let printed = "";
  while (!printed.includes("\n")) {
    const { value, done } = await output.read();
    if (done) break;
    printed += value;
  }
  clearTimeout(timer);
  const url = /^Listening on (http:\/\/\S+)\n/.exec(printed)?.[1];
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await output.cancel();
    const { code, signal } = await child.status;
    if (code !== 0) throw new Error(`The server ended with ${signal ?? `exit code ${code}`}`);
  };
  if (url !== undefined) return { url, stop };
  await child.status;
  throw new Error(`The server did not start; it printed: ${JSON.stringify(printed)}`);
}
