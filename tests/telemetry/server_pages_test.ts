import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { factKinds } from "../../lib/service/facts.ts";
import { createMetrics } from "../../lib/telemetry/metrics.ts";
import {
  joinPages,
  MAX_PAGE_BYTES,
  readPage,
  type ServerSamples,
} from "../../lib/telemetry/server_pages.ts";
import { MAX_REPLY_BYTES } from "../cost/groups.ts";

const BUILD = 'authenticator_build_info{version="1.2.3"} 1\n';

const DESCRIBED = `\
# HELP authenticator_requests_total Requests answered.
# TYPE authenticator_requests_total counter
authenticator_requests_total{route="service"} 1
# HELP authenticator_request_duration_seconds Time to a reply.
# TYPE authenticator_request_duration_seconds histogram
# HELP authenticator_build_info The version that runs; always 1.
# TYPE authenticator_build_info gauge
${BUILD}`;

function said(port: number, page: string | undefined): ServerSamples {
  const samples = page === undefined ? undefined : readPage(page);
  assertEquals(samples === undefined, page === undefined);
  return { port, samples };
}

Deno.test("joinPages() has each family once, with the samples of all servers behind it", () => {
  const other = `\
# TYPE authenticator_requests_total gauge
# HELP evil\\n{}
authenticator_new_total 3
authenticator_request_duration_seconds_bucket{operation="",le="0.5"} 1
authenticator_request_duration_seconds_bucket{operation="",le="+Inf"} 2
authenticator_request_duration_seconds_sum{operation=""} 0.25
authenticator_request_duration_seconds_count{operation=""} 2
authenticator_requests_total{route="service"} 2
authenticator_requests_total{route="a\\"\\\\\\n"} 7
process_cpu_seconds_total 1e-7
${BUILD}`;
  const page = joinPages(DESCRIBED, [
    said(9101, DESCRIBED),
    said(9102, other),
    said(9103, undefined),
  ]);
  assertEquals(
    page,
    `\
# HELP authenticator_server_up Whether the server with this metrics port answered.
# TYPE authenticator_server_up gauge
authenticator_server_up{server="9101"} 1
authenticator_server_up{server="9102"} 1
authenticator_server_up{server="9103"} 0
# HELP authenticator_servers_left_out Servers that answered and have no place on this page.
# TYPE authenticator_servers_left_out gauge
authenticator_servers_left_out 0
# HELP authenticator_requests_total Requests answered.
# TYPE authenticator_requests_total counter
authenticator_requests_total{server="9101",route="service"} 1
authenticator_requests_total{server="9102",route="service"} 2
authenticator_requests_total{server="9102",route="a\\"\\\\\\n"} 7
# HELP authenticator_request_duration_seconds Time to a reply.
# TYPE authenticator_request_duration_seconds histogram
authenticator_request_duration_seconds_bucket{server="9102",operation="",le="0.5"} 1
authenticator_request_duration_seconds_bucket{server="9102",operation="",le="+Inf"} 2
authenticator_request_duration_seconds_sum{server="9102",operation=""} 0.25
authenticator_request_duration_seconds_count{server="9102",operation=""} 2
# HELP authenticator_build_info The version that runs; always 1.
# TYPE authenticator_build_info gauge
authenticator_build_info{server="9101",version="1.2.3"} 1
authenticator_build_info{server="9102",version="1.2.3"} 1
authenticator_new_total{server="9102"} 3
process_cpu_seconds_total{server="9102"} 1e-7
`,
  );
});

