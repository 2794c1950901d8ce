// Every figure in the documentation comes from the code, or names what measures it.

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import configuration from "../deno.json" with { type: "json" };
import { OPTIONS } from "../lib/config/options.ts";
import { extraLooks, FIRST_WAIT_MS } from "../lib/guard/budget.ts";
import { MIN_GUARD_KEY_BYTES } from "../lib/guard/fingerprint.ts";
import { guardRules, sourceBudget, strangersBudget, totalBudget } from "../lib/guard/guard.ts";
import { KNOWN_MS, MAX_KNOWN_SOURCES, MAX_SOURCES } from "../lib/guard/sources.ts";
import { DEFAULT_TOTP } from "../lib/otp/totp.ts";
import { MAX_DRAIN_MS } from "../lib/runtime/traffic.ts";
import { OPERATIONS } from "../lib/service/operations.ts";
import { MAX_QUERY_LENGTH } from "../lib/http/target.ts";
import { MAX_REPLY_BYTES } from "./cost/groups.ts";
import { PAGES, prose, read, ROOT } from "./support/pages.ts";

/** A number in a file that keeps it to itself, by a pattern with one group. */
function valueBy(path: string, pattern: RegExp): number {
  const [, digits] = pattern.exec(read(path)) ?? [];
  assert(digits !== undefined, `${path} has nothing like ${pattern}`);
  return Number(digits.replaceAll("_", ""));
}

/** The number behind the name of a constant. */
function valueIn(path: string, name: string): number {
  return valueBy(path, new RegExp(`\\b${name} = ([0-9][0-9_]*)`));
}

const KIB = 1024;
const grouped = (value: number): string => new Intl.NumberFormat("en").format(value);
const WATCHED = grouped(valueIn("lib/telemetry/attack_watch.ts", "MAX_SECRETS"));
const MAX_OPTION_FILE_BYTES = valueIn("lib/app/option_file.ts", "MAX_FILE_BYTES");
const WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const inWords = (value: number): string => WORDS[value] ?? (value === 11 ? "eleven" : `${value}`);

const PIN = [...OPERATIONS.get("ValidatePin")!.parameters].find(({ name }) => name === "pin")!;
const codeSeconds = (window: number): number => (2 * window + 1) * DEFAULT_TOTP.period;
const [, DENO, BUN] = /DENO_VERSION=(\S+) BUN_VERSION=(\S+)/.exec(read("compile.sh"))!;

const QUIET_MS = valueIn("lib/runtime/traffic.ts", "QUIET_MS");
const STEADY_WAITS = valueIn("lib/runtime/traffic.ts", "STEADY_WAITS");
const LAST_LINES_MS = valueIn("lib/cli/serve.ts", "LAST_LINES_TIMEOUT_MS");
const STOP_SECONDS = (MAX_DRAIN_MS + 1000) / 1000;
const KEY_LENGTH = /KEY_LENGTH = \{ min: (\d+), max: (\d+) \}/.exec(read("lib/http/keys.ts"))!;

// The rows of the page that tells how they were measured.
const PERFORMANCE = read("docs/performance.md");
const GET_CHECKS = /By GET, guard in memory\S* .*?\| +([0-9,]+) \| +([0-9,]+)/.exec(PERFORMANCE)!;
const SOAP_CHECKS = /By SOAP 1.1, guard in memory *\| +([0-9,]+) \| +([0-9,]+)/.exec(PERFORMANCE)!;

/** The run that the page shows: microseconds by request, and by server or what it is over. */
const { medians: RUN }: {
  readonly medians: Readonly<Record<string, Readonly<Record<string, number>>>>;
} = JSON.parse(read("bench/figures.json"));
const [ON_DENO, ON_BUN] = ["Deno, from source", "executable, Bun"] as const;
const { [ON_BUN]: soapHere, "node-soap": soapThere } = RUN["ValidatePin SOAP 1.1"]!;
const SOAP_TIMES = (soapHere! / soapThere!).toFixed(1);

const HOUR_MS = 3_600_000;
const RULES = guardRules({
  maxFailures: Number(OPTIONS.maxFailures.defaultText),
  singleUse: false,
  window: Number(OPTIONS.window.defaultText),
  period: DEFAULT_TOTP.period,
});
const TOTAL = totalBudget(RULES);
const EXTRA_LOOKS = extraLooks(TOTAL);
const LAST_WAIT_MINUTES = FIRST_WAIT_MS * 2 ** (EXTRA_LOOKS - 1) / 60_000;
// How many secrets with so many looks each make even odds, when three codes are right.
const evenOdds = (looks: number): string =>
  grouped(Math.ceil(Math.log(0.5) / Math.log1p(-3e-6) / looks));

