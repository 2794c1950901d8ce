/**
 * Metrics for the operator in the text format of Prometheus (exposition format 0.0.4). Every label
 * value is from a closed set, or a name chosen by the operator, so that no caller can make the page
 * grow.
 *
 * @module
 */

import type { Evicted } from "../guard/memory_store.ts";
import { REFUSED } from "../operations/facts.ts";
import { SECRET_FORMS, type SecretForm, UNOPENED } from "../sealing/seal_keys.ts";
import type { RequestEvent } from "./request_event.ts";
import type { CheckedSecrets } from "./status.ts";

/** Figures of the process. */
export interface ProcessFigures {
  /** Resident memory in bytes. */
  readonly residentBytes: number;
  /** Processor time used since the start, in seconds. */
  readonly cpuSeconds: number;
  /** Start of the process, in seconds since 1970-01-01T00:00:00Z. */
  readonly startSeconds: number;
  /** Secrets with wrong pins in the memory of this process; undefined with a shared store. */
  readonly guardEntries?: number | undefined;
  /** Whether the store of the guard answers; undefined without one. */
  readonly isStoreUp?: boolean | undefined;
  /** Servers of a Cluster that fail while others answer; undefined without a shared store. */
  readonly storeNodesDown?: number | undefined;
  /** Time by which the clock is ahead of the store's, in seconds; undefined if unknown. */
  readonly clockAheadSeconds?: number | undefined;
  /** End of the certificate, in milliseconds since 1970; undefined without TLS. */
  readonly certificateUntilMs?: number | undefined;
  /** Times that all connections were dropped because they took too much memory. */
  readonly drops?: number | undefined;
  /** Reloads that kept an old certificate or old keys. */
  readonly refusedReloads?: number | undefined;
  /** Lines of the log that were lost. */
  readonly lostLines?: number | undefined;
}

/** Metrics of a server. */
export interface Metrics {
  /** Counts a request. */
  readonly observe: (event: RequestEvent) => void;
  /** Counts secrets that a full table or the store evicted. */
  readonly countEvicted: (what: EvictionClass, count?: number) => void;
  /** Counts a pin without a decision of the store. */
  readonly countStoreError: () => void;
  /** Returns the number of secrets whose pins were checked, by form. */
  readonly checkedSecrets: () => CheckedSecrets;
  /** Writes the page. */
  readonly text: (figures: ProcessFigures) => string;
}

/** Class of an evicted entry: of a table in memory, or of the store. */
export type EvictionClass = Evicted | "store";

const EVICTION_CLASSES: readonly EvictionClass[] = [
  "used",
  "known",
  "failed",
  "throttled",
  "store",
];

// Upper bounds in seconds. A reply takes well under a millisecond; a body may take ten seconds.
const BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 10];

// Maximum number of lines for requests; beyond it, new callers are counted together. The operator
// may have named many callers, and this keeps the page below 128 KiB.
const MAX_REQUEST_LINES = 256;

// The name of a caller cannot begin with a parenthesis.
const OTHER_CALLERS = "(others)";

type Labels = Readonly<Record<string, string>>;

interface Histogram {
  readonly labels: Labels;
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum: number;
  count: number;
}

/**
 * Makes metrics with all counts at zero.
 *
 * @param window Time steps accepted on each side of the current one.
 */
export function createMetrics(version: string, window: number): Metrics {
  const requests = new Map<string, { readonly labels: Labels; count: number }>();
  const countRequest = (event: RequestEvent, caller: string | undefined): void => {
    const { route, operation, binding, outcome } = event;
    const key = `${route} ${operation} ${binding} ${outcome} ${caller ?? ""}`;
    const counter = requests.get(key);
    const hasRoom = requests.size < MAX_REQUEST_LINES;
    if (counter !== undefined) counter.count++;
    else if (!hasRoom && caller && caller !== OTHER_CALLERS) countRequest(event, OTHER_CALLERS);
    else {
      // Prometheus treats an absent label as an empty one.
      const labels = { route, operation, binding, outcome, ...(caller && { caller }) };
      requests.set(key, { labels, count: 1 });
    }
  };
  const durations = new Map<string, Histogram>();
  const distances = histogram({}, Array.from({ length: 2 * window + 1 }, (_, i) => i - window));
  const refusals = new Map(REFUSED.map((reason) => [reason, 0]));
  const unopened = new Map(UNOPENED.map((cause) => [cause, 0]));
  const checked = new Map(SECRET_FORMS.map((form) => [form, 0]));
  const evicted = new Map(EVICTION_CLASSES.map((what) => [what, 0]));
  let storeErrors = 0;
  let wrongPins = 0;
  return {
    countEvicted: (what, count) => increment(evicted, what, count),
    countStoreError: () => void storeErrors++,
    observe: (event) => {
      const { operation, caller, outcome, durationMs, facts = {} } = event;
      if (outcome === "false" && facts.secret !== undefined) wrongPins++;
      countRequest(event, caller);
      const duration = durations.get(operation) ?? histogram({ operation }, BUCKETS_SECONDS);
      durations.set(operation, duration);
      put(duration, durationMs / 1000);
      if (facts.distance !== undefined) put(distances, facts.distance);
      if (facts.outcome !== undefined && facts.outcome !== "internal") {
        increment(refusals, facts.outcome);
      }
      if (facts.unopened !== undefined) increment(unopened, facts.unopened);
      if (facts.form !== undefined) increment(checked, facts.form);
    },
    checkedSecrets: () => Object.fromEntries(checked) as Record<SecretForm, number>,
    text: (figures) =>
      [
        ...family("authenticator_requests_total", "counter", "Requests answered."),
        ...[...requests.values()].map(({ labels, count }) =>
          sample("authenticator_requests_total", labels, count)
        ),
        ...histogramLines(
          "authenticator_request_duration_seconds",
          "Time from the head of a request to its reply.",
          [...durations.values()],
        ),
        ...histogramLines(
          "authenticator_pin_step_distance",
          "Time steps from the current one to that of an accepted pin.",
          [distances],
        ),
        ...labelledLines(
          "authenticator_guard_refusals_total",
          "Pins refused for a reason other than being wrong.",
          "reason",
          refusals,
        ),
        ...labelledLines(
          "authenticator_secrets_checked_total",
          "Secrets of checked pins.",
          "form",
          checked,
        ),
        ...labelledLines(
          "authenticator_secrets_unopened_total",
          "Sealed secrets that could not be opened.",
          "cause",
          unopened,
        ),
        ...labelledLines(
          "authenticator_guard_evictions_total",
          "Secrets evicted because a table or the store was full.",
          "class",
          evicted,
        ),
        ...counter(
          "authenticator_guard_wrong_pins_total",
          "Wrong pins that were checked.",
          wrongPins,
        ),
        ...counter(
          "authenticator_guard_store_errors_total",
          "Decisions that failed because the guard's store did not answer.",
          storeErrors,
        ),
        ...figureLines(figures, version),
        "",
      ].join("\n"),
  };
}

