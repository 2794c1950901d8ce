/**
 * A store that speaks nonsense: it understands the commands of a server, and answers as a seeded
 * generator says.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** What one answer depends on. */
export interface Question {
  /** The command. */
  readonly words: readonly string[];
  /** The number of the question, which an honest answer repeats. */
  readonly number: string;
  /** The code of an honest verdict: 0 (accepted) for a pin that matched, 1 (wrong) for another. */
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

/** The honest answer. */
export function honest({ code, number }: Question): string {
  return `*3\r\n:${code}\r\n:0\r\n:${number}\r\n`;
}

type Random = (limit: number) => number;

type Nonsense = (question: Question, random: Random) => Answer;

function once(...pieces: readonly string[]): Answer {
  return { pieces };
}

/** Every kind of nonsense, by its name. */
export const NONSENSE: ReadonlyMap<string, Nonsense> = new Map<string, Nonsense>([
  ["accepted, whatever was asked", ({ number }) => once(`*3\r\n:0\r\n:0\r\n:${number}\r\n`)],
  ["replayed, whatever was asked", ({ number }) => once(`*3\r\n:3\r\n:0\r\n:${number}\r\n`)],
  ["two zeros", () => once("*2\r\n:0\r\n:0\r\n")],
  ["two nils", () => once("*2\r\n$-1\r\n$-1\r\n")],
  ["two empty texts", () => once("*2\r\n$0\r\n\r\n$0\r\n\r\n")],
  [
    "texts for numbers",
    ({ number }) => once(`*3\r\n$1\r\n0\r\n$1\r\n0\r\n$${number.length}\r\n${number}\r\n`),
  ],
  [
    "another question's answer",
    ({ number }) => once(`*3\r\n:0\r\n:0\r\n:${Number(number) + 1}\r\n`),
  ],
  [
    "an earlier question's answer",
    ({ number }) => once(`*3\r\n:0\r\n:0\r\n:${Number(number) - 1}\r\n`),
  ],
  [
    "no such verdict",
    ({ number }, random) => once(`*3\r\n:${5 + random(100)}\r\n:0\r\n:${number}\r\n`),
  ],
  ["a negative verdict", ({ number }) => once(`*3\r\n:-1\r\n:0\r\n:${number}\r\n`)],
  [
    "a wait without end",
    ({ number }) => once(`*3\r\n:2\r\n:9223372036854775807\r\n:${number}\r\n`),
  ],
  ["a broken number", ({ number }) => once(`*3\r\n:0x0\r\n:1e3\r\n:${number}\r\n`)],
  ["nil", () => once("$-1\r\n")],
  ["no array", () => once("*-1\r\n")],
  ["an empty array", () => once("*0\r\n")],
  ["OK", () => once("+OK\r\n")],
  ["true", () => once("#t\r\n")],
  ["null", () => once("_\r\n")],
  ["a map", ({ number }) => once(`%1\r\n:0\r\n:${number}\r\n`)],
  ["a push", () => once(">2\r\n+message\r\n+x\r\n")],
  ["an attribute", () => once("|1\r\n+a\r\n+b\r\n:0\r\n")],
  ["a surplus answer", (question) => once(honest({ ...question, code: 0 }).repeat(2))],
  ["many surplus answers", (question) => once(honest({ ...question, code: 0 }).repeat(50))],
  ["a message of a channel", () => once("*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nb\r\n")],
  ["an error", () => once("-OOM command not allowed\r\n")],
  ["a redirection", () => once("-MOVED 1 127.0.0.1:1\r\n")],
  ["an unknown script, always", () => once("-NOSCRIPT No matching script.\r\n")],
  ["an error without text", () => once("-\r\n")],
  ["an error in an array", ({ number }) => once(`*3\r\n-ERR\r\n:0\r\n:${number}\r\n`)],
  ["an array in an array", ({ number }) => once(`*3\r\n*1\r\n:0\r\n:0\r\n:${number}\r\n`)],
  ["arrays without end", () => ({ pieces: ["*1\r\n".repeat(20_000)], times: 20 })],
  ["a huge array", () => once("*4294967296\r\n")],
  ["a large array", () => once("*99999999\r\n:0\r\n")],
  ["a huge text", () => once("$99999999999999\r\nabc")],
  ["a text that goes on", () => ({ pieces: ["$999999999\r\n", "x".repeat(65_536)], times: 200 })],
  ["a line without end", () => ({ pieces: ["+", "x".repeat(65_536)], times: 200 })],
  ["digits without end", () => ({ pieces: [":", "1".repeat(65_536)], times: 200 })],
  ["half an answer", (question) => once(honest(question).slice(0, 7))],
  [
    "half an answer, and the end",
    (question) => ({ pieces: [honest(question).slice(0, 7)], end: true }),
  ],
  ["an answer, and the end", (question) => ({ pieces: [honest(question)], end: true })],
  ["the end", () => ({ pieces: [], end: true })],
  ["silence", () => once()],
  // Of a client that takes any byte for a digit, these lengths are 82,214 and -6.
  ["a map that sends the reader back", () => once(`%zzzz\r\n$*\r\n${"x".repeat(99)}`)],
  ["an array that sends the reader back", () => once(`*zzzz\r\n$*\r\n${"x".repeat(99)}`)],
  ["HTTP", () => once("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")],
  ["TLS", () => once("\x15\x03\x03\x00\x02\x02\x46")],
  ["line ends", () => once("\r\n\r\n\n\n\r")],
  ["zero bytes", () => once("\0".repeat(100))],
  ["random bytes", (_, random) => once(randomBytes(random, 1 + random(200)))],
  [
    "an answer with a byte changed",
    (question, random) => once(changed(honest(question), random)),
  ],
  ["an answer with a byte more", (question, random) => once(widened(honest(question), random))],
  ["an answer in pieces", (question) => once(...honest(question))],
]);

function randomBytes(random: Random, length: number): string {
  return Array.from({ length }, () => String.fromCharCode(random(256))).join("");
}

function changed(text: string, random: Random): string {
  const at = random(text.length);
  return text.slice(0, at) + randomBytes(random, 1) + text.slice(at + 1);
}

function widened(text: string, random: Random): string {
  const at = random(text.length + 1);
  return text.slice(0, at) + randomBytes(random, 1) + text.slice(at);
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

/** What is answered to a question; where that takes time, what is asked afterwards waits as well. */
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
 * @param answer Decides what is answered to a question about a pin. The probe, whose number is 0, is
 * answered honestly.
 * @param other Decides what is answered to any other command.
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

/** Gives false when the connection is to be closed. */
async function reply(
  connection: Deno.TcpConn,
  words: readonly string[],
  { answer, other }: {
    readonly answer: Answers;
    readonly other: (words: readonly string[]) => string;
  },
): Promise<boolean> {
  // Behind the script and its key: three budgets, singleUse, a time, the source, the matched step, the
  // clock, and the number of the question.
  const number = words[12] ?? "";
  const question = { words, number, code: words[10] === "" ? 1 : 0 };
  const isProbe = number === "" || number === "0";
  const { pieces, end = false, times = 1 }: Answer = isProbe
    ? { pieces: [number === "" ? other(words) : honest(question)] }
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
