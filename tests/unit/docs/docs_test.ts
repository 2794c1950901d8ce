import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { MAX_JSON_BYTES } from "../../../lib/bindings/json.ts";
import { MAX_JSON_DEPTH } from "../../../lib/bindings/json_reader.ts";
import { MAX_BODY_BYTES, MAX_CHUNKS, MAX_CHUNKS_AT_ONCE } from "../../../lib/http/body.ts";
import { BODY_TIMEOUT_MS, MAX_LONG_BODIES } from "../../../lib/http/body_limit.ts";
import { MAX_QUERY_LENGTH } from "../../../lib/http/request_target.ts";
import { PAIR_ASPX, VALIDATE_ASPX } from "../../../lib/bindings/aspx.ts";
import { FAULTS } from "../../../lib/bindings/faults.ts";
import { bindingsOf } from "../../../lib/bindings/bindings.ts";
import { OPERATOR_ROUTES, ROUTES } from "../../../lib/http/routes.ts";
import type { CallFacts } from "../../../lib/operations/facts.ts";
import type { FaultCode } from "../../../lib/operations/fault.ts";
import { createLog } from "../../../lib/telemetry/log.ts";
import { createMetrics, type ProcessFigures } from "../../../lib/telemetry/metrics.ts";
import type { Outcome, RequestEvent } from "../../../lib/telemetry/request_event.ts";
import { OPERATIONS, SEAL } from "../../../lib/operations/operations.ts";
import { DEFAULT_TOTP } from "../../../lib/otp/totp.ts";
import { pair } from "../../../lib/operations/pair.ts";
import { XML_LIMITS } from "../../../lib/xml/tree.ts";
import { fencesOf, PAGES, prose, read, ROOT } from "../../support/pages.ts";
import { optionRows } from "../../../release/options_table.ts";

/** The cells of the table between two marks, without its head. */
function tableIn(page: string, mark: string): string[][] {
  const [, inside] = read(page).split(new RegExp(`<!-- /?${mark} -->`));
  assert(inside !== undefined, `${page} has no table marked ${mark}`);
  return inside.trim().split("\n").slice(2).map((row) =>
    row.split("|").slice(1, -1).map((cell) => cell.trim())
  );
}

/** The texts in the code spans of a cell. */
function codesIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
}

const numbers = new Intl.NumberFormat("en");

Deno.test("docs/options.md: the table of options is the one that is parsed", () => {
  assertEquals(
    tableIn("docs/options.md", "options"),
    optionRows().map((row) => [...row]),
    "run `deno task generate`",
  );
});

Deno.test("docs/wire.md: the table of limits is the one that is kept", () => {
  const parameters = new Map(
    [...OPERATIONS.values()].flatMap((o) => o.parameters).map((p) => [
      p.name,
      `${numbers.format(p.max)} ${p.unit}`,
    ]),
  );
  const fault = "fault, or 400";
  assertEquals(tableIn("docs/wire.md", "limits"), [
    ["Body", `${numbers.format(MAX_BODY_BYTES)} bytes`, "413"],
    ["Body of JSON", `${numbers.format(MAX_JSON_BYTES)} bytes`, "413"],
    ["JSON: the value of a member, nested", numbers.format(MAX_JSON_DEPTH), "400"],
    ["Chunks of a body, as they arrive", numbers.format(MAX_CHUNKS), "413"],
    ["The same over TLS or by the library, at once", numbers.format(MAX_CHUNKS_AT_ONCE), "413"],
    ["Reading a body", `${BODY_TIMEOUT_MS / 1000} seconds`, "408"],
    ["Bodies over 4 KiB, or of unknown length, at once", numbers.format(MAX_LONG_BODIES), "503"],
    ["Query string", `${numbers.format(MAX_QUERY_LENGTH)} characters`, "414"],
    ...[...parameters].map(([name, limit]) => [`\`${name}\``, limit, fault]),
    ["XML: elements inside one another", numbers.format(XML_LIMITS.depth), "fault"],
    ["XML: elements", numbers.format(XML_LIMITS.elements), "fault"],
    ["XML: attributes on an element", numbers.format(XML_LIMITS.attributes), "fault"],
    ["XML: namespace declarations in scope", numbers.format(XML_LIMITS.namespaces), "fault"],
    ["XML: name", `${numbers.format(XML_LIMITS.nameLength)} characters`, "fault"],
    [
      "XML: namespace name",
      `${numbers.format(XML_LIMITS.namespaceNameLength)} characters`,
      "fault",
    ],
  ], "give the limit its row in docs/wire.md");
});

