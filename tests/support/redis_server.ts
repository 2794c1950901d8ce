/**
 * A real Redis for tests: started by the command that the documentation shows, on a free port of
 * loopback, with what it writes in a temporary folder.
 *
 * @module
 */

import { limitLife, runToEnd, spawn } from "./child.ts";
import { eventually } from "./eventually.ts";
import { withFolder } from "./folder.ts";
import { freePort } from "./free_port.ts";

const ROOT = new URL("../../", import.meta.url);
const PAGES = ["docs/instances.md", "docs/store.md"];

// Valkey's, for instance.
const PROGRAM = Deno.env.get("TEST_STORE") ?? "redis-server";

/** A Redis that runs, or can be started again. */
export interface RedisServer {
  /** Its URL. */
  readonly url: string;
  /** Its port. */
  readonly port: number;
  /** Starts it again on the same port with the same files. */
  readonly start: () => Promise<void>;
  /** Sends a signal to it. */
  readonly signal: (signal: Deno.Signal) => void;
  /** Ends it at once, as a crash would, and waits until it is gone. */
  readonly kill: () => Promise<void>;
  /** Sends one command, and gives the reply or the error as redis-cli prints it. */
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
  await withFolder(async (folder) => {
    const port = freePort();
    const [, ...shown] = shownCommand();
    const args = [...withPort(shown, port), ...more];
    const redis = redisOn(port, { args, cwd: folder }, { options: ["--no-raw"] });
    try {
      await redis.start();
      await run(redis);
    } finally {
      await redis.kill().catch(() => {});
    }
  });
}

/**
 * Makes a Redis that is not started yet.
 *
 * @param start How it is started.
 * @param client Options of redis-cli, and the environment of that.
 */
export function redisOn(
  port: number,
  start: Deno.CommandOptions,
  { options = [], env = {} }: {
    readonly options?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): RedisServer {
  let child: Deno.ChildProcess | undefined;
  const command = async (...words: string[]): Promise<string> => {
    const all = ["redis-cli", "-h", "127.0.0.1", "-p", String(port), ...options, ...words];
    const { stdout, stderr } = await runToEnd(all, { env });
    return (stdout || stderr).trim();
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    start: async () => {
      child = spawn(PROGRAM, { ...start, stdout: "null", stderr: "null" });
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
}

function withPort(args: readonly string[], port: number): readonly string[] {
  const at = args.indexOf("--port");
  if (at < 0) throw new Error("the shown command names no --port");
  return args.toSpliced(at + 1, 1, String(port));
}
