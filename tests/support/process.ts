/**
 * What the system says of a process that runs (proc(5)); on Linux alone.
 *
 * @module
 */

/** How many descriptors it holds. */
export function descriptorCount(pid: number): number {
  return outputOf("ls", `/proc/${pid}/fd`).split("\n").length - 1;
}

/** How much memory it has, in bytes. */
export function residentBytes(pid: number): number {
  return statusKilobytes(pid, "VmRSS") * 1024;
}

/** The most memory that it ever had, in bytes. */
export function peakResidentBytes(pid: number): number {
  return statusKilobytes(pid, "VmHWM") * 1024;
}

function statusKilobytes(pid: number, field: string): number {
  const status = outputOf("cat", `/proc/${pid}/status`);
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)![1]);
}

/** Whether SIGSTOP has stopped it. */
export function isStopped(pid: number): boolean {
  return /^State:\s+T/m.test(outputOf("cat", `/proc/${pid}/status`));
}

// By another program, since Deno lets a test read these files only where it may do everything.
function outputOf(program: string, path: string): string {
  const { stdout } = new Deno.Command(program, { args: [path] }).outputSync();
  return new TextDecoder().decode(stdout);
}
