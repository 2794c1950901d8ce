import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { assertRejects } from "@std/assert/rejects";
import { guardFindings } from "../../../lib/cli/doctor/guard_state.ts";
import { guardLines, guardName, guardUnlock } from "../../../lib/cli/guard_commands.ts";
import type { Config } from "../../../lib/config/options.ts";
import { fingerprintBy, shortName } from "../../../lib/guard/fingerprint.ts";
import { KEY_PREFIX } from "../../../lib/guard/redis/script.ts";
import { CommandError } from "../../../lib/cli/io/io.ts";
import { freePort } from "../../support/free_port.ts";
import { type Reply, startFakeRedis } from "../../support/fake_redis.ts";
import { startRaw } from "../../support/raw_server.ts";
import { callCommand, configOf, streamOf, withProcess } from "../../support/command.ts";
import { GUARD_KEY, GUARD_KEY_FILE } from "../../support/guard_key.ts";
import { SEAL_KEYS_FILE, sealByJose } from "../../support/seal_keys.ts";

const SECRET = "canary battery staple";
const FINGERPRINT = fingerprintBy(new TextEncoder().encode(GUARD_KEY), "SHA1")(
  new TextEncoder().encode(SECRET),
);
const HOUR = 3_600_000;
const NOW_SECONDS = 1_800_000_000;
const PATIENT = "timeout=60000";

/** What a command prints that is given the secret, and options that name a store and a key. */
async function printed(
  command: (config: Config, print: (line: string) => void) => Promise<number>,
  answer: (words: readonly string[]) => Reply,
  args: readonly string[] = [],
): Promise<readonly string[]> {
  const store = startFakeRedis(answer);
  const lines: string[] = [];
  try {
    const flags = ["--guard", `${store.url}/1?${PATIENT}`, "--guard-key-file", GUARD_KEY_FILE];
    const config = configOf([...flags, ...args]);
    const stdin = streamOf([`${SECRET}\n`]);
    const print = (line: string): void => void lines.push(line);
    assertEquals(await withProcess({ stdin }, () => command(config, print)), 0);
  } finally {
    store.close();
  }
  return lines;
}

Deno.test("guard name --csv names the secret of each record, beside its other fields", async () => {
  const args = ["guard", "name", "--csv", "--guard-key-file", GUARD_KEY_FILE];
  const keys = ["--seal-keys-file", SEAL_KEYS_FILE];
  const sealed = await sealByJose(SECRET);
  const table = `7,x,${SECRET}\n8,,\n9,"a ""b""",${sealed}\n`;
  const named = await callCommand([...args, ...keys], { stdin: table });
  const name = shortName(FINGERPRINT);
  assertEquals([named.code, named.stdout, named.stderr], [
    0,
    `"${name}","7","x"\n"","8",""\n"${name}","9","a ""b"""\n`,
    "",
  ]);
  const cut = `7,${sealed.slice(0, -1)}\n8,${SECRET}\n`;
  const { code, stdout, stderr } = await callCommand([...args, ...keys], { stdin: cut });
  assertEquals([code, stdout, stderr], [
    1,
    `"","7"\n"${name}","8"\n`,
    'authenticator: warning: record 1 ("7") has a secret that is sealed, and was changed or cut off.\n',
  ]);
  const without = await callCommand(args, { stdin: `8,${SECRET}\n9,${sealed}\n` });
  assertEquals([without.code, without.stdout], [1, `"${name}","8"\n`]);
});

Deno.test("guard name opens a sealed secret, and reports one that it cannot open", async () => {
  const args = ["guard", "name", "--guard-key-file", GUARD_KEY_FILE];
  const keys = ["--seal-keys-file", SEAL_KEYS_FILE];
  const sealed = await sealByJose(SECRET);
  const named = await callCommand([...args, ...keys], { stdin: sealed });
  assertEquals([named.code, named.stdout], [0, `${shortName(FINGERPRINT)}\n`]);
  const { code, stderr } = await callCommand([...args, ...keys], { stdin: `${sealed}A` });
  assertEquals([code, stderr], [
    1,
    "authenticator: error: the secret is sealed, and was changed or cut off.\n",
  ]);
  const without = await callCommand(args, { stdin: sealed });
  assertEquals([without.code, without.stdout, without.stderr], [
    1,
    "",
    "authenticator: error: the secret is sealed, and --seal-keys-file is not given; run the command " +
    "with authenticator-as-service, or type the secret itself.\n",
  ]);
  // A plain secret needs no file of keys, which may be closed to the person who types it.
  const plain = await callCommand([...args, "--seal-keys-file", "nowhere"], { stdin: SECRET });
  assertEquals([plain.code, plain.stdout], [0, named.stdout]);
});

