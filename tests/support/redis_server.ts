/**
 * A real Redis for tests: started by the command that the documentation shows, on a free port of
 * loopback, with what it writes in a temporary folder.
 *
 * @module
 */

import { limitLife, runToEnd } from "./child.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free_port.ts";

const ROOT = new URL("../../", import.meta.url);
const PAGES = ["docs/deploying.md", "docs/security.md"];

/** A Redis that runs, or can be started again. */
export interface RedisServer {
  /** Its URL. */
  readonly url: string;
  /** Starts it again on the same port with the same files. */
  readonly start: () => Promise<void>;
  /** Sends a signal to it. */
  readonly signal: (signal: Deno.Signal) => void;
  /** Ends it at once, as a crash would, and waits until it is gone. */
  readonly kill: () => Promise<void>;
  /** Sends one command, and gives the reply as redis-cli prints it. */
  readonly command: (...words: string[]) => Promise<string>;
}

/**
 * The command line that the documentation shows, the same on all pages.
 *
 * @throws {Error} When there is none, or more than one.
 */
export function shownCommand(): readonly string[] {
  const shown = PAGES.flatMap((page) =>
    Deno.readTextFileSync(new URL(page, ROOT)).match(/^redis-server .*$/gm) ?? []
  );
  if (new Set(shown).size !== 1) {
    throw new Error(`${PAGES.join(" and ")} must show one command that starts redis-server`);
  }
  return shown[0]!.split(" ");
}

/**
 * Runs a test with a Redis, and ends it afterwards.
 *
 * @param more Arguments behind those of the shown command.
 */
export async function withRedis(
  more: readonly string[],
  run: (redis: RedisServer) => Promise<void>,
): Promise<void> {
  needed("redis-server");
  needed("redis-cli");
  const folder = Deno.makeTempDirSync();
  const port = freePort();
  const [shownProgram, ...shown] = shownCommand();
  // Valkey's, for instance.
  const program = Deno.env.get("TEST_STORE") ?? shownProgram;
  const args = [...withPort(shown, port), ...more];
  let child: Deno.ChildProcess | undefined;
  const command = async (...words: string[]): Promise<string> => {
    const options = ["-h", "127.0.0.1", "-p", String(port), "--no-raw", ...words];
    const { stdout, stderr } = await runToEnd(["redis-cli", ...options]);
    return (stdout || stderr).trim();
  };
  const redis: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    start: async () => {
      child = new Deno.Command(program!, { args, cwd: folder, stdout: "null" }).spawn();
      limitLife(child);
      await eventually(async () => /PONG|NOAUTH/.test(await command("PING")));
    },
    signal: (signal) => child?.kill(signal),
    kill: async () => {
      child?.kill("SIGKILL");
      await child?.status;
    },
    command,
  };
  try {
    await redis.start();
    await run(redis);
  } finally {
    await redis.kill().catch(() => {});
    Deno.removeSync(folder, { recursive: true });
  }
}

function withPort(args: readonly string[], port: number): readonly string[] {
  const at = args.indexOf("--port");
  if (at < 0) throw new Error("the shown command names no --port");
  return args.toSpliced(at + 1, 1, String(port));
}

function needed(program: string): void {
  try {
    new Deno.Command(program, { args: ["--version"], stdout: "null" }).outputSync();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Error(`${program} is missing: it is in the package redis-server of Debian`);
  }
}
