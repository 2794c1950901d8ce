import { randomBytes } from "node:crypto";
import { GUARD_KEY_FILE } from "../../support/guard_key.ts";
import { decide, storeThat } from "../../support/guard_store.ts";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import {
  createGuard,
  type GuardObserver,
  guardProblems,
  latestFiles,
  readGuardKey,
  storeObserver,
} from "../../../lib/server/keyed_guard.ts";
import { UsageError } from "../../../lib/config/option.ts";
import { AUTHORITY, CERTIFICATE, PRIVATE_KEY } from "../../support/certificates.ts";
import { callCommand, configOf } from "../../support/command.ts";
import { eventually } from "../../support/eventually.ts";
import { withFolder } from "../../support/folder.ts";
import { freePort } from "../../support/free_port.ts";
import { type Reply, startFakeRedis } from "../../support/fake_redis.ts";

// None of these is about patience.
const PATIENT = "timeout=60000";
// A store that is not refused stays silent until its timeout, which takes too long for a test.
const SOON_MS = 30_000;
const monotonicMs = (): number => performance.now();
const OBSERVER = {
  log: { info: () => {}, warn: () => {} },
  monotonicMs,
  randomBytes,
};

// What the options ask for, and the verdicts about a wrong pin and a right one that comes twice.
const ROWS: readonly (readonly [string, readonly string[] | undefined])[] = [
  ["", ["wrong", "accepted", "accepted"]],
  ["--single-use", ["wrong", "accepted", "replayed"]],
  ["--max-failures 1", ["wrong", "throttled", "throttled"]],
  ["--max-failures 0 --single-use", ["wrong", "accepted", "replayed"]],
  ["--max-failures 0", undefined],
];

for (const [line, verdicts] of ROWS) {
  Deno.test(`createGuard() follows the options "${line}"`, async () => {
    const guard = createGuard(configOf(line.split(" ").filter((word) => word !== "")), OBSERVER);
    const logged: string[] = [];
    for (const step of [undefined, 7, 7]) {
      if (guard !== undefined) logged.push(await decide(guard.store, "a secret", step));
    }
    assertEquals(guard && logged, verdicts);
    guard?.shared?.close();
  });
}

Deno.test("guardProblems() names what is wrong with a store, or only that it does not answer", () => {
  const problemsOf = (isHealthy: boolean): readonly string[] =>
    guardProblems({
      fingerprint: () => "",
      source: () => "",
      store: storeThat(),
      shared: {
        ready: Promise.resolve(),
        isHealthy: () => isHealthy,
        failing: () => [],
        aheadMs: () => undefined,
        problems: (store) => [`${store} is full`],
        close: () => {},
      },
    });
  const name = "the store of the guard";
  assertEquals(guardProblems(undefined), []);
  assertEquals(problemsOf(true), [`${name} is full`]);
  assertEquals(problemsOf(false), [`${name} does not answer`]);
});

Deno.test("readGuardKey() strips white space and a byte order mark", () => {
  const path = Deno.makeTempFileSync();
  const key = "k".repeat(32);
  for (
    const [text, read] of [
      [key, key],
      [`${key}\n`, key],
      [`${key}k\t\r\n `, `${key}k`],
      [` ${key}`, ` ${key}`],
      [`${key.slice(1)}\n\n`, `${key.slice(1)}\n`],
      [`\uFEFF${key}`, key],
      [`\uFEFF${key}\r\n`, key],
      [`\uFEFF${key.slice(1)}`, `\uFEFF${key.slice(1)}`],
      [`k\uFEFF${key}`, `k\uFEFF${key}`],
      // Its first byte is that of the mark.
      [`\uF000${key}`, `\uF000${key}`],
    ] as const
  ) {
    Deno.writeTextFileSync(path, text);
    assertEquals(new TextDecoder("utf-8", { ignoreBOM: true }).decode(readGuardKey(path)), read);
  }
  for (const [length, found] of [[31, "31 bytes"], [1, "1 byte"], [0, "0 bytes"]] as const) {
    Deno.writeTextFileSync(path, key.slice(0, length));
    assertEquals(
      assertThrows(() => readGuardKey(path), UsageError).message,
      "the file of --guard-key-file must hold a key of 32 random bytes or more, or their text: it " +
        `holds ${found}`,
    );
  }
  Deno.removeSync(path);
});

