/**
 * Caddy with the configuration that deploy/Caddyfile shows, in front of servers of a test.
 *
 * @module
 */

import { freePort } from "../../support/free_port.ts";
import type { Proxy } from "./canaries.ts";
import { deployFile, exchange, isWell, startDaemon } from "../../support/deploy.ts";

/**
 * Starts Caddy.
 *
 * @param folder An empty folder for its files.
 * @param upstreams The addresses of the two servers.
 * @param change What is different from the configuration shown.
 */
export async function startCaddy(
  folder: string,
  upstreams: readonly [string, string],
  change: (configuration: string) => string = (same) => same,
): Promise<Proxy> {
  const url = `http://127.0.0.1:${freePort()}`;
  await Deno.writeTextFile(`${folder}/Caddyfile`, change(siteFor(upstreams, url)));
  const words = ["caddy", "run", "--adapter", "caddyfile", "--config", `${folder}/Caddyfile`];
  const home = { HOME: folder, XDG_DATA_HOME: `${folder}/data`, XDG_CONFIG_HOME: `${folder}/home` };
  const daemon = startDaemon(words, `${folder}/output`, home);
  await isWell(`${url}/healthz`);
  return {
    url,
    stop: async () => {
      await daemon.stop();
      return (await Deno.readTextFile(`${folder}/output.2`)).split("\n").slice(0, -1);
    },
  };
}

/** The same with a log of every request, as a comment of the file shows. */
export function withAccessLog(configuration: string): string {
  return exchange(configuration, "\trequest_body {", "\tlog\n\trequest_body {");
}

// What a test cannot have as it stands there: the name, TLS, the ports, the port of administration.
function siteFor(upstreams: readonly [string, string], url: string): string {
  let site = deployFile("Caddyfile");
  site = exchange(site, "{$SITE:pin.example.com}", url);
  site = exchange(site, "127.0.0.1:8080", upstreams[0]);
  site = exchange(site, "127.0.0.1:8081", upstreams[1]);
  return exchange(site, "{", "{\n\tadmin off");
}
