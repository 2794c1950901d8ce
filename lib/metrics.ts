/**
 * Counts for the operator in the text format of Prometheus (exposition format 0.0.4). Every label
 * value is one of a closed set, so that no caller can make the page grow.
 *
 * @module
 */

import type { RequestEvent } from "./request_event.ts";

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
  /** Writes the page. */
  readonly text: (figures: ProcessFigures) => string;
}

// Upper bounds in seconds. An answer takes well under a millisecond; a body may take ten seconds.
const BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 10];

type Labels = Readonly<Record<string, string>>;

interface Histogram {
  readonly labels: Labels;
  readonly counts: number[];
  sumSeconds: number;
  count: number;
}

/** Makes metrics that have counted nothing yet. */
export function createMetrics(version: string): Metrics {
  const requests = new Map<string, { readonly labels: Labels; count: number }>();
  const durations = new Map<string, Histogram>();
  return {
    observe: ({ route, operation, binding, outcome, durationMs }) => {
      const labels = { route, operation, binding, outcome };
      const key = `${route} ${operation} ${binding} ${outcome}`;
      const counter = requests.get(key);
      if (counter === undefined) requests.set(key, { labels, count: 1 });
      else counter.count++;
      observeDuration(durations, operation, durationMs / 1000);
    },
    text: (figures) =>
      [
        ...family("authenticator_requests_total", "counter", "Requests answered."),
        ...[...requests.values()].map(({ labels, count }) =>
          sample("authenticator_requests_total", labels, count)
        ),
        ...durationLines(durations),
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
  let histogram = durations.get(operation);
  if (histogram === undefined) {
    const counts = BUCKETS_SECONDS.map(() => 0);
    histogram = { labels: { operation }, counts, sumSeconds: 0, count: 0 };
    durations.set(operation, histogram);
  }
  const bucket = BUCKETS_SECONDS.findIndex((bound) => seconds <= bound);
  if (bucket >= 0) histogram.counts[bucket]!++;
  histogram.sumSeconds += seconds;
  histogram.count++;
}

function durationLines(durations: ReadonlyMap<string, Histogram>): string[] {
  const name = "authenticator_request_duration_seconds";
  return [
    ...family(name, "histogram", "Time from the head of a request to its reply."),
    ...[...durations.values()].flatMap(({ labels, counts, sumSeconds, count }) => {
      let below = 0;
      return [
        ...BUCKETS_SECONDS.map((bound, i) => {
          below += counts[i]!;
          return sample(`${name}_bucket`, { ...labels, le: String(bound) }, below);
        }),
        sample(`${name}_bucket`, { ...labels, le: "+Inf" }, count),
        sample(`${name}_sum`, labels, sumSeconds),
        sample(`${name}_count`, labels, count),
      ];
    }),
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
