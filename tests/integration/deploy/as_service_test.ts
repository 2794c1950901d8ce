/**
 * `deploy/authenticator-as-service` with stand-ins for systemd.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { type Ended, runToEnd } from "../../support/child.ts";
import { deployFile } from "../../support/deploy.ts";
import { withFolder } from "../../support/folder.ts";

/** Stand-ins, which answer from the files of the machine, and record what changes something. */
const STUBS: Readonly<Record<string, string>> = {
  id: "echo 0",
  journalctl: "",
  // The server is well after a wait.
  sleep: `echo sleep >>"$MACHINE/record"; echo "server: healthy" >"$MACHINE/status"`,
  find: `cat "$MACHINE/units"`,
  "systemd-analyze": `cat "$MACHINE/verify" >&2`,
  systemctl: `case $* in
  --version) echo "systemd 252 (252)" ;;
  "show --property=LoadState"*) echo loaded ;;
  show* | list-units* | cat*) ;;
  is-enabled*) exit 1 ;;
  is-active*) echo active ;;
  *) echo "$*" >>"$MACHINE/record" ;;
esac`,
  // The words behind the program, which is a path alone.
  "systemd-run": `while [ "$1" != /program ]; do shift; done
shift
echo "$*" >>"$MACHINE/commands"
[ "$1" = status ] || exit 0
cat "$MACHINE/status"
cat "$MACHINE/errors" >&2
exit "$(cat "$MACHINE/code")"`,
};

/** Machine with the script, in a folder. */
class Machine {
  constructor(readonly folder: string) {
    Deno.mkdirSync(`${folder}/stubs`);
    for (const [name, body] of Object.entries(STUBS)) {
      this.put(`stubs/${name}`, `#!/bin/sh\n${body}\n`);
      Deno.chmodSync(`${folder}/stubs/${name}`, 0o755);
    }
    const empty = ["units", "verify", "commands", "record", "status", "errors"];
    for (const name of empty) this.put(name, "");
    this.put("code", "0");
    const script = deployFile("authenticator-as-service");
    assert(script.includes("[ -d /run/systemd/system ]"));
    this.put("script", script.replace("[ -d /run/systemd/system ]", "[ -d / ]"));
  }

  put(name: string, content: string): void {
    Deno.writeTextFileSync(`${this.folder}/${name}`, content);
  }

  lines(name: string): readonly string[] {
    return Deno.readTextFileSync(`${this.folder}/${name}`).split("\n").slice(0, -1);
  }

  run(...args: readonly string[]): Promise<Ended> {
    const env = { MACHINE: this.folder, PATH: `${this.folder}/stubs:${Deno.env.get("PATH")}` };
    return runToEnd(["sh", `${this.folder}/script`, "--program", "/program", ...args], { env });
  }
}

function test(name: string, act: (machine: Machine) => Promise<void>): void {
  Deno.test(name, () => withFolder((folder) => act(new Machine(folder))));
}

test("authenticator-as-service check hands its options to the command", async (machine) => {
  const { code, stderr } = await machine.run("check", "--max-failures", "5");
  assertEquals([code, stderr], [0, ""]);
  assertEquals(machine.lines("commands").map((line) => line.split(" --config")[0]), [
    "check --unit authenticator.service",
    "check --max-failures 5",
  ]);
});

const TWO = "a.wants/authenticator@1.service\na.wants/authenticator@2.service\n";
const [FIRST, SECOND] = ["restart authenticator@1.service", "restart authenticator@2.service"];

/** Restarts two units, of which the first tells of its status what is given. */
async function restarts(
  machine: Machine,
  { status = "", errors = "", code = 1 }: {
    readonly status?: string;
    readonly errors?: string;
    readonly code?: number;
  },
): Promise<readonly [steps: readonly string[], stderr: string]> {
  const files = { units: TWO, status, errors, code: `${code}`, record: "" };
  for (const [name, content] of Object.entries(files)) machine.put(name, content);
  const { stderr } = await machine.run("restart");
  const isStep = (line: string): boolean => /^(?:restart|sleep)/.test(line);
  return [machine.lines("record").filter(isStep), stderr];
}

test("a restart of several units goes on behind a server that takes requests with a problem", async (machine) => {
  const other = "server: the store has another guard key\nversion: 1\n";
  assertEquals((await restarts(machine, { status: other }))[0], [FIRST, SECOND]);
  assertEquals((await restarts(machine, { status: "server: healthy\n", code: 0 }))[0], [
    FIRST,
    SECOND,
  ]);
});

test("a restart of several units waits for a server that takes no requests or does not answer", async (machine) => {
  const waits = [
    { status: "server: the server does not take requests; the certificate has expired\n" },
    { errors: "authenticator: error: no server answers at 127.0.0.1:9101\n" },
    { errors: "Failed to start transient service unit\n" },
  ];
  for (const told of waits) {
    assertEquals((await restarts(machine, told))[0], [FIRST, "sleep", SECOND]);
  }
});

test("a restart of several units goes on behind one without an operator port, and says so", async (machine) => {
  const errors = "authenticator: error: there is no operator port at 127.0.0.1:9101: start\n";
  const [steps, stderr] = await restarts(machine, { errors, code: 2 });
  assertEquals(steps, [FIRST, SECOND]);
  assert(stderr.includes("authenticator@1.service has no operator port: taken as ready"), stderr);
});

const DROP_IN = "/etc/systemd/system/authenticator.service.d/a.conf";

test("authenticator-as-service check names lines of the unit that systemd ignores", async (machine) => {
  // As systemd 252 says them.
  const ignored = [
    `${DROP_IN}:2: Invalid environment assignment, ignoring: AUTHENTICATOR-SINGLE-USE=true`,
    `${DROP_IN}:2: Failed to resolve specifiers in AUTHENTICATOR_HOST=%Q, ignoring: Invalid slot`,
    `${DROP_IN}:2: Failed to resolve unit specifiers in "%Q", ignoring: Invalid slot`,
    `${DROP_IN}:2: EnvironmentFile= path is not absolute, ignoring: rel`,
    `${DROP_IN}:2: Invalid syntax, ignoring: "AU`,
    `${DROP_IN}:2: Address prefix is invalid, ignoring assignment: foo`,
    "/etc/systemd/system/service.d/a.conf:2: Invalid environment assignment, ignoring: A-B=1",
  ];
  for (const line of ignored) {
    machine.put("verify", `${line}\n`);
    const { code, stderr } = await machine.run("check");
    assertEquals([code, stderr.includes(`ignores a line of authenticator.service: ${line}`)], [
      2,
      true,
    ]);
  }
  machine.put("verify", `${DROP_IN}:2: Unknown key name 'New' in section 'Service', ignoring.\n`);
  assertEquals((await machine.run("check")).code, 0);
});
