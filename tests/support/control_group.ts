/**
 * A control group of Linux that limits processes, as systemd does: by memory, where a process over the
 * limit is killed, or by processor time, where it waits.
 *
 * @module
 */

const ROOT = "/sys/fs/cgroup";
const PERIOD_US = 100_000;

/** A limit for processes. */
export interface Bound {
  /** Command of a shell that puts it, and its children, under the limit. */
  readonly shell: string;
  /** Removes it, once it has no process. */
  readonly remove: () => void;
}

/** Makes a limit as `MemoryMax` of systemd; undefined without the permission. */
export function boundMemory(bytes: number): Bound | undefined {
  return makeBound([["memory", "memory.limit_in_bytes", bytes], ["", "memory.max", bytes]]);
}

/** Makes a limit as `CPUQuota` of systemd, in cores; undefined without the permission. */
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
      // There is no such tree, or no permission.
    }
  }
  return undefined;
}
