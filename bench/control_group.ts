// A control group of Linux that limits the processor time of processes, as systemd does.

const ROOT = "/sys/fs/cgroup";
const PERIOD_US = 100_000;

/** A limit for processes. */
export interface Bound {
  /** Command of a shell that puts it, and its children, under the limit. */
  readonly shell: string;
  /** Removes it, once it has no process. */
  readonly remove: () => void;
}

let count = 0;

/** Makes a limit as `CPUQuota` of systemd, in cores; undefined without the permission. */
export function boundCores(cores: number): Bound | undefined {
  const name = `authenticator-bench-${Deno.pid}-${count++}`;
  // Version 1 has a tree for each resource, version 2 one for all.
  for (const [tree, limit] of [["cpu", "cpu.cfs_quota_us"], ["", "cpu.max"]]) {
    const folder = `${ROOT}/${tree}/${name}`;
    try {
      Deno.mkdirSync(folder);
      const remove = (): void => Deno.removeSync(folder);
      try {
        const quotaUs = String(Math.round(cores * PERIOD_US));
        Deno.writeTextFileSync(`${folder}/${limit}`, quotaUs, { create: false });
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
