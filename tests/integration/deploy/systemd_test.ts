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
import { shownBlock } from "../../support/deploy.ts";
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
    await need(["gdb", "--version"]);
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
    const withMachine = async (
      act: (machine: Machine) => Promise<void>,
      files = root,
    ): Promise<void> => {
      const machine = await startMachine({ root: files, dist }, `${folder}/console`);
      try {
        await act(machine);
      } finally {
        await machine.stop();
      }
    };
    let settings = "";
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
        "a backup has no seal keys beside the rest, and is closed to others",
        async () => {
          settings = await backUp(machine);
        },
      );
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
    const second = `${folder}/second`;
    await Deno.mkdir(second);
    await makeMachine(second);
    await Deno.mkdir(`${second}/root`);
    for (const name of ["authenticator.tar.gz", "authenticator-seal-keys.tar.gz"]) {
      await Deno.copyFile(`${root}/root/${name}`, `${second}/root/${name}`);
    }
    await withMachine(async (machine) => {
      await t.step(
        "restored onto another machine, it has the same settings and answers",
        async () => {
          await machine.say(`set -e
          ${INSTALL}
          ${setOptions()} && systemctl enable --now authenticator`);
          await machine.say(shownBlock("docs/deploying.md", "xzpf"));
          assertEquals(await settingsOf(machine), settings);
        },
      );
    }, second);
  }));

const LINUX = "docs/linux.md";
const SYSTEMD = "docs/systemd.md";
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

/** Commands that install program and unit, without options. */
const INSTALL = `install -m 755 dist/authenticator deploy/authenticator-as-service /usr/local/bin/
    install -m 644 deploy/authenticator.service /etc/systemd/system/
    install -d -m 700 /etc/authenticator
    systemctl daemon-reload`;

async function checkUnit(machine: Machine): Promise<void> {
  const { say } = machine;
  await say(`set -e
    ${INSTALL}
    ! systemctl enable --now authenticator
    ${setOptions()} && systemctl start authenticator`);
  assert(await countInLog(machine, "authenticator", "the file of --config cannot be read") > 0);
  assertEquals(await say(shownBlock(LINUX, "/readyz")), "ok");
  const pid = await mainPid(machine, "authenticator");
  const status = await say(`cat /proc/${pid}/status`);
  assert(!/^Uid:\s+0\b/m.test(status), status);
  assert(/^CapBnd:\s+0+$/m.test(status) && /^NoNewPrivs:\s+1$/m.test(status), status);
  assertEquals(await say("stat --format=%a /run/authenticator"), "750");
  assert(/^Max core file size +0 +0 /m.test(await say(`cat /proc/${pid}/limits`)));
  await checkCore(machine, pid);

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

/** Command that writes the file of options. */
function setOptions(...lines: readonly string[]): string {
  const all = ["AUTHENTICATOR_METRICS_PORT=9101", ...lines];
  return `printf '%s\\n' ${all.join(" ")} | install -m 600 /dev/stdin ${OPTIONS_FILE}`;
}

const OPTIONS_FILE = "/etc/authenticator/authenticator.conf";

/** Searches a core of the server for a secret that it has just checked. */
async function checkCore({ say }: Machine, pid: string): Promise<void> {
  const secret = "secret-in-a-core";
  await say(`curl --silent "${HERE}/Validate.aspx?Pin=1&SecretCode=${secret}"`);
  // With its memory, a core has gigabytes: the limit ends gcore.
  await say(`cd /tmp && (ulimit -f 10240 && gcore -o core ${pid} 2>&1) && test -s core.${pid} &&
    ! grep --text --quiet ${secret} core.${pid} && rm core.${pid}`);
}

async function checkOption(machine: Machine): Promise<void> {
  const { run, say } = machine;
  await say(setOptions("AUTHENTICATOR_PROT=81"));
  assertEquals((await run("systemctl start authenticator")).code, 1);
  assert(await countInLog(machine, "authenticator", "did you mean AUTHENTICATOR_PORT?") > 0);
  await say(setOptions());
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
    `${setOptions("AUTHENTICATOR_GUARD=redis://127.0.0.1")}
    systemctl restart authenticator`,
  );
  const ask = `curl --silent '${HERE}/Validate.aspx?Pin=1&SecretCode=a'`;
  await eventually(async () => (await machine.run(ask)).stdout === "False", "it says false");
  assert(await countInLog(machine, "authenticator", "cannot be reached (ECONNREFUSED)") > 0);
  // Each try of a failed start would write the table of the options.
  assertEquals(await countInLog(machine, "authenticator", "--guard-entries"), 0);
  await say(`${setOptions()} && systemctl restart authenticator`);
  await eventually(() => answers(machine), "it is ready without a store");
}