Deno.test("readPage() reads every sample that a server writes", () => {
  const metrics = createMetrics("1.2.3", factKinds(1));
  const event = { requestId: "a", method: "GET", status: 200, replyBytes: 1 };
  for (const caller of [undefined, "billing-1.x_Y", "(others)"]) {
    metrics.observe({
      ...{
        ...event,
        route: "validate.aspx",
        operation: "ValidatePin",
        binding: "HTTP GET",
        caller,
      },
      ...{ outcome: "true", durationMs: 0.7, facts: { distance: -1 } },
    });
  }
  const attacks = { wrongPins: 1, attackedSecrets: 2, throttledSecrets: 3, mostPins: 4 };
  const figures = { residentBytes: 5e7, cpuSeconds: 1e-7, startSeconds: 1.7e9 + 0.1 };
  const page = metrics.text({ ...figures, attacks, guardEntries: 5 });
  const lines = page.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  assertEquals(
    readPage(page)?.map(({ name, labels, value }) =>
      `${name}${labels === "" ? "" : `{${labels}}`} ${value}`
    ),
    lines,
  );
});

// None of these is a line that a server writes.
const HOSTILE_LINES: readonly string[] = [
  ...["", " ", "x", "<html>", "ok", "authenticator_x", "authenticator_x ", " authenticator_x 1"],
  ...["other_x 1", "Authenticator_x 1", "xauthenticator_x 1", "authenticator_ 1", "process_X 1"],
  ...["authenticator_x 1 ", "authenticator_x  1", "authenticator_x 1 1700000000", "process_é 1"],
  ...["authenticator_x\t1", "authenticator_x 1\r", "authenticator_x 1\0", "authenticator_x 1 # {}"],
  `authenticator_${"x".repeat(1_024)} 1`,
];

const HOSTILE_VALUES: readonly string[] = [
  ...["NaN", "Infinity", "+Inf", "-Inf", "1e999", "0x10", "1_0", "01", "1.", ".5", "+1", "-0", ""],
  ...["1.0", "1e5", "--1", "1-1", "e", "1,2", "１"],
];

const HOSTILE_LABELS: readonly string[] = [
  ...["", "a", "a=", "a=b", "a='b'", 'a="b', 'a=b"', 'a="b",', ',a="b"', 'a="b",,c="d"', 'a="b" '],
  ...['a ="b"', 'a= "b"', 'a="b", c="d"', 'A="b"', 'é="b"', '1="b"', 'a-b="c"', '"a"="b"'],
  // Values: a quotation mark or a backslash that ends nothing, control characters, other alphabets.
  ...[
    'a="""',
    'a="b"c"',
    'a="\\"',
    'a="\\x"',
    'a="\\',
    'a="\t"',
    'a="\0"',
    'a="é"',
    'a="b}"} 1 {"',
  ],
  ...['a="\x7f"', 'a="\x85"', 'a="\r"', `a="${"b".repeat(1_024)}"`],
  // What would make Prometheus refuse the whole page, or take a sample for another's.
  ...['server="9101"', 'a="b",server="1"', 'a="b",a="b"', 'a="b",a="c"', '__name__="up"'],
  ...['le="x"', 'le=""', 'le="1.0"', 'le="-Inf"', 'le="NaN"'],
];

Deno.test("readPage() refuses a page with any line that a server would not write", () => {
  assert(readPage(`process_x 1\n${BUILD}`) !== undefined);
  const lines = [
    ...HOSTILE_LINES,
    ...HOSTILE_VALUES.map((value) => `process_x ${value}`),
    ...HOSTILE_LABELS.map((labels) => `process_x{${labels}} 1`),
  ];
  for (const line of lines) {
    assertEquals(readPage(`${line}\n${BUILD}`), undefined, JSON.stringify(line));
    assertEquals(readPage(`process_y 1\n${line}\n${BUILD}`), undefined, JSON.stringify(line));
  }
});

