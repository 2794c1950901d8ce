/**
 * The command `serve`, called in this process: its log, line by line, and what it leaves behind.
 *
 * @module
 */

import process from "node:process";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { stoppedLine } from "../../../lib/cli/serve/log_lines.ts";
import { assertRejects } from "@std/assert/rejects";
import { type ConfigFiles, readConfigFiles } from "../../../lib/cli/args/config_file.ts";
import { serve } from "../../../lib/cli/serve/serve.ts";
import { protectionsOf } from "../../../lib/config/protections.ts";
import { startLine } from "../../../lib/cli/serve/log_lines.ts";
import type { OptionSourceMap } from "../../../lib/cli/args/parse.ts";
import { findRisks } from "../../../lib/cli/check/warnings.ts";
import { UsageError } from "../../../lib/config/option.ts";
import { currentRuntime } from "../../../lib/server/runtime/current.ts";
import { ListenError } from "../../../lib/server/listen/error.ts";
import { eventually } from "../../support/eventually.ts";
import { CERTIFICATE, PRIVATE_KEY } from "../../support/certificates.ts";
import { configOf, withProcess } from "../../support/command.ts";
import { withFolder } from "../../support/folder.ts";
import { freePort } from "../../support/free_port.ts";
import { Wire } from "../../support/http.ts";
import { ManualTimers } from "../../support/timers.ts";

const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

/** A server that runs in this process. */
interface Setup {
  readonly url: string;
  /** What was printed. */
  readonly printed: readonly string[];
  /** The lines of the log so far, without their times. */
  readonly lines: () => readonly string[];
  /** Sends this process a signal that only the server handles. */
  readonly signal: (signal: typeof SIGNALS[number]) => void;
}

/** What a test has of a server that ran. */
interface Ran {
  readonly code: number;
  readonly printed: readonly string[];
  readonly lines: readonly string[];
}

/** What a server has around it. */
interface Surroundings {
  /** Whether standard input is a terminal; it is none unless given. */
  readonly stdin?: boolean;
  /** Whether standard error is one. */
  readonly stderr?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** The files of its options. */
  readonly files?: ConfigFiles;
  /** What becomes of a text on standard error; it is written at once unless given. */
  readonly write?: (text: string) => Promise<void>;
  /** What is done once it has ended. */
  readonly afterwards?: (lines: Setup["lines"]) => Promise<void>;
}

/** Sources of the options of each server. */
const SOURCES: OptionSourceMap = new Map([["socketMode", "flag"]]);

/** Serves until what is done beside it is done, and then ends it by SIGTERM. */
async function serving(
  args: readonly string[],
  act: (setup: Setup) => Promise<void>,
  { stdin = false, stderr = false, env = {}, files, write: reader, afterwards }: Surroundings = {},
): Promise<Ran> {
  const before = SIGNALS.map((signal) => process.listeners(signal));
  const printed: string[] = [];
  let text = "";
  const { write } = Deno.stderr;
  const decoder = new TextDecoder();
  Deno.stderr.write = async (bytes) => {
    const chunk = decoder.decode(bytes);
    text += chunk;
    await reader?.(chunk);
    return bytes.length;
  };
  const lines = (): readonly string[] =>
    text.split("\n").slice(0, -1).map((line) => line.replace(/^\S+ /, ""));
  const signal = (signal: typeof SIGNALS[number]): void => void process.emit(signal, signal);
  const own = { stdin: { isTTY: stdin }, stderr: { isTTY: stderr }, env };
  try {
    const code = await withProcess(own, async () => {
      const ended = serve({
        kind: "serve",
        config: configOf(args),
        sources: SOURCES,
        files,
        options: {},
        operands: [],
      }, (line) => {
        printed.push(line);
      });
      let hasEnded = false;
      ended.then(() => hasEnded = true, () => hasEnded = true);
      await eventually(() => hasEnded || printed.length > 0, "it listens");
      if (hasEnded) await ended;
      const url = /https?:[^" ]+/.exec(printed[0]!)![0];
      await act({ url, printed, lines, signal });
      signal("SIGTERM");
      return await ended;
    });
    const logLines = lines();
    await afterwards?.(lines);
    return { code, printed, lines: logLines };
  } finally {
    Deno.stderr.write = write;
    SIGNALS.forEach((signal, i) => {
      const own = process.listeners(signal).filter((listener) => !before[i]!.includes(listener));
      for (const listener of own) process.off(signal, listener as () => void);
    });
  }
}

/** The log without the lines about requests. */
function saidOf({ lines }: Pick<Ran, "lines">): readonly string[] {
  return lines.filter((line) => !line.startsWith("info request "));
}

async function get(url: string): Promise<readonly [number, string]> {
  const reply = await fetch(url);
  return [reply.status, await reply.text()];
}

/** A test of a server in this process, whose ports for probes stay open until that ends. */
function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, fn, sanitizeOps: false, sanitizeResources: false });
}

