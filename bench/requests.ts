/**
 * What a request costs the server in processor time: the program in its forms, the runtimes alone,
 * and what people would otherwise run, side by side and in turns. Needs wrk.
 *
 * @module
 */

import process from "node:process";
import { parseArgs } from "node:util";
import configuration from "../deno.json" with { type: "json" };
import { printLibraries } from "./libraries.ts";
import { askedOf, type Case, casesOf } from "./cases.ts";
import { stopWithout } from "./command_line.ts";
import { load, median, scriptOf } from "./load.ts";
import {
  bareServers,
  missingFor,
  others,
  programs,
  row,
  type RunningPeer,
  startPeer,
} from "./peers.ts";

const USAGE =
  `Usage: deno task bench [--rounds N] [--only TEXT] [--of TEXT] [--save FILE] [--compare FILE]
  --rounds N      Measure each N times; 5 unless you say
  --only TEXT     Only the requests whose name has TEXT in it, for instance SOAP
  --of TEXT       Only the servers whose name has TEXT in it, for instance Bun
  --save FILE     Keep the figures
  --compare FILE  Show ratios to figures that were kept
`;
const CONNECTIONS = 32;
// In turn, so that no two requests for one secret are there at once, as if they came from many users.
const SECRETS = Array.from({ length: 256 }, (_, i) => `YJO8LCQT${String(i).padStart(4, "0")}`);

/** What was measured: microseconds by case and server, one for each round. */
type Figures = Map<string, Map<string, number[]>>;

async function measure(
  servers: ReadonlyMap<string, RunningPeer>,
  kinds: readonly Case[],
  rounds: number,
): Promise<Figures> {
  const figures: Figures = new Map();
  for (let round = 0; round <= rounds; round++) {
    for (const one of kinds) {
      // Forth and back, so that none always has the same neighbour.
      for (const [name, server] of round % 2 === 0 ? servers : [...servers].reverse()) {
        const asked = askedOf(one, name);
        if (asked === undefined) continue;
        const requests = SECRETS.map(asked.request);
        const loadFor = async (seconds: number, holds?: string): Promise<number> => {
          const script = scriptOf(requests, holds);
          const options = { connections: CONNECTIONS, seconds };
          return (await load(server, server.url, script, options)).cpuMicroseconds;
        };
        // The first round warms up, until the engine has compiled what is hot. It forgets that where
        // nobody asks for a minute, so that each load begins with a second of which nothing is kept.
        // It reads the replies; of those in the second that counts, wrk looks at the status alone.
        await loadFor(round === 0 ? 2 : 1, asked.holds);
        if (round === 0) continue;
        const of = figures.get(one.name) ?? new Map<string, number[]>();
        figures.set(one.name, of.set(name, [...of.get(name) ?? [], await loadFor(1)]));
      }
    }
  }
  return figures;
}

/** Microseconds by case, and by server or by what "over bare" a program is called. */
type Medians = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** A run that was kept. */
interface Run {
  /** That of deno.json: of a release, or of what came after it. */
  readonly version: string;
  readonly commit: string;
  readonly medians: Medians;
}

// "over" is the median of the difference in each round, which is not the difference of the medians.
function mediansOf(figures: Figures, names: readonly string[]): Medians {
  return Object.fromEntries([...figures].map(([kind, of]) => {
    const own = names.flatMap((name) =>
      of.has(name) ? [[name, median(of.get(name)!)] as const] : []
    );
    const over = programs().flatMap(({ name, bare }) => {
      const [ours, theirs] = [of.get(name), of.get(bare)];
      if (ours === undefined || theirs === undefined) return [];
      return [[`over ${bare}`, median(ours.map((us, i) => us - theirs[i]!))] as const];
    });
    const rounded = [...own, ...over].map(([name, us]) => [name, Number(us.toFixed(1))] as const);
    return [kind, Object.fromEntries(rounded)];
  }));
}

function print(medians: Medians): void {
  // Of the case that all of them answer.
  const columns = Object.values(medians).map((of) => Object.keys(of))
    .reduce((most, some) => some.length > most.length ? some : most);
  row(["CPU µs a request", ...columns], true);
  for (const [kind, of] of Object.entries(medians)) {
    row([kind, ...columns.map((name) => cell(of[name], name.startsWith("over")))]);
  }
}

function cell(us: number | undefined, isOver: boolean): string {
  if (us === undefined) return "–";
  return `${isOver && us >= 0 ? "+" : ""}${us.toFixed(0)}`;
}

function printRatios(medians: Medians, peers: readonly string[]): void {
  const pairs = programs().flatMap(({ name, bare }) =>
    [bare, ...peers].map((peer) => ({ name, peer }))
  ).filter(({ name, peer }) => Object.values(medians).some((of) => of[name] && of[peer]));
  process.stdout.write("\n");
  row(["times the cost", ...pairs.map(({ name, peer }) => `${name} ÷ ${peer}`)], true);
  for (const [kind, of] of Object.entries(medians)) {
    row([kind, ...pairs.map(({ name, peer }) => ratio(of[name], of[peer]))]);
  }
}