/** What a page says, with each figure as the code has it. */
const FROM_CODE: readonly (readonly [page: string, says: string])[] = [
  ["README.md", `http://${OPTIONS.host.defaultText}:${OPTIONS.port.defaultText}`],
  ["README.md", `is the ${inWords(DEFAULT_TOTP.digits)} digits`],
  ["README.md", `A pin of more than ${PIN.max} ${PIN.unit} is an error`],
  [
    "README.md",
    `for ${codeSeconds(Number(OPTIONS.window.defaultText))} seconds** (\`--window 1\`)`,
  ],
  ["README.md", `ten and a half minutes (\`--window ${(10.5 * 60 / 30 - 1) / 2}\`)`],
  ["README.md", `${inWords(lockedPackages().length)} locked packages`],
  ["README.md", `Authenticator is tested with Deno ${DENO} and Bun ${BUN}`],
  ["CONTRIBUTING.md", `You need [Deno](https://deno.com) ${DENO}`],
  [
    "README.md",
    `Use ${valueBy("lib/samples/fields.ts", /Use (\d+) random characters/)} random char`,
  ],
  [
    "README.md",
    `One core checks ${GET_CHECKS[1]} right pins a second by GET on Deno, ${
      SOAP_CHECKS[1]
    } by SOAP`,
  ],
  [
    "README.md",
    `it checks ${GET_CHECKS[2]}, and ${
      SOAP_CHECKS[2]
    } by SOAP: a SOAP call takes ${SOAP_TIMES} times the processor`,
  ],
  ["docs/options.md", `A key has ${KEY_LENGTH[1]} to ${KEY_LENGTH[2]} characters`],
  [
    "docs/options.md",
    `and at most ${valueBy("lib/http/keys.ts", /MAX_NAME_LENGTH = (\d+)/)} of them`,
  ],
  [
    "docs/deploying.md",
    `has ${valueBy("lib/telemetry/metrics.ts", /MAX_REQUEST_LINES = (\d+)/)} lines`,
  ],
  ["docs/runtimes.md", `three characters of the ${grouped(MAX_QUERY_LENGTH)}`],
  ["docs/options.md", `for at most ${inWords(STOP_SECONDS)} seconds`],
  ["docs/runtimes.md", `No reply is larger than ${MAX_REPLY_BYTES / KIB} KiB`],
  ["docs/runtimes.md", `drawn QR codes stay within ${replyBound("PICTURE")[0]! / KIB} KiB`],
  [
    "docs/runtimes.md",
    `within ${replyBound("SMALL")[0]! / KIB} KiB and ${inWords(replyBound("SMALL")[1]!)} times`,
  ],
  ["docs/runtimes.md", `those over ${shortBody() / KIB} KiB wait`],
  [
    "docs/runtimes.md",
    2 * valueIn("lib/body/body_turns.ts", "LOOK_MS") === 200 ? "at most a fifth of a second" : "",
  ],
  ["docs/runtimes.md", `Authenticator is tested with Deno ${DENO} and Bun ${BUN}`],
  ["docs/runtimes.md", `measured with Deno ${DENO} and Bun ${BUN}`],
  [
    "docs/runtimes.md",
    `is closed after ${valueIn("lib/runtime/bun.ts", "IDLE_TIMEOUT_SECONDS")} seconds`,
  ],
  [
    "docs/runtimes.md",
    `dropped for ${inWords(valueIn("lib/runtime/bun.ts", "DROPPING_MS") / 1000)} seconds`,
  ],
  ["docs/runtimes.md", QUIET_MS === 250 ? "none has arrived for a quarter of a second" : ""],
  ["docs/runtimes.md", `running after ${inWords(STEADY_WAITS * QUIET_MS / 1000)} seconds`],
  ["docs/runtimes.md", `and after ${inWords(MAX_DRAIN_MS / 1000)} seconds in any case`],
  ["docs/runtimes.md", `${capital(inWords(STOP_SECONDS))} seconds after the signal`],
  ["docs/runtimes.md", `or after ${inWords(STOP_SECONDS + LAST_LINES_MS / 1000)} if nobody`],
  [
    "docs/embedding.md",
    `up to ${grouped(valueIn("lib/app/log_writer.ts", "MAX_WAITING"))} lines wait`,
  ],
  [
    "docs/commands.md",
    `by up to ${valueIn("lib/diagnosis/diagnosis.ts", "DAY_SECONDS") === 86_400 ? "a day" : ""}`,
  ],
  ["docs/commands.md", "exits with 1 if the server could not serve now, and with 2 if an option"],
  [
    "docs/security.md",
    `${FIRST_WAIT_MS / 1000} seconds, 1 minute, 2 minutes, up to ${LAST_WAIT_MINUTES};`,
  ],
  [
    "docs/security.md",
    `the ${inWords(MAX_KNOWN_SOURCES)} latest that had a right pin in the last ${
      KNOWN_MS / (24 * HOUR_MS)
    } days`,
  ],
  ["docs/security.md", `(default ${valueIn("lib/connection/store_url.ts", "PATIENCE_MS")})`],
  [
    "docs/security.md",
    `tells ${WATCHED} secrets with wrong pins apart, and another ${WATCHED} with`,
  ],
  ["docs/security.md", `at most one in ${WATCHED} of all pins`],
  ["docs/deploying.md", `up to ${WATCHED} of each a minute`],
  ["docs/options.md", `has at most ${MAX_OPTION_FILE_BYTES / KIB ** 2} MiB`],
  ["docs/security.md", `\`--max-failures\`, ${EXTRA_LOOKS} while waits grow`],
  ["docs/security.md", `has ${codeSeconds(10) / DEFAULT_TOTP.period} right codes and no limit`],
  ["docs/security.md", `${24 * HOUR_MS / TOTAL.refillMs} looks come back each day`],
  ["docs/security.md", `and ${24 * HOUR_MS / sourceBudget(RULES).refillMs} for one source`],
  [
    "docs/security.md",
    `${TOTAL.looks} looks at each of ${evenOdds(TOTAL.looks)} secrets, or 5 at each of ${
      evenOdds(5)
    }`,
  ],
  ["docs/security.md", `remembers ${grouped(Number(OPTIONS.guardEntries.defaultText))} secrets`],
  [
    "docs/security.md",
    `for at most ${
      (TOTAL.looks - strangersBudget(RULES).looks) * TOTAL.refillMs / HOUR_MS + 1
    } hours`,
  ],
  ["docs/security.md", `for the next code, up to ${DEFAULT_TOTP.period} seconds`],
  ["docs/security.md", `for each of up to ${MAX_SOURCES} sources`],
  ["docs/security.md", `at least ${MIN_GUARD_KEY_BYTES} random bytes`],
  ["docs/switching.md", `for ${codeSeconds(1)} seconds, not ten and a half minutes`],
  ["docs/interop.md", `and still in ${DENO}, the newest`],
  ["docs/upgrading.md", "Exit code 2 means that an option or its file is wrong: do not upgrade."],
  ["docs/upgrading.md", "Exit code 1 is no surprise here: the old server still runs"],
  [
    "docs/upgrading.md",
    `before ${configuration.version.startsWith("0.") ? "1.0.0" : ""}, a new minor`,
  ],
];

