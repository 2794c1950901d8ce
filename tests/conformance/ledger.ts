/**
 * The conformance ledger: every demand on the service from every source, what can be wrong with a
 * row, and the page that shows them. Run as a program it writes `docs/conformance.md`.
 *
 * @module
 */

import type { Row, Source, Status } from "./row.ts";
import type { TestNames } from "./running_tests.ts";
import { BASE32 } from "./rows/base32.ts";
import { BASIC_PROFILE } from "./rows/basic_profile.ts";
import { CONTRACT } from "./rows/contract.ts";
import { GUARD } from "./rows/guard.ts";
import { HOTP } from "./rows/hotp.ts";
import { HTTP } from "./rows/http.ts";
import { KEY_URI } from "./rows/key_uri.ts";
import { NAMESPACES } from "./rows/namespaces.ts";
import { PROTOCOL_BINDINGS } from "./rows/protocol_bindings.ts";
import { PROTOCOL_FIELDS } from "./rows/protocol_fields.ts";
import { QR } from "./rows/qr.ts";
import { SOAP11 } from "./rows/soap11.ts";
import { SOAP12_PART1 } from "./rows/soap12_part1.ts";
import { SOAP12_PART2 } from "./rows/soap12_part2.ts";
import { TOTP } from "./rows/totp.ts";
import { XML } from "./rows/xml.ts";

/** All sources, in the order of the page. */
export const SOURCES: readonly Source[] = [
  CONTRACT,
  PROTOCOL_FIELDS,
  PROTOCOL_BINDINGS,
  GUARD,
  SOAP11,
  SOAP12_PART1,
  SOAP12_PART2,
  BASIC_PROFILE,
  XML,
  NAMESPACES,
  HTTP,
  HOTP,
  TOTP,
  KEY_URI,
  BASE32,
  QR,
];

/** Where the page is. */
export const PAGE = new URL("../../docs/conformance.md", import.meta.url);

/** The fewest rows that the ledger may have. */
const FEWEST_ROWS = 150;

/** What is wrong with a ledger, a sentence each; nothing when all is well. */
export function problemsOf(sources: readonly Source[], tests: TestNames): string[] {
  const rows = sources.flatMap((source) => source.rows);
  const ids = rows.map((row) => row.id);
  const known = [...tests.keys()];
  return [
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} stands twice`),
    ...(rows.length < FEWEST_ROWS ? [`There are only ${rows.length} rows`] : []),
    ...rows.flatMap((row) => problemsOfRow(row, tests, known)),
  ];
}

function problemsOfRow(row: Row, tests: TestNames, known: readonly string[]): string[] {
  const { id, status, reason, shownBy } = row;
  const problems: string[] = [];
  if (status !== "met" && reason === "") problems.push(`${id} gives no reason`);
  if (status === "met" && reason !== "") problems.push(`${id} is met and gives a reason`);
  if (status !== "not applicable" && shownBy.length === 0) problems.push(`${id} names no test`);
  for (const shown of shownBy) {
    const matching = shown.includes("…")
      ? matchesOf(shown, known)
      : known.filter((k) => k === shown);
    if (matching.length === 0) problems.push(`${id} names a test that does not exist: ${shown}`);
    for (const name of matching) {
      if (!tests.get(name)!.runs) problems.push(`${id} names a test that does not run: ${name}`);
    }
  }
  return problems;
}

function matchesOf(pattern: string, names: readonly string[]): string[] {
  const parts = pattern.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const whole = new RegExp(`^${parts.join(".+")}$`, "s");
  return names.filter((name) => whole.test(name));
}

const STATUSES: readonly Status[] = ["met", "deviates", "not applicable"];

/** The page, as `deno fmt` leaves it. */
export function pageOf(sources: readonly Source[]): string {
  const rows = sources.flatMap((source) => source.rows);
  const deviations = sources.flatMap((source) =>
    source.rows.filter((row) => row.status === "deviates").map((row) => ({ source, row }))
  );
  return [
    "# Conformance",
    INTRODUCTION,
    table(
      ["Source", "Rows", "Met", "Deviates", "Not applicable", "Clause not checked"],
      [
        ...sources.map((source) => [
          `[${source.title}](#${anchorOf(source.title)})`,
          ...counts(source.rows),
          String(uncheckedOf(source)),
        ]),
        ["**All**", ...counts(rows), String(sources.map(uncheckedOf).reduce((a, b) => a + b, 0))],
      ],
    ),
    "## Deliberate deviations",
    "What a source demands, and why the service does something else. Their tests are in the tables.",
    table(
      ["Row", "Source", "Demand", "Why not"],
      deviations.map(({ source, row }) => [row.id, source.title, row.demand, row.reason]),
    ),
    ...sources.flatMap(sectionOf),
  ].join("\n\n") + "\n";
}

const INTRODUCTION =
  `<!-- Written by \`deno task ledger\`; edit tests/conformance/rows/ instead. -->

This page lists what binds the service, sentence by sentence in our own words, and the test that
shows it. MUST, SHOULD and MAY are those of the source. "our rule" is a decision of the service
where its sources leave one open. A sentence of a source without such a word counts as MUST. Each
row was compared with the text of its source. † marks a clause whose text could not be read: its
number is from memory. A test is named by its file under \`tests/\` and its name or, in \`exchanges/\`,
its heading. An ellipsis stands for any text. \`tests/conformance/ledger_test.ts\` fails if a row
names a test that does not exist or does not run.`;

function uncheckedOf({ rows, isChecked }: Source): number {
  return rows.filter(({ id }) => !isChecked(id)).length;
}

function sectionOf({ title, note, rows, isChecked }: Source): string[] {
  const clauseOf = ({ id, clause }: Row): string => isChecked(id) ? clause : `${clause} †`;
  const others = rows.filter((row) => row.status === "not applicable");
  return [
    `## ${title}`,
    wrapped(note),
    table(
      ["Row", "Clause", "Level", "Demand", "Status", "Shown by"],
      rows.filter((row) => row.status !== "not applicable").map((row) => [
        row.id,
        clauseOf(row),
        row.level,
        row.demand,
        row.status === "met" ? "met" : "**deviates**",
        row.shownBy.map((shown) => `\`${shown}\``).join("<br>"),
      ]),
    ),
    ...(others.length === 0 ? [] : [
      table(
        ["Row", "Clause", "Level", "Demand that does not apply", "Why not"],
        others.map((row) => [row.id, clauseOf(row), row.level, row.demand, row.reason]),
      ),
    ]),
  ];
}

function wrapped(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= 100) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.join("\n");
}

function counts(rows: readonly Row[]): string[] {
  const ofStatus = STATUSES.map((status) => rows.filter((row) => row.status === status).length);
  return [rows.length, ...ofStatus].map(String);
}

function anchorOf(title: string): string {
  return title.toLowerCase().replace(/[^\p{L}\p{N} -]/gu, "").replaceAll(" ", "-");
}

/** A table in Markdown, as `deno fmt` leaves it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const escaped = rows.map((cells) => cells.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((cell, column) =>
    Math.max(...[cell, ...escaped.map((cells) => cells[column]!)].map((text) => [...text].length))
  );
  const line = (cells: readonly string[], fill: string): string =>
    `| ${cells.map((cell, i) => cell + fill.repeat(widths[i]! - [...cell].length)).join(" | ")} |`;
  return [
    line(head, " "),
    line(head.map(() => ""), "-"),
    ...escaped.map((cells) => line(cells, " ")),
  ]
    .join("\n");
}

if (import.meta.main) Deno.writeTextFileSync(PAGE, pageOf(SOURCES));
