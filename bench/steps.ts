/**
 * Where the time of a check goes on Deno: a bare server with the same WebCrypto calls, and step by
 * step what the program does beside them, each step on top of those before. All take turns. Needs wrk.
 *
 *     deno run -A bench/steps.ts [--rounds N]
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import process from "node:process";
import { importOtpKey, matchesCurrentStep } from "../lib/otp/totp.ts";
import { referenceHotp } from "../tests/support/reference_totp.ts";
import { stopWithout } from "./command_line.ts";
import { load, median, scriptOf } from "./load.ts";
import { programs, row, type RunningPeer, startPeer } from "./peers.ts";

const SECRETS = Array.from({ length: 256 }, (_, i) => `YJO8LCQT${String(i).padStart(4, "0")}`);
const STEPS = [
  "bare: WebCrypto, one reply field",
  "four more reply fields",
  "four request fields read",
  "six async functions around it",
  "a line of the log, written",
];
const CONTENT_TYPE = { "content-type": "text/xml; charset=utf-8" };
const REPLY_FIELDS = [
  ["content-type", "text/xml; charset=utf-8"],
  ["cache-control", "no-store"],
  ["referrer-policy", "no-referrer"],
  ["x-content-type-options", "nosniff"],
] as const;
const encoder = new TextEncoder();

async function isRight(url: string): Promise<boolean> {
  const [, code = "", secret = ""] = /pin=(\d+)&secretCode=(\w+)/.exec(url) ?? [];
  const key = await importOtpKey(encoder.encode(secret), "SHA1");
  return await matchesCurrentStep(key, { code, step: Math.floor(Date.now() / 30_000), digits: 6 });
}

async function around(layers: number, answer: () => Promise<Response>): Promise<Response> {
  return layers === 0 ? await answer() : await around(layers - 1, answer);
}

let waiting: string[] = [];

function log(id: string, tookMs: number): void {
  const time = new Date().toISOString();
  const call = `method=GET route=service operation=ValidatePin binding="HTTP GET" status=200`;
  waiting.push(`${time} info request ${call} outcome=true ms=${tookMs.toFixed(3)} id=${id}\n`);
  if (waiting.length > 1) return;
  setTimeout(() => {
    void Deno.stderr.write(encoder.encode(waiting.join("")));
    waiting = [];
  }, 10);
}

function serveStep(port: number, step: number): void {
  let count = 0;
  const answer = async (request: Request): Promise<Response> => {
    if (request.url.endsWith("/healthz")) return new Response("ok");
    const startMs = performance.now();
    const id = `abcdefabcd-${(count++).toString(36)}`;
    const read = ["host", "content-type", "x-authenticator-source", "x-api-key"];
    if (step >= 2) read.forEach((name) => request.headers.get(name));
    const reply = await around(step >= 3 ? 6 : 0, async () => {
      const body = `<boolean>${await isRight(request.url)}</boolean>`;
      if (step < 1) return new Response(body, { headers: CONTENT_TYPE });
      const response = new Response(body);
      for (const [name, value] of [...REPLY_FIELDS, ["x-request-id", id]] as const) {
        response.headers.set(name, value);
      }
      return response;
    });
    if (step >= 4) log(id, performance.now() - startMs);
    return reply;
  };
  Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, (request) => answer(request));
}

async function measure(rounds: number): Promise<void> {
  const servers = new Map<string, RunningPeer>();
  const figures = new Map<string, number[]>();
  try {
    for (const [step, name] of STEPS.entries()) {
      const file = fileURLToPath(new URL(import.meta.url));
      const command = [Deno.execPath(), "run", "-A", file, "serve", "PORT", String(step)];
      servers.set(name, await startPeer({ name, command }));
    }
    const [{ name, command } = { name: "", command: [] }] = programs();
    const off = command.map((word) => word === "1000000" ? "0" : word);
    servers.set("the program without its guard", await startPeer({ name, command: off }));
    servers.set("the guard, with the name of the secret", await startPeer({ name, command }));
    for (let round = 0; round <= rounds; round++) {
      for (const [name, server] of round % 2 === 0 ? servers : [...servers].reverse()) {
        const now = Math.floor(Date.now() / 30_000);
        const script = scriptOf(SECRETS.map((secret) => ({
          method: "GET",
          path: `/api.asmx/ValidatePin?pin=${referenceHotp(secret, now)}&secretCode=${secret}`,
        })));
        const seconds = round === 0 ? 2 : 1;
        const taken = await load(server, server.url, script, { connections: 32, seconds });
        if (round > 0) figures.set(name, [...figures.get(name) ?? [], taken.cpuMicroseconds]);
      }
    }
  } finally {
    for (const server of servers.values()) await server.stop();
  }
  row(["CPU µs a request", "median", "over the line above"], true);
  let above: number[] | undefined;
  for (const name of servers.keys()) {
    const us = figures.get(name)!;
    const over = above && median(us.map((one, i) => one - above![i]!)).toFixed(0);
    row([name, median(us).toFixed(0), over ?? "–"]);
    above = us;
  }
}

const [mode, first, second] = process.argv.slice(2);
if (mode === "serve") serveStep(Number(first), Number(second));
else {
  stopWithout(["wrk"]);
  await measure(mode === "--rounds" ? Number(first) : 7);
}
