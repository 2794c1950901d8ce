import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { REFUSED } from "../../../lib/operations/facts.ts";
import { SECRET_FORMS, UNOPENED } from "../../../lib/sealing/seal_keys.ts";
import { createMetrics, type ProcessFigures } from "../../../lib/telemetry/metrics.ts";
import type { RequestEvent } from "../../../lib/telemetry/request_event.ts";

const EVENT: RequestEvent = {
  requestId: "a1-0",
  method: "GET",
  route: "service",
  operation: "ValidatePin",
  binding: "HTTP GET",
  status: 200,
  outcome: "false",
  durationMs: 0.7,
  replyBytes: 100,
};

const FIGURES = { residentBytes: 5e7, cpuSeconds: 1.5, startSeconds: 1.7e9 };

function pageOf(events: readonly RequestEvent[], figures: ProcessFigures = FIGURES): string[] {
  const metrics = createMetrics("1.2.3", 1);
  events.forEach(metrics.observe);
  return metrics.text(figures).split("\n");
}

Deno.test("createMetrics() counts requests by the name of the caller, where it has one", () => {
  const page = pageOf([EVENT, { ...EVENT, caller: "billing" }, { ...EVENT, caller: "web" }, EVENT]);
  const labels = 'route="service",operation="ValidatePin",binding="HTTP GET",outcome="false"';
  assertEquals(page.filter((line) => line.startsWith("authenticator_requests_total{")), [
    `authenticator_requests_total{${labels}} 2`,
    `authenticator_requests_total{${labels},caller="billing"} 1`,
    `authenticator_requests_total{${labels},caller="web"} 1`,
  ]);
});

// More kinds than there are, each as long as the longest.
const KINDS: readonly RequestEvent[] = Array.from({ length: 200 }, (_, i) => ({
  ...EVENT,
  route: `validate-${1000 + i}`,
  binding: "validate.aspx",
  outcome: "unsupported-media-type",
}));

Deno.test("createMetrics() counts so many callers by name, and the others together", () => {
  const callers = Array.from({ length: 3_000 }, (_, i) => `${"n".repeat(60)}${1000 + i}`);
  const metrics = createMetrics("1.2.3", 100);
  // The first and the last of them once more: the one has its own counter as before, the other does not.
  for (const caller of [...callers, callers[0]!, callers.at(-1)!]) {
    metrics.observe({ ...EVENT, outcome: "unsupported-media-type", caller });
  }
  for (const kind of KINDS) {
    metrics.observe(kind);
    metrics.observe({ ...kind, caller: callers[0]! });
  }
  const page = metrics.text(FIGURES);
  assert(page.length < 131_072, `${page.length}`);
  const lines = page.split("\n").filter((line) => line.startsWith("authenticator_requests_total{"));
  assertEquals(lines.length, 256 + 1 + 2 * KINDS.length);
  const counts = lines.map((line) => Number(line.split(" ").at(-1)));
  const sum = counts.reduce((sum, count) => sum + count);
  assertEquals(sum, callers.length + 2 + 2 * KINDS.length);
  const countOf = (caller: string): string | undefined =>
    lines.find((line) => line.includes(`caller="${caller}"`))?.split(" ").at(-1);
  assertEquals([callers[0]!, callers[255]!, "(others)"].map(countOf), ["2", "1", "2745"]);
  assertEquals(countOf(callers[256]!), undefined);
});

Deno.test("createMetrics() counts durations in buckets that include the smaller ones", () => {
  const durations = [0.5, 0.7, 1, 20_000].map((durationMs) => ({ ...EVENT, durationMs }));
  const name = "authenticator_request_duration_seconds";
  const rows = pageOf(durations).filter((line) => line.startsWith(`${name}_`));
  const value = (suffix: string): string | undefined =>
    rows.find((row) => row.startsWith(name + suffix))?.split(" ").at(-1);
  const bucket = (le: string): string | undefined =>
    value(`_bucket{operation="ValidatePin",le="${le}"}`);
  assertEquals(["0.0005", "0.001", "0.0025", "10", "+Inf"].map(bucket), ["1", "3", "3", "3", "4"]);
  assertEquals([value("_count"), value("_sum")], ["4", "20.0022"]);
});

