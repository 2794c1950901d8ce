// What callers lose when one of two servers on a port stops: so many of them, each with a new connection
// for every request, while one server after the other is stopped and replaced. Linux; the system is
// asked whether it hands on connections that a server has not accepted:
//
//     deno run -A bench/share_port_stop.ts [stops]
//     sudo sysctl net.ipv4.tcp_migrate_req=1

import process from "node:process";
import { eventually } from "../tests/support/eventually.ts";
import { freePort } from "../tests/support/free_port.ts";
import { exchangeRaw } from "../tests/support/http.ts";
import { PROGRAM, type RunningProgram, startProgram } from "../tests/support/program.ts";
import { numbersFrom } from "./command_line.ts";
import { median } from "./load.ts";

const [STOPS] = numbersFrom(process.argv.slice(2), [["stops", 8]]);
const CALLERS = 64;
const SOME_ANSWERS = 500;
const HEAD = [
  "GET /Validate.aspx?Pin=1&SecretCode=x HTTP/1.1",
  "Host: localhost",
  "Connection: close",
];

const address = { hostname: "127.0.0.1", port: freePort() };
const counts = { answers: 0, lost: 0 };
let isOver = false;

async function call(): Promise<void> {
  while (!isOver) {
    const reply = await exchangeRaw(address, { head: HEAD, body: new Uint8Array() })
      .catch(() => undefined);
    if (reply === undefined) counts.lost++;
    else if (reply.status === 200) counts.answers++;
    else throw new Error(`a reply with status ${reply.status}`);
  }
}

function start(): Promise<RunningProgram> {
  return startProgram(["--port", String(address.port), "--share-port"]);
}

async function stop(server: RunningProgram): Promise<void> {
  server.signal("SIGTERM");
  await server.outcome;
}

async function someAnswers(): Promise<void> {
  const { answers } = counts;
  await eventually(() => counts.answers > answers + SOME_ANSWERS);
}

let [next, other] = [await start(), await start()];
const callers = Array.from({ length: CALLERS }, call);
const lost: number[] = [];
for (let i = 0; i < STOPS; i++) {
  await someAnswers();
  const before = counts.lost;
  await stop(next);
  await someAnswers();
  lost.push(counts.lost - before);
  [next, other] = [other, await start()];
}
isOver = true;
await Promise.all(callers);
await Promise.all([next, other].map(stop));
const handsOn = Deno.readTextFileSync("/proc/sys/net/ipv4/tcp_migrate_req").trim() === "1";
process.stdout.write(
  `${PROGRAM}, tcp_migrate_req ${handsOn ? "on" : "off"}: of ${CALLERS} callers at once, ` +
    `${median(lost)} lost a request when a server stopped (${Math.min(...lost)} to ` +
    `${Math.max(...lost)}), and ${counts.lost} of ${counts.answers + counts.lost} in all\n`,
);
