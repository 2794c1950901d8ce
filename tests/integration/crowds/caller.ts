/**
 * The caller who is measured: requests one after the other, on a few connections that stay open.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** What a caller got. */
export interface Measured {
  /** The times of the requests in milliseconds. */
  readonly timesMs: readonly number[];
  /** How many got which answer: `true`, `false`, or a status. */
  readonly answers: Readonly<Record<string, number>>;
}

// Far above what a request takes.
const PATIENCE_MS = 300_000;

/**
 * Sends so many requests over so many connections.
 *
 * @param request Gives the bytes of the next request; its reply must have a Content-Length.
 * @throws {Error} When a connection is closed without a word, or a reply does not come within
 * minutes.
 */
export async function call(
  port: number,
  connections: number,
  count: number,
  request: () => Uint8Array,
): Promise<Measured> {
  const timesMs: number[] = [];
  const answers: Record<string, number> = {};
  let left = count;
  const one = async (): Promise<void> => {
    while (left > 0) {
      using connection = await Deno.connect({ hostname: "127.0.0.1", port });
      for (let isOpen = true; isOpen && left > 0;) {
        left--;
        const start = performance.now();
        const reply = await exchange(connection, request());
        timesMs.push(performance.now() - start);
        const answer = answerIn(reply);
        answers[answer] = (answers[answer] ?? 0) + 1;
        isOpen = !/\r\nconnection: close\r\n/i.test(reply);
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  return { timesMs, answers };
}

async function exchange(connection: Deno.Conn, request: Uint8Array): Promise<string> {
  const timer = setTimeout(() => connection.close(), PATIENCE_MS);
  try {
    await connection.write(request);
    const buffer = new Uint8Array(65_536);
    for (let text = "";;) {
      const length = await connection.read(buffer);
      if (length === null) throw new Error("the server closed the connection of a good caller");
      text += Buffer.from(buffer.buffer, 0, length).toString("latin1");
      if (isWhole(text)) return text;
    }
  } finally {
    clearTimeout(timer);
  }
}

function isWhole(reply: string): boolean {
  const end = reply.indexOf("\r\n\r\n");
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(reply)?.[1]);
  return end >= 0 && reply.length >= end + 4 + length;
}

function answerIn(reply: string): string {
  return /(true|false)<\/boolean>$/.exec(reply)?.[1] ?? reply.slice(9, 12);
}

/** The time that so large a share of all the requests took at most, in milliseconds. */
export function quantile(measured: readonly Measured[], share: number): number {
  const timesMs = measured.flatMap(({ timesMs }) => timesMs).sort((a, b) => a - b);
  return timesMs[Math.floor((timesMs.length - 1) * share)]!;
}
