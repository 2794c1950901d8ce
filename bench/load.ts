/**
 * Load from wrk, and the processor time that it takes the server: user and system time of all its
 * threads and children, which other work on the machine changes less than requests a second.
 *
 * @module
 */

import { referenceHotp } from "../tests/support/reference_totp.ts";

/** A request, and what its reply holds. */
export interface LoadRequest {
  /** The method. */
  readonly method: "GET" | "POST";
  /** What stands behind the base URL. */
  readonly path: string;
  /** Header fields. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body; none unless given. */
  readonly body?: string;
}

/** How much is sent. */
export interface LoadOptions {
  /** Connections that are kept open. */
  readonly connections: number;
  /** Whole seconds, 1 at least. */
  readonly seconds: number;
}

/** What a load was. */
export interface Measured {
  /** Requests answered. */
  readonly requests: number;
  /** Of them in a second. */
  readonly perSecond: number;
  /** Processor time of the server in microseconds, for each request. */
  readonly cpuMicroseconds: number;
  /** The time that one in a hundred requests took longer than, in milliseconds. */
  readonly p99Ms: number;
}

/**
 * The script of wrk that sends requests in turn, again and again.
 *
 * @param holds What the body of each reply holds. To look at replies takes wrk as long as to send them,
 * so they are looked at only where this is given.
 */
export function scriptOf(requests: readonly LoadRequest[], holds?: string): string {
  const texts = requests.map(({ method, path, headers = {}, body }) => {
    const fields = Object.entries(headers)
      .map(([name, value]) => `[${quoted(name)}] = ${quoted(value)}`);
    const words = [quoted(method), quoted(path), `{${fields.join(", ")}}`];
    return `wrk.format(${[...words, body === undefined ? "nil" : quoted(body)].join(", ")})`;
  });
  // In `init`, where wrk knows the host; put together once, since Lua takes long for it.
  const sent = `local texts, i = {}, 0
init = function()
  texts = {${texts.join(",\n")}}
end
request = function()
  i = i + 1
  return texts[i % #texts + 1]
end`;
  return holds === undefined ? sent : `${sent}
response = function(status, _, body)
  if not body:find(${quoted(holds)}, 1, true) then
    print("A wrong reply: " .. status .. " " .. body:sub(1, 300))
    wrk.thread:stop()
  end
end`;
}

// A string of JSON in ASCII is one of Lua as well, but for \u escapes, which nothing here needs.
function quoted(text: string): string {
  return JSON.stringify(text);
}

/**
 * The script of wrk that sends right pins of many secrets in turn, by POST.
 *
 * @param distance Of which time step, from the current one. Unless given, of the one to come: those are
 * right for a minute at least.
 * @param holds As of `scriptOf`.
 */
export function rightPinsScript(secrets: number, distance = 1, holds?: string): string {
  const step = Math.floor(Date.now() / 30_000) + distance;
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  return scriptOf(
    Array.from({ length: secrets }, (_, i) => {
      const secret = `correct-horse-${i}`;
      const body = `pin=${referenceHotp(secret, step)}&secretCode=${secret}`;
      return { method: "POST", path: "/api.asmx/ValidatePin", headers, body };
    }),
    holds,
  );
}

/**
 * Sends a load with a script of wrk, and once more for longer where no reply came: a busy machine may
 * leave a server or wrk without its processor for a second.
 *
 * @throws {Error} When a reply had another status than 200 or 304, or not what the script looks for, or
 * none came, or wrk is missing.
 */
export async function load(
  server: { readonly pid: number },
  url: string,
  script: string,
  { connections, seconds }: LoadOptions,
): Promise<Measured> {
  const first = await loadOnce(server, url, script, { connections, seconds });
  if (typeof first !== "string") return first;
  const longer = { connections, seconds: 10 * seconds };
  const second = await loadOnce(server, url, script, longer);
  if (typeof second === "string") throw new Error(second);
  return second;
}

/** The same once; what wrk said where no reply came. */
async function loadOnce(
  server: { readonly pid: number },
  url: string,
  script: string,
  { connections, seconds }: LoadOptions,
): Promise<Measured | string> {
  const file = Deno.makeTempFileSync({ suffix: ".lua" });
  Deno.writeTextFileSync(file, script);
  const before = cpuMicroseconds(server.pid);
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", "-s", file, url];
  const { stdout } = await new Deno.Command("wrk", { args }).output();
  const spent = cpuMicroseconds(server.pid) - before;
  Deno.removeSync(file);
  const text = new TextDecoder().decode(stdout);
  const requests = Number(/(\d+) requests in/.exec(text)?.[1] ?? 0);
  if (/Non-2xx|Socket errors: connect [1-9]|A wrong reply/.test(text)) throw new Error(text);
  if (requests === 0) return text;
  return {
    requests,
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)![1]),
    cpuMicroseconds: spent / requests,
    p99Ms: milliseconds(/99%\s+([\d.]+\w+)/.exec(text)![1]!),
  };
}

function milliseconds(text: string): number {
  return parseFloat(text) * (text.endsWith("us") ? 0.001 : text.endsWith("ms") ? 1 : 1000);
}

/** The processor time of a process and its children so far, in microseconds (proc(5)). */
export function cpuMicroseconds(pid: number): number {
  let ticks = 0;
  for (const one of family(pid)) {
    const fields = statOf(one);
    ticks += Number(fields?.[11] ?? 0) + Number(fields?.[12] ?? 0);
  }
  return ticks * 10_000;
}

/** The processor time of a Redis so far, in microseconds. */
export async function redisMicroseconds(
  { command }: { readonly command: (...words: string[]) => Promise<string> },
): Promise<number> {
  const text = await command("INFO", "cpu");
  return [...text.matchAll(/^used_cpu_(?:sys|user):([0-9.]+)/gm)]
    .reduce((sum, [, seconds]) => sum + Number(seconds) * 1e6, 0);
}

/** The resident memory of a process and its children, in bytes. */
export function residentBytes(pid: number): number {
  return family(pid).reduce((sum, one) => sum + Number(statOf(one)?.[21] ?? 0) * 4096, 0);
}

function family(pid: number): readonly number[] {
  const children = Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).trim();
  const known = children === "" ? [] : children.split(" ").map(Number);
  return [pid, ...known.flatMap(family)];
}

function statOf(pid: number): readonly string[] | undefined {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/stat`).replace(/^.*\) /, "").split(" ");
  } catch {
    return undefined;
  }
}

/** The value in the middle. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
