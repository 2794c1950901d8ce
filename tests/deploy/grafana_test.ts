/**
 * The dashboard of `deploy/`: each of its queries gives figures, asked of a Prometheus that scrapes a
 * server as `deploy/prometheus.yml` says.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { referenceHotp } from "../support/reference_totp.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free_port.ts";
import { startProgram } from "../support/program.ts";
import { deployFile, exchange, isWell, need, startDaemon, withFolder } from "./tool.ts";

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

const SECRET = "correct horse battery staple";
// With its own count of failures, so that the right pin of the other one is never refused.
const ANOTHER = "another secret of another user";

/** A call of each kind that the dashboard tells apart. */
async function callServer(url: string): Promise<void> {
  const pin = referenceHotp(SECRET, Math.floor(Date.now() / 30_000));
  for (const [sent, secretCode] of [[pin, SECRET], ["000000", ANOTHER], ["", ANOTHER]] as const) {
    const query = new URLSearchParams({ pin: sent, secretCode });
    await (await fetch(`${url}/api.asmx/ValidatePin?${query}`)).body?.cancel();
  }
}

/** An expression as Grafana sends it. */
function filledIn(expr: string): string {
  return expr.replaceAll("$__rate_interval", "30s").replaceAll("$job", ".+");
}

Deno.test("every query of the dashboard gives figures of a server that Prometheus scrapes", () =>
  withFolder(async (folder) => {
    await need(["prometheus", "--version"], "prometheus");
    const server = await startProgram(["--port", "0", "--metrics"]);
    const target = new URL(server.url).host;
    const file = exchange(deployFile("prometheus.yml"), "127.0.0.1:8080", target);
    await Deno.writeTextFile(
      `${folder}/prometheus.yml`,
      `global: { scrape_interval: 2s, scrape_timeout: 2s }\n${file}`,
    );
    const listen = `127.0.0.1:${freePort()}`;
    const prometheus = startDaemon([
      "prometheus",
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=${listen}`,
    ], `${folder}/output`);
    try {
      await isWell(`http://${listen}/-/ready`);
      const { panels } = JSON.parse(deployFile("grafana.json")) as Dashboard;
      const exprs = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
      assert(exprs.length >= panels.length && panels.length > 5);
      for (const expr of exprs) {
        const query = new URLSearchParams({ query: filledIn(expr) });
        await eventually(async () => {
          // A rate wants a change: there is one as long as it is waited for.
          await callServer(server.url);
          const reply = await fetch(`http://${listen}/api/v1/query?${query}`);
          const { status, data } = await reply.json();
          assertEquals(status, "success", expr);
          return data.result.some(({ value }: { value: [number, string] }) => value[1] !== "NaN");
        });
      }
    } finally {
      await prometheus.stop();
      server.signal("SIGTERM");
      await server.outcome;
    }
  }));

Deno.test("the panels of the dashboard stand beside one another", () => {
  const { panels } = JSON.parse(deployFile("grafana.json")) as {
    panels: { id: number; gridPos: { x: number; y: number } }[];
  };
  const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
  assertEquals(new Set(places).size, panels.length);
  assertEquals(new Set(panels.map(({ id }) => id)).size, panels.length);
});