Deno.test("createGuard() reads the file of its key, whether or not it needs it", () => {
  for (const more of [[], ["--max-failures", "0"]]) {
    const config = configOf(["--guard-key-file", "/nowhere/at/all", ...more]);
    assertThrows(
      () => createGuard(config, OBSERVER),
      UsageError,
      "--guard-key-file cannot be read",
    );
  }
});

/** An observer, with its log lines and counts. */
function observed(): { readonly logLines: string[]; readonly observer: GuardObserver } {
  const logLines: string[] = [];
  const note = (kind: string) => (what: string): void => void logLines.push(`${kind}: ${what}`);
  const log = { info: note("info"), warn: note("warn") };
  const metrics = {
    countEvicted: (kind: string, count?: number) => note("count")([kind, count].join(" ").trim()),
    countStoreError: () => note("count")("store-error"),
  };
  return { logLines, observer: { log, metrics, monotonicMs, randomBytes } };
}

Deno.test("a guard has the name of its key, which a line break at the end does not change", async () => {
  await withFolder(async (folder) => {
    for (const end of ["", "\n"]) {
      const path = `${folder}/key${end.length}`;
      await Deno.writeTextFile(path, "0123456789abcdef".repeat(2) + end);
      const guard = createGuard(configOf(["--guard-key-file", path]), OBSERVER)!;
      // The beginning of what `sha256sum` prints.
      assertEquals(guard.keyName, "k3eb1bd43");
    }
  });
  assertEquals(createGuard(configOf([]), OBSERVER)!.keyName, undefined);
});

Deno.test("createGuard() counts evictions, and logs them once a minute", async () => {
  const { logLines, observer } = observed();
  const { store } = createGuard(configOf(["--guard-entries", "10"]), observer)!;
  for (let i = 0; i < 12; i++) await decide(store, String(i), undefined);
  assertEquals(logLines, [
    "count: failed",
    "warn: the guard is full: it remembers 10 secrets (--guard-entries), and forgets those with the " +
    "fewest wrong pins",
    "count: failed",
  ]);
});

Deno.test("createGuard() logs again after a minute that there is no room", async () => {
  const { logLines, observer } = observed();
  let nowMs = 0;
  const config = configOf(["--guard-entries", "1"]);
  const { store } = createGuard(config, { ...observer, monotonicMs: () => nowMs })!;
  // The first has room.
  for (nowMs of [5, 10, 60_009, 60_010, 60_011]) await decide(store, `at ${nowMs}`, undefined);
  assertEquals(logLines.map((line) => line.split(":")[0]), [
    ...["count", "warn", "count", "count", "warn", "count"],
  ]);
});

Deno.test("createGuard() draws a key where none is given", async () => {
  const { logLines, observer } = observed();
  const redis = startFakeRedis();
  const guard = createGuard(configOf(["--guard", `${redis.url}?${PATIENT}`]), observer)!;
  await eventually(() => guard.shared!.isHealthy());
  assertEquals(logLines, [`info: the store of the guard, ${redis.url}, answers`]);
  assertEquals(await decide(guard.store, guard.fingerprint(new Uint8Array(20)), 7), "accepted");
  guard.shared!.close();
  await eventually(() => !guard.shared!.isHealthy());
  redis.close();
});

