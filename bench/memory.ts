/**
 * Resident memory: after the start, and every 100,000 of 1,000,000 requests of ValidatePin, beside
 * programs that do nothing but answer. Run compile.sh before; Linux only.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { peers, row, startPeer } from "./peers.ts";

const REQUESTS = 1_000_000;
const STEP = 100_000;
const CONNECTIONS = 8;

const BODY = "pin=123456&secretCode=correct%20horse%20battery%20staple";
const REQUEST = Buffer.from(
  "POST /api.asmx/ValidatePin HTTP/1.1\r\nHost: localhost\r\n" +
    `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
);

/** Sends requests, each when the one before was answered. */
async function send(url: string, count: number): Promise<void> {
  const { hostname, port } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const buffer = new Uint8Array(65_536);
  for (let sent = 0; sent < count; sent++) {
    await connection.write(REQUEST);
    let text = "";
    while (!isWhole(text)) {
      const length = await connection.read(buffer);
      if (length === null) throw new Error("the server closed");
      text += Buffer.from(buffer.buffer, 0, length).toString("latin1");
    }
  }
}

// The peers reply with `ok`, and with a body alone or in a chunk.
function isWhole(reply: string): boolean {
  return reply.endsWith("</boolean>") || reply.endsWith("ok") || reply.endsWith("0\r\n\r\n");
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
const steps = Array.from({ length: REQUESTS / STEP }, (_, i) => (i + 1) * STEP);

row(["resident, MB", "idle", ...steps.map((step) => `${step / 1000}k`)]);
for (const peer of peers()) {
  const running = await startPeer(peer);
  const figures = [running.residentBytes()];
  for (const _ of steps) {
    const each = STEP / CONNECTIONS;
    await Promise.all(Array.from({ length: CONNECTIONS }, () => send(running.url, each)));
    figures.push(running.residentBytes());
  }
  row([peer.name, ...figures.map(megabytes)]);
  await running.stop();
}
