import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free_port.ts";
import { exchangeRaw } from "../support/http.ts";
import { type RunningProgram, startProgram } from "../support/program.ts";
import { withRedis } from "./server.ts";
import {
  earlyInTimeStep,
  patient,
  pinOf,
  readiness,
  SECRET,
  stop,
  wrongPinOf,
} from "./two_servers.ts";

const LINUX_ONLY = { ignore: Deno.build.os !== "linux" };

/** Servers on one port, with one store. */
interface Shared {
  readonly port: number;
  /** Starts one more. */
  readonly start: () => Promise<RunningProgram>;
}

async function withSharedPort(
  args: readonly string[],
  run: (shared: Shared) => Promise<void>,
): Promise<void> {
  const keyFile = Deno.makeTempFileSync();
  Deno.writeTextFileSync(keyFile, Buffer.from(randomBytes(32)).toString("base64"));
  const started: RunningProgram[] = [];
  try {
    await withRedis([], async ({ url }) => {
      const port = freePort();
      const options = ["--port", String(port), "--share-port", "--guard-key-file", keyFile];
      const env = { AUTHENTICATOR_GUARD: patient(url) };
      const start = async (): Promise<RunningProgram> => {
        const server = await startProgram([...options, ...args], { env });
        started.push(server);
        await eventually(async () => await readiness(server) === 200);
        return server;
      };
      try {
        await run({ port, start });
      } finally {
        await Promise.all(started.map(stop));
      }
    });
  } finally {
    Deno.removeSync(keyFile);
  }
}

/** A reply on a connection of its own: which server answered, and what. */
async function ask(port: number, path: string): Promise<readonly [server: string, text: string]> {
  const head = [`GET ${path} HTTP/1.1`, "Host: localhost", "Connection: close"];
  const request = { head, body: new Uint8Array() };
  const { headers, body } = await exchangeRaw({ hostname: "127.0.0.1", port }, request);
  const id = headers.get("x-request-id") ?? "";
  return [id.slice(0, id.indexOf("-")), new TextDecoder().decode(body)];
}

function check(port: number, pin: string): Promise<readonly [string, string]> {
  return ask(port, `/Validate.aspx?Pin=${pin}&SecretCode=${encodeURIComponent(SECRET)}`);
}

/** Asks until so many servers have answered. */
async function serversOn(port: number, count: number): Promise<ReadonlySet<string>> {
  const servers = new Set<string>();
  await eventually(async () => servers.add((await ask(port, "/healthz"))[0]).size >= count);
  return servers;
}

Deno.test(
  "servers on one port take their share, and accept a code once among them",
  LINUX_ONLY,
  async () => {
    await withSharedPort(["--single-use"], async ({ port, start }) => {
      await Promise.all([start(), start()]);
      assertEquals((await serversOn(port, 2)).size, 2);
      await earlyInTimeStep();
      const pin = pinOf(SECRET);
      const replies = await Promise.all(Array.from({ length: 64 }, () => check(port, pin)));
      assertEquals(replies.filter(([, text]) => text === "True").length, 1);
      assertEquals(replies.filter(([, text]) => text === "False").length, 63);
      assertEquals(new Set(replies.map(([server]) => server)).size, 2);
    });
  },
);

Deno.test("servers on one port count wrong pins together", LINUX_ONLY, async () => {
  await withSharedPort(["--max-failures", "10"], async ({ port, start }) => {
    await Promise.all([start(), start()]);
    const wrong = wrongPinOf(SECRET);
    const replies = await Promise.all(Array.from({ length: 40 }, () => check(port, wrong)));
    assertEquals(new Set(replies.map(([server]) => server)).size, 2);
    for (const server of await serversOn(port, 2)) {
      // Whichever is asked.
      await eventually(async () => {
        const [answered, text] = await check(port, pinOf(SECRET));
        assertEquals(text, "False");
        return answered === server;
      });
    }
  });
});

Deno.test(
  "a server that is killed leaves its share to the other, and one in its place takes it",
  LINUX_ONLY,
  async () => {
    await withSharedPort([], async ({ port, start }) => {
      const [one] = await Promise.all([start(), start()]);
      const before = await serversOn(port, 2);
      one!.signal("SIGKILL");
      await one!.outcome;
      const replies = await Promise.all(Array.from({ length: 32 }, () => ask(port, "/healthz")));
      const [left, ...others] = new Set(replies.map(([server]) => server));
      assertEquals(others, []);
      assert(before.has(left!));
      await start();
      const after = await serversOn(port, 2);
      assertEquals([...after].filter((server) => before.has(server)), [left]);
    });
  },
);