Deno.test("createMetrics() writes a page that a Prometheus parser reads", () => {
  const page = pageOf([EVENT], ALL_FIGURES);
  assertEquals(page.at(-1), "");
  const names = new Set<string>();
  for (const line of page.slice(0, -1)) {
    const type = /^# ((?:HELP|TYPE) [a-z_]+) .+$/.exec(line);
    if (type !== null) names.add(type[1]!);
    else {
      const sample = /^([a-z_]+)(?:\{[a-z]+="[^"\\]*"(?:,[a-z]+="[^"\\]*")*\})? -?[0-9.e+]+$/.exec(
        line,
      );
      assert(sample !== null, line);
      const name = sample[1]!.replace(/_(?:bucket|sum|count)$/, "");
      assert(names.has(`HELP ${name}`) && names.has(`TYPE ${name}`), line);
    }
  }
});

Deno.test("createMetrics() counts each distance in the window on its own", () => {
  const metrics = createMetrics("1.2.3", 2);
  for (const distance of [-2, 1, 1]) metrics.observe({ ...EVENT, facts: { distance } });
  const rows = metrics.text(FIGURES).split("\n")
    .flatMap((
      line,
    ) => [...line.matchAll(/^authenticator_pin_step_distance_bucket\{le="(.*)"\} (.*)/g)])
    .map(([, bound, count]) => `${bound}: ${count}`);
  assertEquals(rows, ["-2: 1", "-1: 1", "0: 1", "1: 3", "2: 3", "+Inf: 3"]);
});

Deno.test("createMetrics() writes this page", () => {
  const metrics = createMetrics("1.2.3", 1);
  metrics.observe({ ...EVENT, outcome: "throttled", facts: { outcome: "throttled" } });
  metrics.observe({ ...EVENT, outcome: "true", facts: { distance: -1 }, durationMs: 250 });
  metrics.observe({ ...EVENT, outcome: "true", facts: { distance: 0 } });
  metrics.observe({
    ...EVENT,
    route: "unknown",
    operation: "",
    binding: "",
    outcome: "not-found",
    durationMs: 10_001,
  });
  metrics.countEvicted("used");
  metrics.countStoreError();
  metrics.countStoreError();
  assertEquals(metrics.text(FIGURES), PAGE);
});

// A figure of its own for each, so that none can be another's or nobody's.
const ALL_FIGURES: Required<ProcessFigures> = {
  residentBytes: 101,
  cpuSeconds: 102.5,
  startSeconds: 103,
  guardEntries: 104,
  isStoreUp: true,
  storeNodesDown: 105,
  clockAheadSeconds: -106,
  certificateUntilMs: 107_250,
  drops: 108,
  refusedReloads: 109,
  lostLines: 110,
};

