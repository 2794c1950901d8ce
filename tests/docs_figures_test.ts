// Every figure in the documentation comes from the code, or names what measures it.

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import configuration from "../deno.json" with { type: "json" };
import { OPTIONS } from "../lib/config.ts";
import { DEFAULT_TOTP } from "../lib/otp/totp.ts";
import { MAX_DRAIN_MS } from "../lib/runtime/traffic.ts";
import { OPERATIONS } from "../lib/service/operations.ts";
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
  [
    "README.md",
    `Use ${valueBy("lib/samples/fields.ts", /Use (\d+) random characters/)} random char`,
  ],
  ["docs/options.md", `A key has ${KEY_LENGTH[1]} to ${KEY_LENGTH[2]} characters`],
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
];

/** What was measured: what a page says, and the file that measures it again, where there is one. */
const MEASURED: readonly (readonly [page: string, says: string, by: string])[] = [
  [
    "docs/runtimes.md",
    "2,000 connections whose bodies stall take at most 130 MB on Deno and 70 MB on Bun",
    "tests/crowds/crowds_test.ts",
  ],
  ["docs/runtimes.md", "A busy server takes 105 MB, not 240", "bench/memory.ts"],
  ["docs/runtimes.md", "takes 80 MB, and 55 MB a few seconds later", "bench/memory.ts"],
  ["docs/runtimes.md", "up to 200 bodies", "by hand"],
  ["docs/runtimes.md", "250 connections with 190 stalled bodies each took 1.5 GB", "by hand"],
  ["docs/runtimes.md", "about three callers where 250 connect in a second", "by hand"],
];

/** Pages of which every figure stands in one of the two lists. */
const WHOLE_PAGES = [
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
  /\bV8\b|\b(?:RFC|SOAP|HTTP\/|SHA-?|UTF-|Base|NIST SP|CXF|Axis|HTTP_)\s?[0-9][0-9._-]*[A-Z]?\b|\b1Password\b|\b[1-5][0-9]{2}\b(?=[ ,.:)|]|$)|U\+[0-9A-F]{4}/g;

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
