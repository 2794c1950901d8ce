/**
 * nginx with the configuration that deploy/nginx.conf shows, in front of servers of a test.
 *
 * @module
 */

import { freePort } from "../../support/free_port.ts";
import type { Proxy } from "./canaries.ts";
import { deployFile, exchange, isWell, startDaemon } from "../../support/deploy.ts";

/**
 * Starts nginx.
 *
 * @param folder An empty folder for its files.
 * @param upstreams The servers, as `upstream` of the configuration names them.
 * @param change What is different from the configuration shown.
 */
export async function startNginx(
  folder: string,
  upstreams: readonly string[],
  change: (configuration: string) => string = (same) => same,
): Promise<Proxy> {
  const port = freePort();
  const site = change(siteFor(upstreams, port, folder));
  await Deno.writeTextFile(`${folder}/nginx.conf`, mainConfiguration(folder, site));
  const words = ["nginx", "-e", `${folder}/main.log`, "-c", `${folder}/nginx.conf`];
  const daemon = startDaemon(words, `${folder}/output`);
  const url = `http://127.0.0.1:${port}`;
  await isWell(`${url}/healthz`);
  return {
    url,
    stop: async () => {
      await daemon.stop("SIGQUIT");
      const logs = ["main.log", "error.log"].map((name) => Deno.readTextFile(`${folder}/${name}`));
      return (await Promise.all(logs)).join("").split("\n").slice(0, -1);
    },
  };
}

/** The same with the errors in the log that the configuration keeps out, since they show queries. */
export function withErrors(configuration: string): string {
  return exchange(configuration, "error.log emerg;", "error.log error;");
}

// What a test cannot have as it stands there: the places of sockets, TLS, the logs, the public port.
function siteFor(upstreams: readonly string[], port: number, folder: string): string {
  let site = deployFile("nginx.conf");
  upstreams.forEach((upstream, i) => {
    site = exchange(site, `unix:/run/authenticator-${i + 1}/socket`, upstream);
  });
  site = exchange(site, "listen 443 ssl;", `listen 127.0.0.1:${port};`);
  site = exchange(site, "/var/log/nginx/authenticator.log", `${folder}/access.log`);
  site = exchange(site, "/var/log/nginx/authenticator.error.log", `${folder}/error.log`);
  return site.replace(/^ *ssl_certificate.*\n/gm, "");
}

function mainConfiguration(folder: string, site: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`).join("\n");
  // One process, of this user; the level of its own log is that of Debian's nginx.conf.
  return `daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/main.log;
events { worker_connections 8192; }
http {
keepalive_requests 1000000;
${temporary}
${site}
}
`;
}
