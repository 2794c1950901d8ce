/**
 * `deploy/install.sh` in folders of a test, with stand-ins for systemd, cut at each of its steps.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { type Ended, runToEnd } from "../../support/child.ts";
import { deployFile } from "../../support/deploy.ts";
import { withFolder } from "../../support/folder.ts";

const NAME = Deno.build.arch === "aarch64"
  ? "authenticator-linux-arm64-bun"
  : "authenticator-linux-x64-bun";

/** Answers from the files of the machine, and records each call that changes something. */
const SYSTEMCTL = `#!/bin/sh
case $1 in
  --version) echo "systemd $(cat "$MACHINE/version") (252)" ;;
  list-units) cat "$MACHINE/states" ;;
  is-enabled) for unit do :; done; grep -q "^\${unit%.service}.service\\$" "$MACHINE/enabled" ;;
  enable) echo "$2" >>"$MACHINE/enabled"; echo "$*" >>"$MACHINE/record" ;;
  *) echo "$*" >>"$MACHINE/record" ;;
esac
`;

/** The helper, which checks and restarts as the file of the machine says. */
const HELPER = `#!/bin/sh
while [ "$1" != check ] && [ "$1" != restart ]; do
  [ "$1" != --unit ] || unit=$2
  shift
done
echo "$1 $unit" >>"$MACHINE/record"
exit "$(cat "$MACHINE/$1")"
# `;

/** Commands of the script that may fail. */
const STEPS = "awk cmp cp grep install mkdir mv rm sha256sum systemctl tar".split(" ");

/** Counts the steps, and fails at the one that CUT names, or kills the script there. */
const STEP = `#!/bin/sh
read -r count <"$MACHINE/count"
echo "$((count + 1))" >"$MACHINE/count"
if [ "$count" = "$CUT" ]; then
  [ -z "$KILL" ] || kill -s "$KILL" "$SCRIPT"
  exit 1
fi
`;

type Files = Readonly<Record<string, string>>;

