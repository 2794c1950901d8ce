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
      const [down, otherCase, posted, api] = await Promise.all([
        ask(`${proxy.url}/Validate.aspx${QUERY}`),
        ask(`${proxy.url}//VALIDATE.ASPX${QUERY}`),
        ask(`${proxy.url}/Validate.aspx${QUERY}`, "POST"),
        ask(`${proxy.url}/api.asmx/ValidatePin${QUERY}`),
      ]);
      await proxy.stop();
      assertEquals([up.at(-1), long.at(-1)], ["ok", "ok"]);
      assertEquals([down, otherCase, posted], [FALSE, FALSE, FALSE]);
      assert([502, 503].includes(Number(api[0])), `${api}`);
    }));
}