async function checkKeys(machine: Machine): Promise<void> {
  const { run, say } = machine;
  const key = await say("authenticator keygen api /etc/authenticator/api-keys NAME");
  await say("authenticator keygen seal /etc/authenticator/seal-keys");
  assertEquals((await run("systemctl restart authenticator")).code, 1);
  assertEquals(
    await say("authenticator-as-service cause"),
    "authenticator: error: /etc/authenticator/api-keys is there and not used: add " +
      "AUTHENTICATOR_API_KEYS_FILE=api-keys to /etc/authenticator/authenticator.conf, or move the file " +
      "away; /etc/authenticator/seal-keys is there and not used: add " +
      "AUTHENTICATOR_SEAL_KEYS_FILE=seal-keys to /etc/authenticator/authenticator.conf, or move the file " +
      "away.",
  );
  await say(
    `${
      setOptions("AUTHENTICATOR_API_KEYS_FILE=api-keys", "AUTHENTICATOR_SEAL_KEYS_FILE=seal-keys")
    } && authenticator-as-service restart`,
  );
  await eventually(() => answers(machine), "it is ready with keys");
  const status = async (fields: string): Promise<string> =>
    (await run(`curl --silent --output /dev/null --write-out '%{http_code}' ${fields} ${HERE}/`))
      .stdout;
  assertEquals([await status(""), await status(`-H "X-Api-Key: ${key}"`)], [
    "401",
    "302",
  ]);
  await say("systemctl reload authenticator");
  await say("echo more:0123456789abcdef >>/etc/authenticator/api-keys");
  assertEquals((await run("systemctl reload authenticator")).code, 1);
  const reason =
    "error: the server has a copy of /etc/authenticator/api-keys from its start: use " +
    "authenticator-as-service restart";
  const reloaded = await run("authenticator-as-service reload");
  assertEquals([reloaded.code, reloaded.stderr.includes(reason)], [1, true], reloaded.stderr);
  assert(await answers(machine), "a reload that fails stops nothing");
  await say(`sed -i /more/d /etc/authenticator/api-keys && systemctl reload authenticator
    echo AUTHENTICATOR_SINGLE_USE=true >>${OPTIONS_FILE}`);
  assertEquals((await run("systemctl reload authenticator")).code, 1);
  await say(`sed -i /SINGLE/d ${OPTIONS_FILE}
    echo AUTHENTICATOR_SINGLE_USE=true >/etc/authenticator.env`);
  const variables = await run("authenticator-as-service reload");
  assertEquals(variables.code, 1);
  assert(variables.stderr.includes("other variables from its start"), variables.stderr);
  await say("rm /etc/authenticator.env && systemctl reload authenticator");
}

const DROP_INS = "/etc/systemd/system/authenticator.service.d";

/** Settings of a machine: what `check` shows, the files, and the answer to a call without a key. */
async function settingsOf({ say }: Machine): Promise<string> {
  const shown = await say("authenticator-as-service check 2>&1");
  // The folder of the credentials has a process id, whose length is the width of a column.
  return shown.replaceAll(/command-\d+/g, "").replaceAll(/ +/g, " ") +
    await say(`sha256sum /etc/authenticator/* ${DROP_INS}/*
      stat --format='%a %U %n' /etc/authenticator /etc/authenticator/*
      curl --silent --output /dev/null --write-out '%{http_code}' ${HERE}/`);
}

