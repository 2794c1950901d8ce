/**
 * Reasons of store failures, in words that quote no command and no reply.
 *
 * @module
 */

import { isIPv6 } from "node:net";
import { isAddress } from "./store_url.ts";

/** Message of the error of a command without a reply in time. */
export const NO_REPLY = "No reply in time";

/** Message of the error of a reply that does not fit the command. */
export const UNREADABLE = "Unreadable reply";

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

/**
 * Names a server by what the store says of it, which is shown only where it is a host and a port.
 *
 * @param role The role of the server.
 */
export function serverName(role: "primary" | "node", host: string, port: number | string): string {
  const address = `${host}:${port}`;
  // The store and its client write IPv6 addresses without brackets.
  return isAddress(address) || isIPv6(host) && isAddress(`[${host}]:${port}`)
    ? `its ${role}, ${address},`
    : "one of its nodes";
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
  [/^NOPERM\b/, "does not let its user run a command that is needed"],
  [/^(?:ASK|MOVED)\b/, "is a node of a Redis Cluster: use redis+cluster://"],
  [/^ERR This instance has cluster support disabled/, "is no Redis Cluster: use redis://"],
  [/^ERR No such master/, "knows no primary of that name"],
  [/^(?:MASTERDOWN|READONLY)\b/, "is a replica, which decides nothing"],
  [/^NOREPLICAS\b/, "has fewer replicas than its min-replicas-to-write"],
  [/^BUSY\b/, "is busy with a script of another client"],
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
  // Messages of the client, and of this folder.
  [/^(?:Connection timeout|Socket timeout)/, "cannot be reached in time"],
  [/^(?:Socket closed unexpectedly|The client is|Disconnects client)/, "closes the connection"],
  [
    /^(?:All the root nodes|Cannot find node|There is no (?:primary|connection))/,
    "cannot be reached",
  ],
  [/^(?:The queue is full|No reply in time)/, "does not answer in time"],
  [/^(?:Unknown RESP type|Unreadable reply)/, "does not speak the Redis protocol"],
];

/** First words of error replies that are safe to show; any other word could be a password. */
const ERROR_WORD = new RegExp(
  "^(?:ASK|BUSY|CLUSTERDOWN|CROSSSLOT|DENIED|ERR|EXECABORT|LOADING|MASTERDOWN|MISCONF|MOVED|" +
    "NOAUTH|NOPERM|NOREPLICAS|OOM|READONLY|TRYAGAIN|UNKILLABLE|WRONGPASS)\\b",
);

/** Refusal of a command in a script, as Redis 6, 7.0 and later versions word it. */
const REFUSED_IN_SCRIPT = /^(?:ERR )?(?:ACL failure in script|The user executing)\b/;

/** Names of commands that are safe to show in a refusal. */
const COMMAND =
  /'(eval|evalsha|get|set|del|time|select|scan|pttl|cluster\|slots|asking|client\|setname)'/i;

/** Prefix of Redis 5 and 6, and of Dragonfly, before the error of a command in a script. */
const IN_SCRIPT = /^(?:ERR Error running script \(call to \w+\): )?(?:@user_script: ?[0-9]+: )+-?/;

/** Whether an error is the refusal of a command in a script, which does not name the command. */
export function isRefusedInScript(error: unknown): boolean {
  return error instanceof Error && REFUSED_IN_SCRIPT.test(error.message.replace(IN_SCRIPT, ""));
}

/**
 * Returns the reason of a store failure as a clause, whose subject is the store, or a server of it:
 * "is full (OOM)"; "its primary, HOST:PORT, is full (OOM)".
 */
export function storeClause(error: unknown): string {
  if (error instanceof ServerError) return `${error.server} ${storeClause(error.cause)}`;
  const said = error instanceof Error ? error.message.replace(IN_SCRIPT, "") : "";
  const message = said.replace(REFUSED_IN_SCRIPT, "NOPERM");
  const code = codeOf(error);
  const command = message.startsWith("NOPERM") ? COMMAND.exec(message)?.[1]?.toLowerCase() : "";
  const word = code ?? [ERROR_WORD.exec(message)?.[0], command].filter(Boolean).join(" ");
  const known = STORE_REASONS.find(([beginning]) => beginning.test(code ?? message))?.[1];
  return (known ?? unknownReason(error, code)) + (word === "" ? "" : ` (${word})`);
}

function unknownReason(error: unknown, code: string | undefined): string {
  if (code !== undefined) return "cannot be reached";
  // The client's parser throws errors of JavaScript.
  return error instanceof TypeError ? "does not speak the Redis protocol" : "answers with errors";
}

/** Returns the code of a system or TLS error, as named by libuv and OpenSSL. */
function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : undefined;
}
