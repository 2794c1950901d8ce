/**
 * The counts in `docs/testing.md`. Run as a program it writes them there.
 *
 * @module
 */

import configuration from "../../deno.json" with { type: "json" };
import { CLIENTS } from "../interop/clients.ts";
import { readExchangeFiles } from "../support/exchanges.ts";
import { SOURCES, table } from "./ledger.ts";
import { type TestNames, testNames } from "./running_tests.ts";

/** The page. */
export const TESTING_PAGE = new URL("../../docs/testing.md", import.meta.url);

const ROOT = new URL("../../", import.meta.url);
const TASKS: Readonly<Record<string, { readonly description: string; readonly command: string }>> =
  configuration.tasks;

/** The page as it should be: every table between two marks written anew. */
export function pageWithCounts(page: string, tests: TestNames): string {
  const tables = new Map([["tasks", taskTable(tests)], ["counts", countTable()]]);
  return page.replace(
    /(<!-- counts: (\w+) -->\n\n)[^]*?(\n\n<!-- \/counts -->)/g,
    (_, before: string, name: string, after: string) => {
      const text = tables.get(name);
      if (text === undefined) throw new SyntaxError(`There is no table of counts named ${name}`);
      return `${before}${text}${after}`;
    },
  );
}

/** What the page says too much or too little of; a little less than there is may stand. */
export function outdatedCounts(page: string, tests: TestNames): string[] {
  const now = pageWithCounts(page, tests).split("\n");
  const lines = page.split("\n");
  if (now.length !== lines.length) return ["the rows of the tables"];
  return lines.filter((line, i) => line !== now[i] && !isNearly(line, now[i]!));
}

const COUNT = /(?<=\| )[\d,]+\+?(?= +\|)/;

// As long as nobody is told of more than there is, tests may be added without a change of the page.
function isNearly(line: string, now: string): boolean {
  const [said, counted] = [line, now].map((row) => Number(COUNT.exec(row)?.[0].replace(/\D/g, "")));
  const [before, after] = [line, now].map((row) => row.replace(COUNT, "").replace(/\s+|-+/g, " "));
  return before === after && said! <= counted! && counted! <= Math.max(1.25 * said!, said! + 10);
}

// Rounded down, so that the page does not change with every test: 1873 is 1,800+.
function rounded(count: number): string {
  const unit = 10 ** Math.max(0, String(count).length - 2);
  const text = new Intl.NumberFormat("en").format(Math.floor(count / unit) * unit);
  return unit === 1 ? text : `${text}+`;
}

function taskTable(tests: TestNames): string {
  const files = [...tests.keys()]
    // An exchange is no test beside the one that replays it.
    .filter((name) => !name.startsWith("exchanges/"))
    .map((name) => `tests/${name.slice(0, name.indexOf(": "))}`);
  const names = Object.keys(TASKS).filter((name) => /^test(:|$)/.test(name));
  return table(
    ["Task", "Tests", "What it tests"],
    names.map((name) => {
      const { command, description } = TASKS[name]!;
      // What measures checks the replies meanwhile, and has no tests that could be counted.
      const isTests = /deno (?:test|task) /.test(command);
      const count = isTests ? rounded(countOf(command, files)) : "–";
      return [`\`deno task ${name}\``, count, description];
    }),
  );
}

/** How many tests a command line runs; those of other tasks in it included. */
function countOf(command: string, files: readonly string[]): number {
  const counts = command.split("&&").map((part) => {
    const task = /deno task (\S+)/.exec(part)?.[1];
    if (task !== undefined) return countOf(TASKS[task]!.command, files);
    if (!part.includes("deno test ")) return 0;
    const ignored = /--ignore=(\S+)/.exec(part)?.[1]?.split(",").map((path) => `${path}/`) ?? [];
    const paths = part.split(" ").filter((word) => word.startsWith("tests/"));
    const isIn = (file: string, path: string): boolean => file.startsWith(path);
    return files.filter((file) =>
      paths.some((path) => isIn(file, path)) && !ignored.some((path) => isIn(file, path))
    ).length;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

function countTable(): string {
  const files = readExchangeFiles(new URL("../exchanges/", import.meta.url));
  const exchanges = files.flatMap((file) => file.exchanges);
  const rows = SOURCES.flatMap((source) => source.rows);
  const deviating = rows.filter(({ status }) => status === "deviates");
  const cells: readonly (readonly [string, number])[] = [
    ["Lines of the program, comments and empty lines included", linesOf("lib/", ".ts")],
    ["Lines of tests", linesOf("tests/", ".ts")],
    ["Lines of golden exchanges", linesOf("tests/exchanges/", ".md")],
    ["Rules with golden exchanges", exchanges.length],
    ["Requests in them", exchanges.reduce((sum, { steps }) => sum + steps.length, 0)],
    ["Requirements of standards and contract in the ledger", rows.length],
    ["Requirements that are deliberately not met, each with its reason", deviating.length],
    ["Third-party clients, in nine languages", new Set(CLIENTS.map(makerOf)).size],
  ];
  return table(["What", "Count"], cells.map(([what, count]) => [what, rounded(count)]));
}

// One that is there with two settings has the setting behind a second comma.
function makerOf({ name }: { readonly name: string }): string {
  return name.split(",", 2).join();
}

function linesOf(folder: string, suffix: string): number {
  return [...Deno.readDirSync(new URL(folder, ROOT))].reduce((sum, { name, isDirectory }) => {
    if (isDirectory) return sum + linesOf(`${folder}${name}/`, suffix);
    if (!name.endsWith(suffix)) return sum;
    return sum + Deno.readTextFileSync(new URL(folder + name, ROOT)).split("\n").length - 1;
  }, 0);
}

if (import.meta.main) {
  const page = Deno.readTextFileSync(TESTING_PAGE);
  Deno.writeTextFileSync(TESTING_PAGE, pageWithCounts(page, await testNames()));
}
