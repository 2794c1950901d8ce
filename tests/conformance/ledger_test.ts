import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { outdatedCounts, pageWithCounts, TESTING_PAGE } from "./counts.ts";
import { PAGE, pageOf, problemsOf, SOURCES } from "./ledger.ts";
import { deviates, met, notApplicable, type Row } from "./row.ts";
import { testNames } from "./running_tests.ts";

const TESTS = await testNames();

Deno.test("every row of the ledger is right, and its tests run", () => {
  assertEquals(problemsOf(SOURCES, TESTS), []);
});

Deno.test("docs/conformance.md is what the ledger gives", () => {
  const isSame = Deno.readTextFileSync(PAGE) === pageOf(SOURCES);
  assert(isSame, "docs/conformance.md is not up to date: deno task ledger");
});

Deno.test("docs/testing.md counts what there is", () => {
  const page = Deno.readTextFileSync(TESTING_PAGE);
  const outdated = outdatedCounts(page, TESTS);
  assertEquals(outdated, [], "docs/testing.md is not up to date: deno task counts");
  assertEquals(page.match(/`deno task \S+` +\| 0 /g), null, "a task finds no tests");
});

Deno.test("outdatedCounts() takes a little less than there is, and nothing else", () => {
  const page = (text: string): string => `<!-- counts: tasks -->\n\n${text}\n\n<!-- /counts -->`;
  const today = pageWithCounts(page("."), TESTS);
  assertEquals(outdatedCounts(today, TESTS), []);
  const count = / (\d+,\d+)\+ /.exec(today)![1]!;
  const outdated = (other: number): number =>
    outdatedCounts(today.replace(count, new Intl.NumberFormat("en").format(other)), TESTS).length;
  const number = Number(count.replace(",", ""));
  assertEquals([0.7, 0.9, 1, 1.1].map((factor) => outdated(number * factor)), [1, 0, 0, 1]);
  assertEquals(outdatedCounts(today.replace("test:", "toast:"), TESTS).length, 1);
  assertEquals(outdatedCounts(page("."), TESTS).length, 1);
});

const KNOWN = new Map([
  ["a_test.ts: runs", { runs: true }],
  ["a_test.ts: runs 2 times", { runs: true }],
  ["a_test.ts: is ignored", { runs: false }],
]);

const EMPTY = { title: "", note: "", isChecked: () => true };

// Enough rows for a ledger, and these among them.
function problemsWith(...rows: readonly Row[]): string[] {
  const others = Array.from(
    { length: 150 },
    (_, i) => met(`OTHER-${i}`, "§1", "MUST", "x", ["a_test.ts: runs"]),
  );
  return problemsOf([{ ...EMPTY, rows: [...others, ...rows] }], KNOWN);
}

Deno.test("problemsOf() finds what is wrong with a row", () => {
  const good = met("A", "§1", "MUST", "x", ["a_test.ts: runs"]);
  assertEquals(problemsWith(good), []);
  assertEquals(problemsWith(notApplicable("A", "§1", "MUST", "x", "because")), []);
  assertEquals(problemsWith(deviates("A", "§1", "MUST", "x", "because", good.shownBy)), []);
  assertEquals(problemsWith({ ...good, shownBy: ["a_test.ts: runs … times"] }), []);
  assertEquals(problemsWith(good, good), ["A stands twice"]);
  assertEquals(problemsWith({ ...good, shownBy: [] }), ["A names no test"]);
  assertEquals(problemsWith({ ...good, shownBy: ["a_test.ts: run"] }), [
    "A names a test that does not exist: a_test.ts: run",
  ]);
  assertEquals(problemsWith({ ...good, shownBy: ["a_test.ts: is …"] }), [
    "A names a test that does not run: a_test.ts: is ignored",
  ]);
  assertEquals(problemsWith(deviates("A", "§1", "MUST", "x", "", good.shownBy)), [
    "A gives no reason",
  ]);
  assertEquals(problemsWith(notApplicable("A", "§1", "MUST", "x", "")), ["A gives no reason"]);
  assertEquals(problemsOf([{ ...EMPTY, rows: [good] }], KNOWN), [
    "There are only 1 rows",
  ]);
});

Deno.test("testNames() knows tests, exchanges and what is ignored", () => {
  assert(TESTS.size > 500);
  assertEquals(TESTS.get("otp/totp_test.ts: hotp() keeps leading zeros"), { runs: true });
  assertEquals(TESTS.get("exchanges/contract.md: Pair over SOAP 1.1"), { runs: true });
});
