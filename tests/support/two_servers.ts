/**
 * Two servers that share a Redis, as processes of their own.
 *
 * @module
 */

import { FIRST_WAIT_MS } from "../../lib/guard/budget.ts";
import { SECRET, validateTarget } from "./calls.ts";
import { eventually, inTime } from "./eventually.ts";
import { GUARD_KEY_FILE } from "./guard_key.ts";
import { type RunningProgram, startProgram, stop } from "./program.ts";
import { wrongPinOf } from "./reference_totp.ts";

/** Checks a pin by `/Validate.aspx`. */
export async function check(
  server: RunningProgram,
  pin: string,
  secret = SECRET,
  source = "",
): Promise<string> {
  const headers = { "x-authenticator-source": source };
  const reply = await fetch(server.url + validateTarget(pin, secret), { headers });
  const text = await reply.text();
  return reply.status === 200 ? text : `${reply.status} ${text}`;
}

/** The status of `/readyz`: 200 once the store has answered, until the server drains. */
export async function readiness(server: RunningProgram): Promise<number> {
  return (await readyz(server)).status;
}

/** Whether the store of a server that is ready answers. */
export async function storeAnswers(server: RunningProgram): Promise<boolean> {
  const { status, text } = await readyz(server);
  const answers = new Map([
    ["ok", true],
    ["ok; a part of the store does not answer", true],
    ["ok; the store does not answer", false],
  ]).get(text);
  if (status !== 200 || answers === undefined) throw new Error(`/readyz is ${status} ${text}`);
  return answers;
}

/** Reads `/readyz`. */
export async function readyz({ url }: RunningProgram): Promise<{ status: number; text: string }> {
  const reply = await fetch(`${url}/readyz`);
  return { status: reply.status, text: await reply.text() };
}

/**
 * Checks a pin until the store has decided about it: on a busy machine, even a long timeout may pass.
 * No other call may reach the server meanwhile.
 */
export async function decided(
  server: RunningProgram,
  pin: string,
  secret: string,
): Promise<string> {
  const errors = (): Promise<number> => counted(server, "authenticator_guard_store_errors_total");
  let answer = "";
  await eventually(async () => {
    const before = await errors();
    answer = await check(server, pin, secret);
    return await errors() === before;
  }, "the store decides");
  return answer;
}

/**
 * Runs a test of a secret that the guard throttles; repeats it with another secret when it fails so
 * late that the first throttle may have ended.
 */
export async function withinFirstWait(run: (secret: string) => Promise<void>): Promise<void> {
  let attempts = 0;
  await inTime(FIRST_WAIT_MS, () => run(`${SECRET} ${++attempts}`));
}

/**
 * Has eight wrong pins checked by a server that allows more. Servers on the same store that allow two
 * then throttle the secret for half an hour, instead of the half minute after a third wrong pin.
 */
export async function failOften(storeUrl: string, secret: string): Promise<void> {
  const server = await startServer(storeUrl, ["--single-use"]);
  await eventually(async () => await readiness(server) === 200);
  for (let i = 0; i < 8; i++) await decided(server, wrongPinOf(secret), secret);
  await stop(server);
}

/** A counter of `/metrics`. */
export async function counted(
  server: Pick<RunningProgram, "url">,
  sample: string,
): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${sample} `));
  if (line === undefined) throw new Error(`/metrics has no ${sample}`);
  return Number(line.split(" ").at(-1));
}

/**
 * A URL with a longer timeout than the default of half a second, which a busy machine may well exceed;
 * a timeout in the URL stays.
 */
export function patient(storeUrl: string): string {
  return storeUrl.includes("?") ? storeUrl : `${storeUrl}?timeout=30000`;
}

/** Starts a server with a store and a long timeout. */
export async function startServer(
  storeUrl: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<RunningProgram> {
  const key = args.includes("--guard-key-file") ? [] : ["--guard-key-file", GUARD_KEY_FILE];
  const options = ["--port", "0", "--metrics", ...key, ...args];
  return await startProgram(options, { env: { ...env, AUTHENTICATOR_GUARD: patient(storeUrl) } });
}

/**
 * Runs a test with two servers, stops them afterwards, and returns their logs.
 *
 * @param args Options of both.
 */
export async function withTwoServers(
  storeUrl: string,
  args: readonly string[],
  run: (one: RunningProgram, two: RunningProgram) => Promise<void>,
): Promise<string> {
  const servers = await Promise.all([1, 2].map(() => startServer(storeUrl, args)));
  try {
    for (const server of servers) await eventually(async () => await readiness(server) === 200);
    await run(servers[0]!, servers[1]!);
  } finally {
    await Promise.all(servers.map((server) => stop(server)));
  }
  const outcomes = await Promise.all(servers.map((server) => server.outcome));
  return outcomes.map(({ stdout, stderr }) => stdout + stderr).join("");
}
