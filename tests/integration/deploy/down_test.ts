/**
 * Answers of a proxy that is configured as `deploy/` shows while no instance is up.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import type { Proxy } from "./canaries.ts";
import { startCaddy } from "./caddy.ts";
import { startNginx } from "./nginx.ts";
import { withFolder } from "../../support/folder.ts";

const QUERY = "?Pin=1&SecretCode=x";
const FALSE = [200, "text/html; charset=utf-8", "no-store", "False"];

// Each is the page to the server.
const PATHS = [
  "/Validate.aspx",
  "//VALIDATE.ASPX",
  "/Validate.aspx/",
  "/validate.aspx/x",
  "/Validate.aspx//x/y.z",
  "/Validate%2Easpx%2Fx",
  "/%2Fvalidate.aspx/%C3%A9%25",
  // Bun would read the backslash as a slash.
  "/Validate.aspx/x%5Cy",
];
const ALL_FALSE = Object.fromEntries(PATHS.map((path) => [path, FALSE]));

const OTHERS = ["/api.asmx/ValidatePin", "/Validate.aspxx", "/Validate.aspx;a", "/x/Validate.aspx"];

type Start = (folder: string, upstreams: readonly [string, string]) => Promise<Proxy>;

const PROXIES: readonly (readonly [name: string, start: Start])[] = [
  ["nginx", startNginx],
  ["caddy", startCaddy],
];

async function ask(url: string, method = "GET"): Promise<readonly unknown[]> {
  const reply = await fetch(url, { method });
  const { status, headers } = reply;
  return [status, headers.get("content-type"), headers.get("cache-control"), await reply.text()];
}

for (const [name, start] of PROXIES) {
  Deno.test(`${name} answers /Validate.aspx, and no other path, with False while no instance is up`, () =>
    withFolder(async (folder) => {
      const instances = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen: () => {} },
        () => new Response("ok"),
      );
      const upstream = `127.0.0.1:${instances.addr.port}`;
      const proxy = await start(folder, [upstream, upstream]);
      const up = await ask(`${proxy.url}/Validate.aspx${QUERY}`);
      // Callers of the route take a 414 for a right pin, and whoever types it chooses its length.
      const long = await ask(`${proxy.url}/Validate.aspx${QUERY}&a=${"1".repeat(60_000)}`);
      await instances.shutdown();
      const down = await Promise.all(PATHS.map((path) => ask(`${proxy.url}${path}${QUERY}`)));
      const posted = await ask(`${proxy.url}/Validate.aspx/${QUERY}`, "POST");
      const others = await Promise.all(OTHERS.map((path) => ask(`${proxy.url}${path}${QUERY}`)));
      await proxy.stop();
      assertEquals([up.at(-1), long.at(-1)], ["ok", "ok"]);
      assertEquals(Object.fromEntries(PATHS.map((path, i) => [path, down[i]])), ALL_FALSE);
      assertEquals(posted, FALSE);
      for (const [status] of others) assert([502, 503].includes(Number(status)), `${status}`);
    }));
}
