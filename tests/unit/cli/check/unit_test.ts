import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { dirname } from "node:path";
import { checkUnit, type UnitFindings } from "../../../../lib/cli/check/unit.ts";
import { parseConfigFile } from "../../../../lib/cli/args/config_file.ts";
import { parseConfig } from "../../../../lib/config/options.ts";
import { withFolder } from "../../../support/folder.ts";
import { ROOT } from "../../../support/pages.ts";

const FOLDER = "/etc/authenticator";
const DROP_INS = "/etc/systemd/system/authenticator.service.d";

/** Machine in a folder. */
class Machine {
  constructor(readonly root: string) {
    this.put(`${FOLDER}/authenticator.conf`, "");
  }

  put(path: string, content: string | Uint8Array, mode = 0o600): void {
    Deno.mkdirSync(dirname(`${this.root}${path}`), { recursive: true, mode: 0o755 });
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    Deno.writeFileSync(`${this.root}${path}`, bytes);
    Deno.chmodSync(`${this.root}${path}`, mode);
  }

  remove(path: string): void {
    Deno.removeSync(`${this.root}${path}`, { recursive: true });
  }

  /** Findings about a unit whose environment and file of options are given. */
  findings(
    { env = {}, options = "", unit = "authenticator.service" }: {
      readonly env?: Readonly<Record<string, string>>;
      readonly options?: string;
      readonly unit?: string;
    } = {},
  ): UnitFindings {
    const path = `${FOLDER}/authenticator.conf`;
    const place = { path, subject: "the file of --config", isWindows: false };
    const lines = parseConfigFile(new TextEncoder().encode(options), place);
    const read = (name: string): string | undefined => env[name];
    const config = parseConfig({ flags: new Map(), env: read, file: lines });
    return checkUnit({ unit, config, lines, env: read, root: this.root });
  }

  problems(settings: Parameters<Machine["findings"]>[0] = {}): readonly string[] {
    return this.findings(settings).problems;
  }
}

function test(name: string, act: (machine: Machine) => void): void {
  Deno.test({
    name,
    ignore: Deno.build.os === "windows",
    fn: () => withFolder((root) => Promise.resolve(act(new Machine(root)))),
  });
}

test("check --unit names files of the folder that no option uses", (machine) => {
  machine.put(`${FOLDER}/api-keys`, "");
  machine.put(`${FOLDER}/notes.txt`, "");
  assertEquals(machine.problems(), [
    "/etc/authenticator/api-keys is there and not used: add AUTHENTICATOR_API_KEYS_FILE=api-keys to " +
    "/etc/authenticator/authenticator.conf, or move the file away",
  ]);
  assertEquals(
    machine.problems({ options: "AUTHENTICATOR_API_KEYS_FILE=/srv/api-keys" }).length,
    1,
  );
  assertEquals(machine.problems({ options: "AUTHENTICATOR_API_KEYS_FILE=api-keys" }), []);
  // As a drop-in of an older version names it.
  const env = { AUTHENTICATOR_API_KEYS_FILE: "/run/credentials/authenticator.service/api-keys" };
  assertEquals(machine.problems({ env }), []);
});

test("check --unit knows each file that the unit hands over", (machine) => {
  const unit = Deno.readTextFileSync(new URL("deploy/authenticator.service", ROOT));
  const names = [...unit.matchAll(/^LoadCredential=([^:]+):\/etc\/authenticator\/\1$/gm)]
    .map(([, name]) => name!).filter((name) => name !== "authenticator.conf");
  assert(names.length > 0);
  for (const name of names) machine.put(`${FOLDER}/${name}`, "");
  const options = machine.problems().map((problem) => / add (\S+) to /.exec(problem)?.[1]).join(
    "\n",
  );
  assertEquals([...options.matchAll(/=(.*)$/gm)].map(([, name]) => name), names);
  // TLS to the store needs a store.
  const guard = "AUTHENTICATOR_GUARD=rediss://store";
  assertEquals(machine.problems({ options: `${guard}\n${options}` }), []);
});

