/**
 * The script and the commands for Windows in PowerShell 7, on this system: with recorded stand-ins for
 * the Task Scheduler, icacls and what else only Windows has.
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { fileURLToPath } from "node:url";
import { type Ended, killIfThere, runToEnd } from "../../support/child.ts";
import { DOTNET_ENV, dotnetTest, powershellWords } from "../../support/dotnet.ts";
import { withFolder } from "../../support/folder.ts";
import { withProgram } from "../../support/program.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const SCRIPTS = fileURLToPath(new URL("powershell/", import.meta.url));

async function powershell(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return await runToEnd(await powershellWords(...args), { cwd, env: { ...DOTNET_ENV, ...env } });
}

/** Stands for cmd.exe: what the commands of the batch files end with is in the environment. */
const CMD = `#!/bin/sh
[ "$PWD" = "$ProgramFiles/Authenticator" ] || exit 9
printf '%s\\n' "cmd $*" >>"$RECORD"
case $4 in check) cp new/check.cmd "$RECORD.check" && exit "\${CHECK:-0}" ;; *) exit "\${HEALTHCHECK:-0}" ;; esac
`;

/** A machine with a download, on which the script runs. */
class Machine {
  readonly #folder: string;
  #seen = 0;

  constructor(folder: string) {
    this.#folder = folder;
    for (const name of ["Program Files", "download"]) Deno.mkdirSync(`${folder}/${name}`);
    for (const name of ["record", "tasks"]) Deno.writeTextFileSync(`${folder}/${name}`, "");
    Deno.writeTextFileSync(`${folder}/cmd`, CMD, { mode: 0o755 });
    Deno.copyFileSync(`${ROOT}deploy/windows/install.ps1`, `${folder}/download/install.ps1`);
  }

  /** The folder of the installation. */
  get installed(): string {
    return `${this.#folder}/Program Files/Authenticator`;
  }

  /** Puts an executable into the download. */
  download(name: string, content: string): void {
    Deno.writeTextFileSync(`${this.#folder}/download/${name}`, content);
  }

  /** Runs the script. */
  async install(
    args = "",
    env: Readonly<Record<string, string>> = {},
    script = "./install.ps1",
  ): Promise<Ended> {
    return await powershell(
      ["-Command", `. '${SCRIPTS}stand_ins.ps1'; & '${script}' ${args}`],
      `${this.#folder}/download`,
      {
        ProgramFiles: `${this.#folder}/Program Files`,
        SystemRoot: "C:\\Windows",
        ComSpec: `${this.#folder}/cmd`,
        RECORD: `${this.#folder}/record`,
        TASKS: `${this.#folder}/tasks`,
        ...env,
      },
    );
  }

