/**
 * The units of `deploy/` under a systemd that runs, installed by the commands that their comments
 * show.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { need } from "../../support/child.ts";
import { eventually } from "../../support/eventually.ts";
import { referenceHotp } from "../../support/reference_totp.ts";
import { executable } from "../../support/program.ts";
import { type Machine, makeMachine, startMachine, whyNoMachine } from "./systemd.ts";
import { deployFile, shownBlock } from "../../support/deploy.ts";
import { withFolder } from "../../support/folder.ts";

const BOTH = ["01", "02"];

Deno.test("the units have the documented effects under systemd", (t) =>
  withFolder(async (folder) => {
    await need(["systemd-nspawn", "--version"]);
    await need(["unshare", "--net", "--mount", "true"]);
    await need(["ip", "-V"]);
    await need(["redis-server", "--version"]);
    await need(["curl", "--version"]);
    await need(["openssl", "version"]);
    const root = `${folder}/root`;
    const dist = `${folder}/dist`;
    await Deno.mkdir(root);
    await Deno.mkdir(dist);
    await makeMachine(root);
    const why = await whyNoMachine({ root, dist });
    if (why !== undefined) {
      const line = `skipped: systemd-nspawn starts no machine here: ${why}\n`;
      Deno.stderr.writeSync(new TextEncoder().encode(line));
      return;
    }
    await Deno.copyFile(executable(), `${dist}/authenticator`);
    const withMachine = async (act: (machine: Machine) => Promise<void>): Promise<void> => {
      const machine = await startMachine({ root, dist }, `${folder}/console`);
      try {
        await act(machine);
      } finally {
        await machine.stop();
      }
    };
    await withMachine(async (machine) => {
      await t.step("the unit starts, reads again, stops", () => checkUnit(machine));
      await t.step("a wrong option is refused, and mended", () => checkOption(machine));
      await t.step(
        "without its store it starts, and pins are false",
        () => checkStoreAway(machine),
      );
      await t.step(
        "a taken port is logged at the start, and tried until it is free",
        () => checkTakenPort(machine),
      );
      await t.step(
        "an instance that never served is failed in the end",
        () => checkStartLimit(machine),
      );
      await t.step("keys come from a file of root's", () => checkKeys(machine));
      await t.step(
        "a command runs as the service, which is up or down",
        () => checkAsService(machine),
      );
      await t.step(
        "an upgrade by install.sh goes as docs/linux.md shows",
        () => checkUpgrade(machine),
      );
      await t.step("the drop-ins open their ports to their addresses", () => checkDropIns(machine));
      await t.step(
        "a store on another machine is reached by its drop-in",
        () => checkStoreElsewhere(machine),
      );
      await t.step("two servers share a port and a guard", () => checkTarget(machine));
      await t.step("one after the other, without a break", () => checkRolling(machine));
    });
    await withMachine(async (machine) => {
      await t.step("all start with the machine", () => areReady(machine));
    });
  }));

/** The commands that a comment shows. */
function shownCommands(file: string): string {
  const commands = [...deployFile(file).matchAll(/^# {3}((?:install|openssl|systemctl) .*)$/gm)];
  return ["set -e", ...commands.map(([, command]) => command)].join("\n");
}

const LINUX = "docs/linux.md";
const HERE = "http://127.0.0.1:8080";

async function answers({ run }: Machine, url = HERE): Promise<boolean> {
  return (await run(`curl --silent --insecure --max-time 60 ${url}/readyz`)).stdout === "ok";
}

async function areReady(machine: Machine): Promise<void> {
  for (const server of BOTH) {
    await eventually(() => answers(machine, `http://127.0.0.1:91${server}`), `${server} is ready`);
    // systemd reloads no unit whose start it has not seen to succeed.
    const state = (): Promise<string> =>
      property(machine, `authenticator@${server}`, "ActiveState");
    await eventually(async () => await state() === "active", `${server} is active`);
  }
}

/** A property of a unit, as systemd has it. */
async function property({ say }: Machine, unit: string, name: string): Promise<string> {
  return await say(`systemctl show --property=${name} --value ${unit}`);
}

/** The processes of both servers. */
async function processes(machine: Machine): Promise<readonly string[]> {
  return await Promise.all(BOTH.map((server) => mainPid(machine, `authenticator@${server}`)));
}

async function mainPid(machine: Machine, unit: string): Promise<string> {
  return await property(machine, unit, "MainPID");
}

/** How often a text is in the log of units. */
async function countInLog({ say }: Machine, units: string, text: string): Promise<number> {
  const log = await say(`journalctl --boot --sync && journalctl --boot -o cat -u '${units}'`);
  return log.split(text).length - 1;
}

async function checkUnit(machine: Machine): Promise<void> {
  const { say } = machine;
  await say(shownCommands("authenticator.service"));
  await say(`mkdir -p /usr/local/share/doc/authenticator
    cp -R deploy /usr/local/share/doc/authenticator`);
  assertEquals(await say(shownBlock(LINUX, "/readyz")), "ok");
  const pid = await mainPid(machine, "authenticator");
  const status = await say(`cat /proc/${pid}/status`);
  assert(!/^Uid:\s+0\b/m.test(status), status);
  assert(/^CapBnd:\s+0+$/m.test(status) && /^NoNewPrivs:\s+1$/m.test(status), status);
  assertEquals(await say("stat --format=%a /run/authenticator"), "750");
  assert(/^Max core file size +0 +0 /m.test(await say(`cat /proc/${pid}/limits`)));

  await say("systemctl reload authenticator");
  await eventually(async () => await countInLog(machine, "authenticator", "SIGHUP:") === 1);
  assertEquals(await mainPid(machine, "authenticator"), pid);

  await say(`kill -KILL ${pid}`);
  await eventually(() => answers(machine), "it is started again");

  // A signal may come before the server listens for signals.
  await say("systemctl restart authenticator && systemctl reload authenticator");
  await eventually(() => answers(machine), "it is started again");

  const stops = (): Promise<number> => countInLog(machine, "authenticator", "info stopped");
  const earlier = await stops();
  await say("systemctl stop authenticator");
  assertEquals(await property(machine, "authenticator", "Result"), "success");
  assertEquals(await stops(), earlier + 1);
}

async function checkOption(machine: Machine): Promise<void> {
  const { run, say } = machine;
  await say("install -m 600 /dev/stdin /etc/authenticator.env <<<AUTHENTICATOR_PROT=81");
  assertEquals((await run("systemctl start authenticator")).code, 1);
  assert(await countInLog(machine, "authenticator", "did you mean AUTHENTICATOR_PORT?") > 0);
  await say("rm /etc/authenticator.env");
  await eventually(() => answers(machine), "it starts once the option is right");
}

async function checkTakenPort(machine: Machine): Promise<void> {
  const { run, say } = machine;
  await say("systemctl stop authenticator");
  await say("redis-server --port 8080 --save '' --dir /tmp --daemonize yes");
  const taken = "cannot listen on 127.0.0.1, port 8080: it is in use by another program";
  const earlier = await countInLog(machine, "authenticator", taken);
  assertEquals((await run("systemctl start authenticator")).code, 1);
  assert(await countInLog(machine, "authenticator", taken) > earlier);
  const refused = await run("authenticator-as-service restart");
  assertEquals(refused.code, 2);
  assert(refused.stderr.includes(taken), refused.stderr);
  await say("redis-cli -p 8080 shutdown nosave || true");
  await eventually(() => answers(machine), "it starts once the port is free");

  // Where only the check does not see it, systemctl start waits for the answer.
  const folder = "/etc/systemd/system/authenticator.service.d";
  await say(`install -D /dev/stdin ${folder}/test.conf <<'END'
[Service]
ExecStart=
ExecStart=/bin/sleep infinity
END
    systemctl daemon-reload`);
  assertEquals((await run("systemctl restart authenticator")).code, 1);
  assert(await countInLog(machine, "authenticator", "did not answer for ten seconds") > 0);
  await say(`rm -r ${folder} && systemctl daemon-reload && systemctl restart authenticator`);
  assert(await answers(machine), "a start that succeeds is one that answers");
}

async function checkStartLimit(machine: Machine): Promise<void> {
  const { run, say } = machine;
  const units = "/etc/systemd/system";
  // Three tries, in a short time.
  const limit = (port: number): string =>
    `install -D /dev/stdin \
    ${units}/authenticator@.service.d/test.conf <<'END'
[Unit]
StartLimitBurst=3
[Service]
RestartSec=100ms
Environment=AUTHENTICATOR_METRICS_PORT=9109 AUTHENTICATOR_PORT=${port}
END
    systemctl daemon-reload`;
  await say(`install -m 644 deploy/authenticator.service ${units}/authenticator@.service
    redis-server --port 6399 --save '' --dir /tmp --daemonize yes`);
  await eventually(async () => (await run("redis-cli -p 6399 ping")).code === 0, "it is taken");
  await say(limit(6399));
  assertEquals((await run("systemctl start authenticator@09")).code, 1);
  const is = async (): Promise<string> =>
    await property(machine, "authenticator@09", "ActiveState");
  await eventually(async () => await is() === "failed", "it gives up after three tries");

  // One that served is tried for ever.
  await say(`set -e
    ${limit(0)}
    authenticator-as-service --unit authenticator@09 restart
    ${limit(6399)}`);
  const tries = (): Promise<number> =>
    countInLog(machine, "authenticator@09", "cannot listen on 127.0.0.1, port 6399");
  const earlier = await tries();
  await say(`kill -KILL ${await mainPid(machine, "authenticator@09")}`);
  await eventually(async () => await tries() > earlier + 6, "it is tried more than three times");
  await run("redis-cli -p 6399 shutdown nosave");
  await eventually(async () => await is() === "active", "it serves again");
  await say(`systemctl stop authenticator@09
    rm -r ${units}/authenticator@.service ${units}/authenticator@.service.d
    systemctl daemon-reload`);
}

async function checkStoreAway(machine: Machine): Promise<void> {
  const { say } = machine;
  await say(
    `install -m 600 /dev/stdin /etc/authenticator.env <<<AUTHENTICATOR_GUARD=redis://127.0.0.1
    systemctl restart authenticator`,
  );
  const ask = `curl --silent '${HERE}/Validate.aspx?Pin=1&SecretCode=a'`;
  await eventually(async () => (await machine.run(ask)).stdout === "False", "it says false");
  assert(await countInLog(machine, "authenticator", "cannot be reached (ECONNREFUSED)") > 0);
  // Each try of a failed start would write the table of the options.
  assertEquals(await countInLog(machine, "authenticator", "--guard-entries"), 0);
  await say("rm /etc/authenticator.env && systemctl restart authenticator");
  await eventually(() => answers(machine), "it is ready without a store");
}

async function checkKeys(machine: Machine): Promise<void> {
  const { run, say } = machine;
  const folder = "/etc/systemd/system/authenticator.service.d";
  await say(`umask 077 && cd /tmp && echo ${"k".repeat(32)} > api.key
    ${shownCommands("drop-ins/api-keys.conf")}
    echo new:${"0123456789abcdef".repeat(4)} > seal-keys
    ${shownCommands("drop-ins/seal-keys.conf")}`);
  await say(`install -D -m 644 -t ${folder} deploy/drop-ins/{api,seal}-keys.conf
    systemctl daemon-reload && systemctl restart authenticator`);
  await eventually(() => answers(machine), "it is ready with keys");
  const status = async (fields: string): Promise<string> =>
    (await run(`curl --silent --output /dev/null --write-out '%{http_code}' ${fields} ${HERE}/`))
      .stdout;
  assertEquals([await status(""), await status(`-H "X-Api-Key: ${"k".repeat(32)}"`)], [
    "401",
    "302",
  ]);
  const reload = await run("systemctl reload authenticator");
  assertEquals(reload.code, 1);
  const reason = "the server has a copy of its keys from the start: use authenticator-as-service";
  assertEquals(await countInLog(machine, "authenticator", reason), 1);
  assert(await answers(machine), "a reload that fails stops nothing");
}

/** Runs commands as the service with the keys of `checkKeys`, and at a port that only root may use. */
async function checkAsService(machine: Machine): Promise<void> {
  const { run, say } = machine;
  const folder = "/etc/systemd/system/authenticator.service.d";
  await say(`install -D -m 644 -t ${folder} deploy/drop-ins/port-80.conf
    systemctl daemon-reload && authenticator-as-service restart`);
  const check = async (): Promise<void> => {
    const { code, stdout, stderr } = await run("authenticator-as-service check");
    assertEquals(code, 0, stderr);
    assert(/^--api-keys-file .* \(1 key\) +environment$/m.test(stdout), stdout);
  };
  const status = await say("authenticator-as-service status");
  assert(/^server: healthy\n[^]*^API keys: 1 key\nseal keys: new$/m.test(status), status);
  const sealed = await say("authenticator-as-service seal <<<abcdefghij");
  assert(/^eyJ[\w-]+\.\.[\w.-]+$/.test(sealed.trim()), sealed);
  assertEquals(
    (await say(`authenticator-as-service unseal <<<${sealed.trim()}`)).trim(),
    "abcdefghij",
  );
  await check();
  const unlocked = await say("authenticator-as-service guard unlock <<<abcdefghij");
  assert(unlocked.startsWith("nothing was remembered of this secret"), unlocked);
  // compare reaches an address that the unit may not, and sends no key unless it is told to.
  await say(`ip address add 192.0.2.1/32 dev lo
    systemd-run --unit=elsewhere /usr/local/bin/authenticator serve --host 192.0.2.1 --port 8090
    curl --silent --retry 9 --retry-connrefused http://192.0.2.1:8090/readyz`);
  const compared = await run("authenticator-as-service compare http://192.0.2.1:8090");
  assertEquals(compared.code, 1, compared.stderr);
  assert(compared.stdout.includes("\nOption: it has no --api-keys-file, and "), compared.stdout);
  await say(`systemctl stop elsewhere; ip address delete 192.0.2.1/32 dev lo`);
  assertEquals((await run("authenticator-as-service compare http://127.0.0.1 --send-key")).code, 0);
  // A wrong option is refused while the old server runs on.
  const pid = await mainPid(machine, "authenticator");
  await say("install -m 600 /dev/stdin /etc/authenticator.env <<<AUTHENTICATOR_PROT=81");
  const refused = await run("authenticator-as-service restart");
  assertEquals([refused.code, await mainPid(machine, "authenticator")], [2, pid]);
  assert(refused.stderr.includes("authenticator.service was not touched"), refused.stderr);
  await say("rm /etc/authenticator.env && systemctl stop authenticator");
  await check();
  const down = await run("authenticator-as-service status");
  assertEquals([down.code, down.stdout], [1, ""]);
  const nothing = await run("authenticator-as-service --unit authenticator@7 status");
  assertEquals([nothing.code, nothing.stderr], [
    2,
    "authenticator-as-service: error: there is no unit authenticator@7.service\n",
  ]);
  await say(`rm -r ${folder} && systemctl daemon-reload && systemctl start authenticator`);
}

/** Upgrades in the folder of a download: with the names of a release, nothing executable. */
async function checkUpgrade(machine: Machine): Promise<void> {
  const { run, say } = machine;
  const name = `authenticator-linux-${Deno.build.arch === "aarch64" ? "arm64" : "x64"}-bun`;
  const folder = "/etc/systemd/system/authenticator.service.d";
  const program = "/usr/local/bin/authenticator";
  const inode = (): Promise<string> => say(`stat --format=%i ${program}`);
  await say(`install -D -m 644 -t ${folder} deploy/drop-ins/api-keys.conf
    systemctl daemon-reload && authenticator-as-service restart
    mkdir "/tmp/a download" && cd "/tmp/a download"
    install -m 644 /src/dist/authenticator ${name}
    # Another version: a byte of its head that nothing reads.
    printf '\\1' | dd of=${name} bs=1 seek=15 conv=notrunc status=none
    cp /src/deploy/install.sh /src/deploy/authenticator.service /src/deploy/authenticator-as-service .
    sha256sum * >SHA256SUMS`);
  const before = await inode();
  const pid = await mainPid(machine, "authenticator");
  const install = "sh install.sh";
  const inDownload = (commands: string): string => `cd "/tmp/a download" && ${commands}`;
  const refusal = async (commands: string): Promise<string> => {
    const { code, stderr } = await run(inDownload(commands));
    assertEquals([code, await inode(), await mainPid(machine, "authenticator")], [1, before, pid]);
    return stderr.trim().split("\n").at(-1)!;
  };
  await say(`echo 'Environment=AUTHENTICATOR_PROT=81' >>${folder}/api-keys.conf
    systemctl daemon-reload`);
  assertEquals(
    await refusal(install),
    "install.sh: error: the new version cannot start as authenticator.service, and the old one runs on",
  );
  await say(`rm -r ${folder} && systemctl daemon-reload`);
  assertEquals(
    await refusal(`mv ${name} good && echo >${name}\n${install}`),
    `install.sh: error: ${name} is missing, or is not what SHA256SUMS says`,
  );
  await say(inDownload(`mv good ${name} && ${install}`));
  assert(await inode() !== before);
  assert(await answers(machine), "the new version answers once it is installed");
  assertEquals(await say("systemctl is-enabled authenticator"), "enabled");
  await say(shownBlock(LINUX, "--roll-back"));
  await eventually(() => answers(machine), "the older one is back");
}

async function checkDropIns(machine: Machine): Promise<void> {
  const { run, say } = machine;
  // An address of each kind: those that the drop-ins allow, and another.
  await say("ip address add 10.1.2.3/32 dev lo && ip address add 192.0.2.1/32 dev lo");
  await say(shownBlock("docs/callers.md", "internal-ca.sh"));
  const shownInstall = shownBlock(LINUX, "drop-ins/lan.conf");
  const drops:
    readonly (readonly [name: string, scheme: string, port: string, install?: string])[] = [
      ["lan", "http", "8080"],
      ["port-80", "http", "80"],
      ["port-443", "https", "443", shownBlock("docs/callers.md", "drop-ins/port-443.conf")],
    ];
  const folder = "/etc/systemd/system/authenticator.service.d";
  for (const [name, scheme, port, install] of drops) {
    await say(install ?? shownInstall.replaceAll("lan.conf", `${name}.conf`));
    const at = (address: string): string => `${scheme}://${address}:${port}`;
    await eventually(() => answers(machine, at("127.0.0.1")), `${name} is ready`);
    assert(await answers(machine, at("10.1.2.3")), name);
    const refused = await run(`curl --insecure --max-time 2 ${at("192.0.2.1")}/readyz`);
    assertEquals([refused.code, refused.stdout], [28, ""], name);
    await say(`rm -r ${folder}`);
  }
  await say("systemctl daemon-reload && systemctl disable --now authenticator");
}

async function checkStoreElsewhere(machine: Machine): Promise<void> {
  const { run, say } = machine;
  // checkDropIns gave the machine the address.
  const store = "redis-server --bind 10.1.2.3 --protected-mode no --dir /tmp --save ''";
  await say(`${store} --daemonize yes
    install -m 600 /dev/stdin /etc/authenticator.env <<<AUTHENTICATOR_GUARD=redis://10.1.2.3
    systemctl start authenticator`);
  assert(await countInLog(machine, "authenticator", "10.1.2.3, cannot be reached in time") > 0);
  await say(
    `${shownBlock("docs/instances.md", "guard.key")}
    ${shownBlock(LINUX, "drop-ins/lan.conf").replaceAll("lan.conf", "store.conf")}`,
  );
  await eventually(() => answers(machine), "it reaches the store");
  await run("redis-cli -h 10.1.2.3 shutdown nosave");
  await say(`systemctl disable --now authenticator
    rm -r /etc/authenticator.env /etc/systemd/system/authenticator.service.d
    systemctl daemon-reload`);
}

const CALL = "http://127.0.0.1:8080/Validate.aspx";

async function checkTarget(machine: Machine): Promise<void> {
  const { say } = machine;
  await say("systemctl add-wants multi-user.target redis-server && systemctl start redis-server");
  await say(`install -m 600 /dev/stdin /etc/authenticator.env <<'END'
AUTHENTICATOR_GUARD=redis://127.0.0.1:6379
AUTHENTICATOR_MAX_FAILURES=5
AUTHENTICATOR_SINGLE_USE=true
END`);
  await say(shownBlock("docs/instances.md", "cores.conf"));
  await areReady(machine);
  assertEquals(await say("stat --format=%a /run/authenticator-0?"), "750\n750");

  // Each request has its connection: both servers get some.
  await say(`for i in {1..60}; do curl --silent "${CALL}?Pin=1&SecretCode=bbbbbbbbbb"; done`);
  const both = (text: string): Promise<number[]> =>
    Promise.all(BOTH.map((server) => countInLog(machine, `authenticator@${server}`, text)));
  await eventually(async () => sum(await both("outcome=throttled")) === 55);
  assertEquals((await both("outcome=throttled")).filter((count) => count === 0), []);
  assertEquals(sum(await both("outcome=false")), 5);
  // The metrics of a server are its own; those of all are their sum.
  const throttled = 'authenticator_guard_refusals_total{reason="throttled"} ';
  const counted = BOTH.map(async (server) => {
    const page = await say(`curl --silent --fail http://127.0.0.1:91${server}/metrics`);
    return Number(page.split("\n").find((line) => line.startsWith(throttled))!.split(" ").at(-1));
  });
  assertEquals(await Promise.all(counted), await both("outcome=throttled"));
  const pin = referenceHotp("cccccccccc", Math.floor(Date.now() / 30_000));
  const said = await say(
    `for i in {1..20}; do curl --silent "${CALL}?Pin=${pin}&SecretCode=cccccccccc"; echo; done`,
  );
  assertEquals(said.split("\n"), ["True", ...Array(19).fill("False")]);

  const before = await processes(machine);
  await say(`kill -KILL ${before[0]}; while [ -d /proc/${before[0]} ]; do sleep 0.01; done`);
  // Nobody is sent to the one that is gone.
  const alive = "curl --silent --fail --output /dev/null http://127.0.0.1:8080/healthz";
  await say(`for i in {1..20}; do ${alive} || exit; done`);
  await areReady(machine);
  const after = await processes(machine);
  assertEquals(after.map((pid, i) => pid === before[i]), [false, true]);

  await say("systemctl reload authenticator.target");
  await eventually(async () => (await both("SIGHUP:")).every((count) => count === 1));
  assertEquals(await processes(machine), after);
  await say("systemctl restart authenticator.target && systemctl reload authenticator.target");
  await areReady(machine);
  assertEquals((await processes(machine)).filter((pid) => after.includes(pid)), []);
  await say("systemctl stop authenticator.target 'authenticator@*'");
  assertEquals(await processes(machine), ["0", "0"]);
  await say("systemctl start authenticator.target");
  await areReady(machine);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Calls while the servers restart as docs/instances.md shows: what a server accepts, it answers. */
async function checkRolling(machine: Machine): Promise<void> {
  const loop = shownBlock("docs/instances.md", "http://127.0.0.1:91$number/readyz");
  const before = await processes(machine);
  const inLog = (): Promise<number> =>
    countInLog(machine, "authenticator@*", "route=validate.aspx ");
  const earlier = await inLog();
  // Each call has its connection, and its line in the log: too few for journald to drop any.
  const codes = await machine.say(`
    call() { curl --silent --output /dev/null --write-out '%{http_code}\\n' "${CALL}?$1"; }
    for i in {1..500}; do call "Pin=1&SecretCode=dddddddddd"; done >/tmp/codes &
    caller=$!
    ${loop}
    wait $caller
    cat /tmp/codes`);
  assertEquals((await processes(machine)).filter((pid) => before.includes(pid)), []);
  const answered = codes.split("\n").filter((code) => code === "200").length;
  assert(answered > 250, codes);
  assertEquals(await inLog() - earlier, answered);
}
