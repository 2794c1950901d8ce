/**
 * The package for Debian on a machine that systemd runs: installed, upgraded, removed, purged.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { packDebian } from "../../../release/deb.ts";
import { need, runToEnd } from "../../support/child.ts";
import { shownBlock } from "../../support/deploy.ts";
import { eventually } from "../../support/eventually.ts";
import { executable } from "../../support/program.ts";
import { type Machine, makeMachine, startMachine, whyNoMachine } from "./systemd.ts";
import { withFolder } from "../../support/folder.ts";

const ARCHITECTURE = Deno.build.arch === "aarch64" ? "arm64" : "amd64";
const FILE = "authenticator_VERSION_" + ARCHITECTURE + ".deb";

/** Packages that ours depends on, as the new machine's dpkg knows them. */
const KNOWN = `set -e
  mkdir -p var/lib/dpkg/info var/lib/dpkg/updates
  dpkg-query --status libc6 init-system-helpers >var/lib/dpkg/status
  cp /var/lib/dpkg/info/libc6:*.list /var/lib/dpkg/info/init-system-helpers.list var/lib/dpkg/info`;

Deno.test("the package for Debian is installed, upgraded, removed and purged", (t) =>
  withFolder(async (folder) => {
    await need(["systemd-nspawn", "--version"]);
    await need(["unshare", "--net", "--mount", "true"]);
    await need(["dpkg-deb", "--version"], "dpkg");
    await need(["curl", "--version"]);
    const folders = {
      root: `${folder}/root`,
      dist: `${folder}/dist`,
      changes: `${folder}/changes`,
    };
    for (const path of Object.values(folders)) await Deno.mkdir(path);
    await makeMachine(folders.root);
    const why = await whyNoMachine(folders);
    if (why !== undefined) {
      const line = `skipped: systemd-nspawn starts no machine here: ${why}\n`;
      Deno.stderr.writeSync(new TextEncoder().encode(line));
      return;
    }
    const known = await runToEnd(["sh", "-c", KNOWN], { cwd: folders.root });
    assertEquals(known.code, 0, known.stderr);
    for (const version of ["1.0.0", "1.0.1", "1.0.2"]) {
      await packDebian(folders.dist, {
        architecture: ARCHITECTURE,
        version,
        date: "2026-01-31",
        executable: executable(),
      });
    }
    const machine = await startMachine(folders, `${folder}/console`);
    try {
      // Where this machine is a container, the file forbids that packages start services.
      await machine.say("rm -f /usr/sbin/policy-rc.d");
      await t.step(
        "with its port taken, its installation fails with the reason",
        () => checkTaken(machine),
      );
      await t.step(
        "where the unit gets no mount namespace, dpkg fails with systemd's status",
        () => checkNamespace(machine),
      );
      await t.step(
        "where no systemd runs, one line reports that nothing was started",
        () => checkWithout(machine),
      );
      await t.step("installed, it serves and starts with the machine", () => checkNew(machine));
      await t.step("upgraded, it keeps its options", () => checkUpgraded(machine));
      await t.step(
        "upgraded with options that the new version refuses, the old one runs on",
        () => checkRefused(machine),
      );
      await t.step(
        "upgraded, its instances are those of the new version",
        () => checkInstances(machine),
      );
      await t.step("upgraded, it stays disabled", () => checkDisabled(machine));
      await t.step("removed and purged, it leaves nothing", () => checkGone(machine));
    } finally {
      await machine.stop();
    }
  }));

async function install({ say }: Machine, version: string): Promise<void> {
  await say(`dpkg --install dist/${FILE.replace("VERSION", version)}`);
}

async function isReady({ run }: Machine): Promise<boolean> {
  const ask = "curl --silent --max-time 60 http://127.0.0.1:8080/readyz";
  return (await run(ask)).stdout === "ok";
}

/** Word that systemctl prints of the unit: `is-active`, `is-enabled`. */
async function state({ run }: Machine, question: string): Promise<string> {
  return (await run(`systemctl ${question} authenticator`)).stdout.trim();
}

async function mainPid({ say }: Machine): Promise<string> {
  return await say("systemctl show --property=MainPID --value authenticator");
}