test("serve() logs its address and risks at the start, and its end", async () => {
  const args = ["--port", "0", "--metrics-port", "0", "--socket-mode", "600"];
  let probes = "";
  const ran = await serving(args, async ({ url, lines }) => {
    await eventually(() => lines().length === 4, "the log is written");
    probes = lines()[2]!.replace("info health and metrics are at ", "");
    assertEquals(await get(`${url}/readyz`), [200, "ok"]);
    assertEquals((await get(`${url}/metrics`))[0], 404);
    assertEquals((await get(`${probes}/metrics`))[0], 200);
    assertEquals(await get(`${probes}/readyz`), [200, "ok"]);
  }, {
    // Until the process ends, probes learn that the server takes no more work.
    afterwards: async (lines) => {
      assertEquals((await get(`${probes}/readyz`))[0], 503);
      await eventually(() => lines().at(-1)!.includes(" status=503 "), "the log is written");
    },
  });
  assertEquals([ran.code, ran.printed.length], [0, 1]);
  assert(/^Listening on http:\/\/127\.0\.0\.1:[1-9][0-9]*$/.test(ran.printed[0]!), ran.printed[0]);
  const [risk, ...others] = findRisks(configOf(args), SOURCES, 0);
  assertEquals(others, []);
  assertEquals(saidOf(ran), [
    `info ${startLine(configOf(args), currentRuntime())}`,
    `info protections: ${protectionsOf(configOf(args)).join(", ")}`,
    `info health and metrics are at ${probes}`,
    `warn ${risk}`,
    "info stopping: SIGTERM",
    "info stopped",
  ]);
});

test("serve() prints JSON where its log is JSON", async () => {
  const args = ["--port", "0", "--log-format", "json", "--log-peer"];
  const { printed, lines } = await serving(args, async ({ url }) => {
    assertEquals((await get(`${url}/none`))[0], 404);
  });
  assert(lines.some((line) => line.includes('"peer":"127.0.0.1"')), lines.join("\n"));
  assert(/^\{"listening":"http:\/\/127\.0\.0\.1:[0-9]+"\}$/.test(printed[0]!), printed[0]);
});

const COLOURS: readonly (readonly [Surroundings, boolean])[] = [
  [{}, false],
  [{ stderr: true }, true],
  [{ stderr: true, env: { NO_COLOR: "1" } }, false],
];

test("serve() colours its log only at a terminal, and never with NO_COLOR", async () => {
  for (const [surroundings, isColoured] of COLOURS) {
    const { lines } = await serving(
      ["--port", "0"],
      async ({ url }) => void await get(`${url}/none`),
      surroundings,
    );
    const request = lines.filter((line) => line.startsWith("info request "));
    assertEquals(request.map((line) => line.includes("\x1b")), [isColoured]);
  }
});

test("serve() reads its files again on SIGHUP, but for a terminal that is closed", async () => {
  const nothing = "info SIGHUP: there are no certificate and no keys to read again";
  const before = process.listenerCount("SIGHUP");
  await serving(["--port", "0"], async ({ signal, lines }) => {
    assertEquals(process.listenerCount("SIGHUP"), before + 1);
    signal("SIGHUP");
    await eventually(() => lines().includes(nothing), "it says so");
  });
  await serving(["--port", "0"], () => {
    return Promise.resolve(assertEquals(process.listenerCount("SIGHUP"), before));
  }, { stdin: true });
  await withFolder(async (folder) => {
    const path = `${folder}/options`;
    await Deno.writeTextFile(path, "AUTHENTICATOR_WINDOW=1\n", { mode: 0o600 });
    await serving(["--port", "0"], async ({ signal, lines }) => {
      await Deno.writeTextFile(path, "AUTHENTICATOR_WINDOW=2\n");
      signal("SIGHUP");
      const changed = "the file of --config has changed: AUTHENTICATOR_WINDOW";
      await eventually(() => lines().some((line) => line.endsWith(changed)), "it says so");
    }, { files: readConfigFiles([path]) });
  });
});