/** A machine on which the script runs. */
class Machine {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    for (const name of ["download", "stubs", "real", "run"]) Deno.mkdirSync(`${folder}/${name}`);
    this.clear();
    this.put("real/systemctl", SYSTEMCTL, 0o755);
    this.put("stubs/id", "#!/bin/sh\necho 0\n", 0o755);
    for (const step of STEPS) {
      const real = step === "systemctl" ? `"$MACHINE/real/systemctl"` : `/usr/bin/${step}`;
      this.put(`stubs/${step}`, `${STEP}exec ${real} "$@"\n`, 0o755);
    }
  }

  /** Removes all that was installed. */
  clear(): void {
    for (const name of ["local", "units"]) {
      removeIfThere(`${this.#folder}/${name}`);
    }
    Deno.mkdirSync(`${this.#folder}/local/bin`, { recursive: true });
    Deno.mkdirSync(`${this.#folder}/units`);
    this.put("states", "");
    this.put("enabled", "");
    for (const name of ["check", "restart"]) this.put(name, "0");
    this.put("version", "252");
    removeIfThere(`${this.#folder}/options`);
  }

  put(name: string, text: string, mode = 0o644): void {
    Deno.writeTextFileSync(`${this.#folder}/${name}`, text, { mode });
  }

  /** Puts a version into the folder of the download. */
  async download(version: string): Promise<void> {
    for (const { name } of Deno.readDirSync(`${this.#folder}/download`)) {
      Deno.removeSync(`${this.#folder}/download/${name}`, { recursive: true });
    }
    this.put(`download/${NAME}`, `#!/bin/sh\necho program ${version}\n`);
    this.put("download/authenticator.service", unitOf(version));
    this.put("download/authenticator-as-service", HELPER + version);
    this.put("download/authenticator.1", `manual ${version}`);
    const script = deployFile("install.sh").replaceAll("/usr/local", `${this.#folder}/local`)
      .replaceAll("/etc/systemd/system", `${this.#folder}/units`)
      .replaceAll("/run/systemd/system", `${this.#folder}/run`)
      .replaceAll("/etc/authenticator\n", `${this.#folder}/options\n`);
    this.put("download/install.sh", `SCRIPT=$$; export SCRIPT\n${script}`);
    const pack = `mkdir docs && echo pages ${version} >docs/page && chmod 4755 docs/page
      tar czf authenticator-deploy.tar.gz docs && rm -r docs`;
    await this.shell(`${pack} && sha256sum * >SHA256SUMS`);
  }

  async shell(commands: string): Promise<void> {
    const { code, stderr } = await runToEnd(["sh", "-ec", commands], {
      cwd: `${this.#folder}/download`,
    });
    assertEquals(code, 0, stderr);
  }

  /** Runs the script; the cut is the number of a step. */
  async run(args: readonly string[] = [], cut = -1, signal = ""): Promise<Ended> {
    this.put("count", "0\n");
    this.put("record", "");
    return await runToEnd(["sh", "install.sh", ...args], {
      cwd: `${this.#folder}/download`,
      env: {
        PATH: `${this.#folder}/stubs:${Deno.env.get("PATH")}`,
        MACHINE: this.#folder,
        CUT: String(cut),
        KILL: signal,
      },
    });
  }

  /** Runs the script, which must succeed. */
  async succeed(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args);
    assertEquals([code, stderr], [0, ""]);
    return stdout.trimEnd();
  }

  /** Runs the script, which must fail; gives its last line but the one that says what is installed. */
  async fail(...args: readonly string[]): Promise<string> {
    const { code, stderr } = await this.run(args);
    assertEquals(code, 1, stderr);
    return stderr.trimEnd().split("\n").filter((line) => line.includes("error: ")).at(-1)!;
  }

  /** Calls of the last run that changed something. */
  get record(): readonly string[] {
    return Deno.readTextFileSync(`${this.#folder}/record`).trimEnd().split("\n");
  }

  /** All that is installed but pages, by path. */
  get installed(): Files {
    const files = (path: string): string[] =>
      [...Deno.readDirSync(`${this.#folder}/${path}`)].flatMap(({ name, isDirectory }) =>
        isDirectory ? files(`${path}/${name}`) : [`${path}/${name}`]
      );
    return Object.fromEntries(
      [...files("local"), ...files("units")].sort()
        // What a step that could not be cleaned up left, the next run removes.
        .filter((path) => !/\/share\/|\/lib\/authenticator\/(?:new\/|install\.sh)/.test(path))
        .map((path) => [path, Deno.readTextFileSync(`${this.#folder}/${path}`)]),
    );
  }

  mode(path: string): number {
    return Deno.statSync(`${this.#folder}/${path}`).mode! & 0o7777;
  }

  isThere(path: string): boolean {
    try {
      return Deno.lstatSync(`${this.#folder}/${path}`) !== undefined;
    } catch {
      return false;
    }
  }
}

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Unit of a version that reads the file of options, but for version 0. */
function unitOf(version: string): string {
  return `ExecStart=program ${version}${version === "0" ? "" : " --config authenticator.conf"}\n`;
}

/** Program, helper, unit and template of a version. */
function version(name: string): Files {
  return {
    "local/bin/authenticator": `#!/bin/sh\necho program ${name}\n`,
    "local/bin/authenticator-as-service": HELPER + name,
    "units/authenticator.service": unitOf(name),
    "units/authenticator@.service": unitOf(name),
  };
}