async function checkTaken(machine: Machine): Promise<void> {
  const { run, say } = machine;
  await say("redis-server --port 8080 --save '' --dir /tmp --daemonize yes");
  await eventually(async () => (await run("redis-cli -p 8080 ping")).code === 0, "it is taken");
  const { code, stderr } = await run(`dpkg --install dist/${FILE.replace("VERSION", "1.0.0")}`);
  assertEquals(code, 1, stderr);
  const said = stderr.split("\n").find((line) => line.startsWith("authenticator: error: "));
  assert(
    said?.includes("authenticator.service did not start: ") &&
      said.includes(
        "cannot listen on 127.0.0.1, port 8080: it is in use by another program",
      ) &&
      said.endsWith(". Then run: dpkg --configure authenticator"),
    stderr,
  );
  await run("redis-cli -p 8080 shutdown nosave");
  await say("dpkg --configure authenticator");
  // systemctl start ended when the server answered.
  assert(await isReady(machine));
  await say("dpkg --purge authenticator");
}

async function checkNamespace({ run, say }: Machine): Promise<void> {
  const folder = "/run/systemd/system/authenticator.service.d";
  // A missing folder fails at the same step as a container without mount namespaces.
  await say(
    `mkdir -p ${folder} && printf '[Service]\nReadWritePaths=/none\n' >${folder}/none.conf`,
  );
  const { code, stderr } = await run(`dpkg --install dist/${FILE.replace("VERSION", "1.0.0")}`);
  assertEquals(code, 1, stderr);
  assert(stderr.includes("authenticator.service did not start: status=226/NAMESPACE"), stderr);
  await say(`rm -r ${folder} && dpkg --purge authenticator`);
}

async function checkWithout({ say }: Machine): Promise<void> {
  const install = `dpkg --install dist/${FILE.replace("VERSION", "1.0.0")}`;
  const said = await say(
    `unshare --mount sh -ec 'mount -t tmpfs none /run/systemd
      ${install}; dpkg --purge authenticator'`,
  );
  const lines = said.split("\n").filter((line) => line.startsWith("authenticator: "));
  assertEquals(lines, [
    "authenticator: systemd does not run here, so nothing was started: run authenticator serve",
  ]);
}

async function checkRefused(machine: Machine): Promise<void> {
  const { run, say } = machine;
  await say("printf 'export A=1\\nAUTHENTICATOR_PROT=7\\n' >>/etc/authenticator.env");
  const before = await mainPid(machine);
  const { code, stderr } = await run(`dpkg --install dist/${FILE.replace("VERSION", "1.0.2")}`);
  assertEquals([code, await mainPid(machine), await isReady(machine)], [1, before, true], stderr);
  assert(stderr.includes("did you mean AUTHENTICATOR_PORT?"), stderr);
  // A line that systemd ignores prevents no upgrade.
  assert(/: line \d+ begins with export, so systemd ignores it\n/.test(stderr), stderr);
  assert(
    stderr.includes(
      "authenticator: error: the new version cannot start as authenticator.service, and the old " +
        "one runs on. Then run: dpkg --configure authenticator",
    ),
    stderr,
  );
  await say("sed -i '/PROT/d;/export/d' /etc/authenticator.env && dpkg --configure authenticator");
  assert(await mainPid(machine) !== before && await isReady(machine));
}

