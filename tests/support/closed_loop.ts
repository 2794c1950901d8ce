/**
 * Connections that each send a right pin, wait for the answer, and send the next.
 *
 * @module
 */

import type { RunningProgram } from "./program.ts";
import { pinOf } from "./two_servers.ts";

/** What was answered to right pins. */
export interface Answers {
  /** `true`. */
  right: number;
  /** `false`, which is wrong. */
  refused: number;
  /** Neither: another status, or a connection that ended. */
  other: number;
}

/** A load that runs. */
export interface ClosedLoop {
  /** What was answered so far. */
  readonly answers: Readonly<Answers>;
  /** Ends it after the answers that are due. */
  readonly end: () => Promise<Readonly<Answers>>;
}

/** Starts so many connections to a server, each with a secret of its own. */
export async function startClosedLoop(
  server: Pick<RunningProgram, "url">,
  connections: number,
): Promise<ClosedLoop> {
  const { hostname, port } = new URL(server.url);
  const answers: Answers = { right: 0, refused: 0, other: 0 };
  const state = { stopped: false };
  const running: Promise<void>[] = [];
  for (let i = 0; i < connections; i++) {
    const connection = await Deno.connect({ hostname, port: Number(port) });
    running.push(converse(connection, `closed loop ${i}`, answers, state));
  }
  return {
    answers,
    end: async () => {
      state.stopped = true;
      await Promise.all(running);
      return answers;
    },
  };
}

async function converse(
  connection: Deno.TcpConn,
  secret: string,
  answers: Answers,
  state: { readonly stopped: boolean },
): Promise<void> {
  const buffer = new Uint8Array(2048);
  try {
    while (!state.stopped) {
      const body = new URLSearchParams({ pin: pinOf(secret), secretCode: secret });
      await connection.write(encoder.encode(requestOf(String(body))));
      const reply = await readReply(connection, buffer);
      if (reply.startsWith("HTTP/1.1 200 ") && reply.includes(">true</boolean>")) answers.right++;
      else if (reply.includes(">false</boolean>")) answers.refused++;
      else {
        answers.other++;
        return;
      }
    }
  } catch {
    answers.other++;
  } finally {
    connection.close();
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function requestOf(body: string): string {
  return "POST /api.asmx/ValidatePin HTTP/1.1\r\nHost: localhost\r\n" +
    "Content-Type: application/x-www-form-urlencoded\r\n" +
    `Content-Length: ${body.length}\r\n\r\n${body}`;
}

async function readReply(connection: Deno.TcpConn, buffer: Uint8Array): Promise<string> {
  let text = "";
  while (!text.includes("</boolean>")) {
    const length = await connection.read(buffer);
    if (length === null || text.length > 10_000) break;
    text += decoder.decode(buffer.subarray(0, length));
  }
  return text;
}