Deno.test("readPage() refuses a page that is cut off, or that says something twice", () => {
  for (
    const page of [
      ...["", "\n", "# HELP a b\n", "process_x 1\n", "process_x 1", BUILD.trimEnd(), `${BUILD}\n`],
      ...[`${BUILD}process_x 1\n`, `${BUILD.trimEnd()}2`],
      `process_x 1\nprocess_x 2\n${BUILD}`,
      `process_x{a="1",b="2"} 1\nprocess_x{b="2",a="1"} 1\n${BUILD}`,
      `process_x 1\nprocess_x{a=""} 1\n${BUILD}`,
      `authenticator_server_up 1\n${BUILD}`,
      `authenticator_server_up{a="b"} 1\n${BUILD}`,
      `authenticator_servers_left_out 1\n${BUILD}`,
    ]
  ) assertEquals(readPage(page), undefined, JSON.stringify(page));
});

/** A page of so many samples of about a hundred bytes. */
function longPage(count: number): string {
  const rows = Array.from(
    { length: count },
    (_, i) => `authenticator_requests_total{route="${"r".repeat(50)}${10_000 + i}"} 1\n`,
  );
  return rows.join("") + BUILD;
}

Deno.test("readPage() refuses a page that is longer than any of a server", () => {
  const filler = `# ${"x".repeat(MAX_PAGE_BYTES - BUILD.length - 3)}\n`;
  assertEquals(MAX_PAGE_BYTES, MAX_REPLY_BYTES);
  assert(readPage(filler + BUILD) !== undefined);
  assertEquals(readPage(`# ${filler}${BUILD}`), undefined);
});

// How many samples each of the servers has, and which of them have room.
const SIZES:
  readonly (readonly [counts: readonly (number | undefined)[], kept: readonly string[]])[] = [
    [[380, 380, 380], ["9000", "9001", "9002"]],
    [[380, 380, 380, 380], ["9000", "9001", "9002"]],
    [[380, undefined, 380, 380, undefined, 380, 1], ["9000", "9002", "9003"]],
    [[1, 1_300, 1], ["9000"]],
    [[1_300], []],
    [Array(33).fill(1_300), []],
    [Array(33).fill(30), Array.from({ length: 33 }, (_, i) => String(9000 + i))],
  ];

Deno.test("joinPages() leaves whole servers out where the page would be too long, the last ones first", () => {
  for (const [counts, kept] of SIZES) {
    const servers = counts.map((count, i) =>
      said(9000 + i, count === undefined ? undefined : longPage(count))
    );
    const page = joinPages(DESCRIBED, servers);
    assert(page.length <= MAX_PAGE_BYTES, `${page.length}`);
    const answered = counts.filter((count) => count !== undefined).length;
    assert(page.includes(`\nauthenticator_servers_left_out ${answered - kept.length}\n`));
    assertEquals(page.match(/^authenticator_server_up\{.*\} 1$/gm)?.length, answered);
    assertEquals(page.match(/^authenticator_server_up\{/gm)?.length, counts.length);
    const samples = page.match(/^authenticator_(?:requests_total|build_info)\{server="\d+/gm) ?? [];
    assertEquals([...new Set(samples.map((sample) => sample.slice(-4)))], kept);
    const expected = counts.slice(0, kept.length && Number(kept.at(-1)) - 8999)
      .reduce<number>((sum, count) => sum + (count === undefined ? 0 : count + 1), 0);
    assertEquals(samples.length, expected);
  }
});

Deno.test("joinPages() keeps a server whose samples end with the last byte, and no byte further", () => {
  const padded = (pad: number): string => {
    const rows = Array.from({ length: 200 }, (_, i) => {
      const text = "x".repeat(Math.max(0, Math.min(900, pad - 900 * i)));
      return `process_x${i}{a="${text}"} 1\n`;
    });
    return joinPages(DESCRIBED, [said(9000, rows.join("") + BUILD)]);
  };
  const room = MAX_PAGE_BYTES - padded(0).length;
  assertEquals(padded(room).length, MAX_PAGE_BYTES);
  assert(padded(room).includes("\nauthenticator_servers_left_out 0\n"));
  assert(padded(room + 1).includes("\nauthenticator_servers_left_out 1\n"));
});
