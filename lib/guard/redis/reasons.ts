/**
 * Reasons of store failures, in words that quote no command and no reply.
 *
 * @module
 */

/** Timeout: the store did not answer in time. */
export class StoreTimeoutError extends Error {
  /** The name of the class. */
  override readonly name = "StoreTimeoutError";
}

/** Makes the error of a command after its deadline. */
export function timeoutError(reason: string): StoreTimeoutError {
  return new StoreTimeoutError(reason);
}

/** Reply that does not fit the command. */
export class ProtocolError extends Error {
  /** The name of the class. */
  override readonly name = "ProtocolError";
}

/** Error of one server of a store. */
export class ServerError extends Error {
  /** The name of the class. */
  override readonly name = "ServerError";

  /**
   * Wraps an error.
   *
   * @param server The server as the subject of a clause: "its primary, 10.0.0.9:6379,".
   */
  constructor(readonly server: string, override readonly cause: unknown) {
    super(server);
  }
}

/** Clauses about a store, by the beginning of its error or system error code. */
const STORE_REASONS: readonly (readonly [RegExp, string])[] = [
  [/^ERR max number of clients/, "has no room for another client"],
  [/^ERR unknown command [`']?EVAL/i, "does not know EVAL"],
  [/^ERR wrong number of arguments for 'auth'/, "does not take a user name (Redis 5)"],
  [/^(?:WRONGPASS|ERR invalid password)\b/, "refuses the user name or password"],
  // The second is Redis' reply to a long command before AUTH.
  [/^(?:NOAUTH|ERR Protocol error: unauthenticated)\b/, "requires a password"],
  [/^ERR (?:AUTH|Client sent AUTH)\b/, "has no password, and was sent one"],
  [/^ERR (?:invalid DB index|DB index is out of range)/, "has no database of that number"],
  // Redis 6, 7.0 and later versions word the refusal of a command in a script differently.
  [
    /^(?:NOPERM|(?:ERR )?(?:ACL failure in script|The user executing))\b/,
    "does not let its user run a command that is needed",
  ],
  [/^(?:ASK|MOVED)\b/, "is a node of a Redis Cluster: use redis+cluster://"],
  [/^ERR This instance has cluster support disabled/, "is no Redis Cluster: use redis://"],
  [/^ERR No such master/, "knows no primary of that name"],
  [/^no valid master node/, "knows no primary that is up"],
  [/^(?:MASTERDOWN|READONLY)\b/, "is a replica, which decides nothing"],
  [/^OOM\b/, "is full"],
  [/^DENIED Redis is running in protected mode/, "is in protected mode"],
  [/^LOADING\b/, "is still loading its data"],
  [/^MISCONF\b/, "cannot write to its disk"],
  [/^CLUSTERDOWN\b/, "has no node for some keys"],
  // RFC 8446 §6.2: alerts about the certificate of the client, or about its absence.
  [
    /^ERR_SSL_.*ALERT_.*(?:CERT|CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/,
    "requires another client certificate",
  ],
  [/^ERR_SSL_/, "breaks TLS off"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "has a certificate for another name"],
  [/^ECONNRESET$/, "closes the connection"],
  [/^(?:\w+_)?(?:CERT|UNABLE_TO|ERR_TLS_)\w*$/, "has a certificate that is not trusted"],
  // Messages of the client.
  [/^(?:Connection timeout|Socket timeout)/, "cannot be reached in time"],
  [/^(?:Socket closed unexpectedly|The client is|Disconnects client)/, "closes the connection"],
  [/^(?:All the root nodes|None of the sentinels|Cannot find node)/, "cannot be reached"],
  [/^The queue is full/, "does not answer in time"],
];

/** First words of error replies that are safe to show; any other word could be a password. */
const ERROR_WORD = new RegExp(
  "^(?:ASK|BUSY|CLUSTERDOWN|CROSSSLOT|DENIED|ERR|EXECABORT|LOADING|MASTERDOWN|MISCONF|MOVED|" +
    "NOAUTH|NOPERM|NOREPLICAS|OOM|READONLY|TRYAGAIN|UNKILLABLE|WRONGPASS)\\b",
);

/** Prefix of Redis 5 and 6, and of Dragonfly, before the error of a command in a script. */
const IN_SCRIPT = /^(?:ERR Error running script \(call to \w+\): )?(?:@user_script: ?[0-9]+: )+-?/;

/** Returns the reason of a store failure, as a clause without its subject. */
export function storeReason(error: unknown): string {
  if (error instanceof ServerError) return storeReason(error.cause);
  if (error instanceof StoreTimeoutError) return "does not answer in time";
  if (error instanceof ProtocolError) return "does not speak the Redis protocol";
  const code = codeOf(error);
  const text = code || (error instanceof Error ? error.message.replace(IN_SCRIPT, "") : "");
  const word = code || ERROR_WORD.exec(text)?.[0];
  const known = STORE_REASONS.find(([beginning]) => beginning.test(text))?.[1];
  const saying = known ?? unknownReason(error, { code, word });
  return saying + (word === undefined ? "" : ` (${word})`);
}

/**
 * Returns the reason as a clause with the failed server as its subject: "its primary, HOST:PORT, is
 * full".
 */
export function storeClause(error: unknown): string {
  return error instanceof ServerError
    ? `${error.server} ${storeReason(error)}`
    : storeReason(error);
}

function unknownReason(
  error: unknown,
  { code, word }: { readonly code: string; readonly word: string | undefined },
): string {
  if (code !== "") return "cannot be reached";
  if (word !== undefined) return "answers with errors";
  // The client has no error class for its parser.
  return error instanceof TypeError || /^Unknown RESP type/.test(messageOf(error))
    ? "does not speak the Redis protocol"
    : "answers with errors";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "";
}

/**
 * Returns the code of a system or TLS error, as named by libuv and OpenSSL; empty for any other
 * error.
 */
function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : "";
}
