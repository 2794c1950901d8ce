// Whether a parent of servers that keeps their one guard would cost less than a shared Redis: checks of
// right pins by one server whose guard is in its memory, in Redis, in a process of ours that is asked
// as Redis is, and in the same process asked over a unix socket in the cheapest way there is. On Deno and
// on Bun, in turns, since the speed of a shared machine comes and goes. Needs wrk, redis-server, bun.
//
//     deno run -A bench/guard_parent.ts [seconds] [rounds]

import { fileURLToPath } from "node:url";
import { loadavg } from "node:os";
import process from "node:process";
import { withRedis } from "../tests/support/redis_server.ts";
import { eventually } from "../tests/support/eventually.ts";
import { freePort } from "../tests/support/free_port.ts";
import { sourceWords } from "../tests/support/program.ts";
import { referenceHotp } from "../tests/support/reference_totp.ts";
import { numbersFrom, stopWithout } from "./command_line.ts";
import { cpuMicroseconds, load, median, redisMicroseconds, rightPinsScript } from "./load.ts";
import { row, type RunningPeer, startPeer } from "./peers.ts";

const [seconds, rounds] = numbersFrom(process.argv.slice(2), [["seconds", 3], ["rounds", 9]]);
stopWithout(["wrk", "redis-server", "redis-cli", "bun"]);

const CONNECTIONS = 64;
const SECRETS = 1000;
const PLACES = 5;
const ROOT = fileURLToPath(new URL("../", import.meta.url));
const folder = Deno.makeTempDirSync();

/** A server, and the processor time so far of what keeps its guard, in microseconds. */
interface Guarded {
  readonly name: string;
  readonly server: RunningPeer;
  readonly storeMicroseconds: () => Promise<number>;
  /** What was measured: a row for each round. */
  readonly figures: { readonly server: number; readonly store: number }[];
}

type Command = (script: string) => readonly string[];

const RUNTIMES: readonly (readonly [name: string, command: Command])[] = [
  [
    "Deno",
    (script) =>
      sourceWords().map((word) =>
        word.endsWith("/main.ts") ? `${ROOT}bench/servers/${script}.ts` : word
      ),
  ],
  ["Bun", (script) => ["bun", bundleOf(script)]],
];

// Bun does not read the names of deno.json.
function bundleOf(script: string): string {
  const bundle = `${folder}/${script}.js`;
  const source = `${ROOT}bench/servers/${script}.ts`;
  const args = ["bundle", "--quiet", "--platform", "deno", "--output", bundle, source];
  const { success, stderr } = new Deno.Command(Deno.execPath(), { args, cwd: ROOT }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return bundle;
}

/** A parent that runs. */
interface Parent {
  readonly port: number;
  readonly socket: string;
  readonly microseconds: () => number;
  readonly stop: () => Promise<void>;
}

async function startParent(name: string, command: Command): Promise<Parent> {
  const [port, socket] = [freePort(), `${folder}/${name}.socket`];
  const [program, ...args] = [...command("guard_parent"), String(port), socket];
  const child = new Deno.Command(program!, { args, stdin: "null" }).spawn();
  const isThere = (): Promise<boolean> => Deno.lstat(socket).then(() => true, () => false);
  await eventually(isThere, "the parent listens");
  return {
    port,
    socket,
    microseconds: () => cpuMicroseconds(child.pid),
    stop: async () => {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}

/** Whether a server accepts a right pin and no wrong one: what answers nothing costs little. */
async function mustDecide({ url }: RunningPeer): Promise<void> {
  const secret = "correct horse battery staple";
  const right = referenceHotp(secret, Math.floor(Date.now() / 30_000));
  for (const [pin, wanted] of [[right, "True"], ["0", "False"]]) {
    const query = new URLSearchParams({ Pin: pin!, SecretCode: secret });
    const said = await (await fetch(`${url}/Validate.aspx?${query}`)).text();
    if (said !== wanted) throw new Error(`${url} says ${said} where it should say ${wanted}`);
  }
}

async function measure(one: Guarded): Promise<Guarded["figures"][number]> {
  const before = await one.storeMicroseconds();
  // As users send them: of the current step.
  const script = rightPinsScript(SECRETS, 0);
  const options = { connections: CONNECTIONS, seconds };
  const { requests, cpuMicroseconds } = await load(one.server, one.server.url, script, options);
  return {
    server: cpuMicroseconds,
    store: (await one.storeMicroseconds() - before) / requests,
  };
}

function print(all: readonly Guarded[]): void {
  const of = (one: Guarded, read: (figure: Guarded["figures"][number]) => number): string =>
    median(one.figures.map(read)).toFixed(1);
  // In each round the ratio to that in memory: both had the machine as it was then.
  const times = ({ figures }: Guarded, { figures: base }: Guarded): string =>
    median(figures.map(({ server }, i) => server / base[i]!.server)).toFixed(2);
  row(["Guard", "server CPU µs a check", "times that in memory", "store CPU µs"], true);
  for (const [i, one] of all.entries()) {
    const base = all[i - i % PLACES]!;
    const store = one.name.endsWith("memory") ? "–" : of(one, (figure) => figure.store);
    row([one.name, of(one, (figure) => figure.server), times(one, base), store]);
  }
}

await withRedis([], async (redis) => {
  const stops: (() => Promise<void>)[] = [];
  const all: Guarded[] = [];
  try {
    for (const [name, command] of RUNTIMES) {
      const parent = await startParent(name, command);
      stops.push(parent.stop);
      const places = [
        ["memory", "memory", () => Promise.resolve(0)],
        ["Redis", redis.url, () => redisMicroseconds(redis)],
        [
          "Redis, asked barely",
          redis.url.replace("redis://", "bare:"),
          () => redisMicroseconds(redis),
        ],
        ["parent, asked as Redis", `redis://127.0.0.1:${parent.port}`, parent.microseconds],
        ["parent, asked barely", `unix:${parent.socket}`, parent.microseconds],
      ] as const;
      const words = command("guarded");
      for (const [place, url, microseconds] of places) {
        const server = await startPeer({ name: place, command: [...words, "PORT", url] });
        stops.push(server.stop);
        await mustDecide(server);
        const storeMicroseconds = async (): Promise<number> => await microseconds();
        all.push({ name: `${name}: ${place}`, server, storeMicroseconds, figures: [] });
      }
    }
    for (let round = 0; round <= rounds; round++) {
      // Forth and back, so that none always has the same neighbour.
      for (const one of round % 2 === 0 ? all : all.toReversed()) {
        const figure = await measure(one);
        if (round > 0) one.figures.push(figure); // the first one warms up
      }
    }
    process.stdout.write(`${rounds} rounds of ${seconds} s, load ${loadavg()[0]!.toFixed(1)}\n\n`);
    print(all);
  } finally {
    for (const stop of stops) await stop();
    Deno.removeSync(folder, { recursive: true });
  }
});
