/**
 * Secrets that a test looks for where they must not be: requests that carry them, sent while the
 * servers behind a proxy stop, break off, are all down, and come back.
 *
 * @module
 */

import { freePort } from "../../support/free_port.ts";
import { type RunningProgram, startProgram } from "../../support/program.ts";
import { isWell } from "../../support/deploy.ts";

/** What stands in the requests, and nowhere else. */
export const CANARY = "CANARYqZ7wX3vK9pT5";
const KEY = `${CANARY}key`;

/** Two servers behind a proxy. */
export interface Instance {
  /** The options that make a server listen there. */
  readonly args: readonly string[];
  /** The server as the proxy's configuration names it. */
  readonly upstream: string;
}

/** Two servers on sockets in a folder. */
export function sockets(folder: string): readonly [Instance, Instance] {
  const instance = (name: string): Instance => ({
    args: ["--socket", `${folder}/${name}.sock`],
    upstream: `unix:${folder}/${name}.sock`,
  });
  return [instance("1"), instance("2")];
}

/** Two servers on ports. */
export function ports(): readonly [Instance, Instance] {
  const instance = (): Instance => {
    const port = freePort();
    return { args: ["--port", String(port)], upstream: `127.0.0.1:${port}` };
  };
  return [instance(), instance()];
}

type Sent = readonly [what: string, path: string, init: RequestInit];

const QUERY = `pin=123456&secretCode=${CANARY}`;
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const SENT: readonly Sent[] = [
  ["GET", `/api.asmx/ValidatePin?${QUERY}`, {}],
  ["a short route", `/Validate.aspx?Pin=123456&SecretCode=${CANARY}`, {}],
  ["POST", "/api.asmx/ValidatePin", { method: "POST", headers: FORM, body: QUERY }],
  ["keys", "/api.asmx/Pair", {
    headers: { "x-api-key": KEY, authorization: `Bearer ${KEY}`, "x-authenticator-source": KEY },
  }],
  ["a referrer", "/", { headers: { referer: `http://a.example/?${QUERY}` } }],
  ["too long a query", `/api.asmx/ValidatePin?${QUERY}${"x".repeat(40_000)}`, {}],
  ["too large a body", `/api.asmx/ValidatePin?${QUERY}`, {
    method: "POST",
    headers: FORM,
    body: QUERY.padEnd(100_000, "x"),
  }],
];

const PATIENCE_MS = 120_000;

/** Sends each kind of request; gives the statuses, `0` where the connection broke. */
async function send(url: string): Promise<readonly number[]> {
  return await Promise.all(SENT.map(async ([, path, init]) => {
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const reply = await fetch(`${url}${path}`, { ...init, signal });
      await reply.body?.cancel();
      return reply.status;
    } catch {
      return 0;
    }
  }));
}

async function end(program: RunningProgram, signal: Deno.Signal): Promise<void> {
  program.signal(signal);
  await program.outcome;
}

/** A proxy that runs. */
export interface Proxy {
  /** The base URL that it serves on. */
  readonly url: string;
  /** Stops it, and gives the lines that it logged as errors. */
  readonly stop: () => Promise<readonly string[]>;
}

/** What came of the requests. */
export interface Outages {
  /** The statuses of the replies while the servers were in some state. */
  readonly statuses: Readonly<Record<string, readonly number[]>>;
  /** What the proxy logged as errors. */
  readonly lines: readonly string[];
}

/**
 * Sends the requests through a proxy while the two servers behind it come and go.
 *
 * @param startProxy Starts the proxy once the servers listen.
 */
export async function sendThroughOutages(
  instances: readonly [Instance, Instance],
  startProxy: (upstreams: readonly [string, string]) => Promise<Proxy>,
): Promise<Outages> {
  const start = ({ args }: Instance): Promise<RunningProgram> =>
    startProgram([...args, "--trust-proxy"]);
  const [first, second] = await Promise.all(instances.map(start));
  const { url, stop } = await startProxy([instances[0].upstream, instances[1].upstream]);
  const statuses: Record<string, readonly number[]> = { both: await send(url) };
  await end(first!, "SIGTERM");
  statuses["one stopped"] = await send(url);
  // Its socket file stays, without a listener.
  await end(second!, "SIGKILL");
  statuses["all down"] = await send(url);
  const again = await start(instances[0]);
  // Caddy looks once in a second who is there.
  await isWell(`${url}/healthz`);
  statuses["one is back"] = await send(url);
  await end(again, "SIGTERM");
  statuses["all down again"] = await send(url);
  return { statuses, lines: await stop() };
}

/** The files below a folder that hold the canary. */
export function filesWithCanary(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isFile, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return filesWithCanary(path);
    return isFile && Deno.readTextFileSync(path).includes(CANARY) ? [path] : [];
  });
}