/** What was measured: what a page says, and the file that measures it again, where there is one. */
const MEASURED: readonly (readonly [page: string, says: string, by: string])[] = [
  [
    "docs/runtimes.md",
    "With 2,000 connections whose bodies stall beside a good caller, the server takes up to 170 MB on Deno and 140 MB on Bun",
    "tests/crowds/crowds_test.ts",
  ],
  ["docs/runtimes.md", "a busy server takes 123 MB, not 240", "bench/memory.ts"],
  ["docs/runtimes.md", "takes 82 MB, and 65 MB a few seconds later", "bench/memory.ts"],
  ["docs/runtimes.md", "it takes 103 to 139 MB, and 157 MB at most", "bench/long_run.ts"],
  ["docs/runtimes.md", "as on a machine with 64 MB", "bench/memory.ts"],
  ["docs/runtimes.md", "busy with checks takes 61 MB", "bench/memory.ts"],
  ["docs/runtimes.md", "up to 200 bodies", "by hand"],
  ["docs/runtimes.md", "250 connections with 190 stalled bodies each took 1.5 GB", "by hand"],
  ["docs/security.md", "1 − (1 − 3 × 10⁻⁶)ⁿ", "bench/guard_simulation.ts"],
  [
    "docs/security.md",
    "At 10 guesses a second, a guess is right with a chance of 1 in 8 after ten minutes (simulated " +
    "0.118 ± 0.007), even odds within an hour (0.53 ± 0.03), almost certain after six hours (0.99)",
    "bench/guard_simulation.ts",
  ],
  ["docs/security.md", "one every 10 seconds from each source", "bench/guard_simulation.ts"],
  ["docs/security.md", "about 200 bytes each", "bench/guard_bench.ts"],
  [
    "docs/security.md",
    "wrong pins from 16 sources each, the most there can be, take the process to 222 MB on Deno and 426 MB on Bun",
    "by hand",
  ],
  ["docs/security.md", "about 200 bytes, and 50 more", "by hand"],
  ["docs/security.md", "through Redis (5 or later)", "by hand"],
  ["docs/security.md", "passes with Redis 7.0.15", "test:cluster"],
  ["docs/interop.md", "since 2.8.3", "by hand"],
  [
    "docs/interop.md",
    "soap4r fails with REXML 3.3.9, which Debian 12 has had since November 2026",
    "by hand",
  ],
  ["docs/interop.md", "which in Java 17 always has", "tests/interop/table_test.ts"],
  ["docs/switching.md", "a head of more than 64 KiB", "tests/runtime/abuse_test.ts"],
  ["docs/dependencies.md", "of 3 August 2026", "by hand"],
  ["docs/upgrading.md", "CycloneDX 1.6", "test:release"],
  [
    "deploy/README.md",
    "gives **0.9 (SAFE)**; 0 is a service that can do nothing, 10 one",
    "by hand",
  ],
  [
    "docs/deploying.md",
    "of 64 at once, 10 did when a server on Bun stopped",
    "bench/share_port_stop.ts",
  ],
  ["docs/deploying.md", "On Deno it was 12 to 32 with and without", "bench/share_port_stop.ts"],
  ["deploy/README.md", "and the user 65532", "deploy/kubernetes.yaml"],
  ["docs/runtimes.md", "about three callers where 250 connect in a second", "by hand"],
];

