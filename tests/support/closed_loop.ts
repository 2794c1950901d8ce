/**
 * Connections that each send a right pin, wait for the reply, and send the next.
 *
 * @module
 */

import { exchangeOn } from "./http.ts";
import type { RunningProgram } from "./program.ts";
import { pinOf } from "./reference_totp.ts";

/** Counts of replies to right pins. */
export interface Answers {
  /** `true`. */
  right: number;
  /** `false`, although the pin is right. */
  refused: number;
  /** Neither: another status, or a connection that ended. */
  other: number;
}

/** A load that runs. */
export interface ClosedLoop {
  /** Counts so far. */
  readonly answers: Readonly<Answers>;
  /** Stops it after the pending replies. */
  readonly end: () => Promise<Readonly<Answers>>;
}

/** Starts connections to a server, each with a secret of its own. */
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
  secretCode: string,
  answers: Answers,
  state: { readonly stopped: boolean },
): Promise<void> {
  using _ = connection;
  try {
    while (!state.stopped) {
      const form = String(new URLSearchParams({ pin: pinOf(secretCode), secretCode }));
      const { status, body } = await exchangeOn(connection, {
        head: [...HEAD, `Content-Length: ${form.length}`],
        body: new TextEncoder().encode(form),
      });
      const text = new TextDecoder().decode(body);
      if (status === 200 && text.includes(">true</boolean>")) answers.right++;
      else if (text.includes(">false</boolean>")) answers.refused++;
      else throw new Error(text);
    }
  } catch {
    answers.other++;
  }
}

const HEAD = [
  "POST /api.asmx/ValidatePin HTTP/1.1",
  "Host: localhost",
  "Content-Type: application/x-www-form-urlencoded",
];
