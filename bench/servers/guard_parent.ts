// The one guard of several servers in a process of ours, as a parent of workers would keep it: the table
// of lib/guard in memory, and two ways to ask it. On a port it answers the script of lib/guard/redis as
// Redis does, so that a server takes it for one. On a unix socket it answers the least that a server
// could ask: a line for each question, a digit for each verdict. It is there to be measured. On Deno
// or on Bun:
//
//     deno run -A bench/servers/guard_parent.ts PORT SOCKET

import { decide as decideAtOnce } from "../../tests/support/guard_store.ts";
import net from "node:net";
import process from "node:process";
import type { GuardRules, Verdict } from "../../lib/guard/guard.ts";
import { MemoryStore } from "../../lib/guard/memory_store.ts";
import { SCRIPT_VERDICTS } from "../../lib/guard/redis/script.ts";

// Nobody waits longer for a server than it remembers a refusal.
const REFUSED_MS = 1000;

const stores = new Map<string, MemoryStore>();

function storeFor(rules: GuardRules): MemoryStore {
  const name = JSON.stringify(rules);
  const store = stores.get(name) ?? new MemoryStore({ rules, now: () => performance.now() });
  stores.set(name, store);
  return store;
}

function decide(
  rules: GuardRules,
  [key, step, source]: readonly [key: string, step: string, source: string],
): Verdict {
  const matchedStep = step === "" ? undefined : Number(step);
  // In memory a verdict is no promise.
  return decideAtOnce(storeFor(rules), key, matchedStep, source || undefined) as Verdict;
}

/** What a client of Redis sent: the words of a command, and where the next one begins. */
function commandAt(text: string, start: number): readonly [string[], number] | undefined {
  let at = start;
  const number = (): number => {
    const end = text.indexOf("\r\n", at);
    const value = end < 0 ? NaN : Number(text.slice(at + 1, end));
    at = end + 2;
    return value;
  };
  const words: string[] = [];
  for (let left = number(); left > 0; left--) {
    const length = number();
    if (!(at + length + 2 <= text.length)) return undefined;
    words.push(text.slice(at, at + length));
    at += length + 2;
  }
  return words.length === 0 ? undefined : [words, at];
}

// The arguments as scriptArguments of lib/guard/redis/script.ts makes them.
function reply([name, , , key, ...args]: readonly string[]): string {
  if (name !== "EVAL" && name !== "EVALSHA") return `-ERR unknown command '${name}'\r\n`;
  const [budget, , , singleUse, forgetUseMs, source, step] = args;
  const rules = {
    maxFailures: parseInt(budget!),
    singleUse: singleUse === "1",
    forgetUseMs: Number(forgetUseMs),
  };
  const verdict = decide(rules, [key!, step!, source!]);
  const refusedMs = verdict === "throttled" ? REFUSED_MS : 0;
  return `*2\r\n:${SCRIPT_VERDICTS.indexOf(verdict)}\r\n:${refusedMs}\r\n`;
}

/** Takes what a connection brings, and gives what is left of it and what is to be answered. */
type Reader = (text: string) => readonly [rest: string, answer: string];

const readCommands: Reader = (text) => {
  let at = 0;
  let answer = "";
  for (let next = commandAt(text, at); next !== undefined; next = commandAt(text, at)) {
    answer += reply(next[0]);
    at = next[1];
  }
  return [text.slice(at), answer];
};

function linesReader(): Reader {
  let rules: GuardRules | undefined;
  return (text) => {
    const lines = text.split("\n");
    const rest = lines.pop()!;
    // The first line says by which rules.
    rules ??= JSON.parse(lines.shift()!) as GuardRules;
    const answers = lines.map((line) => {
      const [key, step, source] = line.split(" ") as [string, string, string];
      return SCRIPT_VERDICTS.indexOf(decide(rules!, [key, step, source]));
    });
    return [rest, answers.join("")];
  };
}

function serve(makeReader: () => Reader): net.Server {
  return net.createServer((socket) => {
    const read = makeReader();
    let rest = "";
    socket.setNoDelay(true).setEncoding("latin1");
    socket.on("data", (text) => {
      const [left, answer] = read(rest + text);
      rest = left;
      if (answer !== "") socket.write(answer, "latin1");
    });
    socket.on("error", () => socket.destroy());
  });
}

const [port, path] = process.argv.slice(2);
serve(() => readCommands).listen(Number(port), "127.0.0.1");
serve(linesReader).listen(path);