/** Pages of which every figure stands in one of the two lists. */
const WHOLE_PAGES = [
  "SECURITY.md",
  "docs/commands.md",
  "docs/dependencies.md",
  "docs/deploying.md",
  "docs/extending.md",
  "docs/house.md",
  "docs/interop.md",
  "docs/security.md",
  "docs/switching.md",
  "docs/upgrading.md",
  "deploy/README.md",
  "README.md",
  "docs/embedding.md",
  "docs/faq.md",
  "docs/options.md",
  "docs/runtimes.md",
];

/** The packages that the lock of a start names. */
function lockedPackages(): readonly string[] {
  return Object.keys((JSON.parse(read("runtime.lock")) as { npm: Record<string, unknown> }).npm);
}

/** How many bytes a body may have that does not wait for its turn. */
function shortBody(): number {
  return valueIn("lib/body/body.ts", "CHUNK_BYTES");
}

/** The bytes and the multiple of a bound on replies. */
function replyBound(name: string): readonly number[] {
  const [, bytes, multiple] = new RegExp(
    `${name}: ReplyBound = \\{ bytes: ([0-9_]+), multiple: ([0-9]+) \\}`,
  )
    .exec(read("tests/cost/groups.ts"))!;
  return [bytes, multiple].map((digits) => Number(digits!.replaceAll("_", "")));
}

function capital(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1);
}

/** The prose of a page on one line, without its tables: those have tests of their own. */
function withoutTables(page: string): string {
  return prose(page).replace(/^\s*\|.*$/gm, "").replace(/\s+/g, " ");
}

/** The prose of a page on one line. */
function line(page: string): string {
  return prose(page).replace(/\s+/g, " ");
}

Deno.test("the documentation: every figure is the one in the code", () => {
  const wrong = FROM_CODE.filter(([page, says]) => says === "" || !line(page).includes(says));
  assertEquals(wrong, []);
});

Deno.test("the documentation: every measured figure names what measures it again", () => {
  const tasks = Object.keys(configuration.tasks);
  const wrong = MEASURED.filter(([page, says, by]) =>
    !line(page).includes(says) ||
    by !== "by hand" && !tasks.includes(by) && !Deno.statSync(new URL(by, ROOT)).isFile
  );
  assertEquals(wrong, []);
});

/** Numbers that are names: of standards, versions, encodings, statuses and products. */
const NAMES =
  /\bV8\b|\b(?:RFC|SOAP|HTTP\/|SHA-?|UTF-|Latin-|Base|NIST SP|CXF|Axis|HTTP_|OpenAPI|ISO\/IEC|CVE-)\s?[0-9][0-9._-]*[A-Z]?\b|§[0-9.]+|\bport 80\b|\b32 bits\b|\bx64\b|\(h2c\)|database other than 0|\b1Password\b|\b[1-5][0-9]{2}\b(?=[ ,.:)|]|$)|U\+[0-9A-F]{4}/g;

