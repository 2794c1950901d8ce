/**
 * A machine of its own that systemd runs, in namespaces of this one: its own processes, its own
 * network with nothing but loopback, its own /etc; only /usr is this machine's. Changes to it can be
 * kept in a folder.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert/equals";
import { type Ended, runToEnd } from "../../support/child.ts";
import { eventually } from "../../support/eventually.ts";
import { ROOT } from "../../support/pages.ts";
import { startDaemon } from "../../support/deploy.ts";

/** A machine that runs. */
export interface Machine {
  /** Runs a command line of bash there, in a folder with `deploy/` and `dist/`. */
  readonly run: (commands: string) => Promise<Ended>;
  /** The same, for one that must succeed; gives what it wrote, without the line end. */
  readonly say: (commands: string) => Promise<string>;
  /** Shuts it down. */
  readonly stop: () => Promise<void>;
}

// What a machine has before anything is installed on it.
const SETTINGS = [
  "alternatives/awk",
  "dbus-1",
  "group",
  "ld.so.cache",
  "nsswitch.conf",
  "os-release",
  "passwd",
  "redis",
  "ssl/openssl.cnf",
];

// The units are held to addresses by BPF; by itself nspawn gives no machine that.
const NSPAWN = [
  "systemd-nspawn",
  "--quiet",
  "--register=no",
  "--keep-unit",
  "--private-network",
  "--link-journal=no",
  "--resolv-conf=off",
  "--timezone=off",
  "--capability=CAP_BPF,CAP_PERFMON",
  "--system-call-filter=bpf",
  "--console=pipe",
];

/** Makes the files of a machine on which nothing is installed yet. */
export async function makeMachine(folder: string): Promise<void> {
  const script = `set -e
    mkdir -p etc/alternatives etc/ssl etc/systemd/system usr var/lib local/bin local/lib local/share tmp src/dist src/deploy
    for name in bin lib lib64 sbin; do ln -s usr/$name $name; done
    for name in ${SETTINGS.join(" ")}; do cp --archive --dereference /etc/$name etc/$name; done
    install -d -o redis -g redis var/lib/redis var/log/redis
    : >etc/machine-id
    chmod 755 . && chmod 1777 tmp`;
  const { code, stderr } = await runToEnd(["sh", "-c", script], { cwd: folder });
  assertEquals(code, 0, stderr);
}

/** Folders of this machine that another one has. */
export interface Folders {
  /** Its files: what is installed on it outlives it. */
  readonly root: string;
  /** Where the executable is. */
  readonly dist: string;
  /** Changes to its /usr; without it, /usr is read-only. */
  readonly changes?: string;
}

function nspawn({ root, dist, changes }: Folders, ...words: readonly string[]): string[] {
  const folders = [
    `--directory=${root}`,
    changes === undefined ? "--bind-ro=/usr" : `--overlay=/usr:${changes}:/usr`,
    ...["bin", "lib", "share"].map((name) => `--bind=${root}/local/${name}:/usr/local/${name}`),
    `--bind-ro=${dist}:/src/dist`,
    `--bind-ro=${fileURLToPath(new URL("deploy", ROOT))}:/src/deploy`,
  ];
  // Not the terminal of the test.
  return ["sh", "-c", 'exec "$0" "$@" </dev/null', ...NSPAWN, ...folders, ...words];
}

// The host need not have the same layout.
const ENV = { SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: "1" };

/** Why there can be no such machine here; undefined where there can. */
export async function whyNoMachine(folders: Folders): Promise<string | undefined> {
  const { code, stderr } = await runToEnd(nspawn(folders, "/bin/true"), { env: ENV });
  return code === 0 ? undefined : stderr.trim();
}

/**
 * Starts a machine, and waits until all that starts with it has.
 *
 * @param output Where its console goes.
 */
export async function startMachine(folders: Folders, output: string): Promise<Machine> {
  const words = nspawn(folders, "--boot", "systemd.unit=multi-user.target");
  const daemon = startDaemon(words, output, ENV);
  const run = async (commands: string): Promise<Ended> =>
    await runToEnd(
      ["nsenter", `--target=${firstProcess(daemon.pid)}`, "--all", "env", "--ignore-environment"]
        .concat(`PATH=${PATH}`, "bash", "-c", `cd /src\n${commands}`),
    );
  try {
    await eventually(
      async () =>
        firstProcess(daemon.pid) !== undefined &&
        /^(running|degraded)$/m.test((await run("systemctl is-system-running")).stdout),
      "the machine is up",
    );
  } catch (error) {
    await daemon.stop();
    throw error;
  }
  return {
    run,
    say: async (commands) => {
      const { code, stdout, stderr } = await run(commands);
      assertEquals(code, 0, `${commands}: ${stdout}${stderr}`);
      return stdout.trim();
    },
    stop: () => daemon.stop(),
  };
}

const PATH = "/usr/local/bin:/usr/sbin:/usr/bin";

/** The number that this machine gives to the first process of the other. */
function firstProcess(nspawnPid: number): string | undefined {
  const children = `/proc/${nspawnPid}/task/${nspawnPid}/children`;
  const [pid] = Deno.readTextFileSync(children).split(" ");
  return pid === "" ? undefined : pid;
}