/** Prints what `status` has of a store. */
async function guardStatus(config: Config, print: (line: string) => void): Promise<number> {
  (await guardLines(undefined, config)).forEach(print);
  return 0;
}

/** What a store keeps of some secrets, by the beginnings of their fingerprints. */
function keeping(states: ReadonlyMap<string, string>): (words: readonly string[]) => Reply {
  const kept = new Map([...states].map(([name, state]) => [name.padEnd(43, "-"), state]));
  return ([command, word]) => {
    if (command === "TIME") return [String(NOW_SECONDS), "0"];
    if (command === "GET") return kept.get(word!.slice(KEY_PREFIX.length)) ?? null;
    return command === "SCAN" ? ["0", [...kept.keys()].map((key) => KEY_PREFIX + key)] : "OK";
  };
}

function spent(wrong: number): string {
  return `${wrong * HOUR}:${NOW_SECONDS * 1000}:-1`;
}

Deno.test("status shows the secrets at a store with the most wrong pins, and how many wait", async () => {
  const nameOf = (wrong: number): string => `secret-${String(wrong).padStart(3, "0")}`;
  const all = Array.from({ length: 12 }, (_, i) => [`${nameOf(i)}-cut-off`, spent(i)] as const);
  const lines = await printed(guardStatus, keeping(new Map(all)), ["--max-failures", "10"]);
  assertEquals(lines, [
    "secrets remembered: 12",
    "secrets whose pins are refused now: 2",
    ...[11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((wrong) => {
      const seconds = wrong === 11 ? 60 : wrong === 10 ? 30 : 0;
      return `secret=${nameOf(wrong)} wrong=${wrong} refused_seconds=${seconds}`;
    }),
  ]);
});

Deno.test("status rounds the seconds of a wait up, so that nobody tries too early", async () => {
  const waits = [[0, 30], [-900, 30], [-1000, 29], [-29_999, 1], [-30_000, 0]] as const;
  const lines = await Promise.all(waits.map(async ([changeMs]) => {
    const state = `${2 * HOUR}:${NOW_SECONDS * 1000 + changeMs}:-1`;
    const args = ["--max-failures", "2"];
    return (await printed(guardStatus, keeping(new Map([["secret-one-cut", state]])), args)).at(-1);
  }));
  assertEquals(
    lines,
    waits.map(([, seconds]) => `secret=secret-one wrong=2 refused_seconds=${seconds}`),
  );
});

Deno.test("status counts a secret that is throttled for only one source", async () => {
  const state = `${2 * HOUR}:${NOW_SECONDS * 1000}:-1 one:${4 * HOUR}:${NOW_SECONDS * 1000}:0`;
  const lines = await printed(guardStatus, keeping(new Map([["secret-one-cut", state]])), [
    "--max-failures",
    "3",
  ]);
  assertEquals(lines, [
    "secrets remembered: 1",
    "secrets whose pins are refused now: 1",
    "secret=secret-one wrong=2 refused_seconds=30",
  ]);
});

Deno.test("status shows none of those that have all wrong pins back, of however many", async () => {
  const few = new Map([["used-alone", `0:0:${NOW_SECONDS / 30}`], ["back-again", `${HOUR}:0:-1`]]);
  assertEquals(await printed(guardStatus, keeping(few)), [
    "secrets remembered: 2",
    "secrets whose pins are refused now: 0",
  ]);
  const many = Array.from({ length: 2_100 }, (_, i) => [`s${1e9 + i}`, spent(1 + i % 90)] as const);
  const lines = await printed(guardStatus, keeping(new Map(many)));
  assertEquals([lines[0], lines.length], ["secrets remembered: 2100", 12]);
  assertEquals(new Set(lines.slice(2).map((line) => line.split(" ")[1])), new Set(["wrong=90"]));
});

Deno.test("status estimates the secrets of a store from the part that it reads, or has what it read at least", async () => {
  const keep = keeping(new Map([["a", spent(9)], ["b", spent(1)], ["c", spent(0)]]));
  // Two thousand keys of other programs, and the secrets.
  const others = Array.from({ length: 1997 }, (_, i) => `other-${i}`);
  const part = (keyspace: string) => (words: readonly string[]): Reply => {
    if (words[0] === "INFO") return keyspace;
    const reply = keep(words);
    return words[0] === "SCAN" ? ["7", [...others, ...(reply as [string, string[]])[1]]] : reply;
  };
  const rows = [
    ["db0:keys=9\r\ndb1:keys=4600,expires=1\r\n", "about 7", "about 2"],
    ["db0:keys=9\r\n", "more than 3", "at least 1"],
  ] as const;
  for (const [keyspace, total, refused] of rows) {
    const lines = await printed(guardStatus, part(keyspace), ["--max-failures", "5"]);
    assertEquals(lines.slice(0, 2), [
      `secrets remembered: ${total}; 3 were read, from which the rest is estimated`,
      `secrets whose pins are refused now: ${refused}`,
    ]);
  }
});

Deno.test("guard unlock lifts the wait of the secret at a store, and names it as the log does", async () => {
  for (const [reply, expected] of [[1, "checked again"], [0, "nothing was remembered"]] as const) {
    const asked: (readonly string[])[] = [];
    const lines = await printed(guardUnlock, (words) => {
      asked.push(words);
      return words[0] === "EVAL" ? reply : "OK";
    });
    assertEquals([lines.length, lines[0]!.includes(expected)], [1, true], lines[0]);
    assertEquals(lines[0]!.includes(`secret=${shortName(FINGERPRINT)}`), true);
    const [, , ...key] = asked.find(([command]) => command === "EVAL")!;
    assertEquals(key, ["1", `${KEY_PREFIX}${FINGERPRINT}`, ""]);
  }
  assertEquals(
    await printed((config, print) => guardName(config, { csv: false }, print), () => "OK"),
    [shortName(FINGERPRINT)],
  );
});

Deno.test("guard unlock goes to the store past a server that refuses, and warns that its log has no line", async () => {
  const unauthorized = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n";
  const rows = [
    [unauthorized, "wants an API key"],
    ["220 mail.example ESMTP\r\n", "does not answer as HTTP"],
    ["", "closes the connection without an answer"],
  ] as const;
  for (const [bytes, expected] of rows) {
    await using server = startRaw((write) => write(bytes));
    const args = ["guard", "unlock", "--metrics-port", `${server.port}`];
    const store = startFakeRedis(() => 1);
    const flags = ["--guard", `${store.url}?${PATIENT}`, "--guard-key-file", GUARD_KEY_FILE];
    const { code, stdout, stderr } = await callCommand([...args, ...flags], { stdin: SECRET });
    store.close();
    assertEquals([code, stdout.includes("checked again")], [0, true], stderr);
    assertEquals(stderr.includes(expected), true, stderr);
    assertMatch(stderr, /warning: .*; so the log of that server has no line/);
  }
});

/** The longest time for which a timer was asked while something ran, in milliseconds. */
async function longestTimer(run: () => Promise<unknown>): Promise<number> {
  const { setTimeout } = globalThis;
  let longest = 0;
  Object.assign(globalThis, {
    setTimeout: (act: () => void, ms = 0) => {
      longest = Math.max(longest, ms);
      return setTimeout(act, ms);
    },
  });
  try {
    await run();
  } finally {
    Object.assign(globalThis, { setTimeout });
  }
  return longest;
}

Deno.test("status and doctor wait longer for a store than a server does, unless its URL has a time-out", async () => {
  const store = startFakeRedis(keeping(new Map()));
  const config = (timeoutMs: number): Config =>
    configOf([
      ...["--guard", `${store.url}?timeout=${timeoutMs}`],
      ...["--guard-key-file", GUARD_KEY_FILE],
    ]);
  const ofStatus = (timeoutMs: number): Promise<number> =>
    longestTimer(() => guardStatus(config(timeoutMs), () => {}).catch(() => {}));
  const ofDoctor = (timeoutMs: number): Promise<number> =>
    longestTimer(() => guardFindings(config(timeoutMs), SECRET, 7));
  const waited = [await ofStatus(60_000), await ofDoctor(60_000)] as const;
  assertEquals(waited[0], waited[1]);
  assertEquals(await ofStatus(1), waited[0] * 2_000 / 60_000);
  assertEquals(await ofDoctor(1), waited[1] * 2_000 / 60_000);
  store.close();
});

Deno.test("guard reports why a store cannot be used, and nothing that the store sent", async () => {
  const fails = (answer: Reply): Promise<Error> =>
    assertRejects(() => printed(guardStatus, () => answer), CommandError);
  const { message } = await fails(new Error("NOPERM canary"));
  assertEquals(
    message.replace(/127[.0-9:]+\/1/, "HERE"),
    "the store of the guard, redis://HERE, does not let its user run a command that is needed (NOPERM)",
  );
  const nowhere = configOf(["--guard", `redis://:canary@127.0.0.1:${freePort()}?${PATIENT}`]);
  const refused = await assertRejects(() => guardStatus(nowhere, () => {}), CommandError);
  assertEquals(/canary/.test(refused.message), false);
  assertEquals(refused.message.endsWith("cannot be reached (ECONNREFUSED)"), true);
});
