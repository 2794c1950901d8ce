import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { createMetrics } from "../../lib/telemetry/metrics.ts";
import { factKinds } from "../../lib/service/facts.ts";
import type { RequestEvent } from "../../lib/telemetry/request_event.ts";

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

function pageOf(events: readonly RequestEvent[]): string[] {
  const metrics = createMetrics("1.2.3", factKinds(1));
  events.forEach(metrics.observe);
  return metrics.text(FIGURES).split("\n");
}

Deno.test("createMetrics() counts requests by route, operation, binding and outcome", () => {
  const page = pageOf([EVENT, EVENT, { ...EVENT, outcome: "true" }]);
  const labels = 'route="service",operation="ValidatePin",binding="HTTP GET"';
  assert(page.includes(`authenticator_requests_total{${labels},outcome="false"} 2`));
  assert(page.includes(`authenticator_requests_total{${labels},outcome="true"} 1`));
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

Deno.test("createMetrics() writes what a Prometheus parser reads", () => {
  const page = pageOf([EVENT]);
  assertEquals(page.at(-1), "");
  const names = new Set<string>();
  for (const line of page.slice(0, -1)) {
    const type = /^# (?:HELP|TYPE) ([a-z_]+) .+$/.exec(line);
    if (type !== null) names.add(type[1]!);
    else {
      const sample = /^([a-z_]+)(?:\{[a-z]+="[^"\\]*"(?:,[a-z]+="[^"\\]*")*\})? -?[0-9.e+]+$/.exec(
        line,
      );
      assert(sample !== null, line);
      assert(names.has(sample[1]!.replace(/_(?:bucket|sum|count)$/, "")), line);
    }
  }
  assert(page.includes("process_resident_memory_bytes 50000000"));
  assert(page.includes('authenticator_build_info{version="1.2.3"} 1'));
});
