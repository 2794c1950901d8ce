/**
 * File of a unix socket: created with its permissions, in place of a stale one.
 *
 * @module
 */

import { chmodSync, lstatSync, rmSync } from "node:fs";
import { connect } from "node:net";
import process from "node:process";
import { systemErrorCode } from "../../system/system_error.ts";
import { ListenError } from "./error.ts";

/**
 * Removes a stale socket, which no server answers.
 *
 * @throws {ListenError} When a server answers, or the path is not a socket.
 */
export async function clearSocket(path: string): Promise<void> {
  try {
    const present = lstatSync(path, { throwIfNoEntry: false });
    if (present === undefined) return;
    if (!present.isSocket()) throw new ListenError({ path }, "ENOTSOCK");
    if (await isAnswered(path)) throw new ListenError({ path }, "EADDRINUSE");
    rmSync(path, { force: true });
  } catch (error) {
    throw error instanceof ListenError ? error : new ListenError({ path }, systemErrorCode(error));
  }
}

/**
 * Binds a socket. No other user can connect before it has its mode.
 *
 * @param open Listens on the path at once.
 * @param mode Permission bits of the socket.
 */
export function bindSocket<Serving>(path: string, mode: number, open: () => Serving): Serving {
  const umask = process.umask(0o177);
  try {
    const serving = open();
    chmodSync(path, mode);
    return serving;
  } finally {
    process.umask(umask);
  }
}

async function isAnswered(path: string): Promise<boolean> {
  try {
    await connected(path);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "ECONNREFUSED") return false;
    throw error;
  }
}

function connected(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
  });
}