  /** The calls since the last look, with FOLDER for that of the installation. */
  calls(): readonly string[] {
    const all = Deno.readTextFileSync(`${this.#folder}/record`).trimEnd().split("\n");
    const news = all.slice(this.#seen);
    this.#seen = all.length;
    return news.map((line) => line.replaceAll(this.installed, "FOLDER"));
  }

  /** The registered tasks, with their states. */
  tasks(): readonly string[] {
    return Deno.readTextFileSync(`${this.#folder}/tasks`).trimEnd().split("\n");
  }

  /** The installed files, and those of the previous version. */
  files(): readonly string[] {
    return listed(`${this.installed}/`);
  }

  /** The text of an installed file. */
  text(name: string): string {
    return Deno.readTextFileSync(`${this.installed}/${name}`);
  }
}

const PRINCIPAL = "[Principal -UserId LOCALSERVICE -LogonType ServiceAccount]";
const ACCESS = [
  "icacls FOLDER /inheritance:r /grant *S-1-5-32-544:(OI)(CI)F *S-1-5-18:(OI)(CI)F " +
  "*S-1-5-19:(OI)(CI)RX",
  "icacls FOLDER/log /grant *S-1-5-19:(OI)(CI)M",
  "Unblock-File -LiteralPath FOLDER/new/authenticator.exe",
  "cmd /d /c new\\check.cmd check",
];
const STARTED = [
  "Start-ScheduledTask -TaskName Authenticator",
  "cmd /d /c authenticator-as-service.cmd healthcheck",
];
const LOOK = "Get-CimInstance Win32_Process -Filter Name = 'cmd.exe'";
const REGISTERED = [
  `Register-ScheduledTask -Force -TaskName Authenticator -Principal ${PRINCIPAL} -Settings ` +
  "[SettingsSet -ExecutionTimeLimit 00:00:00 -Priority 4 -RestartCount 255 -RestartInterval " +
  "00:01:00 -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries] -Trigger [Trigger -AtStartup] " +
  '-Action [Action -Execute C:\\Windows\\System32\\cmd.exe -Argument /d /c ""FOLDER\\run.cmd""]',
  `Register-ScheduledTask -Force -TaskName Authenticator log -Principal ${PRINCIPAL} -Trigger ` +
  "[Trigger -Weekly -DaysOfWeek Sunday -At 4am] -Action [Action -Execute " +
  "C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe -Argument -NoProfile -Command " +
  "\"Get-Process authenticator | Where-Object Path -eq 'FOLDER/authenticator.exe' | " +
  'Stop-Process -Force"]',
];
const STOPPED = ["Authenticator", "Authenticator log"]
  .map((task) => `Stop-ScheduledTask -TaskName ${task}`);
const FILES = [
  "authenticator-as-service.cmd",
  "authenticator.exe",
  "install.ps1",
  "log/",
  "options.cmd",
  "run.cmd",
];
const OLD = ["authenticator-as-service.cmd", "authenticator.exe", "run.cmd"]
  .map((name) => `old/${name}`);
const BOTH = [...FILES, ...OLD].sort();
const USUAL = "authenticator-windows-x64-bun.exe";
const REMOVED = ["Authenticator", "Authenticator log"].map((task) =>
  `Unregister-ScheduledTask -TaskName ${task} -Confirm: False -ErrorAction SilentlyContinue`
);

dotnetTest(
  "install.ps1 installs, updates, goes back and removes",
  () =>
    withFolder(async (folder) => {
      const machine = new Machine(folder);
      machine.download(USUAL, "first");
      const first = await machine.install();
      assertEquals([first.code, first.stderr], [0, ""], first.stdout);
      assertEquals(machine.calls(), [...ACCESS, LOOK, ...REGISTERED, ...STARTED]);
      assertEquals([machine.files(), machine.text("authenticator.exe")], [FILES, "first"]);
      // The same batch file, but with the new version.
      assertEquals(
        Deno.readTextFileSync(`${folder}/record.check`),
        machine.text("authenticator-as-service.cmd").replace("%~dp0", "%~dp0..")
          .replace("authenticator.exe", "new\\authenticator.exe"),
      );
      assert(machine.text("run.cmd").includes("call authenticator-as-service.cmd serve 2>>"));
      assert(
        machine.text("authenticator-as-service.cmd").includes("AUTHENTICATOR_METRICS_PORT=9101"),
      );

      // Over it, twice: the loop and the tasks are stopped first; the options stay.
      const options = 'set "AUTHENTICATOR_PORT=9000"\r\n';
      Deno.writeTextFileSync(`${machine.installed}/options.cmd`, options);
      machine.download(USUAL, "second");
      const [loop, other] = [sleeper(), sleeper()];
      const pids = { LOOP: String(loop.pid), OTHER: String(other.pid) };
      try {
        const second = await machine.install("", pids);
        assertEquals([second.code, second.stderr], [0, ""], second.stdout);
        assertEquals((await loop.status).signal, "SIGKILL");
        assertEquals(Deno.readTextFileSync(`/proc/${other.pid}/comm`), "sleep\n");
      } finally {
        killIfThere(loop);
        killIfThere(other);
        await other.status;
      }
      assertEquals(machine.calls(), [...ACCESS, ...STOPPED, LOOK, ...REGISTERED, ...STARTED]);
      assertEquals((await machine.install()).code, 0);
      assertEquals(machine.files(), BOTH);
      assertEquals(
        ["authenticator.exe", "old/authenticator.exe", "options.cmd"].map((name) =>
          machine.text(name)
        ),
        ["second", "first", options],
      );

      // Back to the previous version, which a second run keeps, by the installed script.
      for (let times = 0; times < 2; times++) {
        const back = await machine.install("-RollBack", {}, `${machine.installed}/install.ps1`);
        assertEquals([back.code, back.stderr], [0, ""], back.stdout);
        assertEquals([machine.files(), machine.text("authenticator.exe")], [BOTH, "first"]);
      }
      machine.calls();

      // A file that is not there ends it before anything is touched.
      const missing = await machine.install("-Executable nowhere.exe");
      assertEquals(missing.code, 1);
      assert(missing.stderr.includes("nowhere.exe"), missing.stderr);
      assertEquals(machine.calls(), []);
      assertEquals([machine.files(), machine.text("authenticator.exe")], [BOTH, "first"]);

      Deno.writeTextFileSync(`${machine.installed}/log/authenticator.log`, "a line");
      const removed = await machine.install("-Remove");
      assertEquals([removed.code, removed.stderr], [0, ""]);
      assertEquals(machine.calls(), [...STOPPED, LOOK, ...REMOVED]);
      assertEquals(machine.files(), ["log/authenticator.log", "options.cmd"]);
    }),
);

dotnetTest(
  "install.ps1 leaves disabled or removed tasks so",
  () =>
    withFolder(async (folder) => {
      const machine = new Machine(folder);
      machine.download(USUAL, "first");
      assertEquals((await machine.install()).code, 0);
      Deno.writeTextFileSync(`${folder}/tasks`, "Authenticator=Disabled\n");
      machine.calls();
      const { stdout } = await machine.install();
      assert(stdout.includes("The task Authenticator is disabled, and was not started."), stdout);
      assertEquals(machine.tasks(), ["Authenticator=Disabled"]);
      assertEquals(machine.calls().filter((call) => call.startsWith("Start-")), []);
      Deno.writeTextFileSync(
        `${folder}/tasks`,
        "Authenticator=Ready\nAuthenticator log=Disabled\n",
      );
      assertEquals((await machine.install()).code, 0);
      assertEquals(machine.tasks(), ["Authenticator=Ready", "Authenticator log=Disabled"]);
    }),
);

dotnetTest(
  "install.ps1 replaces nothing when access or options are wrong, and goes back when a step fails",
  () =>
    withFolder(async (folder) => {
      const machine = new Machine(folder);
      const fails = async (words: string, env: Readonly<Record<string, string>>): Promise<void> => {
        const { code, stderr } = await machine.install("", env);
        assertEquals(code, 1, words);
        assert(stderr.includes(words), stderr);
      };
      machine.download(USUAL, "first");
      const noAnswer = { HEALTHCHECK: "1" };
      // The first installation leaves nothing but the folders.
      await fails("the server does not answer", noAnswer);
      assertEquals([machine.files(), machine.tasks()], [["log/"], [""]]);
      assertEquals((await machine.install()).code, 0);
      machine.download(USUAL, "second");
      assertEquals((await machine.install()).code, 0);

      machine.download(USUAL, "third");
      machine.calls();
      await fails("icacls failed with 5", { ICACLS: "5" });
      assertEquals(machine.calls(), ACCESS.slice(0, 1));
      await fails("this version cannot start with these options", { CHECK: "2" });
      assertEquals(machine.calls(), ACCESS);
      const cuts = [
        ...["Copy-Item", "Move-Item", "Register-ScheduledTask", "Start-ScheduledTask"],
      ].map((command): readonly [string, Readonly<Record<string, string>>] => [
        `${command} fails`,
        { CUT: command },
      ]);
      for (const [words, env] of [["the server does not answer", noAnswer] as const, ...cuts]) {
        await fails(words, env);
        assertEquals(machine.files(), BOTH, words);
        assertEquals(
          ["authenticator.exe", "old/authenticator.exe"].map((name) => machine.text(name)),
          ["second", "first"],
          words,
        );
        assertEquals(machine.tasks().toSorted(), [
          "Authenticator log=Ready",
          "Authenticator=Ready",
        ]);
        assertEquals(machine.calls().at(-1), STARTED[0], words);
      }

      // A run that was killed while it replaced the files.
      await Deno.mkdir(`${machine.installed}/now`);
      for (const name of ["authenticator.exe", "run.cmd", "authenticator-as-service.cmd"]) {
        await Deno.copyFile(`${machine.installed}/${name}`, `${machine.installed}/now/${name}`);
      }
      await Deno.writeTextFile(`${machine.installed}/authenticator.exe`, "a part");
      await fails("this version cannot start with these options", { CHECK: "2" });
      assertEquals([machine.files(), machine.text("authenticator.exe")], [BOTH, "second"]);
      // The store of the guard cannot be used: a server starts.
      assertEquals((await machine.install("", { CHECK: "1" })).code, 0);
      assertEquals(machine.text("old/authenticator.exe"), "second");
    }),
);

/** Files below a folder, and its empty folders. */
function listed(folder: string, below = ""): readonly string[] {
  return [...Deno.readDirSync(folder + below)].flatMap(({ name, isDirectory }) => {
    if (!isDirectory) return [below + name];
    const inside = listed(folder, `${below}${name}/`);
    return inside.length === 0 ? [`${below}${name}/`] : inside;
  }).sort();
}

function sleeper(): Deno.ChildProcess {
  return new Deno.Command("sleep", { args: ["600"], stdin: "null" }).spawn();
}

/** Blocks of PowerShell in the documents. */
function blocks(): readonly (readonly [page: string, text: string])[] {
  const pages = [
    "README.md",
    "deploy/README.md",
    ...listed(ROOT, "docs/").filter((name) => name.endsWith(".md")),
  ];
  return pages.flatMap((page) =>
    [...Deno.readTextFileSync(ROOT + page).matchAll(/^( *)```powershell\n([^]*?)^\1```$/gm)]
      .map(([, , text]) => [page, text!] as const)
  );
}

function blockWith(words: string): string {
  const found = blocks().filter(([, text]) => text.includes(words));
  assertEquals(found.length, 1, words);
  return found[0]![1];
}

dotnetTest(
  "PowerShell parses the script, the page's program and each block of the documents",
  () =>
    withFolder(async (folder) => {
      const paths = blocks().map(([page, text], i) => {
        const path = `${folder}/${page.replaceAll("/", "_")}_${i}.ps1`;
        Deno.writeTextFileSync(path, text);
        return path;
      });
      assert(paths.length > 15);
      const wrong = `${folder}/wrong.ps1`;
      Deno.writeTextFileSync(wrong, "foreach ($x in 1 {");
      const scripts = ["deploy/windows/install.ps1", "lib/page/programs/pair_and_check.ps1"];
      const all = [...paths, ...scripts.map((path) => ROOT + path), wrong];
      const { code, stdout } = await powershell(["-File", `${SCRIPTS}parse.ps1`, ...all], folder);
      assertEquals(code, 0);
      const lines = stdout.trimEnd().split("\n");
      assert(lines.every((line) => line.startsWith("wrong.ps1: 1: ")) && lines.length > 0, stdout);
    }),
);

dotnetTest(
  "the documents' commands compare checksums, and restart a service only with right options",
  () =>
    withFolder(async (folder) => {
      const put = (name: string, text: string, mode = 0o644): void =>
        Deno.writeTextFileSync(`${folder}/${name}`, text, { mode });
      const run = (text: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
        powershell(["-Command", text], folder, env);
      put("install.ps1", "a");
      put("authenticator-windows-x64-bun.exe", "b");
      const files = "authenticator-windows-x64-bun.exe install.ps1";
      const { stdout: sums } = await runToEnd(["sha256sum", ...files.split(" ")], { cwd: folder });
      put("SHA256SUMS", sums);
      const compare = `function Unblock-File { "unblocked" }\n${blockWith("SHA256SUMS")}`;
      const right = await run(compare);
      assertEquals([right.code, right.stdout], [0, "unblocked\n"], right.stderr);
      put("install.ps1", "changed");
      const wrong = await run(compare);
      assertEquals([wrong.code, wrong.stdout], [1, ""]);
      assert(wrong.stderr.includes("install.ps1 is not what SHA256SUMS says"), wrong.stderr);

      const program = '#!/bin/sh\necho "$@"; exit "$CHECK"\n';
      put("authenticator.exe", program, 0o755);
      const restart = blockWith("The service goes on with the old ones")
        .replace(/C:[^']*/, folder).replaceAll("\\", "/");
      const text = `function Restart-Service { "restarted $args" }\n${restart}`;
      const checked = `check --config ${folder}/authenticator.conf\n`;
      const restarted = await run(text, { CHECK: "1" });
      assertEquals(restarted.stdout, `${checked}restarted Authenticator\n`, restarted.stderr);
      const refused = await run(text, { CHECK: "2" });
      assertEquals([refused.code, refused.stdout], [1, checked]);
      assert(refused.stderr.includes("The service goes on with the old ones."), refused.stderr);
    }),
);

dotnetTest("the README's calls pair and check a pin in PowerShell, each on one line", async () => {
  const calls = [...Deno.readTextFileSync(`${ROOT}README.md`).matchAll(/^curl [^]*?[^\\]$/gm)]
    .map(([call]) => call.replace(/ \\\n */g, " ").replace(/^curl/, "/usr/bin/curl"));
  assertEquals(calls.length, 2);
  await withProgram(["--port", "0"], async ({ url }) => {
    const outputs: string[] = [];
    for (const call of calls) {
      const here = call.replace("http://127.0.0.1:8080", url);
      outputs.push((await powershell(["-Command", here], ROOT)).stdout);
    }
    assert(
      outputs[0]!.includes("<ManualSetupCode>MNXXE4TFMN2CA2DPOJZWKIDCMF2HIZLSPE<"),
      outputs[0],
    );
    assert(outputs[1]!.includes(">false</boolean>"), outputs[1]);
  });
});
