/**
 * What a proxy that is configured as `deploy/` shows keeps from the world, however it is asked for.
 *
 * @module
 */

import { assertEquals } from "@std/assert/equals";
import { exchangeRaw } from "../../support/http.ts";
import type { Proxy } from "./canaries.ts";
import { startCaddy } from "./caddy.ts";
import { startNginx } from "./nginx.ts";
import { withFolder } from "../../support/folder.ts";

// A server on Bun takes each of them for one of the two paths.
const INTERNAL = [
  "/metrics",
  "/METRICS",
  "/readyz",
  "/metrics?a=b",
  "//metrics",
  "/healthz/../metrics",
  "/healthz/%2e%2e/metrics",
  "/.\\metrics",
  "/healthz\\..\\readyz",
  "/healthz\\%2e%2E\\metrics",
  "/healthz/..%5cmetrics",
];

type Start = (folder: string, upstreams: readonly [string, string]) => Promise<Proxy>;

const PROXIES: readonly (readonly [name: string, start: Start])[] = [
  ["nginx", startNginx],
  ["caddy", startCaddy],
];

for (const [name, start] of PROXIES) {
  Deno.test(`${name} exposes neither metrics nor readiness under any spelling of the path`, () =>
    withFolder(async (folder) => {
      const all = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen: () => {} },
        () => new Response("reached"),
      );
      const upstream = `127.0.0.1:${all.addr.port}`;
      const proxy = await start(folder, [upstream, upstream]);
      const statusOf = async (path: string): Promise<number> => {
        const head = [`GET ${path} HTTP/1.1`, "Host: 127.0.0.1"];
        return (await exchangeRaw(proxy.url, { head })).status;
      };
      assertEquals(await statusOf("/healthz"), 200);
      const reached = [];
      for (const path of INTERNAL) if (await statusOf(path) !== 404) reached.push(path);
      await proxy.stop();
      await all.shutdown();
      assertEquals(reached, []);
    }));
}