test("serve() looks each minute for another certificate, until it ends", async () => {
  const { setInterval, clearInterval } = globalThis;
  const looks = new Map<unknown, () => void>();
  Object.assign(globalThis, {
    setInterval: (act: () => void, ms: number) => {
      const timer = setInterval(act, ms);
      if (ms === 60_000) looks.set(timer, act);
      return timer;
    },
    clearInterval: (timer: number) => {
      looks.delete(timer);
      clearInterval(timer);
    },
  });
  try {
    await withFolder(async (folder) => {
      const [cert, key] = [`${folder}/cert`, `${folder}/key`];
      await Deno.writeTextFile(cert, CERTIFICATE);
      await Deno.writeTextFile(key, PRIVATE_KEY, { mode: 0o600 });
      const args = ["--port", "0", "--tls-cert", cert, "--tls-key", key];
      await serving(args, async ({ lines }) => {
        await Deno.writeTextFile(cert, `${CERTIFICATE}\n`);
        assertEquals(looks.size, 1);
        for (const look of looks.values()) look();
        const renewed = "info the certificate was read again: ";
        await eventually(() => lines().some((line) => line.startsWith(renewed)), "it is renewed");
      });
    });
    assertEquals(looks.size, 0);
  } finally {
    Object.assign(globalThis, { setInterval, clearInterval });
  }
});

test("serve() listens for callers once it has waited for its store, and answers operators then", async () => {
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = silent.accept();
  const operator = `http://127.0.0.1:${freePort()}`;
  const store = `redis://127.0.0.1:${silent.addr.port}?timeout=60000`;
  const args = ["--port", "0", "--metrics-port", new URL(operator).port, "--guard", store];
  await ManualTimers.holding(2_000, async (goOff) => {
    let [url, wentOff] = ["", false];
    const served = serving(args, (setup) => Promise.resolve(void (url = setup.url)));
    await eventually(async () => {
      const wire = await Wire.to(operator).catch(() => undefined);
      wire?.close();
      return wire !== undefined;
    }, "the operator port is open");
    const asked = get(`${operator}/status`);
    // An answer of now would have no address.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await Promise.race([goOff(), served.then(() => assert(wentOff, "It did not wait"))]);
    wentOff = true;
    const [, status] = await asked;
    await served;
    assertEquals(JSON.parse(status).address, url);
  });
  (await accepted).close();
});

test("serve() fails when an address or a file cannot be used", async () => {
  const fails = (args: readonly string[]): Promise<Ran> =>
    serving(args, () => Promise.reject(new Error("It listens")));
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const port = String(taken.addr.port);
  await assertRejects(() => fails(["--port", port]), ListenError, "in use");
  await assertRejects(() => fails(["--port", "0", "--metrics-port", port]), ListenError, port);
  await withFolder(async (folder) => {
    const file = (name: string): string => `${folder}/${name}`;
    for (
      const args of [
        ["--api-keys-file", file("none")],
        ["--guard-key-file", file("none")],
        ["--tls-cert", file("none"), "--tls-key", file("none")],
      ]
    ) await assertRejects(() => fails(["--port", "0", ...args]), UsageError, args[0]);
  });
});

test("serve() ends after ten seconds even if a request goes on, and logs it", async () => {
  const begun: Wire[] = [];
  await ManualTimers.holding(10_000, async (goOff) => {
    let wentOff = false;
    const { code, lines } = await serving(["--port", "0"], async ({ url }) => {
      begun.push(await Wire.beginning(url));
      void goOff().then(() => wentOff = true);
    });
    assertEquals([code, lines.at(-1), wentOff], [0, `info ${stoppedLine(false)}`, true]);
  });
  for (const wire of begun) wire.close();
});

// The last lines have a second, in parts.
const PART_MS = 100;
const PARTS = 10;

test("serve() ends after a second even if its log is not read", async () => {
  await ManualTimers.holding(PART_MS, async (goOff) => {
    let parts = 0;
    const passTime = async (): Promise<void> => {
      for (; parts < PARTS; parts++) await goOff();
    };
    const act = (): Promise<void> => Promise.resolve(void passTime());
    const write = (): Promise<void> => new Promise(() => {});
    assertEquals([(await serving(["--port", "0"], act, { write })).code, parts], [0, PARTS]);
  });
});

test("serve() waits for the last lines of its log even if the process was paused meanwhile", async () => {
  let isWritten = false;
  const write = async (text: string): Promise<void> => {
    if (!text.includes(" info stopped\n")) return;
    // For longer than they have, and then it takes the system a moment.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1.2 * PARTS * PART_MS);
    await new Promise((resolve) => setTimeout(resolve, 20));
    isWritten = true;
  };
  let wasWritten = false;
  const afterwards = (): Promise<void> => Promise.resolve(void (wasWritten = isWritten));
  await serving(["--port", "0"], () => Promise.resolve(), { write, afterwards });
  assertEquals(wasWritten, true);
});
