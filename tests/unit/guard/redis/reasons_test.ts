import { assertEquals } from "@std/assert/equals";
import {
  NO_REPLY,
  ServerError,
  serverName,
  storeClause,
  UNREADABLE,
} from "../../../../lib/guard/redis/reasons.ts";

function coded(code: unknown): Error {
  return Object.assign(new Error("canary"), { code });
}

const PROTOCOL = "does not speak the Redis protocol";
const LOGIN = "refuses the user name or password";
const NO_LOGIN = "has no password, and was sent one";
const COMMAND = "does not let its user run a command that is needed";
const REPLICA = "is a replica, which decides nothing";
const IN_SCRIPT = "ERR Error running script (call to f_0a9): @user_script:4: @user_script: 4:";

// An error, or the text of an error reply, and the clause about the store.
const REASONS: readonly (readonly [unknown, string])[] = [
  [NO_REPLY, "does not answer in time"],
  [UNREADABLE, PROTOCOL],
  [new TypeError("canary"), PROTOCOL],
  ['Unknown RESP type 72 "H"', PROTOCOL],
  [coded("ECONNREFUSED"), "cannot be reached (ECONNREFUSED)"],
  [coded("ENOTFOUND"), "cannot be reached (ENOTFOUND)"],
  [coded("ECONNRESET"), "closes the connection (ECONNRESET)"],
  [coded("canary ECONNREFUSED"), "answers with errors"],
  [
    coded("SELF_SIGNED_CERT_IN_CHAIN"),
    "has a certificate that is not trusted (SELF_SIGNED_CERT_IN_CHAIN)",
  ],
  [
    coded("ERR_TLS_CERT_ALTNAME_INVALID"),
    "has a certificate for another name (ERR_TLS_CERT_ALTNAME_INVALID)",
  ],
  [
    coded("UNABLE_TO_VERIFY_LEAF_SIGNATURE"),
    "has a certificate that is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE)",
  ],
  [
    coded("ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED"),
    "requires another client certificate (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED)",
  ],
  [
    coded("ERR_SSL_TLSV1_ALERT_UNKNOWN_CA"),
    "requires another client certificate (ERR_SSL_TLSV1_ALERT_UNKNOWN_CA)",
  ],
  [
    coded("ERR_SSL_WRONG_VERSION_NUMBER"),
    "breaks TLS off (ERR_SSL_WRONG_VERSION_NUMBER)",
  ],
  ["WRONGPASS invalid username-password pair", `${LOGIN} (WRONGPASS)`],
  ["ERR invalid password", `${LOGIN} (ERR)`],
  ["NOAUTH Authentication required.", "requires a password (NOAUTH)"],
  ["ERR Protocol error: unauthenticated multibulk length", "requires a password (ERR)"],
  ["ERR AUTH <password> called without any password", `${NO_LOGIN} (ERR)`],
  ["ERR Client sent AUTH, but no password is set", `${NO_LOGIN} (ERR)`],
  ["ERR invalid DB index", "has no database of that number (ERR)"],
  ["DENIED Redis is running in protected mode", "is in protected mode (DENIED)"],
  ["ERR DB index is out of range", "has no database of that number (ERR)"],
  [
    "ERR wrong number of arguments for 'auth' command",
    "does not take a user name (Redis 5) (ERR)",
  ],
  ["ERR max number of clients reached", "has no room for another client (ERR)"],
  ["ERR unknown command 'EVAL', with args", "does not know EVAL (ERR)"],
  ["ERR unknown command `EVALSHA`", "does not know EVAL (ERR)"],
  ["NOPERM canary", `${COMMAND} (NOPERM)`],
  ["NOPERM User canary has no permissions to run the 'set' command", `${COMMAND} (NOPERM set)`],
  ["NOPERM User canary has no permissions to run the 'SET' command", `${COMMAND} (NOPERM set)`],
  ["NOPERM User canary has no permissions to run the 'canary' command", `${COMMAND} (NOPERM)`],
  ["ERR The user executing the script can't run this command or subcommand", `${COMMAND} (NOPERM)`],
  ["ERR ACL failure in script: User canary has no permissions", `${COMMAND} (NOPERM)`],
  [`${IN_SCRIPT} The user executing the script can't run this command`, `${COMMAND} (NOPERM)`],
  ["ASK 7 canary:1", "is a node of a Redis Cluster: use redis+cluster:// (ASK)"],
  ["MOVED 7 canary:1", "is a node of a Redis Cluster: use redis+cluster:// (MOVED)"],
  [
    "ERR This instance has cluster support disabled",
    "is no Redis Cluster: use redis:// (ERR)",
  ],
  ["ERR No such master with that name", "knows no primary of that name (ERR)"],
  ["READONLY You can't write", `${REPLICA} (READONLY)`],
  [`${IN_SCRIPT} -READONLY You canary`, `${REPLICA} (READONLY)`],
  ["@user_script:4: @user_script: 4: -READONLY You canary", `${REPLICA} (READONLY)`],
  ["MASTERDOWN Link with MASTER is down", `${REPLICA} (MASTERDOWN)`],
  ["OOM command not allowed", "is full (OOM)"],
  [`${IN_SCRIPT} -OOM canary`, "is full (OOM)"],
  ["CLUSTERDOWN Hash slot not served", "has no node for some keys (CLUSTERDOWN)"],
  ["LOADING Redis is loading", "is still loading its data (LOADING)"],
  ["MISCONF Redis is configured", "cannot write to its disk (MISCONF)"],
  ["BUSY canary", "is busy with a script of another client (BUSY)"],
  [
    "NOREPLICAS Not enough good replicas to write.",
    "has fewer replicas than its min-replicas-to-write (NOREPLICAS)",
  ],
  [
    `${IN_SCRIPT} -NOREPLICAS canary`,
    "has fewer replicas than its min-replicas-to-write (NOREPLICAS)",
  ],
  ["Socket closed unexpectedly", "closes the connection"],
  ["Connection timeout", "cannot be reached in time"],
  ["Socket timeout timeout: 500ms", "cannot be reached in time"],
  ["The client is closed", "closes the connection"],
  ["Disconnects client", "closes the connection"],
  ["All the root nodes are unavailable", "cannot be reached"],
  ["Cannot find node 10.0.0.9", "cannot be reached"],
  ["There is no primary", "cannot be reached"],
  ["There is no connection", "cannot be reached"],
  ["The queue is full", "does not answer in time"],
  // Nothing else of an error is shown.
  ["CANARY password", "answers with errors"],
  ["NOAUTHORITY canary", "answers with errors"],
  ["ERR of NOAUTH canary", "answers with errors (ERR)"],
  ["", "answers with errors"],
  [undefined, "answers with errors"],
];