/** Files of a version and of the one before it. */
function versions(now: string, before: string): Files {
  const old = Object.entries(version(before))
    .map(([path, text]) => [path.replace(/.*\//, "local/lib/authenticator/old/"), text]);
  return { ...version(now), ...Object.fromEntries(old) };
}

const RUNS = "authenticator.service loaded active running\n";

Deno.test("install.sh keeps the version before, however often it runs, and goes back to it", () =>
  withFolder(async (folder) => {
    const machine = new Machine(folder);
    await machine.download("1");
    assertEquals(
      await machine.succeed(),
      "Installed: program 1, which runs as authenticator.service",
    );
    assertEquals(machine.installed, version("1"));
    assertEquals(machine.record, [
      "daemon-reload",
      "enable authenticator.service",
      "restart authenticator.service",
    ]);
    await machine.succeed();
    assertEquals(machine.installed, version("1"));
    assertEquals(
      await machine.fail("--roll-back"),
      "install.sh: error: there is no previous version",
    );
    machine.put("states", RUNS);
    await machine.download("2");
    for (let times = 0; times < 2; times++) {
      await machine.succeed();
      assertEquals(machine.installed, versions("2", "1"));
      assertEquals(machine.record, [
        "check authenticator.service",
        "daemon-reload",
        "restart authenticator.service",
      ]);
    }
    assertEquals(machine.mode("local/share/doc/authenticator/docs/page"), 0o755);
    await machine.succeed("--roll-back");
    assertEquals(machine.installed, versions("1", "1"));
    assertEquals(
      await machine.succeed("--roll-back"),
      "The previous version is installed already.",
    );
    assertEquals(machine.installed, versions("1", "1"));
  }));

Deno.test("install.sh replaces nothing if a checksum does not match SHA256SUMS", () =>
  withFolder(async (folder) => {
    const machine = new Machine(folder);
    for (
      const file of [
        ...[NAME, "authenticator.service", "authenticator-as-service", "install.sh"],
        ...["authenticator.1", "authenticator-deploy.tar.gz"],
      ]
    ) {
      await machine.download("1");
      await machine.shell(`echo >>${file}`);
      assertEquals(
        await machine.fail(),
        `install.sh: error: ${file} is not what SHA256SUMS says`,
      );
      await machine.shell(`sed -i '/ ${file}$/d' SHA256SUMS`);
      assertEquals(
        await machine.fail(),
        `install.sh: error: SHA256SUMS in this folder does not name ${file}`,
      );
      assertEquals([machine.installed, machine.record], [{}, [""]]);
    }
  }));

Deno.test("install.sh makes the file of options once, and refuses an older systemd", () =>
  withFolder(async (folder) => {
    const machine = new Machine(folder);
    await machine.download("1");
    machine.put("version", "247");
    assertEquals(
      await machine.fail(),
      "install.sh: error: this is systemd 247, and the unit needs 249 or newer",
    );
    assertEquals([machine.installed, machine.isThere("options")], [{}, false]);
    machine.put("version", "249");
    machine.put("restart", "1");
    assertEquals((await machine.run()).code, 1);
    assertEquals([machine.installed, machine.isThere("options")], [{}, false]);
    machine.put("restart", "0");
    await machine.succeed();
    const options = `${folder}/options/authenticator.conf`;
    assertEquals(Deno.readTextFileSync(options).split("\n")[1], "AUTHENTICATOR_METRICS_PORT=9101");
    assertEquals([machine.mode("options"), machine.mode("options/authenticator.conf")], [
      0o700,
      0o600,
    ]);
    machine.put("options/authenticator.conf", "mine");
    await machine.succeed();
    assertEquals(Deno.readTextFileSync(options), "mine");
  }));

Deno.test("install.sh does not go back to a version that does not read the file of options", () =>
  withFolder(async (folder) => {
    const machine = new Machine(folder);
    for (const version of ["0", "1"]) {
      await machine.download(version);
      await machine.succeed();
    }
    assertEquals(
      await machine.fail("--roll-back"),
      `install.sh: error: the previous version does not read ${folder}/options/authenticator.conf, ` +
        "and would start without its options",
    );
    assertEquals(machine.installed, versions("1", "0"));
  }));

Deno.test("install.sh checks the options of each unit that runs or is enabled, or of the service", () =>
  withFolder(async (folder) => {
    const machine = new Machine(folder);
    await machine.download("1");
    await machine.succeed();
    await machine.download("2");
    machine.put("check", "2");
    const cases: readonly (readonly [states: string, enabled: string, unit: string])[] = [
      [RUNS, "", "authenticator.service"],
      ["", "", "authenticator.service"],
      [
        "authenticator.service loaded failed failed\n",
        "",
        "authenticator.service",
      ],
      ["authenticator@1.service loaded activating auto-restart\n", "", "authenticator@1.service"],
      [
        "authenticator@2.service loaded inactive dead\n",
        "authenticator@2.service\n",
        "authenticator@2.service",
      ],
    ];
    for (const [states, enabled, unit] of cases) {
      machine.put("states", states);
      machine.put("enabled", enabled);
      assertEquals(
        await machine.fail(),
        `install.sh: error: this version cannot start as ${unit}, and the previous one stays`,
      );
      assertEquals([machine.installed, machine.record], [version("1"), [`check ${unit}`]]);
    }
    // The store of the guard cannot be used: a server starts.
    machine.put("check", "1");
    await machine.succeed();
  }));

Deno.test("install.sh leaves a disabled service disabled, and restarts its instances", () =>
  withFolder(async (folder) => {
    const machine = new Machine(folder);
    await machine.download("1");
    await machine.succeed();
    await machine.download("2");
    machine.put("enabled", "authenticator@1.service\n");
    machine.put(
      "states",
      "authenticator@1.service loaded active running\nauthenticator@9.service not-found inactive dead\n",
    );
    await machine.succeed();
    assertEquals(machine.record, [
      "check authenticator@1.service",
      "daemon-reload",
      "restart authenticator@1.service",
    ]);
    machine.put("states", "");
    machine.put("enabled", "");
    assertEquals(
      await machine.succeed(),
      "Installed: program 2. authenticator.service is disabled, and was not started.",
    );
    assertEquals(machine.record, ["check authenticator.service", "daemon-reload"]);
  }));

Deno.test("install.sh puts the previous version back where the new one does not start", () =>
  withFolder(async (folder) => {
    const machine = new Machine(folder);
    machine.put("restart", "1");
    await machine.download("1");
    assertEquals((await machine.run()).code, 1);
    assertEquals(machine.installed, {});
    assertEquals(machine.record.slice(-2), [
      "disable --now authenticator.service",
      "daemon-reload",
    ]);
    machine.put("restart", "0");
    await machine.succeed();
    await machine.download("2");
    machine.put("restart", "3");
    machine.put("states", RUNS);
    const { code, stderr } = await machine.run();
    assertEquals([code, stderr], [3, "install.sh: the previous version is back\n"]);
    assertEquals(machine.installed, version("1"));
    assertEquals(machine.record.slice(-2), ["daemon-reload", "restart authenticator.service"]);
  }));

Deno.test("install.sh removes all that it installed, and nothing else", () =>
  withFolder(async (folder) => {
    const machine = new Machine(folder);
    await machine.download("1");
    await machine.succeed();
    machine.put("local/bin/authenticator-of-others", "");
    await Deno.mkdir(`${folder}/units/authenticator.service.d`);
    await Deno.mkdir(`${folder}/units/multi-user.target.wants`);
    machine.put("units/authenticator.service.d/mine.conf", "");
    machine.put("units/multi-user.target.wants/authenticator@3.service", "");
    machine.put("states", "authenticator@1.service loaded active running\n");
    await machine.succeed("--remove");
    assertEquals(
      machine.record.filter((line) => line.startsWith("disable")),
      ["authenticator.target", "authenticator@1.service", "authenticator@3.service"]
        .map((unit) => `disable --now ${unit}`),
    );
    assertEquals(Object.keys(machine.installed), [
      "local/bin/authenticator-of-others",
      "units/authenticator.service.d/mine.conf",
      // The stand-in of systemctl disable leaves it.
      "units/multi-user.target.wants/authenticator@3.service",
    ]);
    for (
      const path of [
        "lib/authenticator",
        "share/doc/authenticator",
        "share/man/man1/authenticator.1",
      ]
    ) {
      assert(!machine.isThere(`local/${path}`), path);
    }
    assertEquals(await machine.fail("--remove"), "install.sh: error: it is not installed");
  }));

/** Ends an upgrade at each of its steps; gives how many of them left the previous version. */
async function cutAtEachStep(
  signal: string,
  check: (machine: Machine, code: number) => Promise<boolean>,
): Promise<number> {
  let kept = 0;
  await withFolder(async (folder) => {
    const machine = new Machine(folder);
    await machine.download("1");
    await machine.succeed();
    machine.put("states", RUNS);
    await machine.download("2");
    await machine.shell("mkdir ../before && cp -a ../local ../units ../before");
    for (let cut = 0;; cut++) {
      await machine.shell("rm -rf ../local ../units && cp -a ../before/* ..");
      const { code } = await machine.run([], cut, signal);
      if (Number(Deno.readTextFileSync(`${folder}/count`)) <= cut) break;
      if (await check(machine, code)) kept++;
    }
  });
  return kept;
}

for (const signal of ["", "TERM"]) {
  const how = signal === "" ? "a failure" : "SIGTERM";
  Deno.test(`${how} at any step of an upgrade leaves one version whole, with its unit and its helper`, async () => {
    const kept = await cutAtEachStep(signal, (machine, code) => {
      const isBefore = machine.installed["units/authenticator.service"] === unitOf("1");
      assertEquals(machine.installed, isBefore ? version("1") : versions("2", "1"));
      assert(!isBefore || code !== 0);
      return Promise.resolve(isBefore);
    });
    assert(kept >= 10, `${kept} steps`);
  });
}

Deno.test("install.sh that was killed at any step is mended by the next run", async () => {
  await cutAtEachStep("KILL", async (machine) => {
    const { code, stderr } = await machine.run();
    assertEquals([code, machine.installed], [0, versions("2", "1")], stderr);
    return true;
  });
});
