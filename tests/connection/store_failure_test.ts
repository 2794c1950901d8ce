import { assertEquals } from "@std/assert/equals";
import {
  ErrorReply,
  LeaderlessError,
  ProtocolError,
  SilenceError,
  storeFailure,
} from "../../lib/connection/store_failure.ts";

function coded(code: unknown): Error {
  return Object.assign(new Error("canary"), { code });
}

const ALERT = "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED";

// What happened, the kind, and what is said of the store.
const FAILURES: readonly (readonly [unknown, string, string])[] = [
  [new Error("canary"), "unreachable", "cannot be reached"],
  ["canary", "unreachable", "cannot be reached"],
  [coded("ECONNREFUSED"), "unreachable", "cannot be reached (ECONNREFUSED)"],
  [coded("ENOTFOUND"), "unreachable", "cannot be reached (ENOTFOUND)"],
  [coded("can ary"), "unreachable", "cannot be reached"],
  [coded("canary ECONNREFUSED"), "unreachable", "cannot be reached"],
  [coded("ECONNREFUSED canary"), "unreachable", "cannot be reached"],
  [null, "unreachable", "cannot be reached"],
  [undefined, "unreachable", "cannot be reached"],
  [coded(7), "unreachable", "cannot be reached"],
  [new SilenceError("canary"), "silent", "does not answer in time"],
  [new ProtocolError("canary"), "nonsense", "does not speak the Redis protocol"],
  [
    coded("SELF_SIGNED_CERT_IN_CHAIN"),
    "untrusted",
    "has a certificate that is not trusted (SELF_SIGNED_CERT_IN_CHAIN)",
  ],
  [
    coded("ERR_TLS_CERT_ALTNAME_INVALID"),
    "untrusted",
    "has a certificate that is not trusted (ERR_TLS_CERT_ALTNAME_INVALID)",
  ],
  [coded(ALERT), "unwelcome", `requires another client certificate (${ALERT})`],
  [
    coded("ERR_SSL_TLSV1_ALERT_UNKNOWN_CA"),
    "unwelcome",
    "requires another client certificate (ERR_SSL_TLSV1_ALERT_UNKNOWN_CA)",
  ],
  [
    coded("ERR_SSL_WRONG_VERSION_NUMBER"),
    "insecure",
    "breaks TLS off (ERR_SSL_WRONG_VERSION_NUMBER)",
  ],
  [
    new ErrorReply("WRONGPASS invalid username-password pair"),
    "refused",
    "refuses the user name or password (WRONGPASS)",
  ],
  [
    new ErrorReply("NOAUTH Authentication required."),
    "refused",
    "refuses the user name or password (NOAUTH)",
  ],
  [
    new ErrorReply("ERR AUTH <password> called without any password"),
    "refused",
    "refuses the user name or password (ERR)",
  ],
  [
    new ErrorReply("ERR Protocol error: unauthenticated multibulk length"),
    "refused",
    "refuses the user name or password (ERR)",
  ],
  [new ErrorReply("OOM command not allowed"), "unusable", "answers with errors (OOM)"],
  [
    new ErrorReply("READONLY You can't write"),
    "read-only",
    "is a replica, which decides nothing (READONLY)",
  ],
  [
    new ErrorReply("MOVED 7 canary:1"),
    "redirecting",
    "is a node of a Redis Cluster: use redis+cluster:// (MOVED)",
  ],
  [new LeaderlessError("canary"), "leaderless", "knows of no primary"],
  [new ErrorReply("CANARY password"), "unusable", "answers with errors"],
  [new ErrorReply(""), "unusable", "answers with errors"],
  [new ErrorReply("7 OOM canary"), "unusable", "answers with errors"],
];

for (const [error, kind, saying] of FAILURES) {
  Deno.test(`storeFailure() says of ${String(error).slice(0, 40)} (${kind}) that the store ${saying}`, () => {
    assertEquals(storeFailure(error), { kind, saying });
  });
}

Deno.test("errors of a store have the names of their classes", () => {
  const errors = [new ErrorReply("a"), new ProtocolError("b"), new SilenceError("c")];
  assertEquals(errors.map(String), ["ErrorReply: a", "ProtocolError: b", "SilenceError: c"]);
});