// A value for every fact of a request: the compiler reports a new one here.
const FACTS: Required<CallFacts> = {
  secret: "kX3_p0aVbq",
  distance: 0,
  retryAfterMs: 1,
  ignored: 1,
  unopened: "not-authentic",
  form: "plain",
  reason: "A sentence.",
  outcome: "throttled",
};
const EVENT: Required<RequestEvent> = {
  requestId: "a1-0",
  method: "GET",
  route: "service",
  operation: "ValidatePin",
  binding: "HTTP GET",
  caller: "web",
  peer: "192.0.2.1",
  status: 200,
  outcome: "throttled",
  facts: FACTS,
  durationMs: 1,
  replyBytes: 1,
};
const FIGURES: Required<ProcessFigures> = {
  residentBytes: 1,
  cpuSeconds: 1,
  startSeconds: 1,
  guardEntries: 1,
  isStoreUp: true,
  storeNodesDown: 0,
  clockAheadSeconds: 0,
  certificateUntilMs: 1,
  drops: 0,
  refusedReloads: 0,
  lostLines: 0,
};
const OUTCOMES: Readonly<Record<Exclude<Outcome, FaultCode>, true>> = {
  "ok": true,
  "true": true,
  "false": true,
  "throttled": true,
  "replayed": true,
  "unavailable": true,
  "empty": true,
  "not-found": true,
  "method-not-allowed": true,
  "not-ready": true,
};

