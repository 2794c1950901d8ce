/**
 * The thread of a crowd: a connection for each, and again when the server closes it.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { Behaviour, CrowdOptions } from "./crowd.ts";

/** What is global in a thread, beside what is everywhere. */
interface Thread {
  onmessage: (event: MessageEvent<CrowdOptions>) => void;
  readonly postMessage: (message: string) => void;
}

const thread = globalThis as unknown as Thread;

/** How many connect at once, which is less than any queue of connections that wait holds. */
const BATCH = 50;

const SECOND_MS = 1_000;
const HEAD = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
const PAGE = "GET /api.asmx HTTP/1.1\r\nHost: localhost\r\n\r\n";
const STALLED = "POST /api.asmx/ValidatePin HTTP/1.1\r\nHost: localhost\r\n" +
  "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\np";

const ACTS: Readonly<Record<Behaviour, (connection: Deno.Conn) => Promise<void>>> = {
  "dribbling heads": async (connection) => {
    await send(connection, HEAD);
    for (let i = 0;; i++) {
      await pause(SECOND_MS);
      await send(connection, i % 80 === 0 ? "\r\nX: " : "a");
    }
  },
  "stalled bodies": async (connection) => {
    await send(connection, STALLED);
    while (await receives(connection, 4096));
  },
  "idle": async (connection) => {
    await send(connection, `${HEAD}\r\n`);
    while (await receives(connection, 4096));
  },
  "reading a byte a second": async (connection) => {
    await send(connection, PAGE);
    while (await receives(connection, 1)) await pause(SECOND_MS);
  },
};

async function send(connection: Deno.Conn, text: string): Promise<void> {
  const bytes = Buffer.from(text, "latin1");
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
}

async function receives(connection: Deno.Conn, length: number): Promise<boolean> {
  return await connection.read(new Uint8Array(length)) !== null;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

// One client of the crowd, which retries a second after a refusal.
async function stand({ port, behaviour }: CrowdOptions, isThere: () => void): Promise<never> {
  for (;;) {
    try {
      using connection = await Deno.connect({ hostname: "127.0.0.1", port });
      isThere();
      await ACTS[behaviour](connection);
    } catch {
      // The server has closed, or did not accept.
    }
    await pause(SECOND_MS);
  }
}

thread.onmessage = async ({ data }) => {
  for (let there = 0; there < data.size; there += BATCH) {
    const batch = Math.min(BATCH, data.size - there);
    await Promise.all(
      Array.from({ length: batch }, () =>
        new Promise<void>((resolve) => {
          stand(data, resolve);
        })),
    );
  }
  thread.postMessage("all are there");
};
