/**
 * A good caller while 2,000 others stand in the way: it is answered as if it were alone, and what
 * they took comes back.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { eventually } from "../../support/eventually.ts";
import { type FaultedServer, withFaultedServer } from "../../support/faulted_server.ts";
import { Wire, withLength } from "../../support/http.ts";
import { descriptorCount, peakResidentBytes, residentBytes } from "../../support/process.ts";

const SIZE = 2_000;
// Clients that connect at once, less than any queue of waiting connections holds.
const BATCH = 50;
const CONNECTIONS = 4;
// Longer than the server waits for a body.
const STANDING_MS = 12_000;
const SECOND_MS = 1_000;
// A secret of its own, whose failures do not count here.
const SECRET = "good caller";
const MIB = 2 ** 20;

const GET = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
const PAGE = "GET /api.asmx HTTP/1.1\r\nHost: localhost\r\n\r\n";
const STALLED = "POST /api.asmx/ValidatePin HTTP/1.1\r\nHost: localhost\r\n" +
  "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\np";

/** What a client of a crowd does on its connection, until one side closes it. */
type Behaviour = (connection: Deno.Conn) => Promise<void>;

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  "dribbling heads": async (connection) => {
    await send(connection, GET);
    for (let i = 0;; i++) {
      await pause();
      await send(connection, i % 80 === 0 ? "\r\nX: " : "a");
    }
  },
  "stalled bodies": async (connection) => {
    await send(connection, STALLED);
    while (await receives(connection, 4096));
  },
  "idle": async (connection) => {
    await send(connection, `${GET}\r\n`);
    while (await receives(connection, 4096));
  },
  "reading a byte a second": async (connection) => {
    await send(connection, PAGE);
    while (await receives(connection, 1)) await pause();
  },
};

async function send(connection: Deno.Conn, text: string): Promise<void> {
  await connection.write(new TextEncoder().encode(text));
}

async function receives(connection: Deno.Conn, length: number): Promise<boolean> {
  return await connection.read(new Uint8Array(length)) !== null;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SECOND_MS));
}

/** Clients that behave alike, each of which connects again when the server closes. */
class Crowd {
  #isOver = false;
  readonly #connections = new Set<Deno.Conn>();
  readonly #clients: Promise<void>[] = [];

  constructor(private readonly url: string, private readonly behaviour: Behaviour) {}

  /** Waits until all are connected. */
  async connectAll(): Promise<void> {
    while (this.#clients.length < SIZE) {
      const connected = Array.from({ length: BATCH }, () =>
        new Promise<void>((resolve) => {
          this.#clients.push(this.#keepConnected(resolve));
        }));
      await Promise.all(connected);
    }
  }

  /** Closes all connections. */
  async leave(): Promise<void> {
    this.#isOver = true;
    for (const connection of this.#connections) connection.close();
    await Promise.all(this.#clients);
  }

  async #keepConnected(onConnect: () => void): Promise<void> {
    const { hostname, port } = new URL(this.url);
    while (!this.#isOver) {
      let connection: Deno.Conn | undefined;
      try {
        connection = await Deno.connect({ hostname, port: Number(port) });
        this.#connections.add(connection);
        if (this.#isOver) connection.close();
        onConnect();
        await this.behaviour(connection);
      } catch {
        // Either side has closed, or the server did not accept.
      }
      if (connection !== undefined) this.#connections.delete(connection);
      if (!this.#isOver) {
        connection?.close();
        await pause();
      }
    }
  }
}

/** Sends wrong pins over a few connections for a while; gives how many got which answer. */
async function callFor(
  ms: number,
  server: FaultedServer,
): Promise<Readonly<Record<string, number>>> {
  const answers: Record<string, number> = {};
  const form = `pin=${server.wrongPin(SECRET)}&secretCode=${encodeURIComponent(SECRET)}`;
  const request = withLength([
    ...["POST /api.asmx/ValidatePin HTTP/1.1", "Host: localhost"],
    "Content-Type: application/x-www-form-urlencoded",
  ], new TextEncoder().encode(form));
  const startMs = performance.now();
  const isOver = (): boolean => performance.now() - startMs > ms;
  const call = async (): Promise<void> => {
    do {
      using wire = await Wire.to(server.program.url);
      for (let isOpen = true; isOpen && !isOver();) {
        const { status, headers, body } = await wire.exchange(request);
        const text = new TextDecoder().decode(body);
        const answer = /(true|false)<\/boolean>$/.exec(text)?.[1] ?? String(status);
        answers[answer] = (answers[answer] ?? 0) + 1;
        isOpen = headers.get("connection") !== "close";
      }
    } while (!isOver());
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, call));
  return answers;
}

Deno.test(`a normal caller beside crowds of ${SIZE}`, async (t) => {
  // 2,000 connections, and what else a server has open.
  const circumstances = { args: ["--max-failures", "0"], shell: "ulimit -n 4096" };
  await withFaultedServer(circumstances, async (server) => {
    const { pid, url } = server.program;
    await callFor(SECOND_MS, server);
    const idleBytes = residentBytes(pid);
    const descriptors = descriptorCount(pid);
    for (const [name, behaviour] of Object.entries(BEHAVIOURS)) {
      await t.step(name, async () => {
        const crowd = new Crowd(url, behaviour);
        try {
          await crowd.connectAll();
          assertEquals(Object.keys(await callFor(STANDING_MS, server)), ["false"]);
          await server.assertHealthy();
        } finally {
          await crowd.leave();
        }
        await eventually(() => descriptorCount(pid) <= descriptors + 2, "descriptors come back");
      });
    }
    await server.assertHealthy();
    assert(residentBytes(pid) - idleBytes < 256 * MIB, "the memory does not come back");
    assert(peakResidentBytes(pid) < 512 * MIB, "more than half of what the unit of deploy/ allows");
  });
});
