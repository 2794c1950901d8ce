/**
 * Why a store cannot be used, in words that repeat nothing of what was sent or received.
 *
 * @module
 */

/** A reply that is an error, with the text of the store, which may repeat what was sent. */
export class ErrorReply extends Error {
  /** The name of the class. */
  override readonly name = "ErrorReply";
}

/** What is no reply, or none to what was asked. */
export class ProtocolError extends Error {
  /** The name of the class. */
  override readonly name = "ProtocolError";
}

/** A reply that did not come in time. */
export class SilenceError extends Error {
  /** The name of the class. */
  override readonly name = "SilenceError";
}

/** Nobody who should know it knows a primary. */
export class LeaderlessError extends Error {
  /** The name of the class. */
  override readonly name = "LeaderlessError";
}

/** Another server is the primary now. */
export class DemotedError extends Error {
  /** The name of the class. */
  override readonly name = "DemotedError";
}

/** A kind of reason. */
export type StoreFailureKind =
  | "unreachable"
  | "silent"
  | "untrusted"
  | "unwelcome"
  | "insecure"
  | "refused"
  | "forbidden"
  | "leaderless"
  | "demoted"
  | "redirecting"
  | "read-only"
  | "unusable"
  | "nonsense";

/** What is said of a store for each. */
const SAYINGS: Readonly<Record<StoreFailureKind, string>> = {
  unreachable: "cannot be reached",
  silent: "does not answer in time",
  untrusted: "has a certificate that is not trusted",
  unwelcome: "requires another client certificate",
  insecure: "breaks TLS off",
  refused: "refuses the user name or password",
  forbidden: "does not let its user run a command that is needed",
  leaderless: "knows of no primary",
  demoted: "is no longer the primary",
  redirecting: "is a node of a Redis Cluster: use redis+cluster://",
  "read-only": "is a replica, which decides nothing",
  unusable: "answers with errors",
  nonsense: "does not speak the Redis protocol",
};

/** First words of error replies that may be shown. A store could put a password there as well. */
const ERROR_WORDS: ReadonlySet<string> = new Set([
  ...["ASK", "BUSY", "CLUSTERDOWN", "CROSSSLOT", "DENIED", "ERR", "EXECABORT", "LOADING"],
  ...["MASTERDOWN", "MISCONF", "MOVED", "NOAUTH", "NOPERM", "NOREPLICAS", "OOM", "READONLY"],
  ...["TRYAGAIN", "UNKILLABLE", "WRONGPASS"],
]);

/** Why a store cannot be used. */
export interface StoreFailure {
  /** The kind of reason. */
  readonly kind: StoreFailureKind;
  /** A clause about the store. */
  readonly saying: string;
}

/** What an error says of the store. */
export function storeFailure(error: unknown): StoreFailure {
  const { kind, word } = kindOf(error);
  return { kind, saying: SAYINGS[kind] + (word === undefined ? "" : ` (${word})`) };
}

function kindOf(error: unknown): { readonly kind: StoreFailureKind; readonly word?: string } {
  if (error instanceof SilenceError) return { kind: "silent" };
  if (error instanceof ProtocolError) return { kind: "nonsense" };
  if (error instanceof LeaderlessError) return { kind: "leaderless" };
  if (error instanceof DemotedError) return { kind: "demoted" };
  if (error instanceof ErrorReply) return errorReply(error.message);
  const code = codeOf(error);
  return code === "" ? { kind: "unreachable" } : { kind: kindOfCode(code), word: code };
}

/**
 * The code of an error of the system or of TLS, in the names that both runtimes have from libuv and
 * OpenSSL; empty where there is none. Nothing that a store sends becomes one.
 */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : "";
}

const KINDS_OF_ERRORS: readonly (readonly [RegExp, StoreFailureKind])[] = [
  [/^(?:WRONGPASS|NOAUTH|ERR (?:AUTH|Client sent AUTH|invalid password))\b/, "refused"],
  // To a long command before AUTH.
  [/^ERR Protocol error: unauthenticated\b/, "refused"],
  // Of a command in a script, Redis 6, 7.0 and later versions say it in words of their own.
  [/^(?:NOPERM|(?:ERR )?(?:ACL failure in script|The user executing))\b/, "forbidden"],
  [/^(?:ASK|MOVED)\b/, "redirecting"],
  [/^(?:MASTERDOWN|READONLY)\b/, "read-only"],
];

/** What Redis 5 and 6, and Dragonfly, put before what a command in a script said. */
const IN_SCRIPT = /^(?:ERR Error running script \(call to \w+\): )?(?:@user_script: ?[0-9]+: )+-?/;

function errorReply(reply: string): ReturnType<typeof kindOf> {
  const message = reply.replace(IN_SCRIPT, "");
  const kind = KINDS_OF_ERRORS.find(([pattern]) => pattern.test(message))?.[1] ?? "unusable";
  const word = /^[A-Z]+/.exec(message)?.[0] ?? "";
  return ERROR_WORDS.has(word) ? { kind, word } : { kind };
}

function kindOfCode(code: string): StoreFailureKind {
  // RFC 8446 §6.2: alerts of the store about the certificate that it was shown, or was not.
  if (/^ERR_SSL_.*ALERT_.*(?:CERT|CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/.test(code)) {
    return "unwelcome";
  }
  if (/^ERR_SSL_/.test(code)) return "insecure";
  return /CERT|UNABLE_TO|ERR_TLS_/.test(code) ? "untrusted" : "unreachable";
}
