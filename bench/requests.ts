/**
 * What a request costs the server in processor time: the program in its forms, the runtimes alone,
 * and what people would otherwise run, side by side and in turns. Needs wrk.
 *
 *     deno run -A bench/requests.ts [--rounds N] [--only TEXT] [--of TEXT] [--save FILE] [--compare FILE]
 *
 * @module
 */

import process from "node:process";
import { referenceHotp } from "../tests/support/reference_totp.ts";
import { printLibraries } from "./libraries.ts";
import { load, type LoadRequest, median, scriptOf } from "./load.ts";
import {
  bareServers,
  missingFor,
  others,
  type Peer,
  programs,
  row,
  type RunningPeer,
  startPeer,
} from "./peers.ts";

const CONNECTIONS = 32;
const SECRET = "YJO8LCQTMFU4";
const NAMESPACE = "http://authenticatorapi.com/";
const FORM = "application/x-www-form-urlencoded";
const SOAP_11 = ["http://schemas.xmlsoap.org/soap/envelope/", "text/xml; charset=utf-8"] as const;
const SOAP_12 = [
  "http://www.w3.org/2003/05/soap-envelope",
  "application/soap+xml; charset=utf-8",
] as const;

/** A kind of request. */
interface Case {
  /** What the table calls it. */
  readonly name: string;
  /** Makes it for now: pins are right for a while only. */
  readonly request: () => LoadRequest;
  /** What every reply holds; `undefined` where it has no body. */
  readonly holds: string | undefined;
  /** What the bare servers are asked instead. */
  readonly bare?: LoadRequest;
  /** Whether the servers that others would write answer it. */
  readonly others: readonly string[];
}

const rightPin = (): string => referenceHotp(SECRET, Math.floor(Date.now() / 30_000));
// That no step of the window has; once in some hundred thousand runs one has it.
const wrongPin = (): string => String((Number(rightPin()) + 1) % 1e6).padStart(6, "0");

function get(path: string, headers: Readonly<Record<string, string>> = {}): LoadRequest {
  return { method: "GET", path, headers };
}

function post(path: string, type: string, body: string): LoadRequest {
  return { method: "POST", path, headers: { "Content-Type": type }, body };
}

function soap(
  [envelope, type]: readonly [string, string],
  name: string,
  content: string,
): LoadRequest {
  const body = `<?xml version="1.0" encoding="utf-8"?>\n<soap:Envelope ` +
    `xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ` +
    `xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:soap="${envelope}">\n  <soap:Body>\n    ` +
    `<${name} xmlns="${NAMESPACE}">\n${content}    </${name}>\n  </soap:Body>\n</soap:Envelope>`;
  const request = post("/api.asmx", type, body);
  return { ...request, headers: { ...request.headers, SOAPAction: `"${NAMESPACE}${name}"` } };
}

function elements(values: Readonly<Record<string, string>>): string {
  return Object.entries(values).map(([name, value]) => `      <${name}>${value}</${name}>\n`).join(
    "",
  );
}

const pinElements = (): string => elements({ pin: rightPin(), secretCode: SECRET });
const NAMES = { appName: "Example Corp", appInfo: "jane.doe@example.com", secretCode: SECRET };
const NAMES_FORM = new URLSearchParams(NAMES).toString();
const BOTH = ["node-soap", "PHP"];