function increment<Key>(counts: Map<Key, number>, key: Key, count = 1): void {
  counts.set(key, counts.get(key)! + count);
}

function histogram(labels: Labels, bounds: readonly number[]): Histogram {
  return { labels, bounds, counts: bounds.map(() => 0), sum: 0, count: 0 };
}

function put(into: Histogram, value: number): void {
  const bucket = into.bounds.findIndex((bound) => value <= bound);
  if (bucket >= 0) into.counts[bucket]!++;
  into.sum += value;
  into.count++;
}

function histogramLines(name: string, help: string, all: readonly Histogram[]): string[] {
  return [
    ...family(name, "histogram", help),
    ...all.flatMap(({ labels, bounds, counts, sum, count }) => {
      let below = 0;
      return [
        ...bounds.map((bound, i) => {
          below += counts[i]!;
          return sample(`${name}_bucket`, { ...labels, le: String(bound) }, below);
        }),
        sample(`${name}_bucket`, { ...labels, le: "+Inf" }, count),
        sample(`${name}_sum`, labels, sum),
        sample(`${name}_count`, labels, count),
      ];
    }),
  ];
}

function labelledLines(
  name: string,
  help: string,
  label: string,
  counts: ReadonlyMap<string, number>,
): string[] {
  return [
    ...family(name, "counter", help),
    ...[...counts].map(([value, count]) => sample(name, { [label]: value }, count)),
  ];
}

function figureLines(figures: ProcessFigures, version: string): string[] {
  const { isStoreUp, certificateUntilMs, drops = 0, refusedReloads = 0, lostLines = 0 } = figures;
  const isUp = isStoreUp === undefined ? undefined : Number(isStoreUp);
  const until = certificateUntilMs === undefined ? undefined : certificateUntilMs / 1000;
  const entries = "authenticator_guard_entries";
  const expiry = "authenticator_certificate_expiry_timestamp_seconds";
  const dropped = "authenticator_connections_dropped_total";
  const reloads = "authenticator_reloads_refused_total";
  const lines = "authenticator_log_lines_lost_total";
  const memory = "process_resident_memory_bytes";
  const start = "process_start_time_seconds";
  return [
    ...gauge(entries, "Secrets with wrong pins that this process remembers.", figures.guardEntries),
    ...gauge(
      "authenticator_guard_store_up",
      "Whether the store of the guard answers: 1 or 0.",
      isUp,
    ),
    ...gauge(
      "authenticator_guard_store_nodes_down",
      "Nodes of a Cluster that do not answer while others do.",
      figures.storeNodesDown,
    ),
    ...gauge(
      "authenticator_guard_clock_ahead_seconds",
      "Time by which this server's clock is ahead of the store's, beyond the round trip.",
      figures.clockAheadSeconds,
    ),
    ...gauge(expiry, "End of the certificate of --tls-cert, Unix time.", until),
    ...counter(
      dropped,
      "Times that all connections were dropped because of the memory that they took.",
      drops,
    ),
    ...counter(reloads, "Reloads that kept an old certificate or old keys.", refusedReloads),
    ...counter(lines, "Log lines that could not be written.", lostLines),
    ...gauge(memory, "Resident memory.", figures.residentBytes),
    ...counter("process_cpu_seconds_total", "Processor time used.", figures.cpuSeconds),
    ...gauge(start, "Start of the process, Unix time.", figures.startSeconds),
    ...family("authenticator_build_info", "gauge", "The version that runs; always 1."),
    sample("authenticator_build_info", { version }, 1),
  ];
}

function counter(name: string, help: string, value: number): string[] {
  return [...family(name, "counter", help), sample(name, {}, value)];
}

function gauge(name: string, help: string, value: number | undefined): string[] {
  return value === undefined ? [] : [...family(name, "gauge", help), sample(name, {}, value)];
}

function family(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

// Writes a sample. Label values need no escaping: they come from closed sets or are names of
// callers.
function sample(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`).join(",");
  return `${name}${pairs === "" ? "" : `{${pairs}}`} ${value}`;
}