/** Backs up as docs/deploying.md shows, and returns the settings. */
async function backUp(machine: Machine): Promise<string> {
  const { run, say } = machine;
  await say(`mkdir -p /root
    install -D -m 644 -t ${DROP_INS} deploy/drop-ins/lan.conf
    systemctl daemon-reload && authenticator-as-service restart`);
  const settings = await settingsOf(machine);
  assert(/^--host +0\.0\.0\.0 /m.test(settings) && settings.endsWith("401"), settings);
  await say(shownBlock("docs/deploying.md", "umask 077"));
  assertEquals(await say("stat --format=%a /root/authenticator*.tar.gz"), "600\n600");
  assertEquals((await run("tar tzf /root/authenticator.tar.gz | grep seal")).stdout, "");
  await say(`rm -r ${DROP_INS} && systemctl daemon-reload && authenticator-as-service restart`);
  return settings;
}

/** Runs commands as the service with the keys of `checkKeys`, and at a port that only root may use. */
async function checkAsService(machine: Machine): Promise<void> {
  const { run, say } = machine;
  const folder = "/etc/systemd/system/authenticator.service.d";
  await say(`install -D -m 644 -t ${folder} deploy/drop-ins/port-80.conf
    systemctl daemon-reload && authenticator-as-service restart`);
  const check = async (): Promise<void> => {
    const { code, stdout, stderr } = await run("authenticator-as-service check");
    // The server that answers at its ports is its own.
    assertEquals([code, stderr.includes("already")], [0, false], stderr);
    assert(/^--api-keys-file .* \(1 key: NAME\) +file$/m.test(stdout), stdout);
  };
  const status = await say("authenticator-as-service status");
  assert(
    /^server: healthy\n[^]*^API keys: 1 key: NAME\nseal keys: k[0-9a-f]{8}$/m.test(status),
    status,
  );
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
  const open = "\nDifferent: a right pin without an API key: here 401 text/plain, there true.\n";
  assert(compared.stdout.includes(open), compared.stdout);
  await say(`systemctl stop elsewhere; ip address delete 192.0.2.1/32 dev lo`);
  assertEquals((await run("authenticator-as-service compare http://127.0.0.1 --send-key")).code, 0);
  // A wrong option is refused while the old server runs on.
  const pid = await mainPid(machine, "authenticator");
  await say(`echo AUTHENTICATOR_PROT=81 >>${OPTIONS_FILE}`);
  const refused = await run("authenticator-as-service restart");
  assertEquals([refused.code, await mainPid(machine, "authenticator")], [2, pid]);
  assert(refused.stderr.includes("authenticator.service was not touched"), refused.stderr);
  await say(`sed -i /PROT/d ${OPTIONS_FILE} && systemctl stop authenticator`);
  await check();
  const down = await run("authenticator-as-service status");
  assertEquals([down.code, down.stdout], [1, ""]);
  const keygen = await run("authenticator-as-service keygen guard /tmp/guard.key");
  assertEquals([keygen.code, keygen.stderr], [
    2,
    "authenticator-as-service: error: run /usr/local/bin/authenticator keygen itself\n",
  ]);
  assert(
    down.stderr.endsWith(
      "\nauthenticator-as-service: authenticator.service is inactive and enabled\n",
    ),
    down.stderr,
  );
  const reload = await run("authenticator-as-service reload");
  assert(reload.stderr.endsWith("authenticator.service is not active, cannot reload.\n"));
  await checkCauses(machine);
  const nothing = await run("authenticator-as-service --unit authenticator@7 status");
  assertEquals([nothing.code, nothing.stderr], [
    2,
    "authenticator-as-service: error: there is no unit authenticator@7.service\n",
  ]);
  await say(`rm -r ${folder} && systemctl daemon-reload && systemctl start authenticator`);
}

/** Lines of an environment file that systemd reads, and such as it ignores. */
const LINES = `# export AUTHENTICATOR_WINDOW=1
  AUTHENTICATOR_PERIOD = 30
AUTHENTICATOR_LOG_FORMAT="text"
export AUTHENTICATOR_WINDOW=2
AUTHENTICATOR_DIGITS 6
AUTHENTICATOR-SINGLE-USE=true
`;