function ratio(ours: number | undefined, theirs: number | undefined): string {
  return ours === undefined || theirs === undefined ? "–" : `× ${(ours / theirs).toFixed(2)}`;
}

// In units of the bare server of the same run, since a machine is not always as fast.
function compare(now: Medians, { version, commit, medians: before }: Run): void {
  const known = programs().filter(({ name, bare }) =>
    Object.values(now).some((of) => of[name] && of[bare])
  );
  process.stdout.write("\n");
  row([`to ${version} (${commit})`, ...known.map(({ name }) => name)], true);
  for (const [kind, of] of Object.entries(now)) {
    const cells = known.map(({ name, bare }) => {
      const [then, bareThen] = [before[kind]?.[name], before[kind]?.[bare]];
      if (!of[name] || !of[bare] || !then || !bareThen) return "–";
      return ratio(of[name] / of[bare], then / bareThen);
    });
    row([kind, ...cells]);
  }
}

function save(file: string, medians: Medians): void {
  const args = ["rev-parse", "--short", "HEAD"];
  const { stdout } = new Deno.Command("git", { args, stderr: "null" }).outputSync();
  const commit = new TextDecoder().decode(stdout).trim();
  const run: Run = { version: configuration.version, commit, medians };
  Deno.writeTextFileSync(file, `${JSON.stringify(run, null, 2)}\n`);
}

function readRun(file: string): Run {
  try {
    const run = JSON.parse(Deno.readTextFileSync(file)) as Run;
    if (typeof run.medians === "object") return run;
  } catch {
    // Said below.
  }
  process.stderr.write("The file of --compare was not written by --save.\n");
  process.exit(2);
}

/** What a run is to do; says what is wrong with the words, or what they can be. */
function askedFor(): Readonly<Record<"rounds" | "only" | "of" | "save" | "compare", string>> {
  const text = (value: string) => ({ type: "string", default: value }) as const;
  const options = {
    rounds: text("5"),
    only: text(""),
    of: text(""),
    save: text(""),
    compare: text(""),
    help: { type: "boolean" },
  } as const;
  try {
    const { values } = parseArgs({ args: process.argv.slice(2), options });
    if (values.help !== true && /^[1-9][0-9]*$/.test(values.rounds)) return values;
    process.stdout.write(USAGE);
    process.exit(values.help === true ? 0 : 2);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    process.exit(2);
  }
}

const asked = askedFor();
// Before the minutes that the run takes.
const before = asked.compare === "" ? undefined : readRun(asked.compare);
stopWithout(["wrk"]);
const [one, five] = Deno.loadavg();
process.stdout.write(
  `${new Date().toISOString()}, load ${one!.toFixed(1)} and ${five!.toFixed(1)} of ` +
    `${navigator.hardwareConcurrency} cores, ${CONNECTIONS} connections, ` +
    `${SECRETS.length} secrets\n\n`,
);
const wsdl = Deno.makeTempFileSync({ suffix: ".wsdl" });
const [first, made] = programs();
const own = await startPeer(first!);
Deno.writeTextFileSync(wsdl, await (await fetch(`${own.url}/api.asmx?wsdl`)).text());
const all = await casesOf(own.url);
await own.stop();
const kinds = all.filter(({ name }) => name.includes(asked.only));
const peers = others(wsdl);
const known = [...programs(), ...bareServers(), ...peers];
const wanted = known.filter(({ name }) => name.includes(asked.of));
if (kinds.length === 0 || wanted.length === 0) {
  const names = (kinds.length === 0 ? all : known).map(({ name }) => name).join("; ");
  process.stderr.write(`Nothing has that in its name. There are: ${names}.\n`);
  process.exit(2);
}

if (made === undefined) {
  process.stdout.write("Without an executable: run ./compile.sh --with bun first.\n");
}
const servers = new Map<string, RunningPeer>();
try {
  for (const peer of wanted) {
    const missing = missingFor(peer);
    if (missing === undefined) servers.set(peer.name, await startPeer(peer));
    else process.stdout.write(`Without ${peer.name}: ${missing}.\n`);
  }
  const rounds = Number(asked.rounds);
  const medians = mediansOf(await measure(servers, kinds, rounds), [...servers.keys()]);
  print(medians);
  printRatios(medians, peers.map(({ name }) => name));
  if (asked.save !== "") save(asked.save, medians);
  if (before !== undefined) compare(medians, before);
  process.stdout.write("\n");
  if (asked.only === "") await printLibraries(rounds);
  // Times never fail; a reply that is not as it should be ends the run.
  process.stdout.write(`\nok | ${kinds.length} passed | 0 failed\n`);
} finally {
  for (const server of servers.values()) await server.stop();
}
