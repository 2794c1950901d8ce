/**
 * Figures of a running process (proc(5)); on Linux only.
 *
 * @module
 */

/** Number of its descriptors. */
export function descriptorCount(pid: number): number {
  return [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
}

/** Its resident memory, in bytes. */
export function residentBytes(pid: number): number {
  return statusKilobytes(pid, "VmRSS") * 1024;
}

/** The peak of its memory, in bytes. */
export function peakResidentBytes(pid: number): number {
  return statusKilobytes(pid, "VmHWM") * 1024;
}

/** Its processor time, in milliseconds, in steps of ten. */
export function processorMs(pid: number): number {
  const [, after] = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ");
  const [user, system] = after!.split(" ").slice(11, 13).map(Number);
  return (user! + system!) * 10;
}

function statusKilobytes(pid: number, field: string): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)![1]);
}

/** Whether SIGSTOP has stopped it. */
export function isStopped(pid: number): boolean {
  return /^State:\s+T/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
}