/** Runs commands of a unit that systemd cannot start, or whose file has lines that it ignores. */
async function checkCauses({ run, say }: Machine): Promise<void> {
  const asService = async (words: string, code: number): Promise<string> => {
    const ended = await run(`authenticator-as-service ${words}`);
    assertEquals(ended.code, code, ended.stderr);
    return ended.stderr.replaceAll("authenticator-as-service: ", "");
  };
  const limits = await say(`authenticator-as-service --program /bin/cat /proc/self/status
    authenticator-as-service --program /bin/cat /proc/self/coredump_filter`);
  assert(/^CapBnd:\s0+400$[^]*^NoNewPrivs:\s1\nSeccomp:\s2$[^]*^00000000$/m.test(limits), limits);
  const other = await asService("--program /bin/sh -c id", 126);
  assert(other.includes("Permission denied"), "it runs no other program");

  const dropIn = "/etc/systemd/system/authenticator.service.d/cause.conf";
  const set = (setting: string): Promise<string> =>
    say(`printf '[Service]\n${setting}\n' >${dropIn} && systemctl daemon-reload`);
  await set("LoadCredential=a:/none");
  const reason = "status=243/CREDENTIALS: a file of LoadCredential= is missing\n";
  assertEquals(await asService("status", 2), `error: systemd did not run the command: ${reason}`);
  assertEquals((await run("systemctl start authenticator")).code, 1);
  assertEquals(await say("authenticator-as-service cause"), reason.trim());
  await say(`rm ${dropIn} && systemctl daemon-reload && systemctl stop authenticator`);

  await say(`install -m 600 /dev/stdin /etc/authenticator.env <<'END'\n${LINES}END`);
  for (const command of ["check", "restart", "reload"]) {
    const said = await asService(command, 2);
    for (const line of [4, 5, 6]) {
      assert(said.includes(`line ${line} of /etc/authenticator.env is not in force`), said);
    }
    assert(!/line [123] of/.test(said), said);
  }
  assertEquals((await run("systemctl start authenticator")).code, 1);
  await say("rm /etc/authenticator.env");
  await set("Environment=AUTHENTICATOR_SINGLE_USE=true");
  await say(`mv ${dropIn} ${dropIn.replace(".conf", "")} && systemctl daemon-reload`);
  const lost = await asService("restart", 2);
  assert(
    lost.includes("line 2 of /etc/systemd/system/authenticator.service.d/cause is not in"),
    lost,
  );
  await say(`rm ${dropIn.replace(".conf", "")}`);
}