Deno.test("each figure, each kind of an event and each fact has its own sample on the page", () => {
  const metrics = createMetrics("1.2.3", 1);
  const observe = (count: number, event: Partial<RequestEvent>): void => {
    for (let i = 0; i < count; i++) metrics.observe({ ...EVENT, outcome: "true", ...event });
  };
  REFUSED.forEach((outcome, i) => observe(i + 1, { facts: { outcome } }));
  SECRET_FORMS.forEach((form, i) => observe(i + 11, { facts: { form } }));
  UNOPENED.forEach((unopened, i) => observe(i + 21, { facts: { unopened } }));
  observe(31, { outcome: "false", facts: { secret: "a" } });
  // Without a guard, no pin is counted as wrong; a pin that is not confirmed is no refusal.
  observe(51, { outcome: "false" });
  observe(61, { outcome: "internal", facts: { secret: "a", outcome: "internal" } });
  const classes = ["used", "known", "failed", "throttled", "store"] as const;
  classes.forEach((what, i) => metrics.countEvicted(what, i + 41));
  for (let i = 0; i < 46; i++) metrics.countStoreError();
  const page = metrics.text(ALL_FIGURES);
  const samples = page.matchAll(
    /^(?!#|\S+_requests_total|\S+_(?:bucket|sum|count)\b)(.+) (\S+)$/gm,
  );
  assertEquals(Object.fromEntries([...samples].map(([, name, value]) => [name, Number(value)])), {
    'authenticator_guard_refusals_total{reason="throttled"}': 1,
    'authenticator_guard_refusals_total{reason="replayed"}': 2,
    'authenticator_guard_refusals_total{reason="unavailable"}': 3,
    'authenticator_guard_refusals_total{reason="empty"}': 4,
    'authenticator_secrets_checked_total{form="plain"}': 11,
    'authenticator_secrets_checked_total{form="sealed"}': 12,
    'authenticator_secrets_checked_total{form="older-key"}': 13,
    'authenticator_secrets_unopened_total{cause="no-keys"}': 21,
    'authenticator_secrets_unopened_total{cause="no-key-of-that-name"}': 22,
    'authenticator_secrets_unopened_total{cause="not-authentic"}': 23,
    'authenticator_secrets_unopened_total{cause="not-of-this-format"}': 24,
    authenticator_guard_wrong_pins_total: 31,
    'authenticator_guard_evictions_total{class="used"}': 41,
    'authenticator_guard_evictions_total{class="known"}': 42,
    'authenticator_guard_evictions_total{class="failed"}': 43,
    'authenticator_guard_evictions_total{class="throttled"}': 44,
    'authenticator_guard_evictions_total{class="store"}': 45,
    authenticator_guard_store_errors_total: 46,
    process_resident_memory_bytes: 101,
    process_cpu_seconds_total: 102.5,
    process_start_time_seconds: 103,
    authenticator_guard_entries: 104,
    authenticator_guard_store_up: 1,
    authenticator_guard_store_nodes_down: 105,
    authenticator_guard_clock_ahead_seconds: -106,
    authenticator_certificate_expiry_timestamp_seconds: 107.25,
    authenticator_connections_dropped_total: 108,
    authenticator_reloads_refused_total: 109,
    authenticator_log_lines_lost_total: 110,
    'authenticator_build_info{version="1.2.3"}': 1,
  });
  assertEquals(metrics.checkedSecrets(), { plain: 11, sealed: 12, "older-key": 13 });
  const away = metrics.text({ ...ALL_FIGURES, isStoreUp: false });
  assertEquals(away, page.replace("guard_store_up 1", "guard_store_up 0"));
});

const PAGE = `\
# HELP authenticator_requests_total Requests answered.
# TYPE authenticator_requests_total counter
authenticator_requests_total{route="service",operation="ValidatePin",binding="HTTP GET",outcome="throttled"} 1
authenticator_requests_total{route="service",operation="ValidatePin",binding="HTTP GET",outcome="true"} 2
authenticator_requests_total{route="unknown",operation="",binding="",outcome="not-found"} 1
# HELP authenticator_request_duration_seconds Time from the head of a request to its reply.
# TYPE authenticator_request_duration_seconds histogram
authenticator_request_duration_seconds_bucket{operation="ValidatePin",le="0.0005"} 0
authenticator_request_duration_seconds_bucket{operation="ValidatePin",le="0.001"} 2
authenticator_request_duration_seconds_bucket{operation="ValidatePin",le="0.0025"} 2
authenticator_request_duration_seconds_bucket{operation="ValidatePin",le="0.005"} 2
authenticator_request_duration_seconds_bucket{operation="ValidatePin",le="0.01"} 2
authenticator_request_duration_seconds_bucket{operation="ValidatePin",le="0.025"} 2
authenticator_request_duration_seconds_bucket{operation="ValidatePin",le="0.05"} 2
authenticator_request_duration_seconds_bucket{operation="ValidatePin",le="0.1"} 2
authenticator_request_duration_seconds_bucket{operation="ValidatePin",le="0.25"} 3
authenticator_request_duration_seconds_bucket{operation="ValidatePin",le="1"} 3
authenticator_request_duration_seconds_bucket{operation="ValidatePin",le="2.5"} 3
authenticator_request_duration_seconds_bucket{operation="ValidatePin",le="10"} 3
authenticator_request_duration_seconds_bucket{operation="ValidatePin",le="+Inf"} 3
authenticator_request_duration_seconds_sum{operation="ValidatePin"} 0.25139999999999996
authenticator_request_duration_seconds_count{operation="ValidatePin"} 3
authenticator_request_duration_seconds_bucket{operation="",le="0.0005"} 0
authenticator_request_duration_seconds_bucket{operation="",le="0.001"} 0
authenticator_request_duration_seconds_bucket{operation="",le="0.0025"} 0
authenticator_request_duration_seconds_bucket{operation="",le="0.005"} 0
authenticator_request_duration_seconds_bucket{operation="",le="0.01"} 0
authenticator_request_duration_seconds_bucket{operation="",le="0.025"} 0
authenticator_request_duration_seconds_bucket{operation="",le="0.05"} 0
authenticator_request_duration_seconds_bucket{operation="",le="0.1"} 0
authenticator_request_duration_seconds_bucket{operation="",le="0.25"} 0
authenticator_request_duration_seconds_bucket{operation="",le="1"} 0
authenticator_request_duration_seconds_bucket{operation="",le="2.5"} 0
authenticator_request_duration_seconds_bucket{operation="",le="10"} 0
authenticator_request_duration_seconds_bucket{operation="",le="+Inf"} 1
authenticator_request_duration_seconds_sum{operation=""} 10.001
authenticator_request_duration_seconds_count{operation=""} 1
# HELP authenticator_pin_step_distance Time steps from the current one to that of an accepted pin.
# TYPE authenticator_pin_step_distance histogram
authenticator_pin_step_distance_bucket{le="-1"} 1
authenticator_pin_step_distance_bucket{le="0"} 2
authenticator_pin_step_distance_bucket{le="1"} 2
authenticator_pin_step_distance_bucket{le="+Inf"} 2
authenticator_pin_step_distance_sum -1
authenticator_pin_step_distance_count 2
# HELP authenticator_guard_refusals_total Pins refused for a reason other than being wrong.
# TYPE authenticator_guard_refusals_total counter
authenticator_guard_refusals_total{reason="throttled"} 1
authenticator_guard_refusals_total{reason="replayed"} 0
authenticator_guard_refusals_total{reason="unavailable"} 0
authenticator_guard_refusals_total{reason="empty"} 0
# HELP authenticator_secrets_checked_total Secrets of checked pins.
# TYPE authenticator_secrets_checked_total counter
authenticator_secrets_checked_total{form="plain"} 0
authenticator_secrets_checked_total{form="sealed"} 0
authenticator_secrets_checked_total{form="older-key"} 0
# HELP authenticator_secrets_unopened_total Sealed secrets that could not be opened.
# TYPE authenticator_secrets_unopened_total counter
authenticator_secrets_unopened_total{cause="no-keys"} 0
authenticator_secrets_unopened_total{cause="no-key-of-that-name"} 0
authenticator_secrets_unopened_total{cause="not-authentic"} 0
authenticator_secrets_unopened_total{cause="not-of-this-format"} 0
# HELP authenticator_guard_evictions_total Secrets evicted because a table or the store was full.
# TYPE authenticator_guard_evictions_total counter
authenticator_guard_evictions_total{class="used"} 1
authenticator_guard_evictions_total{class="known"} 0
authenticator_guard_evictions_total{class="failed"} 0
authenticator_guard_evictions_total{class="throttled"} 0
authenticator_guard_evictions_total{class="store"} 0
# HELP authenticator_guard_wrong_pins_total Wrong pins that were checked.
# TYPE authenticator_guard_wrong_pins_total counter
authenticator_guard_wrong_pins_total 0
# HELP authenticator_guard_store_errors_total Decisions that failed because the guard's store did not answer.
# TYPE authenticator_guard_store_errors_total counter
authenticator_guard_store_errors_total 2
# HELP authenticator_connections_dropped_total Times that all connections were dropped because of the memory that they took.
# TYPE authenticator_connections_dropped_total counter
authenticator_connections_dropped_total 0
# HELP authenticator_reloads_refused_total Reloads that kept an old certificate or old keys.
# TYPE authenticator_reloads_refused_total counter
authenticator_reloads_refused_total 0
# HELP authenticator_log_lines_lost_total Log lines that could not be written.
# TYPE authenticator_log_lines_lost_total counter
authenticator_log_lines_lost_total 0
# HELP process_resident_memory_bytes Resident memory.
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 50000000
# HELP process_cpu_seconds_total Processor time used.
# TYPE process_cpu_seconds_total counter
process_cpu_seconds_total 1.5
# HELP process_start_time_seconds Start of the process, Unix time.
# TYPE process_start_time_seconds gauge
process_start_time_seconds 1700000000
# HELP authenticator_build_info The version that runs; always 1.
# TYPE authenticator_build_info gauge
authenticator_build_info{version="1.2.3"} 1
`;
