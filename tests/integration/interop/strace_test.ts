/** What the server asks of the system: it reaches out to nobody. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { PROGRAM, programWords } from "../../support/program.ts";
import { run } from "../../support/client_program.ts";
import { REQUESTS } from "./routes.ts";
import { startServer } from "../../support/server_under_test.ts";

// The tracer stands aside, so that a signal reaches what it traces.
function traced(file: string): readonly string[] {
  return ["strace", "-D", "-f", "-qq", "-e", "trace=network", "-e", "signal=none", "-o", file];
}

/**
 * The calls of a trace, each in one line: where another thread came in between, the trace has the
 * beginning of a call on one line and its end on another.
 */
function callsIn(trace: string): readonly string[] {
  const begun = new Map<string, string>();
  const calls: string[] = [];
  for (const line of trace.split("\n")) {
    const [, thread = "", beginning] = /^(\d+) +(.*) <unfinished \.\.\.>$/.exec(line) ?? [];
    if (beginning !== undefined) {
      begun.set(thread, beginning);
      continue;
    }
    const [, resumed = "", end = ""] = /^(\d+) +<\.\.\. \w+ resumed>(.*)$/.exec(line) ?? [];
    calls.push(resumed === "" ? line : `${begun.get(resumed) ?? ""}${end}`);
    begun.delete(resumed);
  }
  // What was never finished was called as well.
  return [...calls, ...begun.values()];
}

/**
 * The calls that reach out: a connection to, or a datagram for, an address of the internet, and a
 * socket that is made for datagrams, which is how names are looked up.
 */
function reachingOut(trace: string): readonly string[] {
  return callsIn(trace).filter((line) =>
    /\b(?:connect|sendto|sendmsg|sendmmsg)\(.*AF_INET/.test(line) ||
    /\bsocket\((?:AF_INET6?, SOCK_(?:DGRAM|RAW)|AF_PACKET)/.test(line)
  );
}

interface Configuration {
  readonly tasks: { readonly start: { readonly command: string } };
}

// What `deno task start` runs: variables, and a command. Only they count, not the environment of the
// tests, which may tell Deno more.
function startCommand(): readonly string[] {
  const text = Deno.readTextFileSync(new URL("../../../deno.json", import.meta.url));
  const { tasks: { start } }: Configuration = JSON.parse(text);
  const words = start.command.split(" ").map((word) => {
    if (word === "deno") return Deno.execPath();
    return word === "main.ts" ? new URL("../../../main.ts", import.meta.url).href : word;
  });
  return ["env", "--unset=DENO_NO_UPDATE_CHECK", ...words];
}

function command(): readonly string[] {
  return PROGRAM === "deno" ? startCommand() : programWords();
}

// Half a second after it started, Deno asks its makers for a newer version, unless it is told not to.
const WATCH_MS = 2_000;

async function traceOf(options: readonly string[]): Promise<string> {
  await run("strace", ["--version"]);
  const file = await Deno.makeTempFile({ prefix: "strace" });
  try {
    const server = await startServer(options, [...traced(file), ...command()]);
    try {
      const end = Date.now() + WATCH_MS;
      do {
        for (const [path, init] of REQUESTS) {
          const response = await fetch(`${server.url}${path}`, { ...init, redirect: "manual" });
          await response.body?.cancel();
        }
      } while (Date.now() < end);
    } finally {
      await server.stop();
    }
    return await Deno.readTextFile(file);
  } finally {
    await Deno.remove(file);
  }
}

const OPTIONS: readonly (readonly [what: string, options: readonly string[]])[] = [
  ["as it starts by default", []],
  ["with pictures instead of SVG, metrics, and a proxy in front", [
    ...["--html", "image", "--metrics", "--trust-proxy", "--max-failures", "1"],
    ...["--base-url", "https://d.example/auth"],
  ]],
];

for (const [what, options] of OPTIONS) {
  Deno.test(`the server ${what} opens no connection on any route`, async () => {
    const trace = await traceOf(options);
    const isAccepted = (call: string): boolean => /\baccept4?\(.*AF_INET/.test(call);
    assert(callsIn(trace).some(isAccepted), "The trace does not show the requests");
    assertEquals(reachingOut(trace), []);
  });
}

Deno.test("the server is started without Deno's check for updates", () => {
  // The trace shows one only where the last is a day ago.
  assert(startCommand().includes("DENO_NO_UPDATE_CHECK=1"));
});

Deno.test("a call whose end is on another line of the trace is one call", () => {
  const trace = "7  accept4(3,  <unfinished ...>\n8  connect(4,  <unfinished ...>\n" +
    "7  <... accept4 resumed>{sa_family=AF_INET}, [16]) = 5\n" +
    "8  <... connect resumed>{sa_family=AF_INET}, 16) = 0\n9  connect(6, {sa_family=AF_INET} <unfinished ...>";
  assertEquals(callsIn(trace), [
    "accept4(3, {sa_family=AF_INET}, [16]) = 5",
    "connect(4, {sa_family=AF_INET}, 16) = 0",
    "connect(6, {sa_family=AF_INET}",
  ]);
  assertEquals(reachingOut(trace).length, 2);
});

Deno.test("the trace would show a connection", async () => {
  const server = await startServer();
  const file = await Deno.makeTempFile({ prefix: "strace" });
  try {
    const [program, ...args] = [...traced(file), "curl", "--silent", `${server.url}/healthz`];
    await run(program!, args.filter((arg) => arg !== "-D"));
    assert(reachingOut(await Deno.readTextFile(file)).some((line) => line.includes("connect(")));
  } finally {
    await server.stop();
    await Deno.remove(file);
  }
});