/** All kinds, with documents of the lengths that the program gives them. */
function cases(lengths: ReadonlyMap<string, number>): readonly Case[] {
  const document = (
    name: string,
    path: string,
    holds: string,
    answerers: readonly string[] = [],
  ): Case => ({
    name,
    request: () => get(path),
    holds,
    bare: get(`/constant/${lengths.get(path)}`),
    others: answerers,
  });
  const validate = "/api.asmx/ValidatePin";
  return [
    { name: "healthz", request: () => get("/healthz"), holds: "ok", others: BOTH },
    {
      name: "ValidatePin GET, right",
      request: () => get(`${validate}?pin=${rightPin()}&secretCode=${SECRET}`),
      holds: "true",
      others: BOTH,
    },
    {
      name: "ValidatePin GET, wrong",
      request: () => get(`${validate}?pin=${wrongPin()}&secretCode=${SECRET}`),
      holds: "false",
      others: BOTH,
    },
    {
      name: "ValidatePin POST",
      request: () => post(validate, FORM, `pin=${rightPin()}&secretCode=${SECRET}`),
      holds: "true",
      others: BOTH,
    },
    {
      name: "ValidatePin JSON",
      request: () =>
        post(validate, "application/json", JSON.stringify({ pin: rightPin(), secretCode: SECRET })),
      holds: "true",
      others: [],
    },
    {
      name: "ValidatePin SOAP 1.1",
      request: () => soap(SOAP_11, "ValidatePin", pinElements()),
      holds: "true",
      others: BOTH,
    },
    {
      name: "ValidatePin SOAP 1.2",
      request: () => soap(SOAP_12, "ValidatePin", pinElements()),
      holds: "true",
      others: BOTH,
    },
    {
      name: "Pair GET",
      request: () => get(`/api.asmx/Pair?${NAMES_FORM}`),
      holds: "svg",
      others: ["node-soap"],
    },
    {
      name: "Pair SOAP 1.1",
      request: () => soap(SOAP_11, "Pair", elements(NAMES)),
      holds: "svg",
      others: ["node-soap"],
    },
    document("WSDL", "/api.asmx?wsdl", "definitions", BOTH),
    {
      name: "WSDL, 304",
      request: () => get("/api.asmx?wsdl", { "If-None-Match": "*" }),
      holds: undefined,
      bare: get("/nothing"),
      others: [],
    },
    document("disco", "/api.asmx?disco", "discovery"),
    document("service page", "/api.asmx", "html"),
    document("operation page", "/api.asmx?op=ValidatePin", "html"),
  ];
}

/** Whether a server answers a request as it should. */
async function check(
  { url }: RunningPeer,
  request: LoadRequest,
  holds: string | undefined,
): Promise<void> {
  const { method, path, headers = {}, body = null } = request;
  const reply = await fetch(url + path, { method, headers, body });
  const text = await reply.text();
  if (holds === undefined ? reply.status !== 304 : !reply.ok || !text.includes(holds)) {
    throw new Error(`${method} ${path} of ${url}: ${reply.status} ${text.slice(0, 300)}`);
  }
}

function option(name: string, otherwise: string): string {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : process.argv[at + 1] ?? otherwise;
}

/** What was measured: microseconds by case and server, one for each round. */
type Figures = Map<string, Map<string, number[]>>;

function requestFor(one: Case, name: string): LoadRequest | undefined {
  if (name.startsWith("bare")) return one.bare ?? one.request();
  const isOurs = name.startsWith("Deno") || name.startsWith("executable");
  return isOurs || one.others.includes(name) ? one.request() : undefined;
}

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
        const request = requestFor(one, name);
        if (request === undefined) continue;
        if (round === 0) {
          const isConstant = name.startsWith("bare") && one.bare?.path.startsWith("/constant");
          await check(server, request, isConstant ? "x" : one.holds);
        }
        const loadFor = (seconds: number): ReturnType<typeof load> =>
          load(server, server.url + request.path, scriptOf(request), {
            connections: CONNECTIONS,
            seconds,
          });
        // The first round warms up, until the engine has compiled what is hot. It forgets that where
        // nobody asks for a minute, so that each load begins with a second of which nothing is kept.
        await loadFor(round === 0 ? 2 : 1);
        if (round === 0) continue;
        const { cpuMicroseconds } = await loadFor(1);
        const of = figures.get(one.name) ?? new Map<string, number[]>();
        figures.set(one.name, of.set(name, [...of.get(name) ?? [], cpuMicroseconds]));
      }
    }
  }
  return figures;
}

async function lengthsOf({ url }: RunningPeer): Promise<ReadonlyMap<string, number>> {
  const paths = ["/api.asmx?wsdl", "/api.asmx?disco", "/api.asmx", "/api.asmx?op=ValidatePin"];
  const lengths = paths.map(async (path) =>
    [path, (await (await fetch(url + path)).text()).length] as const
  );
  return new Map(await Promise.all(lengths));
}

