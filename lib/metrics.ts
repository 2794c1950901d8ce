/**
 * Counts for the operator in the text format of Prometheus (exposition format 0.0.4). Every label
 * value is one of a closed set, so that no caller can make the page grow.
 *
 * @module
 */

import { REFUSED, type Refused, type RequestEvent } from "./request_event.ts";

/** Figures of the process. */
export interface ProcessFigures {
  /** Resident memory in bytes. */
  readonly residentBytes: number;
  /** Processor time used since the start, in seconds. */
  readonly cpuSeconds: number;
  /** When the process started, in seconds since 1970-01-01T00:00:00Z. */
  readonly startSeconds: number;
}

/** What is counted. */
export interface Metrics {
  /** Counts a request. */
  readonly observe: (event: RequestEvent) => void;
  /** Counts something that befell the guard of secrets. */
  readonly countGuard: (event: GuardEvent) => void;
  /** Writes the page. */
  readonly text: (figures: ProcessFigures) => string;
}

/** What befalls the guard: a secret is forgotten for want of room, the store gives no decision. */
export type GuardEvent = "eviction" | "store-error";

// Upper bounds in seconds. An answer takes well under a millisecond; a body may take ten seconds.
const BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 10];

type Labels = Readonly<Record<string, string>>;

interface Histogram {
  readonly labels: Labels;
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum: number;
  count: number;
}

/**
 * Makes metrics that have counted nothing yet.
 *
 * @param window Time steps accepted on each side of the current one.
 */
export function createMetrics(version: string, window: number): Metrics {
  const requests = new Map<string, { readonly labels: Labels; count: number }>();
  const durations = new Map<string, Histogram>();
  const steps = histogram({}, Array.from({ length: 2 * window + 1 }, (_, i) => i - window));
  const refusals: Record<Refused, number> = { throttled: 0, replayed: 0, unavailable: 0 };
  const guard: Record<GuardEvent, number> = { eviction: 0, "store-error": 0 };
  return {
    countGuard: (event) => void guard[event]++,
    observe: ({ route, operation, binding, outcome, durationMs, stepDistance }) => {
      const labels = { route, operation, binding, outcome };
      const key = `${route} ${operation} ${binding} ${outcome}`;
      const counter = requests.get(key);
      if (counter === undefined) requests.set(key, { labels, count: 1 });
      else counter.count++;
      observeDuration(durations, operation, durationMs / 1000);
      if (stepDistance !== undefined) put(steps, stepDistance);
      for (const reason of REFUSED) if (reason === outcome) refusals[reason]++;
    },
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
          [steps],
        ),
        ...guardLines(refusals, guard),
        ...processLines(figures, version),
        "",
      ].join("\n"),
  };
}

function observeDuration(
  durations: Map<string, Histogram>,
  operation: string,
  seconds: number,
): void {
  let observed = durations.get(operation);
  if (observed === undefined) {
    observed = histogram({ operation }, BUCKETS_SECONDS);
    durations.set(operation, observed);
  }
  put(observed, seconds);
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

function guardLines(
  refusals: Readonly<Record<Refused, number>>,
  guard: Readonly<Record<GuardEvent, number>>,
): string[] {
  const counter = (name: string, help: string, value: number): string[] => [
    ...family(name, "counter", help),
    sample(name, {}, value),
  ];
  const name = "authenticator_guard_refusals_total";
  return [
    ...family(name, "counter", "Pins not accepted for another reason than being wrong."),
    ...REFUSED.map((reason) => sample(name, { reason }, refusals[reason])),
    ...counter(
      "authenticator_guard_evictions_total",
      "Secrets whose failures or used codes were forgotten for want of room.",
      guard.eviction,
    ),
    ...counter(
      "authenticator_guard_store_errors_total",
      "Decisions that the store of the guard did not give.",
      guard["store-error"],
    ),
  ];
}

function processLines(figures: ProcessFigures, version: string): string[] {
  const { residentBytes, cpuSeconds, startSeconds } = figures;
  const gauge = (name: string, help: string, value: number): string[] => [
    ...family(name, "gauge", help),
    sample(name, {}, value),
  ];
  return [
    ...gauge("process_resident_memory_bytes", "Resident memory.", residentBytes),
    ...family("process_cpu_seconds_total", "counter", "Processor time used."),
    sample("process_cpu_seconds_total", {}, cpuSeconds),
    ...gauge("process_start_time_seconds", "Start of the process, Unix time.", startSeconds),
    ...family("authenticator_build_info", "gauge", "The version that runs; always 1."),
    sample("authenticator_build_info", { version }, 1),
  ];
}

function family(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

// Label values come from closed sets and hold nothing that the format would want escaped.
function sample(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`).join(",");
  return `${name}${pairs === "" ? "" : `{${pairs}}`} ${value}`;
}
