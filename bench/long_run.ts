/**
 * A long run: millions of requests of every kind against the program that TEST_PROGRAM names, right
 * and wrong ones, with aborts and reconnects. It prints memory, descriptors and times as they
 * develop, and fails when a reply is not what it should be. Linux only.
 *
 *     TEST_PROGRAM=bun deno run -A bench/long_run.ts --requests 2000000
 *
 * @module
 */

import { Buffer } from "node:buffer";
import process from "node:process";
import { eventually } from "../tests/support/eventually.ts";
import { descriptorCount, residentBytes } from "../tests/support/process.ts";
import { PROGRAM, startProgram } from "../tests/support/program.ts";
import { KINDS, type Sample } from "./long_run_requests.ts";
import { row } from "./peers.ts";

const WINDOWS = 40;
const CONNECTIONS = 16;
// A connection is closed after so many requests, and another one opened.
const REQUESTS_A_CONNECTION = 500;
// What comes before is the start: caches, compiled code, a guard that still has room.
const WARM_WINDOWS = WINDOWS / 4;
const PATIENCE_MS = 60_000;

/** What one window of the run showed. */
interface Window {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly residentBytes: number;
  readonly descriptors: number;
}

const args = process.argv.slice(2);
const requests = Number(args[args.indexOf("--requests") + 1] ?? NaN) || 2_000_000;

const unexpected = new Map<string, number>();
let timesMs: number[] = [];
let left = 0;
let sent = 0;

/** A connection that sends requests of all kinds until none is left. */
async function caller(port: number): Promise<void> {
  while (left > 0) {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    for (let i = 0; i < REQUESTS_A_CONNECTION && left > 0; i++) {
      left--;
      const sample = KINDS[sent++ % KINDS.length]!();
      if (!await exchange(connection, sample)) break;
    }
  }
}

// Gives whether the connection can take another request.
async function exchange(connection: Deno.Conn, sample: Sample): Promise<boolean> {
  const timer = setTimeout(() => connection.close(), PATIENCE_MS);
  try {
    const start = performance.now();
    // A server may answer and close before it has all of a body: its reply counts.
    const isSent = await write(connection, sample.bytes);
    if (sample.expected === undefined) return false;
    const reply = await read(connection);
    timesMs.push(performance.now() - start);
    if (!sample.expected.test(reply)) {
      const what = `${sample.name}: ${reply.slice(9, 12) || "closed"}`;
      unexpected.set(what, (unexpected.get(what) ?? 0) + 1);
    }
    return isSent && !/\r\nconnection: close\r\n|\(closed\)$/i.test(reply);
  } finally {
    clearTimeout(timer);
  }
}

async function write(connection: Deno.Conn, bytes: Uint8Array): Promise<boolean> {
  try {
    for (let done = 0; done < bytes.length;) done += await connection.write(bytes.subarray(done));
    return true;
  } catch {
    return false;
  }
}

const buffers: Uint8Array[] = [];

async function read(connection: Deno.Conn): Promise<string> {
  const buffer = buffers.pop() ?? new Uint8Array(131_072);
  try {
    for (let text = "";;) {
      const length = await connection.read(buffer).catch(() => null);
      if (length === null) return `${text} (closed)`;
      text += Buffer.from(buffer.buffer, 0, length).toString("latin1");
      if (isWhole(text)) return text;
    }
  } finally {
    buffers.push(buffer);
  }
}

function isWhole(reply: string): boolean {
  const end = reply.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(reply.slice(0, end))?.[1];
  return reply.length >= end + 4 + Number(length ?? 0);
}

async function runWindow(port: number, pid: number): Promise<Window> {
  timesMs = [];
  left = Math.round(requests / WINDOWS);
  const count = left;
  const start = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, () => caller(port)));
  const seconds = (performance.now() - start) / 1000;
  timesMs.sort((a, b) => a - b);
  return {
    perSecond: count / seconds,
    p50Ms: timesMs[Math.floor(timesMs.length * 0.5)]!,
    p99Ms: timesMs[Math.floor(timesMs.length * 0.99)]!,
    residentBytes: residentBytes(pid),
    descriptors: descriptorCount(pid),
  };
}

/** The slope of a line through points one apart, by least squares. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const above = values.reduce((sum, value, i) => sum + (i - middle) * (value - mean), 0);
  return above / values.reduce((sum, _, i) => sum + (i - middle) ** 2, 0);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const program = await startProgram(["--port", "0", "--metrics"], {
  shell: "ulimit -n 4096\nexec 2>/dev/null",
});
const { pid } = program;
const port = Number(new URL(program.url).port);
const idle = { bytes: residentBytes(pid), descriptors: descriptorCount(pid) };
const windows: Window[] = [];
row([PROGRAM, "requests/s", "p50 ms", "p99 ms", "MB", "open"]);
for (let i = 1; i <= WINDOWS; i++) {
  const window = await runWindow(port, pid);
  windows.push(window);
  row([
    String(Math.round(requests / WINDOWS * i)),
    window.perSecond.toFixed(0),
    window.p50Ms.toFixed(2),
    window.p99Ms.toFixed(2),
    (window.residentBytes / 1e6).toFixed(1),
    String(window.descriptors),
  ]);
}
await eventually(() => descriptorCount(pid) <= idle.descriptors + 2, "descriptors come back");
const warm = windows.slice(WARM_WINDOWS);
const part = Math.max(1, WINDOWS / 8);
const bytesAWindow = slope(warm.map((window) => window.residentBytes));
row(["idle at the start", "", "", "", (idle.bytes / 1e6).toFixed(1), String(idle.descriptors)]);
row([
  "idle at the end",
  "",
  "",
  "",
  (residentBytes(pid) / 1e6).toFixed(1),
  String(descriptorCount(pid)),
]);
row(["MB a million, after warm-up", (bytesAWindow * 1e6 / (requests / WINDOWS) / 1e6).toFixed(2)]);
for (const [name, time] of [["p50", "p50Ms"], ["p99", "p99Ms"]] as const) {
  const [first, last] = [warm.slice(0, part), warm.slice(-part)].map((some) =>
    mean(some.map((window) => window[time])).toFixed(2)
  );
  row([`${name} ms after warm-up, at the end`, first!, last!]);
}
program.signal("SIGTERM");
const { code } = await program.outcome;
for (const [what, count] of unexpected) row([`unexpected: ${what}`, String(count)]);
process.exit(code !== 0 || unexpected.size > 0 ? 1 : 0);
