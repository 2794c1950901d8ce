import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { createMetrics } from "../../../lib/telemetry/metrics.ts";
import { runToEnd } from "../../support/child.ts";

const DEPLOY = new URL("../../../deploy/", import.meta.url);

async function promtool(...args: readonly string[]): Promise<string> {
  try {
    const { code, stdout, stderr } = await runToEnd(["promtool", ...args], { cwd: DEPLOY });
    assertEquals(code, 0, stdout + stderr);
    return stdout + stderr;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Error("promtool is missing: it is in the package prometheus of Debian");
  }
}

Deno.test("deploy/alerts.yml has twelve alerts that Prometheus accepts", async () => {
  assert((await promtool("check", "rules", "alerts.yml")).includes("12 rules found"));
});

Deno.test("deploy/prometheus.yml is valid for Prometheus, and sends alerts to an Alertmanager", async () => {
  assert((await promtool("check", "config", "prometheus.yml")).includes("SUCCESS"));
  const text = await Deno.readTextFile(new URL("prometheus.yml", DEPLOY));
  assert(/^alerting:\n {2}alertmanagers:\n/m.test(text));
});

Deno.test("deploy/alerts.yml: each alert fires when it should, and not otherwise", async () => {
  assert((await promtool("test", "rules", "alerts_test.yml")).includes("SUCCESS"));
});

Deno.test("deploy/alerts.yml and deploy/grafana.json name metrics that there are", () => {
  const figures = {
    residentBytes: 1,
    cpuSeconds: 1,
    startSeconds: 1,
    isStoreUp: true,
    storeNodesDown: 0,
    clockAheadSeconds: 0,
    certificateUntilMs: 1,
  };
  const page = createMetrics("1", 1).text(figures);
  for (const file of ["alerts.yml", "grafana.json"]) {
    const text = Deno.readTextFileSync(new URL(file, DEPLOY));
    const names = new Set(text.match(/\b(?:authenticator|process)_[a-z_]+/g));
    assert(names.size >= 4, file);
    for (const name of names) {
      assert(page.includes(`# TYPE ${name.replace(/_bucket$/, "")} `), `${file}: ${name}`);
    }
  }
});
