/**
 * Callers that send without end, and what they do to a server: memory, processor time, and how long
 * others wait.
 *
 * @module
 */

import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { AUTHORITY } from "../../support/certificates.ts";
import { eventually } from "../../support/eventually.ts";
import type { FaultedServer } from "../../support/faulted_server.ts";
import { peakResidentBytes, processorMs } from "../../support/process.ts";

const MIB = 2 ** 20;

/** Bytes that a caller sends: once, and then again and again, or nothing more. */
export interface Flood {
  readonly start: string | Uint8Array;
  readonly block: string | Uint8Array;
  /** Whether the caller leaves behind the start. */
  readonly leaves?: boolean;
}

/** Size of a block that is sent again and again, in bytes. */
const BLOCK_BYTES = 16_384;

/** Repeats a text to the size of a block. */
export function blockOf(text: string): string {
  return text.repeat(Math.ceil(BLOCK_BYTES / text.length));
}

/** Connects to a program by node:net, whose writes tell when the connection takes no more. */
function connect(url: string, act: () => void): Socket {
  if (url.startsWith("unix:")) return connectTcp({ path: url.slice("unix:".length) }, act);
  const { protocol, hostname, port } = new URL(url);
  const address = { host: hostname, port: Number(port) };
  return protocol === "https:"
    ? connectTls({ ...address, ca: AUTHORITY }, act)
    : connectTcp(address, act);
}

/**
 * Sends a flood on one connection, until the server closes it or the time is over.
 *
 * @param readsReplies Whether the caller takes what comes back.
 */
function flood(
  { program }: Pick<FaultedServer, "program">,
  { start, block, leaves = false }: Flood,
  ms: number,
  readsReplies: boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(program.url, () => {
      if (leaves) socket.end(start);
      else {
        socket.write(start);
        pump();
      }
    });
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
    socket.on("error", end).on("close", end).on("drain", pump);
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

// Longest time for which a flood may keep others waiting, in milliseconds. They are answered within a
// second; the rest is for a busy machine.
const LONGEST_WAIT_MS = 15_000;

/** Fails unless others are answered while something goes on. */
export async function assertAnswers(server: FaultedServer, during: Promise<void>): Promise<void> {
  let isOver = false;
  const over = during.finally(() => isOver = true);
  let longest = 0;
  while (!isOver) {
    const start = performance.now();
    assertEquals((await server.get("/healthz")).status, 200);
    longest = Math.max(longest, performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await over;
  assert(longest < LONGEST_WAIT_MS, `others waited ${Math.round(longest)} ms`);
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