for (const [error, saying] of REASONS) {
  Deno.test(`storeClause() of ${String(error).slice(0, 60)} is: a store ${saying}`, () => {
    assertEquals(storeClause(typeof error === "string" ? new Error(error) : error), saying);
  });
}

Deno.test("storeClause() takes the words of a reason for it only where an error begins with them", () => {
  for (const [error] of REASONS) {
    if (typeof error !== "string") continue;
    assertEquals(storeClause(new Error(`canary ${error}`)), "answers with errors", error);
  }
});

Deno.test("serverName() shows an address only where it is a host and a port", () => {
  const shown = ["10.0.0.9", "redis-1.example", "fd00::9", "[fd00::9]"];
  for (const host of shown) {
    assertEquals(serverName("primary", host, 6379), `its primary, ${host}:6379,`);
  }
  for (const host of ["", "a b", "a\n", "\x1b[31m", "a:b", "é", "fd00::9\n", "a,b"]) {
    assertEquals(serverName("node", host, 6379), "one of its nodes");
  }
  for (const port of ["", "x", "99999", "1\n", -1, NaN]) {
    assertEquals(serverName("node", "10.0.0.9", port), "one of its nodes");
  }
});

Deno.test("storeClause() names the server of a store that failed", () => {
  const error = new ServerError("its primary, 10.0.0.9:6379,", coded("ECONNREFUSED"));
  assertEquals(
    storeClause(error),
    "its primary, 10.0.0.9:6379, cannot be reached (ECONNREFUSED)",
  );
  assertEquals(storeClause(new Error(NO_REPLY)), "does not answer in time");
});