/** Upgrades in the folder of a download: with the names of a release, nothing executable. */
async function checkUpgrade(machine: Machine): Promise<void> {
  const { run, say } = machine;
  const name = `authenticator-linux-${Deno.build.arch === "aarch64" ? "arm64" : "x64"}-bun`;
  const folder = "/etc/systemd/system/authenticator.service.d";
  const program = "/usr/local/bin/authenticator";
  const inode = (): Promise<string> => say(`stat --format=%i ${program}`);
  const inDownload = (commands: string): string =>
    `cd "/tmp/a download" && { ${commands}\n} && sha256sum [!S]* >SHA256SUMS`;
  // A drop-in of a version before 0.2.
  await say(`sed -i /KEYS_FILE/d ${OPTIONS_FILE} && rm /etc/authenticator/seal-keys
    install -D /dev/stdin ${folder}/api-keys.conf <<'END'
[Service]
LoadCredential=api-keys:/etc/authenticator/api-keys
Environment=AUTHENTICATOR_API_KEYS_FILE=%d/api-keys
END
    systemctl daemon-reload && authenticator-as-service --unit authenticator restart
    mkdir "/tmp/a download"`);
  await say(inDownload(`install -m 644 /src/dist/authenticator ${name}
    # Another version: a byte of its head that nothing reads.
    printf '\\1' | dd of=${name} bs=1 seek=15 conv=notrunc status=none
    cp /src/deploy/install.sh /src/deploy/authenticator.service /src/deploy/authenticator-as-service .
    tar czf authenticator-deploy.tar.gz -C /src deploy`));
  const before = await inode();
  const pid = await mainPid(machine, "authenticator");
  const install = 'cd "/tmp/a download" && sh install.sh';
  const refusal = async (): Promise<string> => {
    const { code, stderr } = await run(install);
    assertEquals([code, await inode(), await mainPid(machine, "authenticator")], [1, before, pid]);
    return stderr.trim().split("\n").at(-1)!;
  };
  await say(`echo 'Environment=AUTHENTICATOR_PROT=81' >>${folder}/api-keys.conf
    systemctl daemon-reload`);
  assertEquals(
    await refusal(),
    "install.sh: error: this version cannot start as authenticator.service, and the previous one stays",
  );
  await say(`rm -r ${folder} /etc/authenticator/api-keys && systemctl daemon-reload`);
  await say(`cd "/tmp/a download" && mv ${name} good && echo >${name}`);
  assertEquals(await refusal(), `install.sh: error: ${name} is not what SHA256SUMS says`);

  // A version that checks its options, and cannot serve.
  const sums = (file: string): Promise<string> => say(`sha256sum <${file}`);
  const unit = "/etc/systemd/system/authenticator.service";
  const earlier = await Promise.all([program, `${program}-as-service`, unit].map(sums));
  await say(
    inDownload(
      `printf '#!/bin/sh\ncase $1 in check) ;; *) echo error: broken >&2 && exit 3 ;; esac\n' >${name}
    echo '# changed' >>authenticator.service; echo '# changed' >>authenticator-as-service`,
    ),
  );
  const broken = await run(install);
  assert(broken.code !== 0);
  assert(
    broken.stderr.includes("\nauthenticator-as-service: authenticator.service: error: broken\n") &&
      broken.stderr.endsWith("\ninstall.sh: the previous version is back\n"),
    broken.stderr,
  );
  assertEquals(await Promise.all([program, `${program}-as-service`, unit].map(sums)), earlier);
  assert(await answers(machine), "the previous version serves again");

  await say(inDownload(`mv good ${name}`));
  await say(install);
  assert(await answers(machine), "the new version answers once it is installed");
  assertEquals(await say("systemctl is-enabled authenticator"), "enabled");
  assertEquals(await sums(program), await sums(`"/tmp/a download/${name}"`));
  await say(shownBlock(LINUX, "--roll-back"));
  assert(await answers(machine), "the older one is back");
  assertEquals(await Promise.all([program, `${program}-as-service`, unit].map(sums)), earlier);

  await say("systemctl disable --now authenticator && systemctl enable --now authenticator@1");
  await say(install);
  assertEquals(
    (await run("systemctl is-active authenticator authenticator@1")).stdout,
    "inactive\nactive\n",
  );
  assertEquals((await run("systemctl is-enabled authenticator")).stdout, "disabled\n");
  await say(`touch ${program}-of-others && ${shownBlock(LINUX, "--remove")}`);
  assertEquals(
    await say("find /usr/local/bin /etc/systemd/system /usr/local/lib -name 'authenticator*'"),
    `${program}-of-others`,
  );
  assertEquals(await answers(machine), false);
  await say(
    `rm ${program}-of-others; ${setOptions("AUTHENTICATOR_PROT=81")}`,
  );
  const wrong = await run(install);
  assertEquals(wrong.code, 2, wrong.stderr);
  assert(
    wrong.stderr.includes("did you mean AUTHENTICATOR_PORT?") &&
      wrong.stderr.endsWith("\ninstall.sh: nothing is installed\n"),
    wrong.stderr,
  );
  await say(`rm ${OPTIONS_FILE} && ! ls ${program} ${unit}`);
  await say(install);
  assert(await answers(machine), "a first installation serves");
}