/** Two instances on sockets, as docs/instances.md shows, over an upgrade. */
async function checkInstances(machine: Machine): Promise<void> {
  const { run, say } = machine;
  const paste = (text: string): Promise<string> => say(shownBlock("docs/instances.md", text));
  await say(`systemctl start redis-server
    echo AUTHENTICATOR_GUARD=redis://127.0.0.1 >>/etc/authenticator.env`);
  await paste("guard.key");
  // Without the key, no instance would start: the server goes on.
  await say("mv /etc/authenticator/guard.key /tmp");
  const server = await mainPid(machine);
  assert((await run(shownBlock("docs/instances.md", "sockets store"))).code !== 0);
  assertEquals([await mainPid(machine), await isReady(machine)], [server, true]);
  await say("mv /tmp/guard.key /etc/authenticator");
  await paste("sockets store");
  const environment = await say("systemctl show -P Environment authenticator@2");
  assert(environment.includes("AUTHENTICATOR_GUARD_KEY_FILE="), environment);
  const instances = ["1", "2"];
  const processes = (): Promise<string> =>
    say("systemctl show -P MainPID authenticator@1 authenticator@2");
  const before = await processes();
  for (const name of instances) {
    const socket = `/run/authenticator-${name}/socket`;
    assertEquals(await say(`stat --format=%G ${socket}`), "www-data");
    assertEquals(await say(`curl --silent --unix-socket ${socket} http://localhost/readyz`), "ok");
    const status = await say(`authenticator-as-service --unit authenticator@${name} status`);
    assert(status.includes(`address: unix:${socket}`), status);
  }
  await install(machine, "1.0.1");
  const after = await processes();
  assertEquals(after.split("\n").filter((pid) => pid !== "" && before.includes(pid)), []);
  for (const pid of after.split("\n").filter((pid) => pid !== "")) {
    assertEquals(await say(`readlink /proc/${pid}/exe`), PROGRAM);
  }
  assertEquals(await state(machine, "is-active"), "inactive");
  await paste('"http://127.0.0.1:910$number/readyz"');
  assertEquals(
    (await processes()).split("\n").filter((pid) => after.includes(pid) && pid !== ""),
    [],
  );
  await paste("enable --now authenticator\n");
  await say(`rm -r /etc/systemd/system/authenticator@.service.d /etc/authenticator
    sed -i /GUARD/d /etc/authenticator.env
    systemctl daemon-reload && systemctl restart authenticator && systemctl stop redis-server`);
}

async function checkNew(machine: Machine): Promise<void> {
  const { say } = machine;
  await install(machine, "1.0.0");
  await eventually(() => isReady(machine), "it is ready");
  assertEquals(await state(machine, "is-enabled"), "enabled");
  assertEquals(await say("stat --format='%a %U' /etc/authenticator.env"), "600 root");
  assertEquals(await say("readlink /proc/$(systemctl show -P MainPID authenticator)/exe"), PROGRAM);
  assertEquals(await say("dpkg --verify authenticator"), "");
  const documents = await say("systemctl show -P Documentation authenticator");
  const [, page] = /file:(\S+)/.exec(documents)!;
  await say(`grep -q '^# Deploying' ${page} && test -e /usr/share/man/man1/authenticator.1.gz`);
}

const PROGRAM = "/usr/bin/authenticator";

async function checkUpgraded(machine: Machine): Promise<void> {
  const { say } = machine;
  await say("echo AUTHENTICATOR_MAX_FAILURES=7 >>/etc/authenticator.env");
  const before = await mainPid(machine);
  await install(machine, "1.0.1");
  await eventually(() => isReady(machine), "it is ready again");
  assert(await mainPid(machine) !== before);
  assertEquals(await say("dpkg-query --show --showformat='${Version}' authenticator"), "1.0.1");
  const log = await say("journalctl --sync && journalctl -o cat -u authenticator");
  assert(log.includes("--max-failures 7"), log);
}

async function checkDisabled(machine: Machine): Promise<void> {
  const { say } = machine;
  await say("systemctl disable --now authenticator");
  await install(machine, "1.0.1");
  assertEquals([await state(machine, "is-enabled"), await state(machine, "is-active")], [
    "disabled",
    "inactive",
  ]);
  await say("systemctl enable --now authenticator");
  await eventually(() => isReady(machine), "it is ready once more");
}

async function checkGone(machine: Machine): Promise<void> {
  const { run, say } = machine;
  await say("dpkg --remove authenticator");
  assertEquals([await state(machine, "is-active"), await isReady(machine)], ["inactive", false]);
  assertEquals((await run(`ls ${PROGRAM}`)).stdout, "");
  // Options stay until the package is purged.
  await say("grep MAX_FAILURES /etc/authenticator.env");
  await say("dpkg --purge authenticator");
  assertEquals(await say("find /etc /run /var/lib -name 'authenticator*'"), "");
}
