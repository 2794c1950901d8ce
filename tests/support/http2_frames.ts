/**
 * Frames of HTTP/2 by hand (RFC 9113 §4.1), with field lines as literals without indexing (RFC 7541
 * §6.2.2).
 *
 * @module
 */

import { Buffer } from "node:buffer";

const DATA = 0;
const HEADERS = 1;
const SETTINGS = 4;
const END_STREAM = 1;
const END_HEADERS = 4;
const INITIAL_WINDOW_SIZE = 4;

/** Makes a frame. */
function frame(type: number, flags: number, stream: number, payload = new Uint8Array()): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Preface of a client (RFC 9113 §3.4). */
export const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** SETTINGS with the size of the window of each stream. */
export function windowSettings(bytes: number): Buffer {
  const payload = Buffer.alloc(6);
  payload.writeUInt16BE(INITIAL_WINDOW_SIZE, 0);
  payload.writeUInt32BE(bytes, 2);
  return frame(SETTINGS, 0, 0, payload);
}

/** Start of a connection whose streams have windows of this size. */
export function startOf(windowBytes: number): Buffer {
  return Buffer.concat([Buffer.from(PREFACE), windowSettings(windowBytes)]);
}

/** Request for a stream; its body may follow. */
export function request(
  stream: number,
  fields: Readonly<Record<string, string>>,
  isWhole = true,
): Buffer {
  const all = { ":method": "GET", ":scheme": "http", ":authority": "localhost", ...fields };
  const lines = Object.entries(all).map(([name, value]) =>
    Buffer.concat([
      Buffer.from([0, name.length]),
      Buffer.from(name),
      Buffer.from([value.length]),
      Buffer.from(value),
    ])
  );
  const flags = END_HEADERS | (isWhole ? END_STREAM : 0);
  return frame(HEADERS, flags, stream, Buffer.concat(lines));
}

/** Empty DATA, which no window holds back. */
export function emptyData(stream: number): Buffer {
  return frame(DATA, 0, stream);
}
