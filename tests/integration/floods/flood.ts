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
import { PROGRAM } from "../../support/program.ts";

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

// Replies to others during a flood by one caller, of a second and a half: a server that answers nobody
// else gives one or two, before and behind it. Many callers leave the client itself no time to ask, and
// Bun 1.4.5 reads chunks of a byte for up to a second before it answers others.
const REPLIES = 6;

// Floods until one has so many, since the machine may be busy.
const FLOODS = 10;

/**
 * Fails unless others are answered while a flood goes on.
 *
 * @param callers Number of callers that send the flood.
 */
export async function assertAnswers(
  server: FaultedServer,
  flood: () => Promise<void>,
  callers: number,
): Promise<void> {
  const expected = PROGRAM === "deno" && callers === 1 ? REPLIES : 1;
  for (let left = FLOODS; await repliesDuring(server, flood()) < expected; left--) {
    assert(left > 1, "others were not answered during the flood");
  }
}

async function repliesDuring(server: FaultedServer, flood: Promise<void>): Promise<number> {
  let isOver = false;
  const over = flood.finally(() => isOver = true);
  let replies = 0;
  for (; !isOver; replies++) {
    assertEquals((await server.get("/healthz")).status, 200);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await over;
  return replies;
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