test("check --unit names plain names of files that the unit does not hand over", (machine) => {
  assertEquals(machine.problems({ options: "\nAUTHENTICATOR_API_KEYS_FILE=keys-of-web" }), [
    "line 2 of the file of --config names a file that the unit does not hand over: call it api-keys",
  ]);
  assertEquals(machine.problems({ options: "AUTHENTICATOR_API_KEYS_FILE=/srv/keys-of-web" }), []);
});

test("check --unit names originals that are no file, or that others can change", (machine) => {
  const options = "AUTHENTICATOR_API_KEYS_FILE=api-keys";
  const path = `${machine.root}${FOLDER}/api-keys`;
  const problem = (): string => machine.problems({ options }).join().replace(`${FOLDER}/`, "");
  assertEquals(problem(), "api-keys is missing");
  Deno.symlinkSync("/none", path);
  assert(problem().startsWith("api-keys is a link to a file that is missing"), problem());
  Deno.removeSync(path);
  Deno.mkdirSync(path);
  assertEquals(problem(), "api-keys is no file");
  Deno.removeSync(path);
  machine.put(`${FOLDER}/api-keys`, "", 0o602);
  assertEquals(problem(), "api-keys can be written by every user of this machine: chmod o-w");
  machine.put(`${FOLDER}/api-keys`, "", 0o600);
  assertEquals(problem(), "");
  machine.remove(`${FOLDER}/authenticator.conf`);
  assertEquals(problem(), "authenticator.conf is missing");
});

test("check --unit names originals in a folder that others can write to, also behind a link", (machine) => {
  const folder = `${machine.root}${FOLDER}`;
  const problems = (): readonly string[] =>
    machine.problems({ options: "AUTHENTICATOR_API_KEYS_FILE=api-keys" });
  const clause = "is in a folder that every user of this machine can write to: chmod o-w";
  machine.put("/srv/keys/api-keys", "");
  Deno.symlinkSync(`${machine.root}/srv/keys/api-keys`, `${folder}/api-keys`);
  assertEquals(problems(), []);
  Deno.chmodSync(`${machine.root}/srv/keys`, 0o777);
  assertEquals(problems(), [`${FOLDER}/api-keys ${clause}`]);
  Deno.chmodSync(`${machine.root}/srv/keys`, 0o755);
  Deno.chmodSync(folder, 0o777);
  assertEquals(problems(), [
    `${FOLDER}/authenticator.conf ${clause}`,
    `${FOLDER}/api-keys ${clause}`,
  ]);
});

test("check --unit warns of originals that are not root's alone, and of secrets that every user can read", (machine) => {
  // Only root can give files away.
  if (Deno.statSync(machine.root).uid !== 0) return;
  const folder = `${machine.root}${FOLDER}`;
  const [target, link] = [`${machine.root}/srv/keys`, `${folder}/api-keys`];
  machine.put("/srv/keys/api-keys", "");
  Deno.symlinkSync(`${target}/api-keys`, link);
  for (const name of ["cert.pem", "guard-ca.pem"]) machine.put(`${FOLDER}/${name}`, "", 0o644);
  const risks = (): readonly string[] => machine.findings().risks;
  assertEquals(risks(), []);
  Deno.chmodSync(link, 0o604);
  assertEquals(risks(), [`${FOLDER}/api-keys can be read by every user: chmod 600.`]);
  const owned = (name: string): string =>
    `${FOLDER}/${name} is not root's alone: its owner can change it.`;
  for (const path of [link, target, folder]) {
    Deno.chownSync(path, 1, null);
    const all = ["authenticator.conf", "api-keys", "cert.pem", "guard-ca.pem"];
    assertEquals(risks(), (path === folder ? all : ["api-keys"]).map(owned));
    Deno.chownSync(path, 0, null);
  }
});

test("check --unit reads the file of the instance itself", (machine) => {
  Deno.symlinkSync("/none", `${machine.root}${FOLDER}/authenticator@1.conf`);
  assertEquals(machine.problems({ unit: "authenticator@1.service" }), [
    "/etc/authenticator/authenticator@1.conf is a link to a file that is missing",
  ]);
  assertEquals(machine.problems({ unit: "authenticator@2.service" }), []);
});

const UTF_16 = new Uint8Array(
  [0xFEFF, ..."[Service]\nEnvironment=AUTHENTICATOR_SINGLE_USE=true\n"].map((unit) =>
    typeof unit === "number" ? unit : unit.charCodeAt(0)
  ).flatMap((unit) => [unit & 0xFF, unit >> 8]),
);

