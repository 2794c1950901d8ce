import { assertEquals } from "@std/assert/equals";
import { startLine, stoppedLine, stoppingLine } from "../../../../lib/cli/serve/log_lines.ts";
import { flagOf, namesOf } from "../../../../lib/config/option.ts";
import { OPTIONS, parseConfig } from "../../../../lib/config/options.ts";
import { VERSION } from "../../../../lib/cli/version.ts";

const RUNTIME = { title: "Deno 1.2.3", target: "linux-x64" };
const HEAD = `started: authenticator ${VERSION} (from source, Deno 1.2.3, linux-x64), `;

function lineOf(given: Readonly<Record<string, string>>): string {
  const config = parseConfig({ flags: new Map(Object.entries(given)), env: () => undefined });
  return startLine(config, RUNTIME).slice(HEAD.length);
}

Deno.test("startLine() has the version, the runtime and the machine", () => {
  const config = parseConfig({ flags: new Map(), env: () => undefined });
  assertEquals(startLine(config, RUNTIME), `${HEAD}all options at their defaults`);
});

Deno.test("startLine() names the options that are not at their defaults, in the order of the table", () => {
  const line = lineOf({ "window": "2", "port": "9000", "metrics": "true", "socket-mode": "600" });
  assertEquals(line, "--port 9000 --socket-mode 0600 --metrics --window 2");
  assertEquals(lineOf({ "port": "8080", "metrics": "false" }), "all options at their defaults");
});

Deno.test("startLine() shows no path, and no password of a store", () => {
  const files = namesOf(OPTIONS).filter((name) =>
    ["FILE", "PATH"].includes(OPTIONS[name].placeholder ?? "") &&
    !["tlsCert", "tlsKey"].includes(name)
  );
  const given = Object.fromEntries(files.map((name) => [flagOf(name).slice(2), `/canary/${name}`]));
  const line = lineOf({ ...given, guard: "rediss://canary@store.example:6380" });
  assertEquals(line.includes("canary"), false, line);
  const withPassword = lineOf({ guard: "rediss://:canary@store.example:6380" });
  assertEquals(withPassword.includes("canary"), false, withPassword);
  for (const name of files) assertEquals(line.includes(`${flagOf(name)} `), true, flagOf(name));
});

Deno.test("stoppingLine() has the reason, and at a terminal how to end at once", () => {
  assertEquals(stoppingLine("SIGTERM"), "stopping: SIGTERM");
  assertEquals(
    stoppingLine("SIGINT"),
    "stopping: SIGINT (to end at once, press Ctrl-C again after half a second)",
  );
  assertEquals(stoppingLine("standard input ended"), "stopping: standard input ended");
});

Deno.test("stoppedLine() has the requests that were cut off", () => {
  assertEquals(stoppedLine(true), "stopped");
  assertEquals(stoppedLine(false), "stopped: requests that were still running were cut off");
});