Deno.test("docs/monitoring.md: the table of metrics is what /metrics has", () => {
  const metrics = createMetrics("1.0.0", 1);
  metrics.observe(EVENT);
  const text = metrics.text(FIGURES);
  const rows = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (.*)\n((?:[^#].*\n)+)/gm)].map(
    ([, name, help, type, samples]) => {
      const labels = new Set([...samples!.matchAll(/(\w+)="/g)].map(([, label]) => `\`${label}\``));
      // The bounds of a histogram, which Prometheus names so.
      labels.delete("`le`");
      // The type follows from the name: a counter ends with `_total`; a histogram is named as one.
      const isCounter = type === "counter";
      assertEquals(name!.endsWith("_total"), isCounter, name);
      const what = type === "histogram" ? " (histogram)" : "";
      return [`\`${name}\``, [...labels].join(", "), help!.replace(/\.$/, "") + what];
    },
  );
  assertEquals(rows.length, text.match(/^# HELP/gm)!.length);
  assertEquals(
    tableIn("docs/monitoring.md", "metrics"),
    rows,
    "give the metric its row in docs/monitoring.md, in the order of /metrics",
  );
});

Deno.test("docs/monitoring.md: the table of the log has every field, and the values of closed sets", () => {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  const log = createLog({ format: "json", color: false, write, now: () => 0 });
  log.request(EVENT);
  log.info("a");
  log.warn("a");
  log.error("a", new Error("a"));
  const written = lines.map((line) => JSON.parse(line));
  const rows = tableIn("docs/monitoring.md", "log");
  const names = new Set(written.flatMap((fields) => Object.keys(fields)));
  assertEquals(rows.map(([name]) => codesIn(name!)), [...names].map((name) => [name]));
  const assertValues = (field: string, values: readonly string[]): void => {
    const [, cell] = rows.find(([name]) => name === `\`${field}\``)!;
    const advice = `name all values of ${field} in its row of docs/monitoring.md`;
    assertEquals(new Set(codesIn(cell!)), new Set(values), advice);
  };
  assertValues("level", written.map(({ level }) => level));
  const methods = ROUTES.flatMap((route) => route.methods);
  assertValues("method", [...methods, "HEAD", "OPTIONS", "other"]);
  const routes = [...ROUTES, ...OPERATOR_ROUTES].map(({ name }) => name);
  assertValues("route", [...routes, "unknown"]);
  assertValues("operation", [...OPERATIONS.keys(), SEAL.name]);
  const bindings = [...bindingsOf("urn:a/"), PAIR_ASPX, VALIDATE_ASPX];
  assertValues("binding", bindings.map(({ name }) => name));
});

Deno.test("docs/monitoring.md: the table of outcomes has each of them", () => {
  const shown = tableIn("docs/monitoring.md", "outcomes").map(([outcome]) => codesIn(outcome!)[0]);
  assertEquals(shown.toSorted(), Object.keys({ ...OUTCOMES, ...FAULTS }).toSorted());
});

Deno.test("the README's picture and setup code are those of its first call", () => {
  const readme = read("README.md");
  const [, appName, appInfo, secretCode] =
    /appName=([^']+)'[^']+'appInfo=([^']+)'[^']+'secretCode=([^']+)'/.exec(readme) ?? [];
  assert(appName !== undefined && appInfo !== undefined && secretCode !== undefined);
  const { ManualSetupCode, Html } = pair(
    { appName, appInfo, secretCode },
    {
      ...DEFAULT_TOTP,
      window: 1,
      secretEncoding: "text",
      html: "svg",
      now: () => 0,
      base: () => "",
    },
  );
  assert(readme.includes(`<ManualSetupCode>${ManualSetupCode}</ManualSetupCode>`));
  const svg = Html.slice(Html.indexOf("<svg"), Html.indexOf("</a>"));
  assertEquals(read("docs/pairing.svg").trimEnd(), svg);
});

Deno.test("docs/house.md: the map has every room, and every file that it names exists", () => {
  const rooms = [...read("docs/house.md").matchAll(/^- \*\*`(lib\/\w+\/)`\*\*(.*(?:\n {2}.*)*)/gm)];
  const files = rooms.flatMap(([, room, text]) =>
    [...text!.matchAll(/`([\w/]+\.ts)`/g)].map(([, file]) => room! + file)
  );
  for (const file of files) assert(Deno.statSync(new URL(file, ROOT)).isFile, file);
  assert(files.length >= 5);
  const folders = [...Deno.readDirSync(new URL("lib/", ROOT))].filter((entry) => entry.isDirectory);
  assertEquals(
    rooms.map(([, room]) => room!).sort(),
    folders.map(({ name }) => `lib/${name}/`).sort(),
  );
});

/** The page without its code, where `[a](b)` is no link and `#` no heading. */
function withoutCode(page: string): string {
  return prose(page).replace(/`[^`\n]+`/g, (code) => code.replace(/[[\]#]/g, " "));
}

/** The anchors of a page's headings, as forges make them. */
function anchorsOf(page: string): readonly string[] {
  return [...withoutCode(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replaceAll(" ", "-")
  );
}

Deno.test("the documentation: every link leads to a file, and to a heading in it", () => {
  const dead = PAGES.flatMap((page) =>
    [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => {
        const { pathname, hash, href } = new URL(target, new URL(page, ROOT));
        const path = pathname.slice(ROOT.pathname.length);
        assert(href.startsWith(ROOT.href), `${page} links out of the project: ${target}`);
        const isThere = exists(decodeURIComponent(pathname));
        return !isThere || hash !== "" && !anchorsOf(path).includes(hash.slice(1));
      })
      .map((target) => `${page}: ${target}`)
  );
  assertEquals(dead, []);
});

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile || Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

Deno.test("the README links every page of docs/", () => {
  const readme = read("README.md");
  const missing = PAGES.filter((page) => page.startsWith("docs/") && !readme.includes(`(${page})`));
  assertEquals(missing, []);
});

/** The texts of the repository by their paths: sources, documents, scripts and settings. */
function textsIn(folder: string): (readonly [path: string, text: string])[] {
  return [...Deno.readDirSync(new URL(folder, ROOT))].flatMap(({ name, isDirectory }) => {
    const path = folder + name;
    if (/^(?:\.git|dist|node_modules|vendor)$/.test(name)) return [];
    if (isDirectory) return textsIn(`${path}/`);
    return /\.(?:md|ts|css|html|java|cs|php|py|lua|sh|ya?ml|conf)$/.test(name)
      ? [[path, read(path)] as const]
      : [];
  });
}

const TEXTS = textsIn("");

Deno.test("every citation of docs/wire.md names a section of it", () => {
  const sections = new Set(
    [...read("docs/wire.md").matchAll(/^#{2,3} ([0-9.]*[0-9])\.? /gm)].map(([, number]) => number!),
  );
  // In wire.md itself the name is left out: (§3.5), the Html of §1.7.
  const cited = TEXTS.flatMap(([path, text]) => {
    const citation = path === "docs/wire.md"
      ? /(?:\(|of |equal )§([0-9.]*[0-9])/g
      : /wire\.md[`)]* §([0-9.]*[0-9])/g;
    return [...text.matchAll(citation)].map(([, number]) => ({ path, number: number! }));
  });
  assert(cited.length > 300);
  assertEquals(cited.filter(({ number }) => !sections.has(number)), []);
});

// RELEASE_NOTES.md is made by release/; a.md is a name in a test; recipes make others.
const MADE: readonly string[] = [
  ...["RELEASE_NOTES.md", "a.md"],
  ...PAGES.flatMap(fencesOf).map(({ info }) => info.split("/").at(-1)!),
];

Deno.test("every document that a file names is in the repository", () => {
  const names = new Set([
    ...TEXTS.map(([path]) => path.split("/").at(-1)!).filter((name) => name.endsWith(".md")),
    ...MADE,
  ]);
  const missing = TEXTS.flatMap(([path, text]) =>
    [...text.replace(/https?:\/\/\S+/g, "").matchAll(/[\w.-]+\.md\b/g)]
      .filter(([name]) => !names.has(name))
      .map(([name]) => `${path}: ${name}`)
  );
  assertEquals(missing, []);
});