/** The medians, by case and server. */
type Medians = Readonly<Record<string, Readonly<Record<string, number>>>>;

function mediansOf(figures: Figures): Medians {
  return Object.fromEntries(
    [...figures].map(([name, of]) => [
      name,
      Object.fromEntries([...of].map(([server, us]) => [server, Number(median(us).toFixed(1))])),
    ]),
  );
}

function print(figures: Figures, names: readonly string[]): void {
  const compared = programs().filter(({ name, bare }) =>
    names.includes(name) && names.includes(bare)
  );
  row(["CPU µs a request", ...names, ...compared.map(({ bare }) => `over ${bare}`)], true);
  for (const [name, of] of figures) {
    const cells = names.map((server) => of.has(server) ? median(of.get(server)!).toFixed(0) : "–");
    const over = compared.map((program) => {
      const [ours, bare] = [of.get(program.name), of.get(program.bare)];
      if (ours === undefined || bare === undefined) return "–";
      const difference = median(ours.map((us, i) => us - bare[i]!)).toFixed(0);
      return difference.startsWith("-") ? difference : `+${difference}`;
    });
    row([name, ...cells, ...over]);
  }
}

// In units of the bare server of the same run, since a machine is not always as fast.
function compare(now: Medians, before: Medians): void {
  const known = programs().filter(({ name, bare }) =>
    Object.values(now).some((of) => of[name] && of[bare])
  );
  row(["to the release before", ...known.map(({ name }) => name)], true);
  for (const [name, of] of Object.entries(now)) {
    const cells = known.map((program) => {
      const [ours, bare] = [of[program.name], of[program.bare]];
      const [oursBefore, bareBefore] = [before[name]?.[program.name], before[name]?.[program.bare]];
      if (!ours || !bare || !oursBefore || !bareBefore) return "–";
      return `× ${(ours / bare / (oursBefore / bareBefore)).toFixed(2)}`;
    });
    row([name, ...cells]);
  }
}

const [one, five] = Deno.loadavg();
process.stdout.write(
  `${new Date().toISOString()}, load ${one!.toFixed(1)} and ${five!.toFixed(1)} of ` +
    `${navigator.hardwareConcurrency} cores, ${CONNECTIONS} connections\n\n`,
);
const wsdl = Deno.makeTempFileSync({ suffix: ".wsdl" });
const [first] = programs();
const own = await startPeer(first!);
Deno.writeTextFileSync(wsdl, await (await fetch(`${own.url}/api.asmx?wsdl`)).text());
const lengths = await lengthsOf(own);
await own.stop();

const wanted: Peer[] = [];
for (const peer of [...programs(), ...bareServers(), ...others(wsdl)]) {
  if (!peer.name.includes(option("of", ""))) continue;
  const missing = missingFor(peer);
  if (missing === undefined) wanted.push(peer);
  else process.stdout.write(`Without ${peer.name}: ${missing}.\n`);
}
const servers = new Map<string, RunningPeer>();
for (const peer of wanted) servers.set(peer.name, await startPeer(peer));
try {
  const only = option("only", "");
  const kinds = cases(lengths).filter(({ name }) => name.includes(only));
  const rounds = Number(option("rounds", "5"));
  const figures = await measure(servers, kinds, rounds);
  print(figures, [...servers.keys()]);
  const medians = mediansOf(figures);
  const [saved, compared] = [option("save", ""), option("compare", "")];
  if (saved !== "") Deno.writeTextFileSync(saved, `${JSON.stringify(medians, null, 2)}\n`);
  if (compared !== "") compare(medians, JSON.parse(Deno.readTextFileSync(compared)) as Medians);
  process.stdout.write("\n");
  if (only === "") await printLibraries(rounds);
  // Times never fail; a reply that is not as it should be ends the run.
  process.stdout.write(`\nok | ${kinds.length} passed | 0 failed\n`);
} finally {
  for (const server of servers.values()) await server.stop();
}