Deno.test("createGuard() logs why its store cannot be used, and counts the failed decisions", async () => {
  const { logLines, observer } = observed();
  const url = `redis://127.0.0.1:${freePort()}`;
  const guard = createGuard(
    configOf(["--guard", `${url}?${PATIENT}`, "--guard-key-file", GUARD_KEY_FILE]),
    observer,
  )!;
  await eventually(() => logLines.length > 0);
  for (const step of [undefined, 7]) {
    assertEquals(await decide(guard.store, "a", step), "unavailable");
  }
  assertEquals(logLines, [
    `warn: the store of the guard, ${url}, cannot be reached (ECONNREFUSED): pins that need it are refused`,
    "count: store-error",
    "count: store-error",
  ]);
  guard.shared!.close();
});

Deno.test("createGuard() names the node of a Cluster that cannot be used", async () => {
  const { logLines, observer } = observed();
  const none = freePort();
  const node = startFakeRedis(() => {
    const range = (
      from: number,
      to: number,
      port: number,
    ): Reply => [from, to, ["127.0.0.1", port, "id"]];
    return [range(0, 8191, node.port), range(8192, 16_383, none)];
  });
  const url = `redis+cluster://127.0.0.1:${node.port}`;
  const guard = createGuard(configOf(["--guard", `${url}?${PATIENT}`]), observer)!;
  await eventually(() => logLines.length > 0 && guard.shared!.isHealthy());
  const problems = guard.shared!.problems("the store");
  guard.shared!.close();
  node.close();
  const clause = `its node, 127.0.0.1:${none}, cannot be reached (ECONNREFUSED)`;
  assertEquals([logLines, problems], [
    [`warn: the store of the guard, ${url}, ${clause}: pins that need it are refused`],
    [`the store, ${clause}`],
  ]);
});

// A store that says of itself what would write lines of its own, and command a terminal.
const LIE = "\x1b]0;title\x07\n2026-01-01T00:00:00.000Z info request\u202E 127.0.0.1";
const LIARS: readonly (readonly [string, string, (words: readonly string[]) => Reply])[] = [
  ["redis", "", () => new Error(`ERR ${LIE.replace("\n", " ")}`)],
  ["redis", "", () => LIE],
  ["redis+cluster", "", () => [[0, 16_383, [LIE, 6379, LIE]]]],
  ["redis+cluster", "", () => [[0, 16_383, ["127.0.0.1", LIE, "id"]]]],
  [
    "redis+sentinel",
    "/main",
    ([, command = ""]) =>
      /^master$/i.test(command)
        ? ["name", "main", "ip", LIE, "port", "6379", "flags", "master"]
        : /^get-master/i.test(command)
        ? [LIE, "6379"]
        : [],
  ],
  ["redis+sentinel", "/main", () => new Error(`ERR ${LIE.replace("\n", " ")}`)],
];

Deno.test("no byte of a store that lies reaches the log or a terminal", async () => {
  for (const [scheme, path, reply] of LIARS) {
    const { logLines, observer } = observed();
    const liar = startFakeRedis(reply);
    const url = `${scheme}://127.0.0.1:${liar.port}${path}`;
    const args = ["--guard", `${url}?timeout=2000`, "--guard-key-file", GUARD_KEY_FILE];
    const guard = createGuard(configOf(args), observer)!;
    await eventually(() => logLines.length > 0);
    guard.shared!.close();
    const { code, stdout, stderr } = await callCommand(["guard", "unlock", ...args], {
      stdin: "canary",
    });
    liar.close();
    assertEquals([code, stdout], [1, ""], url);
    for (const line of [...logLines, stderr.trimEnd()]) {
      assert(/^\P{C}*$/u.test(line) && !/title|request|2026/.test(line), JSON.stringify(line));
    }
  }
});