// A drop-in, and whether the unit has the variable in its environment.
const DROPPED: readonly (readonly [name: string, content: string | Uint8Array, line: number])[] = [
  ["a.conf", "Environment=AUTHENTICATOR_SINGLE_USE=true\n", 1],
  ["a.txt", "[Service]\nEnvironment=AUTHENTICATOR_SINGLE_USE=true\n", 2],
  ["a.conf", "[Service]\nEnvironment=AUTHENTICATOR_SINGLE_USE = true\n", 2],
  ["sub/a.conf", "[Service]\nEnvironment=AUTHENTICATOR_SINGLE_USE=true\n", 2],
  ["a.conf", UTF_16, 2],
  ["a.conf", "[Servce]\r\n\r\nEnvironment=AUTHENTICATOR_SINGLE_USE=true\r\n", 3],
];

test("check --unit names variables of drop-ins that are not in force", (machine) => {
  const clause = (name: string, line: number): string =>
    `line ${line} of ${DROP_INS}/${name} is not in force: put the option into ` +
    "/etc/authenticator/authenticator.conf, and remove the line";
  for (const [name, content, line] of DROPPED) {
    machine.put(`${DROP_INS}/${name}`, content);
    assertEquals(machine.problems(), [clause(name, line)]);
    const env = { AUTHENTICATOR_SINGLE_USE: "true" };
    assertEquals(machine.problems({ env }), []);
    // Emptied by an environment file.
    assertEquals(machine.problems({ env: { AUTHENTICATOR_SINGLE_USE: "" } }), [clause(name, line)]);
    machine.remove(DROP_INS);
  }
  machine.put(`${DROP_INS}/a.conf`, "# AUTHENTICATOR_SINGLE_USE=true\n[Service]\n");
  assertEquals(machine.problems(), []);
  machine.put(
    `${DROP_INS}/a.conf`,
    "[Service]\nEnvironment=AUTHENTICATOR_API_KEYS_FILE=%d/api-keys\n",
  );
  assert(machine.problems()[0]!.includes("since systemd knows %d from version 250 on"));
});

test("check --unit names variables of drop-ins that were meant as options", (machine) => {
  const names = [
    "AUTHENTICATOR-SINGLE-USE",
    "Authenticator_Single_Use",
    "authenticator_single_use",
    "authenticator.single.use",
    "AUTHENTICATORSINGLEUSE",
  ];
  for (const name of names) {
    for (const text of [`${name}=true`, `"${name}=true"`, `A=1 '${name}=a b'`]) {
      machine.put(`${DROP_INS}/a.conf`, `[Service]\nEnvironment=${text}\n`);
      // With small letters, systemd hands it over, and the server does not read it.
      const env = /[a-z]/.test(name) ? { [name]: "true" } : {};
      const [problem = ""] = machine.problems({ env });
      assert(problem.startsWith(`line 2 of ${DROP_INS}/a.conf is not in force`), text);
    }
  }
  const others = [
    "ExecStartPre=/srv/authenticator_new --a=1",
    "LoadCredential=authenticator.conf:/srv/a=b",
    "SyslogIdentifier=authenticator",
    "RuntimeDirectory=authenticator-1",
    "EnvironmentFile=-/etc/authenticator.env",
  ];
  machine.put(`${DROP_INS}/a.conf`, `[Service]\n${others.join("\n")}\n`);
  assertEquals(machine.problems(), []);
});

test("check --unit reads the drop-ins of all services, in each folder of systemd", (machine) => {
  const paths = ["/etc", "/run", "/usr/local/lib", "/usr/lib"].map((base) =>
    `${base}/systemd/system/service.d/a.conf`
  );
  for (const path of paths) machine.put(path, "[Servce]\nEnvironment=AUTHENTICATOR_WINDOW=2\n");
  for (const unit of ["authenticator.service", "authenticator@1.service"]) {
    const problems = machine.problems({ unit });
    const places = paths.map((path) => `line 2 of ${path}`);
    assertEquals(problems.map((text) => text.split(" is ")[0]), places);
  }
});

