/**
 * A Redis that decides about pins without counting them, and answers other commands by a function of
 * the test.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** A reply in the words of RESP: a text, a number, nothing, an error, or an array of them. */
export type Reply = string | number | null | Error | readonly Reply[];

/** Makes the reply to a command. */
type Replies = (words: readonly string[]) => Reply;

/** A fake Redis that listens. */
export interface FakeRedis {
  /** Its URL. */
  readonly url: string;
  /** Its port on 127.0.0.1. */
  readonly port: number;
  /** Returns the number of open connections. */
  readonly connections: () => number;
  /** Ends it. */
  readonly close: () => void;
}

/**
 * Starts a fake Redis.
 *
 * @param other Makes the reply to a command that is no decision about a pin.
 */
export function startFakeRedis(other: Replies = () => "OK"): FakeRedis {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.TcpConn>();
  const listen = async (): Promise<void> => {
    for await (const connection of listener) {
      open.add(connection);
      void converse(connection, other).finally(() => open.delete(connection));
    }
  };
  void listen();
  const { port } = listener.addr;
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    connections: () => open.size,
    close: () => {
      listener.close();
      for (const connection of open) close(connection);
    },
  };
}

/**
 * Starts a fake Sentinel, which pushes no news.
 *
 * @param primary Returns the port of the primary on 127.0.0.1 and its epoch, or the error of a question.
 */
export function startFakeSentinel(primary: () => readonly [number, number] | Error): FakeRedis {
  return startFakeRedis(([command, question]) => {
    const named = command === "SENTINEL" ? primary() : new Error("NOPERM");
    if (named instanceof Error) return named;
    const [port, epoch] = named.map(String);
    return question === "MASTER"
      ? ["ip", "127.0.0.1", "port", port!, "config-epoch", epoch!]
      : ["127.0.0.1", port!];
  });
}

async function converse(connection: Deno.TcpConn, other: Replies): Promise<void> {
  const buffer = new Uint8Array(65_536);
  let text = "";
  try {
    for (;;) {
      const length = await connection.read(buffer);
      if (length === null) break;
      text += Buffer.from(buffer.subarray(0, length)).toString("latin1");
      for (let read = readCommand(text); read !== undefined; read = readCommand(text)) {
        text = text.slice(read.end);
        const bytes = Buffer.from(written(replyTo(read.words, other)));
        for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
      }
    }
  } catch {
    // The server has ended the connection.
  } finally {
    close(connection);
  }
}

// A decision has, behind the script and its key: three budgets, singleUse, a time, the source, the
// matched step and the clock. Its verdict is 0 (accepted) for a pin that matched, 1 (wrong) for another.
function replyTo(words: readonly string[], other: Replies): Reply {
  // The name of the connection.
  if (words[0] === "CLIENT") return "OK";
  return words.length < 12 ? other(words) : [words[10] === "" ? 1 : 0, 0];
}

function written(reply: Reply): string {
  if (reply === null) return "$-1\r\n";
  if (reply instanceof Error) return `-${reply.message}\r\n`;
  if (typeof reply === "number") return `:${reply}\r\n`;
  if (typeof reply === "string") return `$${Buffer.byteLength(reply)}\r\n${reply}\r\n`;
  return `*${reply.length}\r\n${reply.map(written).join("")}`;
}

// An array of bulk strings; undefined when it is not complete.
function readCommand(text: string): { words: readonly string[]; end: number } | undefined {
  const [head, count] = /^\*(\d+)\r\n/.exec(text) ?? [];
  if (head === undefined) return undefined;
  const words: string[] = [];
  let end = head.length;
  while (words.length < Number(count)) {
    const [line, length] = /^\$(\d+)\r\n/.exec(text.slice(end, end + 20)) ?? [];
    if (line === undefined) return undefined;
    const start = end + line.length;
    end = start + Number(length) + 2;
    if (text.length < end) return undefined;
    words.push(text.slice(start, end - 2));
  }
  return { words, end };
}

function close(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch {
    // It is closed.
  }
}