Deno.test("createGuard() reads the files of TLS for each connection, and still connects when they are gone", async () => {
  const { logLines, observer } = observed();
  const path = Deno.makeTempFileSync();
  Deno.writeTextFileSync(path, AUTHORITY);
  using listener = Deno.listenTls({
    hostname: "127.0.0.1",
    port: 0,
    cert: CERTIFICATE,
    key: PRIVATE_KEY,
  });
  let connections = 0;
  void (async () => {
    for await (const connection of listener) {
      connections++;
      void connection.handshake().catch(() => {}).finally(() => connection.close());
    }
  })();
  const url = `rediss://127.0.0.1:${listener.addr.port}`;
  const config = configOf(["--guard", `${url}?${PATIENT}`, "--guard-tls-ca", path]);
  const guard = createGuard(config, observer)!;
  // The authority is another one, then the right one; the name is never the address.
  const reason = (line = ""): string => /\((\w+)\): pins that/.exec(line)?.[1] ?? line;
  const soon = (isSo: () => boolean, what: string): Promise<void> =>
    eventually(isSo, what, SOON_MS);
  try {
    await soon(() => logLines.length === 1, "the certificate is refused");
    Deno.writeTextFileSync(path, CERTIFICATE);
    await soon(() => logLines.length === 2, "the authority is read again");
    Deno.removeSync(path);
    const before = connections;
    await soon(() => connections > before + 2, "the store is tried without the file");
  } finally {
    guard.shared!.close();
  }
  assertEquals(logLines.map(reason), [
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "ERR_TLS_CERT_ALTNAME_INVALID",
  ]);
  // A file that cannot be used from the start is refused.
  assertThrows(() => createGuard(config, observer), UsageError, "--guard-tls-ca cannot be read");
});

Deno.test("the files of the store are the last that could be used, after each of three renewals", async () => {
  await withFolder((folder) => {
    const path = `${folder}/ca`;
    const put = (text: string): void => Deno.writeTextFileSync(path, text);
    put(AUTHORITY);
    const args = ["--guard", "rediss://store", "--guard-tls-ca", path];
    const read = latestFiles(configOf(args));
    for (const renewed of [CERTIFICATE, AUTHORITY, `${CERTIFICATE}\n`]) {
      put(renewed);
      assertEquals(read().ca, renewed);
      put("half a cert");
      assertEquals(read().ca, renewed);
      Deno.removeSync(path);
      assertEquals(read().ca, renewed);
    }
    return Promise.resolve();
  });
});

Deno.test("createGuard() counts each eviction of the store, and logs them once a minute", () => {
  const { logLines, observer } = observed();
  let nowMs = 0;
  const { onFinding } = storeObserver("the store,", { ...observer, monotonicMs: () => nowMs });
  for (nowMs of [0, 59_999, 60_000, 119_999, 120_000]) onFinding({ kind: "evictions", count: 7 });
  assertEquals(logLines.map((line) => line.split(":")[0]), [
    ...["count", "warn", "count", "count", "warn", "count", "count", "warn"],
  ]);
  assertEquals(
    new Set(logLines.filter((line) => !line.startsWith("warn"))),
    new Set(["count: store 7"]),
  );
});

Deno.test("what happens to a store is a line of the log", () => {
  const { logLines, observer } = observed();
  const events = storeObserver("the store,", observer);
  const refused = Object.assign(new Error("canary"), { code: "ECONNREFUSED" });
  for (const error of [refused, undefined]) {
    events.onStoreChange(error);
    events.onWatchChange(error);
  }
  events.onStoreMove("192.0.2.1:6379", "192.0.2.2:6379");
  events.onFinding({ kind: "clock", aheadMs: 3_000 });
  events.onFindingEnd("clock");
  events.onFinding({ kind: "refused", command: "INFO" });
  events.onFindingEnd("keys");
  const why = "cannot be reached (ECONNREFUSED)";
  assertEquals(logLines, [
    `warn: the store, ${why}: pins that need it are refused`,
    `warn: the store, is not watched: ${why}; a failover is noticed late`,
    "info: the store, answers",
    "info: the store, is watched again by its Sentinels",
    "info: the store, moved from 192.0.2.1:6379 to 192.0.2.2:6379",
    "warn: the clock is 3 s ahead of that of the store",
    "info: the clock agrees with that of the store again",
    "warn: the store, refuses INFO to its user: evictions go unnoticed",
    "info: the store, has no server with another guard key any more",
  ]);
});
