import { assertEquals } from "@std/assert/equals";
import {
  DemotedError,
  ErrorReply,
  LeaderlessError,
  ProtocolError,
  SilenceError,
  storeFailure,
} from "../../lib/connection/store_failure.ts";

function coded(code: unknown): Error {
  return Object.assign(new Error("canary"), { code });
}

const REPLICA = "is a replica, which decides nothing";
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
  ...[
    "ERR The user executing the script can't run this command or subcommand",
    "ERR ACL failure in script: User canary has no permissions",
  ].map((text) =>
    [
      new ErrorReply(text),
      "forbidden",
      "does not let its user run a command that is needed (ERR)",
    ] as const
  ),
  [
    new ErrorReply("@user_script: 12: The user executing the script can't run this command"),
    "forbidden",
    "does not let its user run a command that is needed",
  ],
  // Redis 5 and 6, and Dragonfly, pass on what a command in a script said.
  ...[
    ["@user_script:4: @user_script: 4: -READONLY You", "read-only", "READONLY", REPLICA],
    ["@user_script:4: -READONLY You", "read-only", "READONLY", REPLICA],
    ["@user_script:4: @user_script: 4: -OOM", "unusable", "OOM", "answers with errors"],
  ].map(([said, kind, word, saying]) =>
    [
      new ErrorReply(`ERR Error running script (call to f_0a9): ${said} canary`),
      kind!,
      `${saying} (${word})`,
    ] as const
  ),
  [
    new ErrorReply(
      "ERR Error running script (call to f_0a9): @user_script:4: @user_script: 4: " +
        "The user executing the script can't run this command or subcommand",
    ),
    "forbidden",
    "does not let its user run a command that is needed",
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
  [new DemotedError("canary"), "demoted", "is no longer the primary"],
  [new ErrorReply("CANARY password"), "unusable", "answers with errors"],
  [new ErrorReply(""), "unusable", "answers with errors"],
  [new ErrorReply("7 OOM canary"), "unusable", "answers with errors"],
  [new ErrorReply("NOAUTHORITY canary"), "unusable", "answers with errors"],
  ...[
    "NOAUTH",
    "NOPERM",
    "MOVED",
    "READONLY",
    "ERR Protocol error: unauthenticated",
    "ERR The user executing the script can't run this command",
  ].map((text) =>
    [new ErrorReply(`ERR of ${text}`), "unusable", "answers with errors (ERR)"] as const
  ),
  [
    coded("ERR_SSL_TLSV1_ALERT_ACCESS_DENIED"),
    "unwelcome",
    "requires another client certificate (ERR_SSL_TLSV1_ALERT_ACCESS_DENIED)",
  ],
  [
    coded("UNABLE_TO_VERIFY_LEAF_SIGNATURE"),
    "untrusted",
    "has a certificate that is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE)",
  ],
  [
    coded("AN_ERR_SSL_ALERT_UNKNOWN_CA"),
    "unreachable",
    "cannot be reached (AN_ERR_SSL_ALERT_UNKNOWN_CA)",
  ],
  // A code is a word of two to 64 characters.
  [coded("A"), "unreachable", "cannot be reached"],
  [coded("A".repeat(64)), "unreachable", `cannot be reached (${"A".repeat(64)})`],
  [coded("A".repeat(65)), "unreachable", "cannot be reached"],
  [{ code: "ECONNREFUSED" }, "unreachable", "cannot be reached"],
];

// First words of error replies, by what they mean.
const WORDS: readonly (readonly [string, readonly string[]])[] = [
  ["refused", ["NOAUTH", "WRONGPASS"]],
  ["forbidden", ["NOPERM"]],
  ["redirecting", ["ASK", "MOVED"]],
  ["read-only", ["MASTERDOWN", "READONLY"]],
  [
    "unusable",
    [
      ...["BUSY", "CLUSTERDOWN", "CROSSSLOT", "DENIED", "ERR", "EXECABORT", "LOADING"],
      ...["MISCONF", "NOREPLICAS", "OOM", "TRYAGAIN", "UNKILLABLE"],
    ],
  ],
];

Deno.test("storeFailure() shows the first word of an error that Redis has, and no more of it", () => {
  for (const [kind, words] of WORDS) {
    for (const word of words) {
      const failure = storeFailure(new ErrorReply(`${word} canary`));
      assertEquals([failure.kind, /\((.*)\)$/.exec(failure.saying)?.[1]], [kind, word]);
      assertEquals(failure.saying.includes("canary"), false);
    }
  }
});

Deno.test("storeFailure() knows what Redis says to a login that it refuses", () => {
  const replies = [
    "ERR AUTH <password> called without any password configured",
    "ERR Client sent AUTH, but no password is set",
    "ERR invalid password",
  ];
  assertEquals(replies.map((text) => storeFailure(new ErrorReply(text)).kind), [
    ...["refused", "refused", "refused"],
  ]);
});

for (const [error, kind, saying] of FAILURES) {
  Deno.test(`storeFailure() says of ${String(error).slice(0, 40)} (${kind}) that the store ${saying}`, () => {
    assertEquals(storeFailure(error), { kind, saying });
  });
}

Deno.test("errors of a store have the names of their classes", () => {
  const classes = [ErrorReply, ProtocolError, SilenceError, LeaderlessError, DemotedError];
  assertEquals(classes.map((ofStore) => String(new ofStore("a"))), [
    "ErrorReply: a",
    "ProtocolError: a",
    "SilenceError: a",
    "LeaderlessError: a",
    "DemotedError: a",
  ]);
});