Deno.test("the documentation: no figure stands on a page that is held whole without a source", () => {
  const strange = WHOLE_PAGES.flatMap((page) => {
    const known = [...FROM_CODE, ...MEASURED].filter(([of]) => of === page).map(([, says]) => says);
    const text = known.reduce((rest, says) => rest.replaceAll(says, ""), withoutTables(page))
      .replace(/\]\([^)]*\)/g, "]")
      .replace(/ [0-9]\. /g, " ").replace(/`[^`]*`/g, "").replace(/<http[^>]*>/g, "")
      .replace(NAMES, "");
    return [...text.matchAll(/.{0,30}[0-9].{0,20}/g)].map(([found]) => `${page}: ${found}`);
  });
  assertEquals(strange, []);
  assert(WHOLE_PAGES.every((page) => PAGES.includes(page)));
});

/** The cells of a table, by the first cell of its head. */
function tableOf(head: string): readonly (readonly string[])[] {
  const [text = ""] = PERFORMANCE.split("\n\n").filter((part) => part.startsWith(`| ${head} `));
  return text.split("\n").filter((row) => !/^\|[ :|-]+\|$/.test(row))
    .map((row) => row.split("|").slice(1, -1).map((cell) => cell.trim()));
}

Deno.test("the page about performance shows the run that was kept, and no other", () => {
  const [[, ...servers] = [], ...rows] = tableOf("CPU µs a request");
  assertEquals(rows.map(([kind]) => kind), Object.keys(RUN));
  for (const [kind, ...cells] of rows) {
    const shown = servers.map((server) => {
      const us = RUN[kind!]![server]?.toFixed(0);
      return us === undefined
        ? "–"
        : server.startsWith("over") && !us.startsWith("-")
        ? `+${us}`
        : us;
    });
    assertEquals(cells, shown, kind);
  }
});

Deno.test("the page about performance compares with others by that run", () => {
  const [head, ...rows] = tableOf("Times the cost");
  assertEquals(head!.slice(1), ["Deno ÷ node-soap", "Deno ÷ PHP", "Bun ÷ node-soap", "Bun ÷ PHP"]);
  for (const [kind, ...cells] of rows) {
    const of = RUN[kind!]!;
    const shown = [ON_DENO, ON_BUN].flatMap((ours) =>
      ["node-soap", "PHP"].map((theirs) =>
        theirs in of ? (of[ours]! / of[theirs]!).toFixed(1) : "–"
      )
    );
    assertEquals(cells, shown, kind);
  }
  const us = (kind: string, server: string): string => RUN[kind]![server]!.toFixed(0);
  const [get, soap] = ["ValidatePin GET, right", "ValidatePin SOAP 1.1"] as const;
  const million =
    `A million logins by GET take ${us(get, ON_DENO)} seconds of a core on Deno and ` +
    `${us(get, ON_BUN)} on Bun; by SOAP 1.1, ${us(soap, ON_DENO)} and ${us(soap, ON_BUN)}.`;
  assert(line("docs/performance.md").includes(million), million);
  const choice = [[get, soap], ["Pair GET"]].map((kinds) =>
    [ON_DENO, ON_BUN].map((server) => kinds.map((kind) => us(kind, server)).join(", "))
  );
  const rowsOfChoice = /\| A check by GET, by SOAP 1\.1: CPU µs[^]*?\n\n/.exec(PERFORMANCE)![0]
    .split("\n").slice(0, 2).map((row) => row.split("|").slice(2, 4).map((cell) => cell.trim()));
  assertEquals(rowsOfChoice, choice);
});

Deno.test("the page about performance counts servers by the figures above", () => {
  const rate = (kind: string, server: string): string =>
    grouped(Math.round(1e4 / RUN[kind]![server]!) * 100);
  const both = (of: (server: string) => string): readonly string[] => [ON_DENO, ON_BUN].map(of);
  const [, ...rates] = tableOf("Checks of right pins");
  for (const kind of ["ValidatePin GET, right", "ValidatePin POST", "ValidatePin SOAP 1.1"]) {
    const name = kind.replace(/^ValidatePin |, right$/g, "");
    const row = rates.find(([first]) => first === `By ${name}, guard in memory`);
    assertEquals(row?.slice(1), both((server) => rate(kind, server)), kind);
  }
  const shared = rates.find(([first]) => first === "By POST, guard in a shared Redis")!.slice(1)
    .map((cell) => Number(cell.replaceAll(",", "")));
  const [, [, ...one] = [], ...more] = tableOf("Checks a second");
  assertEquals(one.slice(0, 2), ["1", "1"]);
  for (const [asked, ...servers] of more) {
    // A third of each core stays free.
    const wanted = shared.map((each) =>
      grouped(Math.ceil(Number(asked!.replaceAll(",", "")) / (each * 2 / 3)))
    );
    assertEquals(servers.slice(0, 2), wanted, asked);
  }
});
