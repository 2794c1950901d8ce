// The service with its guard in one of several places: in memory; in what answers as Redis does, asked
// as the program asks it; there, asked with as little as it takes; or behind a unix socket of
// guard_parent.ts, asked with as little. On Deno or on Bun:
//
//     deno run -A bench/servers/guarded.ts PORT memory|redis://HOST:PORT|bare:HOST:PORT|unix:PATH

import { createHash } from "node:crypto";
import net from "node:net";
import process from "node:process";
import { createGuard } from "../../lib/server/guard.ts";
import { serviceHandler } from "../../tests/support/service_handler.ts";
import { LogWriter } from "../../lib/server/log_writer.ts";
import { parseConfig } from "../../lib/config/options.ts";
import { type Guard, guardRules, type GuardStore, type Verdict } from "../../lib/guard/guard.ts";
import { currentRuntime } from "../../lib/server/runtime/current.ts";
import { listen } from "../../lib/server/listen/listen.ts";
import {
  DECIDE_SCRIPT,
  KEY_PREFIX,
  SCRIPT_VERDICTS,
  scriptArguments,
} from "../../lib/guard/redis/script.ts";
import { createLog } from "../../lib/telemetry/log.ts";

const [port, place = "memory"] = process.argv.slice(2);
const isBare = /^(?:unix|bare):/.test(place);
const variables = new Map([["AUTHENTICATOR_GUARD", isBare ? "memory" : place]]);
const config = parseConfig({ flags: new Map(), env: (name) => variables.get(name) });
const rules = guardRules(config);

const runtime = currentRuntime();
const writer = new LogWriter(runtime.writeError, () => {});
const log = createLog({
  format: "text",
  color: false,
  write: (line) => writer.write(line),
  now: Date.now,
});

/** The way to a place: what is said first, a question, and an answer by its number of a verdict. */
interface Way {
  readonly connect: () => net.Socket;
  readonly hello: string;
  readonly question: (fingerprint: string, step: string, source: string) => string;
  readonly answers: RegExp;
}

function wayTo(place: string): Way {
  const [scheme, address, redisPort] = place.split(":") as [string, string, string];
  if (scheme === "unix") {
    return {
      connect: () => net.connect(address),
      hello: `${JSON.stringify(rules)}\n`,
      question: (fingerprint, step, source) => `${fingerprint} ${step} ${source}\n`,
      answers: /([0-9])/g,
    };
  }
  const sha1 = createHash("sha1").update(DECIDE_SCRIPT).digest("hex");
  const words = (...all: readonly string[]): string =>
    `*${all.length}\r\n${all.map((word) => `$${word.length}\r\n${word}\r\n`).join("")}`;
  // All that is the same in every question.
  const asked = scriptArguments({
    rules,
    pin: { matchedStep: 0 },
    nowMs: undefined,
  });
  return {
    connect: () => net.connect(Number(redisPort), address),
    hello: words("SCRIPT", "LOAD", DECIDE_SCRIPT),
    question: (fingerprint, step, source) => {
      const args = [...asked.slice(0, 5), source, step, ""];
      return words("EVALSHA", sha1, "1", `${KEY_PREFIX}${fingerprint}`, ...args);
    },
    answers: /\*2\r\n:([0-9])\r\n:[0-9]+\r\n/g,
  };
}

// No time that a question may take, no second attempt: what a server would run
// takes more.
function askBarely({ connect, hello, question, answers }: Way): GuardStore {
  const waiting: ((verdict: Verdict) => void)[] = [];
  let answered = 0;
  let asked = "";
  let rest = "";
  const socket = connect().setNoDelay(true).setEncoding("latin1");
  socket.write(hello, "latin1");
  socket.on("data", (text) => {
    rest += String(text);
    let read = 0;
    for (const answer of rest.matchAll(answers)) {
      waiting[answered++]!(SCRIPT_VERDICTS[Number(answer[1])]!);
      read = answer.index + answer[0].length;
    }
    rest = rest.slice(read);
    if (answered < waiting.length) return;
    waiting.length = 0;
    answered = 0;
  });
  const send = (): void => {
    socket.write(asked, "latin1");
    asked = "";
  };
  return {
    admit: (fingerprint, source = "") => ({
      isCharged: false,
      settle: (matchedStep) => {
        if (asked === "") setImmediate(send);
        asked += question(fingerprint, String(matchedStep ?? ""), source);
        return new Promise((resolve) => waiting.push(resolve));
      },
      cancel: () => {},
    }),
    isHealthy: () => true,
    close: () => socket.destroy(),
  };
}

const guard: Guard = createGuard(config, {
  ...{ log, count: () => {} },
  monotonicMs: () => performance.now(),
})!;
const bare = isBare ? askBarely(wayTo(place)) : undefined;
await guard.ready;
let requests = 0;
const handler = serviceHandler(config, {
  now: Date.now,
  guard: { ...guard, store: bare ?? guard.store },
  log,
  isReady: () => true,
  telemetry: {
    observe: log.request,
    requestId: () => `bench-${(requests++).toString(36)}`,
    monotonicMs: () => performance.now(),
  },
});
const address = { hostname: "127.0.0.1", port: Number(port) };
await listen(runtime, { address, sharePort: false, tls: undefined, log }, handler);
