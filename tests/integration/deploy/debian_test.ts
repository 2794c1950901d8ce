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
  dpkg-query --status libc6 init-system-helpers procps libncursesw6 libproc2-0 libsystemd0 libtinfo6 >var/lib/dpkg/status
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
        "beside an installation by hand, nothing is unpacked",
        () => checkByHand(machine),
      );
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

async function checkByHand({ run, say }: Machine): Promise<void> {
  const byHand = "/usr/local/bin/authenticator /etc/systemd/system/authenticator.service";
  await say(`touch ${byHand}`);
  const { code, stderr } = await run(`dpkg --install dist/${FILE.replace("VERSION", "1.0.0")}`);
  assertEquals([code, (await run(`ls ${PROGRAM} ${UNIT}`)).stdout], [1, ""]);
  assert(stderr.includes("it is installed by hand"), stderr);
  await say(`rm ${byHand}`);
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
  const wrong = "AUTHENTICATOR_PROT=7";
  await say(`echo ${wrong} >>${OPTIONS} && sha256sum ${PROGRAM} ${UNIT} >/tmp/sums`);
  const before = await mainPid(machine);
  const { code, stderr } = await run(`dpkg --install dist/${FILE.replace("VERSION", "1.0.2")}`);
  assertEquals([code, await mainPid(machine), await isReady(machine)], [1, before, true], stderr);
  assert(stderr.includes("did you mean AUTHENTICATOR_PORT?"), stderr);
  // The old version is there for the next boot too.
  await say("sha256sum --check --status /tmp/sums");
  assert(
    stderr.includes(
      "authenticator: error: the new version cannot start with these settings, and the old one " +
        "stays. Then run: dpkg --configure authenticator",
    ),
    stderr,
  );
  // A line that systemd ignores in the old file is refused, too.
  await say(
    `sed -i /PROT/d ${OPTIONS} && echo 'export AUTHENTICATOR_WINDOW=2' >>/etc/authenticator.env`,
  );
  const ignored = await run("dpkg --configure authenticator");
  assertEquals(ignored.code, 1);
  assert(
    /line \d+ of \/etc\/authenticator.env is not in force/.test(ignored.stderr),
    ignored.stderr,
  );
  await say("sed -i /export/d /etc/authenticator.env && dpkg --configure authenticator");
  assert(await mainPid(machine) !== before && await isReady(machine));
  assertEquals(
    await say(
      "dpkg --verify authenticator | grep -v /etc/; ls -d /usr/lib/authenticator-up* || true",
    ),
    "",
  );
}

/** Two instances on sockets, as docs/instances.md shows, over an upgrade. */
async function checkInstances(machine: Machine): Promise<void> {
  const { run, say } = machine;
  const paste = (text: string): Promise<string> => say(shownBlock("docs/instances.md", text));
  await say(`systemctl start redis-server
    echo AUTHENTICATOR_GUARD=redis://127.0.0.1 >>${OPTIONS}
    echo AUTHENTICATOR_GUARD_KEY_FILE=guard.key >>${OPTIONS}`);
  // Without the key, no instance would start: the server goes on.
  const server = await mainPid(machine);
  assert((await run(shownBlock("docs/instances.md", "scale 2 sockets"))).code !== 0);
  assertEquals([await mainPid(machine), await isReady(machine)], [server, true]);
  await paste("keygen guard");
  const printed = await paste("scale 2 sockets");
  assert(printed.includes("server unix:/run/authenticator-2/socket max_fails=0;"), printed);
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
  await paste("authenticator-as-service restart");
  assertEquals(
    (await processes()).split("\n").filter((pid) => after.includes(pid) && pid !== ""),
    [],
  );
  await paste("scale 1");
  assertEquals(await say("find /etc/systemd/system -name 'authenticator@*'"), "");
  await say(`rm /etc/authenticator/guard.key
    sed -i /GUARD/d ${OPTIONS}
    authenticator-as-service restart && systemctl stop redis-server`);
}

async function checkNew(machine: Machine): Promise<void> {
  const { say } = machine;
  await install(machine, "1.0.0");
  await eventually(() => isReady(machine), "it is ready");
  assertEquals(await state(machine, "is-enabled"), "enabled");
  assertEquals(await say(`stat --format='%a %U' ${OPTIONS}`), "600 root");
  // A version that knows no file of options refuses this variable.
  await say(
    "grep -x AUTHENTICATOR_CONFIG=/etc/authenticator/authenticator.conf /etc/authenticator.env",
  );
  assertEquals(await say("readlink /proc/$(systemctl show -P MainPID authenticator)/exe"), PROGRAM);
  assertEquals(await say("dpkg --verify authenticator"), "");
  const documents = await say("systemctl show -P Documentation authenticator");
  const [, page] = /file:(\S+)/.exec(documents)!;
  await say(`grep -q '^# Deploying' ${page} && test -e /usr/share/man/man1/authenticator.1.gz`);
}

const PROGRAM = "/usr/bin/authenticator";
const UNIT = "/usr/lib/systemd/system/authenticator.service";
const OPTIONS = "/etc/authenticator/authenticator.conf";

async function checkUpgraded(machine: Machine): Promise<void> {
  const { say } = machine;
  await say(`echo AUTHENTICATOR_MAX_FAILURES=7 >>${OPTIONS}`);
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
  await say(`grep MAX_FAILURES ${OPTIONS}`);
  await say("dpkg --purge authenticator");
  assertEquals(await say("find /etc /run /var/lib -name 'authenticator*'"), "");
}
