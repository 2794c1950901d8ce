/**
 * nginx with the configuration that deploy/nginx.conf shows, in front of servers of a test.
 *
 * @module
 */

import { limitLife, runToEnd } from "../support/child.ts";

/** A server as `upstream` names it. */
export type Upstream = string;

/** An nginx that runs. */
export interface Nginx {
  /** The base URL that it serves on. */
  readonly url: string;
  /** Stops it, and gives the lines of its error log. */
  readonly stop: () => Promise<readonly string[]>;
}

const CONFIGURATION = new URL("../../deploy/nginx.conf", import.meta.url);

/** Whether nginx is installed. */
export async function hasNginx(): Promise<boolean> {
  try {
    return (await runToEnd(["nginx", "-v"])).code === 0;
  } catch {
    return false;
  }
}

/**
 * Starts nginx.
 *
 * @param folder An empty folder for its files.
 * @param change What is different from the configuration shown.
 */
export async function startNginx(
  folder: string,
  upstreams: readonly Upstream[],
  change: (configuration: string) => string = (same) => same,
): Promise<Nginx> {
  const port = freePort();
  const site = change(siteFor(upstreams, port, folder));
  await Deno.writeTextFile(`${folder}/nginx.conf`, mainConfiguration(folder, site));
  const child = new Deno.Command("nginx", {
    args: ["-e", `${folder}/error.log`, "-c", `${folder}/nginx.conf`],
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  limitLife(child);
  const url = `http://127.0.0.1:${port}`;
  await answers(`${url}/healthz`);
  return {
    url,
    stop: async () => {
      child.kill("SIGQUIT");
      await child.status;
      return (await Deno.readTextFile(`${folder}/error.log`)).split("\n").slice(0, -1);
    },
  };
}

// What a test cannot have as it stands there: the places of sockets, TLS, the log, the public port.
function siteFor(upstreams: readonly Upstream[], port: number, folder: string): string {
  let site = Deno.readTextFileSync(CONFIGURATION);
  upstreams.forEach((upstream, i) => {
    site = exchange(site, `unix:/run/authenticator-${i + 1}/socket`, upstream);
  });
  site = exchange(site, "listen 443 ssl;", `listen 127.0.0.1:${port};`);
  site = exchange(site, "/var/log/nginx/authenticator.log", `${folder}/access.log`);
  // Errors that the file keeps out of the log, since they show queries, are what a test looks for.
  const errorLog = "/var/log/nginx/authenticator.error.log crit";
  site = exchange(site, errorLog, `${folder}/error.log error`);
  return site.replace(/^ *ssl_certificate.*\n/gm, "");
}

/** Replaces a text that must be there, its first place outside comments. */
export function exchange(text: string, search: string, replacement: string): string {
  const lines = text.split("\n");
  const index = lines.findIndex((line) => !line.startsWith("#") && line.includes(search));
  if (index < 0) throw new TypeError(`deploy/nginx.conf does not hold: ${search}`);
  return lines.with(index, lines[index]!.replace(search, replacement)).join("\n");
}

function mainConfiguration(folder: string, site: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`).join("\n");
  // One process, of this user.
  return `daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 8192; }
http {
keepalive_requests 1000000;
${temporary}
${site}
}
`;
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

async function answers(url: string): Promise<void> {
  for (let attempts = 0; attempts < 200; attempts++) {
    try {
      await (await fetch(url)).body?.cancel();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error("nginx does not answer");
}
