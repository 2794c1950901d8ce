/** The port for health, readiness and metrics alone, of the program that TEST_PROGRAM names. */

import { connect, type OutgoingHttpHeaders } from "node:http2";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { MAX_DRAIN_MS } from "../../../lib/server/listen/drain.ts";
import { eventually, inTime } from "../../support/eventually.ts";
import { withFolder } from "../../support/folder.ts";
import { exchangeRaw, Wire } from "../../support/http.ts";
import { metricsUrl, PROGRAM, withProgram } from "../../support/program.ts";

/** Status and text of a reply. */
async function get(url: string): Promise<readonly [number, string]> {
  const reply = await fetch(url);
  return [reply.status, await reply.text()];
}

Deno.test("an operator port answers until the last request has ended, and reports that the server stops", async () => {
  await inTime(MAX_DRAIN_MS, async () => {
    await withProgram(["--port", "0", "--metrics-port", "0"], async (program) => {
      const probes = await metricsUrl(program);
      const wire = await Wire.beginning(program.url);
      program.signal("SIGTERM");
      await eventually(async () => (await get(`${probes}/readyz`))[0] === 503);
      assertEquals(await get(`${probes}/healthz`), [200, "ok"]);
      assertEquals((await get(`${probes}/metrics`))[0], 200);
      const reply = await wire.finish();
      assert(reply.endsWith(">false</boolean>"), reply);
    });
  });
});

Deno.test("an operator port stays as it is on SIGHUP, and serves beside a socket", async () => {
  await withFolder(async (folder) => {
    const args = ["--metrics-port", "0", "--socket", `${folder}/a.sock`];
    await withProgram(args, async (program) => {
      const probes = await metricsUrl(program);
      program.signal("SIGHUP");
      await program.logged(" info SIGHUP: ");
      assertEquals(await get(`${probes}/readyz`), [200, "ok"]);
    });
  });
});

Deno.test("an operator port refuses a foreign host in the Host field, and on Deno in the target", async () => {
  await withProgram(["--port", "0", "--metrics-port", "0"], async (program) => {
    const probes = await metricsUrl(program);
    const statusOf = async (target: string, host: string): Promise<number> => {
      const head = [`GET ${target} HTTP/1.1`, `Host: ${host}`, "Connection: close"];
      return (await exchangeRaw(probes, { head })).status;
    };
    assertEquals(await statusOf("/status", "localhost"), 200);
    assertEquals(await statusOf("http://127.0.0.1/status", "localhost"), 200);
    assertEquals(await statusOf("/status", "evil.example"), 403);
    assertEquals(await statusOf("http://localhost/status", "evil.example"), 403);
    // Bun removes the host of the target.
    const ofTarget = PROGRAM === "deno" ? 403 : 200;
    assertEquals(await statusOf("http://evil.example/status", "localhost"), ofTarget);
  });
});

Deno.test({
  name: "an operator port refuses a foreign :authority of HTTP/2",
  ignore: PROGRAM !== "deno",
  fn: async () => {
    await withProgram(["--port", "0", "--metrics-port", "0"], async (program) => {
      const session = connect(await metricsUrl(program));
      const statusOf = (headers: OutgoingHttpHeaders): Promise<unknown> =>
        new Promise((resolve, reject) =>
          session.request({ ":path": "/status", ...headers })
            .on("response", (reply) => resolve(reply[":status"]))
            .on("error", reject)
            .resume()
        );
      try {
        assertEquals(await statusOf({ ":authority": "localhost" }), 200);
        assertEquals(await statusOf({ ":authority": "evil.example" }), 403);
        assertEquals(await statusOf({ ":authority": "evil.example", "host": "localhost" }), 403);
      } finally {
        session.destroy();
      }
    });
  },
});
