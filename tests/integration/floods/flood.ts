/**
 * Callers that send without end, and what they do to a server: memory, processor time, and how long
 * others wait.
 *
 * @module
 */

import { connect as connectTcp } from "node:net";
import { assert } from "@std/assert/assert";
import { eventually } from "../../support/eventually.ts";
import type { FaultedServer } from "../../support/faulted_server.ts";
import { peakResidentBytes, processorMs } from "../../support/process.ts";

const MIB = 2 ** 20;

/** Bytes that a caller sends: once, and then again and again. */
export interface Flood {
  readonly start: string | Uint8Array;
  readonly block: string | Uint8Array;
}

/** Size of a block that is sent again and again, in bytes. */
const BLOCK_BYTES = 16_384;

/** Repeats a text to the size of a block. */
export function blockOf(text: string): string {
  return text.repeat(Math.ceil(BLOCK_BYTES / text.length));
}

/**
 * Sends a flood on one connection, until the server closes it or the time is over.
 *
 * @param readsReplies Whether the caller takes what comes back.
 */
function flood(
  { program }: Pick<FaultedServer, "program">,
  { start, block }: Flood,
  ms: number,
  readsReplies: boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(program.url);
    const socket = connectTcp(Number(port), hostname);
    let isOver = false;
    const end = (): void => {
      isOver = true;
      clearTimeout(timer);
      socket.destroy();
      resolve();
    };
    const timer = setTimeout(end, ms);
    const pump = (): void => {
      while (!isOver && block.length > 0 && socket.write(block));
    };
    if (readsReplies) socket.resume();
    socket.on("error", end).on("close", end).on("drain", pump).on("connect", () => {
      socket.write(start);
      pump();
    });
  });
}

/** Sends a flood on several connections for a while; a connection that is closed is opened again. */
export async function floodFor(
  server: Pick<FaultedServer, "program">,
  what: Flood,
  { callers, ms, readsReplies = true }: {
    readonly callers: number;
    readonly ms: number;
    readonly readsReplies?: boolean;
  },
): Promise<void> {
  const end = performance.now() + ms;
  await Promise.all(Array.from({ length: callers }, async () => {
    for (let left = ms; left > 0; left = end - performance.now()) {
      await flood(server, what, left, readsReplies);
      // A server that drops its connections refuses others for a moment.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }));
}

/** Sends as many wrong pins for a secret as `--max-failures 5` allows, so that right ones are refused. */
export async function throttle(server: FaultedServer, secret: string): Promise<void> {
  for (let i = 0; i < 5; i++) await server.validate(server.wrongPin(secret), secret);
}

/** Fails unless the peak of a server's memory is below a limit in MiB. */
export function assertPeakBelow({ program: { pid } }: FaultedServer, mib: number): void {
  const peak = Math.round(peakResidentBytes(pid) / MIB);
  assert(peak < mib, `the server took ${peak} MiB`);
}

/** Waits until a server is idle: a tenth of a second without processor time. */
export async function idle({ program: { pid } }: FaultedServer): Promise<void> {
  let before = -1;
  await eventually(async () => {
    before = processorMs(pid);
    await new Promise((resolve) => setTimeout(resolve, 500));
    return processorMs(pid) - before <= 50;
  }, "the server uses no processor time any more");
}