test("check --unit reads the drop-ins of all instances for one", (machine) => {
  const folder = "/run/systemd/system/authenticator@.service.d";
  machine.put(`${folder}/a`, "Environment=AUTHENTICATOR_WINDOW=2\n");
  assertEquals(machine.problems(), []);
  const problems = machine.problems({ unit: "authenticator@1.service" });
  assertEquals(problems.map((text) => text.split(" is ")[0]), [`line 1 of ${folder}/a`]);
});

test("check --unit reads the environment files of drop-ins by pattern and instance", (machine) => {
  const unit = "authenticator@a-b\\x2dc.service";
  const names = [
    ["/srv/*.env", "/srv/a.env"],
    ["-/srv/?[a-c].env", "/srv/ab.env"],
    ["/srv/%i.env", "/srv/a-b\\x2dc.env"],
    ["-/srv/%I.env", "/srv/a/b-c.env"],
    ["/srv/a b.env ", "/srv/a b.env"],
    ["/srv/100%%.env", "/srv/100%.env"],
  ];
  for (const [value, path] of names) {
    machine.put(
      `${DROP_INS.replace(".service", "@.service")}/a.conf`,
      `EnvironmentFile=${value}\n`,
    );
    machine.put(path!, "AUTHENTICATOR-WINDOW=2\n");
    const problems = machine.problems({ unit });
    assertEquals(problems.map((text) => text.split(" is ")[0]), [`line 1 of ${path}`]);
    machine.remove("/srv");
  }
});

test("check --unit names environment files that it or systemd cannot read", (machine) => {
  machine.put("/srv/a.env", "");
  Deno.symlinkSync("/dev/null", `${machine.root}/srv/null`);
  const relative = "no absolute path, so that systemd ignores it: write it without quotes";
  const missing = "a file that is missing: begin the path with - if it may be";
  const flaws = [
    ['"/srv/a.env"', relative],
    ['-"/srv/a.env"', relative],
    ["srv/a.env", relative],
    ["/srv/b.env", missing],
    ["/srv/*.conf", missing],
    ["/srv", missing],
    ["%E/a.env", "a path that check cannot resolve: of the specifiers, use %i or %I, or none"],
  ];
  for (const [value, flaw] of flaws) {
    machine.put(`${DROP_INS}/a.conf`, `[Service]\nEnvironmentFile=${value}\n`);
    assertEquals(machine.problems(), [
      `line 2 of ${DROP_INS}/a.conf names as EnvironmentFile ${flaw}`,
    ]);
  }
  for (
    const value of ["-/srv/b.env", "-/srv/*.conf", "-/srv/%H.env", "/srv/a.env", "/srv/null", ""]
  ) {
    machine.put(`${DROP_INS}/a.conf`, `[Service]\nEnvironmentFile=${value}\n`);
    assertEquals(machine.problems(), []);
  }
});

test("check --unit names lines of environment files that systemd ignores", (machine) => {
  const lines = [
    "# export AUTHENTICATOR_PORT=1",
    "AUTHENTICATOR_PORT=9000",
    "export AUTHENTICATOR_SINGLE_USE=true",
    "authenticator-single-use=true",
    "AUTHENTICATOR_WINDOW 2",
    "OTHER=1",
    "AUTHENTICATOR_HOST=",
  ];
  const env = { AUTHENTICATOR_PORT: "9000", AUTHENTICATOR_HOST: "" };
  for (const path of ["/etc/authenticator.env", "/srv/more.env"]) {
    machine.put(`${DROP_INS}/a.conf`, "[Service]\nEnvironmentFile=-/srv/more.env\n");
    machine.put(path, lines.join("\n"));
    assertEquals(
      machine.problems({ env }).map((text) => text.split(" is ")[0]),
      [3, 4, 5].map((line) => `line ${line} of ${path}`),
    );
    // A byte order mark hides the first line.
    machine.put(path, "\uFEFFAUTHENTICATOR_SINGLE_USE=true\n");
    assertEquals(machine.problems({ env }).map((text) => text.split(" is ")[0]), [
      `line 1 of ${path}`,
    ]);
    machine.remove(path);
  }
  Deno.mkdirSync(`${machine.root}/etc/authenticator.env`);
  assertEquals(machine.problems(), [
    "/etc/authenticator.env is no file, so that systemd ignores it",
  ]);
});