async function checkDropIns(machine: Machine): Promise<void> {
  const { run, say } = machine;
  // An address of each kind: those that the drop-ins allow, and another.
  await say("ip address add 10.1.2.3/32 dev lo && ip address add 192.0.2.1/32 dev lo");
  await say(shownBlock("docs/callers.md", "internal-ca.sh"));
  const shownInstall = shownBlock(SYSTEMD, "port-443.conf\n")
    .replaceAll("port-443.conf", "lan.conf");
  const drops:
    readonly (readonly [name: string, scheme: string, port: string, install?: string])[] = [
      ["lan", "http", "8080"],
      ["port-80", "http", "80"],
      [
        "port-443",
        "https",
        "443",
        `printf '%s\\n' AUTHENTICATOR_TLS_CERT=cert.pem AUTHENTICATOR_TLS_KEY=key.pem >>${OPTIONS_FILE}
      ${shownBlock("docs/callers.md", "drop-ins/port-443.conf")}`,
      ],
    ];
  const folder = "/etc/systemd/system/authenticator.service.d";
  for (const [name, scheme, port, install] of drops) {
    await say(install ?? shownInstall.replaceAll("lan.conf", `${name}.conf`));
    const at = (address: string): string => `${scheme}://${address}:${port}`;
    await eventually(() => answers(machine, at("127.0.0.1")), `${name} is ready`);
    assert(await answers(machine, at("10.1.2.3")), name);
    const refused = await run(`curl --insecure --max-time 2 ${at("192.0.2.1")}/readyz`);
    assertEquals([refused.code, refused.stdout], [28, ""], name);
    await say(`rm -rf ${folder} /etc/authenticator/{cert,key}.pem; sed -i /TLS/d ${OPTIONS_FILE}`);
  }
  await say(shownInstall.replaceAll("lan.conf", "local.conf"));
  assert(await answers(machine, "http://127.0.0.1:880"), "local is ready");
  const status = await say("authenticator-as-service status");
  assert(status.includes("\naddress: http://127.0.0.1:880\n"), status);
  await say(`rm -r ${folder} && systemctl daemon-reload && systemctl disable --now authenticator`);
  // While the server is down, another user takes a port of the unit, and none of the drop-in.
  const take = (port: number): Promise<string> =>
    run(`setpriv --reuid=65534 --clear-groups timeout 1 redis-server --save '' --port ${port}`)
      .then(({ stdout }) => stdout);
  assert((await take(8080)).includes("Ready to accept connections"));
  for (const port of [880, 881]) {
    assert((await take(port)).includes("Permission denied"), `${port}`);
  }
}

async function checkStoreElsewhere(machine: Machine): Promise<void> {
  const { run, say } = machine;
  // checkDropIns gave the machine the address.
  const store = "redis-server --bind 10.1.2.3 --protected-mode no --dir /tmp --save ''";
  await say(`${store} --daemonize yes
    ${setOptions("AUTHENTICATOR_GUARD=redis://10.1.2.3")}
    systemctl enable --now authenticator`);
  assert(await countInLog(machine, "authenticator", "10.1.2.3, cannot be reached in time") > 0);
  await say(
    `${shownBlock("docs/instances.md", "keygen guard")}
    echo AUTHENTICATOR_GUARD_KEY_FILE=guard.key >>${OPTIONS_FILE}
    ${shownBlock(SYSTEMD, "port-443.conf\n").replaceAll("port-443.conf", "store.conf")}`,
  );
  await eventually(() => answers(machine), "it reaches the store");
  await run("redis-cli -h 10.1.2.3 shutdown nosave");
  await say(`systemctl disable --now authenticator
    rm -r /etc/systemd/system/authenticator.service.d
    systemctl daemon-reload`);
}

const CALL = "http://127.0.0.1:8080/Validate.aspx";

async function checkTarget(machine: Machine): Promise<void> {
  const { say } = machine;
  await say("systemctl add-wants multi-user.target redis-server && systemctl start redis-server");
  await say(
    setOptions(
      ..."AUTHENTICATOR_GUARD=redis://127.0.0.1:6379 AUTHENTICATOR_GUARD_KEY_FILE=guard.key".split(
        " ",
      ),
      ...["AUTHENTICATOR_MAX_FAILURES=5", "AUTHENTICATOR_SINGLE_USE=true"],
    ),
  );
  await say(shownBlock("docs/instances.md", "scale 2 port"));
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
  const loop = shownBlock("docs/instances.md", "authenticator-as-service restart");
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
