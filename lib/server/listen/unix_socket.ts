/**
 * File of a unix socket: created with its permissions, in place of a stale one, and removed only by
 * the server that created it.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { type BigIntStats, chmodSync, lstatSync, renameSync, rmSync } from "node:fs";
import { once } from "node:events";
import { connect } from "node:net";
import process from "node:process";
import { systemErrorCode } from "../../system/system_error.ts";
import { ListenError } from "./error.ts";

/** Longest path of a socket on every system, in bytes: macOS has the least. */
const SAFE_PATH_BYTES = 103;

/** Length of a temporary name, where the path leaves room for it. */
const TEMPORARY_NAME_LENGTH = 8;

/**
 * File of a socket. The server binds a temporary path, since both runtimes remove the path that they
 * bound once more when they stop, also if another server has taken it by then
 * (tests/integration/upstream/deno_unlink.md, tests/integration/upstream/bun_unlink.md).
 */
export class SocketFile {
  /** Path to bind. */
  readonly temporaryPath: string;
  readonly #path: string;
  #bound: BigIntStats | undefined;

  /**
   * Makes the file of a socket; nothing is created yet.
   *
   * @param path Path of the socket.
   */
  constructor(path: string) {
    this.#path = path;
    this.temporaryPath = temporaryPath(path);
  }

  /**
   * Binds the temporary path. No other user can connect before the socket has its mode.
   *
   * @param open Listens on the temporary path at once.
   */
  bind<Serving>(open: () => Serving): Serving {
    const umask = process.umask(0o177);
    try {
      return open();
    } finally {
      process.umask(umask);
    }
  }

  /**
   * Gives the socket its mode and its path, where it replaces a stale socket, which no server answers.
   *
   * @param mode Permission bits of the socket.
   * @throws {Error} When a server answers there, or the path is not a socket; then the temporary
   * file is removed.
   */
  async publish(mode: number): Promise<void> {
    try {
      chmodSync(this.temporaryPath, mode);
      this.#bound = lstatSync(this.temporaryPath, { bigint: true });
      await checkFree(this.#path);
      renameSync(this.temporaryPath, this.#path);
    } catch (error) {
      rmSync(this.temporaryPath, { force: true });
      throw error;
    }
  }

  /**
   * Removes the socket unless another server's has taken its path: renames it first, since that can
   * be undone.
   *
   * @throws {Error} When it cannot be removed.
   */
  remove(): void {
    if (!this.#isAt(this.#path)) return;
    renameSync(this.#path, this.temporaryPath);
    if (this.#isAt(this.temporaryPath)) rmSync(this.temporaryPath);
    else renameSync(this.temporaryPath, this.#path);
  }

  #isAt(path: string): boolean {
    const found = lstatSync(path, { throwIfNoEntry: false, bigint: true });
    return found !== undefined && found.ino === this.#bound?.ino && found.dev === this.#bound.dev;
  }
}

// The temporary name is never shorter than the name of the socket, so that the system refuses a path
// that is too long.
function temporaryPath(path: string): string {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const nameBytes = Buffer.byteLength(path) - Buffer.byteLength(folder);
  const room = Math.min(SAFE_PATH_BYTES - Buffer.byteLength(folder), TEMPORARY_NAME_LENGTH);
  const random = randomUUID().slice(0, TEMPORARY_NAME_LENGTH);
  const length = Math.max(nameBytes, room);
  return folder + random.slice(0, length).padEnd(length, "_");
}

async function checkFree(path: string): Promise<void> {
  const present = lstatSync(path, { throwIfNoEntry: false });
  if (present === undefined) return;
  if (!present.isSocket()) throw new ListenError({ path }, "ENOTSOCK");
  if (await isAnswered(path)) throw new ListenError({ path }, "EADDRINUSE");
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect({ path });
  try {
    await once(socket, "connect");
    return true;
  } catch (error) {
    const code = systemErrorCode(error);
    // ENOENT: its server has removed it.
    if (code === "ECONNREFUSED" || code === "ENOENT") return false;
    throw error;
  } finally {
    socket.destroy();
  }
}
