/**
 * The file of a unix socket: made with its permissions, taken from a server that is gone, and
 * removed at the end.
 *
 * @module
 */

import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  unlinkSync,
} from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { ListenError, OTHERS_SOCKET, systemErrorCode } from "./listen_error.ts";

// What stands in the folder where a socket is made: it, and one that it replaces.
const NEW = "s";
const OLD = "old";

const FORBIDDEN: readonly string[] = ["EACCES", "EPERM"];

/** How long a server may take that came between two looks at its place. */
const FETCH_TIMEOUT_MS = 5_000;

/** A path that a server of ours may listen on. */
export interface SocketClaim {
  /**
   * Has a server listen there: on a path in a folder that nobody else may enter, from where the
   * socket gets to its place with its permissions, instead of one that is there.
   */
  readonly bind: <T>(open: (path: string) => T) => T;
  /** Removes the socket, unless another server's is in its place. */
  readonly release: () => void;
}

/**
 * Claims the path of a socket.
 *
 * @param connect Connects to a socket, and rejects when nobody answers there.
 * @throws {ListenError} When a server answers there, or something that is no socket is there.
 */
export async function claimSocket(
  path: string,
  mode: number,
  connect: (path: string) => Promise<void> = connected,
): Promise<SocketClaim> {
  const present = statOf(path);
  if (present !== undefined && !present.isSocket()) throw new ListenError({ path }, "EEXIST");
  const obstacle = await obstacleTo(connect(path));
  if (obstacle !== undefined) throw new ListenError({ path }, obstacle);
  let inode: number | undefined;
  return {
    bind: (open) => {
      const folder = makeFolder(path);
      const hidden = join(folder, NEW);
      try {
        const opened = open(hidden);
        chmodSync(hidden, mode);
        if (present !== undefined) takeAway(path, present, join(folder, OLD));
        const { ino } = lstatSync(hidden);
        publish(hidden, path);
        inode = ino;
        return opened;
      } catch (error) {
        throw error instanceof ListenError
          ? error
          : new ListenError({ path }, systemErrorCode(error));
      } finally {
        removeFolder(folder);
      }
    },
    release: () => {
      if (inode !== undefined && statOf(path)?.ino === inode) unlinkSync(path);
    },
  };
}

// Of servers that start at the same time, one finds what was there when it looked; the others give
// back what they took.
function takeAway(path: string, present: Stats, to: string): void {
  try {
    renameSync(path, to);
  } catch (error) {
    const code = systemErrorCode(error);
    // The folder may be written to, but with a sticky bit nobody takes from it what is another's.
    if (FORBIDDEN.includes(code)) throw new ListenError({ path }, OTHERS_SOCKET);
    throw code === "ENOENT" ? new ListenError({ path }, "EADDRINUSE") : error;
  }
  if (statOf(to)?.ino === present.ino) return;
  linkSync(to, path);
  throw new ListenError({ path }, "EADDRINUSE");
}

// By a second name, which unlike a new name does not replace what another server put there; by a new
// one where the file system, or what the program may do, has no second names.
function publish(hidden: string, path: string): void {
  try {
    linkSync(hidden, path);
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") throw new ListenError({ path }, "EADDRINUSE");
    renameSync(hidden, path);
  }
}

// For the owner alone, as mkdtemp makes it.
function makeFolder(path: string): string {
  try {
    return mkdtempSync(join(dirname(path), ".s"));
  } catch (error) {
    throw new ListenError({ path }, systemErrorCode(error));
  }
}

// One by one, since to look into a folder takes a descriptor, and there may be none.
function removeFolder(folder: string): void {
  for (const name of [NEW, OLD]) rmSync(join(folder, name), { force: true });
  rmdirSync(folder);
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new ListenError({ path }, systemErrorCode(error));
  }
}

// Found out as a caller would: by connecting. That nobody answers, or nothing is there, is no obstacle.
async function obstacleTo(connection: Promise<void>): Promise<string | undefined> {
  try {
    await connection;
    return "EADDRINUSE";
  } catch (error) {
    const code = systemErrorCode(error);
    if (["ECONNREFUSED", "ENOENT"].includes(code)) return undefined;
    return FORBIDDEN.includes(code) ? OTHERS_SOCKET : code;
  }
}

// Bun calls every refusal here ECONNREFUSED, also that of a server with a full queue, whose place would
// be taken. Where it fetches, it tells them apart.
async function connected(path: string): Promise<void> {
  try {
    await opened(path);
  } catch (error) {
    if (!("Bun" in globalThis) || systemErrorCode(error) !== "ECONNREFUSED") throw error;
    const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
    await fetch("http://localhost/healthz", { unix: path, signal } as RequestInit);
  }
}

function opened(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
  });
}
