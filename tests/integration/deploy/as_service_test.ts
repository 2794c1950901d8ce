/**
 * `deploy/authenticator-as-service` with stand-ins for systemd.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { fileURLToPath } from "node:url";
import { type Ended, runToEnd } from "../../support/child.ts";
import { deployFile } from "../../support/deploy.ts";
import { ROOT } from "../../support/pages.ts";
import { withFolder } from "../../support/folder.ts";

/** Stand-ins, which answer from the files of the machine, and record what changes something. */
const STUBS: Readonly<Record<string, string>> = {
  id: "echo 0",
  journalctl:
    `case $* in *--sync*) ;; *_PID=1*) cat "$MACHINE/pid1" ;; *) cat "$MACHINE/journal" ;; esac`,
  // The server is well after a wait.
  sleep: `echo sleep >>"$MACHINE/record"; echo "server: healthy" >"$MACHINE/status"`,
  find: `cat "$MACHINE/units"`,
  "systemd-analyze": `cat "$MACHINE/verify" >&2`,
  systemctl: `case $* in
  --version) echo "systemd 252 (252)" ;;
  "show --property=LoadState"*) echo loaded ;;
  list-units*) cat "$MACHINE/states" ;;
  cat*) cat "$MACHINE/log" ;;
  show*) ;;
  is-enabled*) for unit do :; done; grep -qx "$unit" "$MACHINE/enabled" ;;
  is-active*) echo active ;;
  *) echo "$*" >>"$MACHINE/record"
    for unit do :; done
    case $1 in enable) ! grep -qx "$unit" "$MACHINE/broken" ;; esac ;;
esac`,
  // The words behind the program, which is a path alone.
  "systemd-run": `while [ "$1" != /program ]; do shift; done
shift
echo "$*" >>"$MACHINE/commands"
table=$MACHINE/table
[ ! -e "$MACHINE/system/authenticator@.service.d/sockets.conf" ] || table=$MACHINE/of-instances
case $* in "check --unit "*) ;; check*) cat "$table" ;; esac
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
    const empty = ["units", "verify", "commands", "record", "status", "errors", "table", "pid1"]
      .concat("journal", "log", "states", "enabled", "broken");
    for (const name of empty) this.put(name, "");
    this.put("code", "0");
    const script = deployFile("authenticator-as-service");
    assert(script.includes("[ -d /run/systemd/system ]"));
    this.put(
      "script",
      script.replace("[ -d /run/systemd/system ]", "[ -d / ]")
        .replace("units_folder=/etc/systemd/system", `units_folder=${folder}/system`)
        .replace(
          "/usr/local/share/doc/authenticator/deploy",
          fileURLToPath(new URL("deploy", ROOT)),
        ),
    );
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

test("authenticator-as-service check warns where IPAddressDeny has no effect", async (machine) => {
  machine.put("pid1", "Starting A...\n");
  assertEquals((await machine.run("check")).stderr, "");
  machine.put(
    "pid1",
    "unit configures an IP firewall, but the local system does not support BPF/cgroup firewalling.\n",
  );
  const { code, stderr } = await machine.run("check");
  assertEquals([code, stderr], [
    0,
    "authenticator-as-service: warning: IPAddressDeny= has no effect here, since BPF is not allowed: " +
    "let a firewall say who may connect\n",
  ]);
});

test("authenticator-as-service cause reads the journal, or the log file of the unit", async (machine) => {
  const cause = async (): Promise<string> => (await machine.run("cause")).stdout.trim();
  const text = "2026-01-31T12:00:00.000Z error cannot listen";
  const json = '{"time":"2026-01-31T12:00:00.000Z","level":"error","message":"cannot listen"}';
  for (const line of [text, json, "authenticator: error: cannot listen"]) {
    machine.put("log", "");
    machine.put("journal", `Starting A...\n${line}\nFailed to start A.\n`);
    assertEquals(await cause(), line);
    machine.put("log", `[Service]\nStandardError=append:${machine.folder}/lines%i\n`);
    machine.put("lines", `${line}\n2026-01-31T12:00:00.000Z info stopped\n`);
    machine.put("journal", "status=226/NAMESPACE\nStarting A...\nFailed to start A.\n");
    assertEquals(await cause(), line);
  }
  machine.put("journal", "Starting A...\nA: Main process exited, status=226/NAMESPACE\n");
  assert((await cause()).startsWith("status=226/NAMESPACE: a folder of the unit is missing"));
});

/** The files of a folder of drop-ins; undefined without the folder. */
function dropInsOf(machine: Machine): readonly string[] | undefined {
  try {
    return [...Deno.readDirSync(`${machine.folder}/system/authenticator@.service.d`)]
      .map(({ name }) => name).sort();
  } catch {
    return undefined;
  }
}

test("authenticator-as-service scale makes all instances or leaves all as it was", async (machine) => {
  const one = "authenticator.service";
  machine.put("states", `${one} loaded active running A\n`);
  machine.put("enabled", `${one}\n`);
  machine.put("status", "server: healthy\n");
  const scale = async (): Promise<readonly [code: number, stderr: string]> => {
    machine.put("record", "");
    const { code, stderr } = await machine.run("scale", "2", "sockets");
    return [code, stderr.trim().split("\n").at(-1)!];
  };
  const undone = `authenticator-as-service: nothing was changed: ${one} is as it was`;
  const restored = ["daemon-reload", `enable --quiet ${one}`, `start ${one}`];

  // Without a store, wrong pins would be counted apart.
  assertEquals(await scale(), [2, undone]);
  assertEquals([dropInsOf(machine), machine.lines("record").slice(-3)], [undefined, restored]);
  assert(!machine.lines("record").some((line) => line.includes("--now authenticator.service")));

  // Nor without a protection that only a drop-in of the single server has.
  const table = (singleUse: boolean, port: number): string =>
    `OPTION  VALUE  FROM\n--port   ${port} environment\n--guard  redis://store  file\n` +
    `--single-use  ${singleUse}  default\n`;
  machine.put("table", table(true, 8080));
  machine.put("of-instances", table(false, 1));
  const { stderr } = await machine.run("scale", "2", "sockets");
  assert(
    stderr.includes(
      "authenticator@1.service would have other options (--single-use false): put those of drop-ins",
    ),
    stderr,
  );
  assertEquals(dropInsOf(machine), undefined);

  machine.put("of-instances", table(true, 1));
  const folder = `${machine.folder}/system/authenticator@.service.d`;
  await Deno.mkdir(folder, { recursive: true });
  for (const name of ["cores.conf", "mine.conf"]) {
    await Deno.writeTextFile(`${folder}/${name}`, name);
  }
  machine.put("broken", "authenticator@2.service\n");
  assertEquals(await scale(), [2, undone]);
  assertEquals(dropInsOf(machine), ["cores.conf", "mine.conf"]);
  const stopped = ["1", "2"].map((name) => `disable --quiet --now authenticator@${name}.service`);
  assertEquals(machine.lines("record").slice(-5), [...stopped, ...restored]);

  machine.put("broken", "");
  assertEquals((await scale())[0], 0);
  assertEquals(dropInsOf(machine), ["mine.conf", "sockets.conf"]);
  assertEquals(
    machine.lines("record").filter((line) => /^(?:en|dis)able/.test(line)),
    [
      `disable --quiet --now ${one}`,
      ...["1", "2"].map((name) => `enable --quiet --now authenticator@${name}.service`),
      "disable --quiet --now authenticator.target",
    ],
  );
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
  // A message that names no setting is one about the line.
  const path = `${machine.folder}/authenticator.service.d`;
  const settings = [
    ["SetCredential=a:\\q", 'Can\'t unescape "\\q", ignoring: Invalid argument', 2],
    ['ExecStartPre="/bin/true', 'Unbalanced quoting, ignoring: ""/bin/true"', 2],
    ["LoadCredential=a/b:/x", 'Credential name "a/b" not valid, ignoring.', 2],
    ["IPAdressDeny=any", "Unknown key 'IPAdressDeny' in section [Service], ignoring.", 2],
    ["PrivateUsers=maybe", "Failed to parse boolean value, ignoring: maybe", 0],
    ["New=yes", "Unknown key name 'New' in section 'Service', ignoring.", 0],
  ] as const;
  for (const [setting, message, code] of settings) {
    machine.put("authenticator.service.d", `[Service]\n${setting}\n`);
    machine.put("verify", `${path}:2: ${message}\n`);
    assertEquals((await machine.run("check")).code, code, setting);
  }
});
