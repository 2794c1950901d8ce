/**
 * What a command asks of a running server over its admin socket: whom it asks, and what it believes.
 *
 * @module
 */

import { lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import http from "node:http";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { flagOf } from "../config/option.ts";
import { systemErrorCode } from "../runtime/listen_error.ts";
import { ADMIN_PATHS, ADMIN_REFUSALS, type AdminAnswer, type AdminStatus } from "./admin.ts";

/** How long a server may take to answer, in milliseconds. */
const PATIENCE_MS = 5000;

/** More than any answer of a server. */
const MAX_ANSWER_LENGTH = 16_384;

const FLAG = flagOf("adminSocket");
const NO_SERVER = `what answers at the socket of ${FLAG} is no admin socket of a server`;

/** A server cannot be asked, or refuses to answer; the message is a clause for a person. */
export class AdminError extends Error {
  /** The name of the class. */
  override readonly name = "AdminError";
}

/**
 * Asks a server whose pins are refused.
 *
 * @throws {AdminError} When no server says so.
 */
export async function askStatus(path: string): Promise<AdminStatus> {
  return await ask(path, "status", undefined, isStatus);
}

/**
 * Asks a server what a secret is called in its log.
 *
 * @throws {AdminError} When no server says so.
 */
export async function askName(path: string, secret: string): Promise<string> {
  return (await ask(path, "name", secret, isAnswer)).name;
}

/**
 * Has a server lift the wait of a secret.
 *
 * @throws {AdminError} When no server says that it did.
 */
export async function askUnlock(path: string, secret: string): Promise<Required<AdminAnswer>> {
  return await ask(path, "unlock", secret, isUnlocked);
}

async function ask<T>(
  path: string,
  what: keyof typeof ADMIN_PATHS,
  body: string | undefined,
  isExpected: (said: unknown) => said is T,
): Promise<T> {
  const { status, text } = await exchange(trusted(path), what, body).catch((error) => {
    throw error instanceof AdminError ? error : new AdminError(reasonOf(error));
  });
  // Nothing else that is said is shown: a terminal may obey it.
  const refusal = ADMIN_REFUSALS.find((known) => known.status === status && known.clause === text);
  if (refusal !== undefined) throw new AdminError(`the server says that ${refusal.clause}`);
  const said = parsed(text);
  if (status !== 200 || !isExpected(said)) throw new AdminError(NO_SERVER);
  return said;
}

/** What there is to know of a socket or a folder. */
export type Owned = Pick<Stats, "uid" | "mode">;

// Where another user may make a socket, a secret would go to whoever was first, while the server is
// down for instance. Between this look and the connection, only those can put another socket there who
// may write to its folder or to one above: with a sticky bit, the owners of the folder and of what is
// in it, and root. They could have been the server as well. No runtime says who is at the other end
// of a connection. The path that is given back leads over no symbolic link that somebody may turn.
function trusted(path: string): string {
  try {
    const [first, ...above] = upwards(realpathSync(dirname(path)));
    const real = join(first!, basename(path));
    const socket = lstatSync(real);
    if (!socket.isSocket()) throw new AdminError(`what is at the path of ${FLAG} is no socket`);
    const reason = distrust(
      socket,
      [statSync(first!), ...above.map((each) => statSync(each))],
      ownUser(),
    );
    if (reason !== undefined) throw new AdminError(reason);
    return real;
  } catch (error) {
    throw error instanceof AdminError ? error : new AdminError(reasonOf(error));
  }
}

function upwards(folder: string): readonly string[] {
  const above = dirname(folder);
  return [folder, ...(above === folder ? [] : upwards(above))];
}

function ownUser(): number {
  try {
    return process.getuid!();
  } catch {
    throw new AdminError("the program was started without the permission to know its user");
  }
}

/**
 * Why a socket may be somebody else's.
 *
 * @param folders The folder that it is in, and all above that one.
 * @param uid The user who asks. Root may ask the server of any user, in a folder of that user.
 */
export function distrust(
  socket: Owned,
  folders: readonly Owned[],
  uid: number,
): string | undefined {
  const isOfItsFolder = uid === 0 && socket.uid === folders[0]?.uid;
  if (![0, uid].includes(socket.uid) && !isOfItsFolder) {
    return `the socket of ${FLAG} belongs to another user`;
  }
  if (folders.some((folder) => ![0, socket.uid, uid].includes(folder.uid))) {
    return `the folder of ${FLAG}, or one above it, belongs to another user`;
  }
  const isOpen = ({ mode }: Owned): boolean => (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
  return folders.some(isOpen)
    ? `other users may write to the folder of ${FLAG}, or to one above it, and put a socket of ` +
      "theirs there"
    : undefined;
}

interface Reply {
  readonly status: number | undefined;
  readonly text: string;
}

function exchange(
  socketPath: string,
  what: keyof typeof ADMIN_PATHS,
  body: string | undefined,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    signal.addEventListener("abort", () => reject(signal.reason));
    const request = http.request({
      socketPath,
      path: ADMIN_PATHS[what],
      method: body === undefined ? "GET" : "POST",
      headers: { host: "localhost", connection: "close" },
      signal,
    });
    request.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        if (text.length <= MAX_ANSWER_LENGTH) return;
        reject(new AdminError(NO_SERVER));
        request.destroy();
      });
      response.on("end", () => resolve({ status: response.statusCode, text }));
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}

// By the code of the system's error, or else its name.
const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", `there is no socket at the path of ${FLAG}`],
  ["ENOTDIR", `there is no socket at the path of ${FLAG}`],
  ["ENAMETOOLONG", `the absolute path of ${FLAG} is too long for a socket`],
  ["EINVAL", `the absolute path of ${FLAG} is too long for a socket`],
  ["ECONNREFUSED", `no server listens at the socket of ${FLAG}`],
  ["EACCES", `this user may not use the socket of ${FLAG}`],
  ["EPERM", `this user may not use the socket of ${FLAG}`],
  ["NotCapable", `the program was started without the permission to use the socket of ${FLAG}`],
  [
    "TimeoutError",
    `the server at the socket of ${FLAG} does not answer within ${PATIENCE_MS / 1000} seconds`,
  ],
]);

function reasonOf(error: unknown): string {
  const { name } = error as { readonly name?: unknown };
  return REASONS.get(String(name)) ?? REASONS.get(systemErrorCode(error)) ?? NO_SERVER;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// As `shortName` makes it.
const NAME = /^[\w-]{10}$/;

function isAnswer(said: unknown): said is AdminAnswer {
  return isRecord(said) && isName(said.name);
}

function isUnlocked(said: unknown): said is Required<AdminAnswer> {
  return isRecord(said) && isName(said.name) && typeof said.wasKept === "boolean";
}

function isStatus(said: unknown): said is AdminStatus {
  if (!isRecord(said)) return false;
  const { entries = 0, attackedSecrets, throttledSecrets, top } = said;
  return [entries, attackedSecrets, throttledSecrets].every(Number.isSafeInteger) &&
    Array.isArray(top) &&
    top.every((row) => isRecord(row) && isName(row.secret) && Number.isSafeInteger(row.pins));
}

function isName(value: unknown): boolean {
  return typeof value === "string" && NAME.test(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
