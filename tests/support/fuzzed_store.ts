/**
 * A store that sends any replies: it reads the commands of a server, and a function of the test makes
 * the replies.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { PROBE_PREFIX } from "../../lib/guard/redis/script.ts";

/** A command that is answered. */
export interface Question {
  /** The command. */
  readonly words: readonly string[];
  /** The code of the right verdict: 0 (accepted) for a pin that matched, 1 (wrong) for another. */
  readonly code: number;
}

/** What a store writes for an answer; pieces are written one by one, and `end` closes afterwards. */
export interface Answer {
  /** What is written, a character for each byte. */
  readonly pieces: readonly string[];
  /** Whether the connection is closed afterwards. */
  readonly end?: boolean;
  /** How often the pieces are written; 1 unless given. */
  readonly times?: number;
}

/** The right reply. */
export function honest({ code }: Question): string {
  return `*2\r\n:${code}\r\n:0\r\n`;
}

/** A reply in the words of RESP: a text, a number, nothing, or an array of them; an error as it is. */
export type Reply = string | number | null | Error | readonly Reply[];

/** What a store writes for a reply. */
export function written(reply: Reply): string {
  if (reply === null) return "$-1\r\n";
  if (reply instanceof Error) return `-${reply.message}\r\n`;
  if (typeof reply === "number") return `:${reply}\r\n`;
  if (typeof reply === "string") return `$${Buffer.byteLength(reply)}\r\n${reply}\r\n`;
  return `*${reply.length}\r\n${reply.map(written).join("")}`;
}

/** Makes the reply to a command; later commands wait for a slow one. */
type Answers = (question: Question) => Answer | Promise<Answer>;

/** A store that listens. */
export interface FuzzedStore {
  /** Its URL. */
  readonly url: string;
  /** Its address and port. */
  readonly address: string;
  /** Ends it. */
  readonly close: () => void;
}

/**
 * Starts a store.
 *
 * @param answer Makes the reply to a command about a pin. The probe gets the right reply.
 * @param other Makes the reply to any other command.
 */
export function startFuzzedStore(
  answer: Answers,
  other: (words: readonly string[]) => string = () => "+OK\r\n",
): FuzzedStore {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.TcpConn>();
  const listen = async (): Promise<void> => {
    for await (const connection of listener) {
      open.add(connection);
      void converse(connection, answer, other).finally(() => open.delete(connection));
    }
  };
  void listen();
  const address = `127.0.0.1:${listener.addr.port}`;
  return {
    url: `redis://${address}`,
    address,
    close: () => {
      listener.close();
      for (const connection of open) close(connection);
    },
  };
}

async function converse(
  connection: Deno.TcpConn,
  answer: Answers,
  other: (words: readonly string[]) => string,
): Promise<void> {
  const buffer = new Uint8Array(65_536);
  let text = "";
  try {
    for (;;) {
      const length = await connection.read(buffer);
      if (length === null) break;
      text += Buffer.from(buffer.subarray(0, length)).toString("latin1");
      for (let read = readCommand(text); read !== undefined; read = readCommand(text)) {
        text = text.slice(read.end);
        if (!await reply(connection, read.words, { answer, other })) return;
      }
    }
  } catch {
    // The server has ended the connection.
  } finally {
    close(connection);
  }
}

/** Returns false when the connection is to be closed. */
async function reply(
  connection: Deno.TcpConn,
  words: readonly string[],
  { answer, other }: {
    readonly answer: Answers;
    readonly other: (words: readonly string[]) => string;
  },
): Promise<boolean> {
  // Behind the script and its key: three budgets, singleUse, a time, the source, the matched step and
  // the clock.
  const question = { words, code: words[10] === "" ? 1 : 0 };
  const { pieces, end = false, times = 1 }: Answer = words.length < 12
    ? { pieces: [other(words)] }
    : words[3]!.startsWith(PROBE_PREFIX)
    ? { pieces: [honest(question)] }
    : await answer(question);
  for (let i = 0; i < times; i++) {
    for (const piece of pieces) await write(connection, piece);
  }
  return !end;
}

async function write(connection: Deno.TcpConn, text: string): Promise<void> {
  const bytes = Buffer.from(text, "latin1");
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
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
