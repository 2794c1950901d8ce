/**
 * A control group of Linux that bounds what processes take, as systemd does: by memory, where who takes
 * more is killed, or by processor time, where who takes more waits.
 *
 * @module
 */

const ROOT = "/sys/fs/cgroup";
const PERIOD_US = 100_000;

/** A bound that processes can be put under. */
export interface Bound {
  /** What a shell does to be under it, and everything that it becomes. */
  readonly shell: string;
  /** Takes it away, once no process is under it. */
  readonly remove: () => void;
}

/** Makes a bound as `MemoryMax` of systemd; undefined where this user may not. */
export function boundMemory(bytes: number): Bound | undefined {
  return makeBound([["memory", "memory.limit_in_bytes", bytes], ["", "memory.max", bytes]]);
}

/** Makes a bound as `CPUQuota` of systemd, in cores; undefined where this user may not. */
export function boundCores(cores: number): Bound | undefined {
  const quotaUs = Math.round(cores * PERIOD_US);
  return makeBound([["cpu", "cpu.cfs_quota_us", quotaUs], ["", "cpu.max", quotaUs]]);
}

let count = 0;

// Version 1 has a tree for each resource, version 2 one for all.
function makeBound(
  places: readonly (readonly [tree: string, limit: string, value: number])[],
): Bound | undefined {
  const name = `authenticator-test-${Deno.pid}-${count++}`;
  for (const [tree, limit, value] of places) {
    const folder = `${ROOT}/${tree}/${name}`;
    try {
      Deno.mkdirSync(folder);
      const remove = (): void => Deno.removeSync(folder);
      try {
        Deno.writeTextFileSync(`${folder}/${limit}`, String(value), { create: false });
        return { shell: `echo $$ > '${folder}/cgroup.procs'`, remove };
      } catch {
        remove();
      }
    } catch {
      // There is no such tree, or it is not for us.
    }
  }
  return undefined;
}
