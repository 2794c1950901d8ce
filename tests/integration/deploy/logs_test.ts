/**
 * No secret in the logs of a proxy that is configured as `deploy/` shows, whatever becomes of the
 * servers behind it.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { startCaddy, withAccessLog } from "./caddy.ts";
import {
  CANARY,
  filesWithCanary,
  type Outages,
  ports,
  type Proxy,
  sendThroughOutages,
  sockets,
} from "./canaries.ts";
import { startNginx, withErrors } from "./nginx.ts";
import { withFolder } from "../../support/folder.ts";

/** Log lines of the faults: a reply at first, and none while no instance ran. */
function assertOutages({ statuses }: Outages): void {
  const [get, shortRoute, post] = statuses["both"]!;
  assertEquals([get, shortRoute, post], [200, 200, 200]);
  for (const state of ["one stopped", "one is back"]) {
    assertEquals(statuses[state]![0], 200, state);
  }
  for (const state of ["all down", "all down again"]) {
    assert([502, 503].includes(statuses[state]![0]!), `${state}: ${statuses[state]}`);
  }
}

Deno.test("nginx on sockets: no secret in its logs, and what became of each request", () =>
  withFolder(async (folder) => {
    const logs = `${folder}/nginx`;
    await Deno.mkdir(logs);
    const start = (upstreams: readonly string[]): Promise<Proxy> => startNginx(logs, upstreams);
    assertOutages(await sendThroughOutages(sockets(folder), start));
    assertEquals(filesWithCanary(logs), []);
    const access = Deno.readTextFileSync(`${logs}/access.log`);
    // Both were tried, whichever was next.
    const tried = access.match(/"GET \/api\.asmx\/ValidatePin" 502 .*$/m)?.[0] ?? "";
    assertEquals(["1", "2"].filter((name) => !tried.includes(`/${name}.sock`)), [], access);
  }));

Deno.test("nginx on ports: no secret in its logs", () =>
  withFolder(async (folder) => {
    const start = (upstreams: readonly string[]): Promise<Proxy> => startNginx(folder, upstreams);
    assertOutages(await sendThroughOutages(ports(), start));
    assertEquals(filesWithCanary(folder), []);
  }));

Deno.test("the requests are such as nginx shows in a log of errors", () =>
  withFolder(async (folder) => {
    const start = (upstreams: readonly string[]): Promise<Proxy> =>
      startNginx(folder, upstreams, withErrors);
    const { lines } = await sendThroughOutages(ports(), start);
    assert(lines.some((line) => line.includes(CANARY)));
    assertEquals(filesWithCanary(folder), [`${folder}/error.log`]);
  }));

Deno.test("Caddy: no secret in its log, and what became of each request", () =>
  withFolder(async (folder) => {
    const start = (upstreams: readonly [string, string]): Promise<Proxy> =>
      startCaddy(folder, upstreams, withAccessLog);
    const outages = await sendThroughOutages(ports(), start);
    assertOutages(outages);
    assertEquals(filesWithCanary(folder), []);
    const shown = outages.lines.find((line) =>
      line.includes('"http.log.access"') && line.includes('"status":502')
    );
    assert(shown?.includes('"uri":"/api.asmx/ValidatePin"'), outages.lines.join("\n"));
  }));
