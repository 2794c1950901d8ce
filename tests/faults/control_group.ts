/**
 * A control group of Linux that bounds the memory of a process as `MemoryMax` of systemd does: who
 * takes more is killed.
 *
 * @module
 */

const ROOT = "/sys/fs/cgroup";

/** A bound that processes can be put under. */
export interface MemoryBound {
  /** What a shell does to be under it, and everything that it becomes. */
  readonly shell: string;
  /** Takes it away, once no process is under it. */
  readonly remove: () => void;
}

/** Makes a bound; undefined where this user may not. */
export function boundMemory(bytes: number): MemoryBound | undefined {
  const name = `authenticator-test-${Deno.pid}`;
  // Version 1 has a tree for each resource, version 2 one for all.
  for (
    const [folder, limit] of [
      [`${ROOT}/memory/${name}`, "memory.limit_in_bytes"],
      [`${ROOT}/${name}`, "memory.max"],
    ]
  ) {
    try {
      Deno.mkdirSync(folder!);
      const remove = (): void => Deno.removeSync(folder!);
      try {
        Deno.writeTextFileSync(`${folder}/${limit}`, String(bytes), { create: false });
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
