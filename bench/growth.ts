/**
 * How the cost of a request grows: over the length of its body, the length of the Key URI, the
 * connections that are open, and the secrets that the guard remembers. Writes a picture. Needs wrk.
 *
 *     deno run -A bench/growth.ts docs/performance.svg [RUNS]
 *
 * @module
 */

import { decide } from "../tests/support/guard_store.ts";
import process from "node:process";
import { encodeBase32 } from "@std/encoding/base32";
import { serviceHandler } from "../tests/support/handler.ts";
import { parseConfig } from "../lib/config/options.ts";
import { fingerprintBy } from "../lib/guard/fingerprint.ts";
import { guardRules } from "../lib/guard/guard.ts";
import { MemoryStore } from "../lib/guard/memory_store.ts";
import { formatKeyUri } from "../lib/otp/key_uri.ts";
import { DEFAULT_TOTP } from "../lib/otp/totp.ts";
import { element, type MarkupElement, writeIndented } from "../lib/xml/writer.ts";
import { numbersFrom, stopWithout } from "./command_line.ts";
import { load, median, scriptOf } from "./load.ts";
import { programs, startPeer } from "./peers.ts";

type Points = readonly (readonly [x: number, microseconds: number])[];

interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly points: Points;
}

const [file, ...words] = process.argv.slice(2);
const [RUNS] = numbersFrom(words, [["runs", 9]]);
stopWithout(["wrk"]);
const config = parseConfig({ flags: new Map(), env: () => undefined });
const handler = serviceHandler(config, {
  now: () => 1_800_000_000_000,
  log: { error: () => {} },
  isReady: () => true,
});

const SECRET = "YJO8LCQTMFU4";
const encoder = new TextEncoder();

/** Measures at each place in turn, so that whatever else the machine does meets all of them; medians. */
async function inTurns(
  places: readonly number[],
  costAt: (x: number) => Promise<number>,
): Promise<Points> {
  const runs = new Map(places.map((x) => [x, [] as number[]]));
  for (let run = 0; run <= RUNS; run++) {
    for (const [x, list] of runs) {
      const microseconds = await costAt(x);
      if (run > 0) list.push(microseconds); // the first one warms up
    }
  }
  return [...runs].map(([x, list]) => [x, median(list)] as const);
}

/** The processor time of a call in microseconds, over so many. */
async function cost(call: (i: number) => unknown, calls: number): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < calls; i++) await call(i);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

function post(contentType: string, body: string): Request {
  const headers = { "content-type": contentType, "content-length": String(body.length) };
  return new Request("http://localhost:8080/api.asmx", { method: "POST", headers, body });
}

function overBody(): Promise<Points> {
  return inTurns([1, 8, 16, 24, 32, 40, 48, 56, 63], (kib) => {
    const blocks = `<x>${"y".repeat(Math.floor(kib * 1024 / 50) - 16)}</x>`.repeat(50);
    const body = '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/">' +
      `<e:Header>${blocks}</e:Header><e:Body>` +
      '<ValidatePin xmlns="http://authenticatorapi.com/"><pin>123456</pin>' +
      "<secretCode>canary</secretCode></ValidatePin></e:Body></e:Envelope>";
    return cost(async () => (await handler(post("text/xml", body))).text(), 300);
  });
}

function overKeyUri(): Promise<Points> {
  const issuer = "Example";
  const key = { ...DEFAULT_TOTP, issuer, secret: encodeBase32(encoder.encode(SECRET)) };
  const lengthFor = (account: string): number => formatKeyUri({ ...key, account }).length;
  const accounts = Array.from({ length: 26 }, (_, i) => "a".repeat(1 + 10 * i));
  const byLength = new Map(accounts.map((account) => [lengthFor(account), account]));
  return inTurns([...byLength.keys()], (length) => {
    const query = `appName=${issuer}&appInfo=${byLength.get(length)}&secretCode=${SECRET}`;
    const url = `http://localhost:8080/api.asmx/Pair?${query}`;
    return cost(async () => (await handler(new Request(url))).text(), 200);
  });
}

async function overConnections(): Promise<Points> {
  const server = await startPeer(programs()[0]!);
  // In turn, so that no pin waits for another one of its secret.
  const script = scriptOf(Array.from({ length: 2_000 }, (_, i) => ({
    method: "GET",
    path: `/api.asmx/ValidatePin?pin=123456&secretCode=canary${i}`,
  })));
  const points = await inTurns([8, 32, 128, 256, 512, 768, 1000], async (connections) => {
    const options = { connections, seconds: 1 };
    return (await load(server, server.url, script, options)).cpuMicroseconds;
  });
  await server.stop();
  return points;
}

function overEntries(): Promise<Points> {
  const fingerprint = fingerprintBy(new Uint8Array(32).fill(7), "SHA1");
  // So many wrong pins that none is refused unseen.
  const rules = guardRules({ ...config, maxFailures: 1_000_000 });
  const stores = new Map<number, MemoryStore>();
  const names = Array.from(
    { length: 100_000 },
    (_, i) => fingerprint(encoder.encode(`secret ${i}`)),
  );
  return inTurns([1_000, 20_000, 40_000, 60_000, 80_000, 100_000], (entries) => {
    let store = stores.get(entries);
    if (store === undefined) {
      stores.set(entries, store = new MemoryStore({ rules, monotonicMs: () => performance.now() }));
      for (let i = 0; i < entries; i++) decide(store, names[i]!, undefined);
    }
    // Spread over all of them, since memory that was just used is near.
    return cost((i) => decide(store, names[i * 7919 % entries]!, undefined), 50_000);
  });
}

const [WIDTH, HEIGHT, MARGIN] = [380, 210, 46];

const [GREY, BLUE] = ["#999", "#06c"];

/** Round figures from 0 up to a value: four at most. */
function ticksTo(max: number): readonly number[] {
  const tenth = 10 ** Math.floor(Math.log10(max));
  const step = [0.25, 0.5, 1, 2].map((times) => times * tenth).find((one) => max / one < 5)!;
  return Array.from({ length: Math.floor(max / step) + 1 }, (_, i) => i * step);
}

/** A panel at its place in the picture: axes with figures, the line and its points. */
function panelElements({ title, unit, points }: Panel, index: number): readonly MarkupElement[] {
  const [left, top] = [(index % 2) * WIDTH + MARGIN, Math.floor(index / 2) * HEIGHT + MARGIN];
  const [width, height] = [WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN];
  const maxX = Math.max(...points.map(([x]) => x));
  const maxY = Math.max(...points.map(([, y]) => y));
  const xOf = (x: number): string => (left + width * x / maxX).toFixed(1);
  const yOf = (y: number): string => (top + height - height * y / maxY).toFixed(1);
  const text = (x: string | number, y: string | number, anchor: string, content: string) =>
    element("text", { x: String(x), y: String(y), "text-anchor": anchor }, content);
  const line = (points: string, stroke: string): MarkupElement =>
    element("polyline", { points, fill: "none", stroke });
  const figure = (value: number): string => new Intl.NumberFormat("en").format(value);
  return [
    text(left, top - 14, "start", `${title}, µs`),
    line(`${left},${top} ${left},${top + height} ${left + width},${top + height}`, GREY),
    ...ticksTo(maxY).flatMap((y) => [
      line(`${left - 4},${yOf(y)} ${left},${yOf(y)}`, GREY),
      text(left - 6, Number(yOf(y)) + 4, "end", figure(y)),
    ]),
    ...ticksTo(maxX).flatMap((x) => [
      line(`${xOf(x)},${top + height} ${xOf(x)},${top + height + 4}`, GREY),
      text(xOf(x), top + height + 16, "middle", figure(x)),
    ]),
    text(left + width, top + height + 30, "end", unit),
    line(points.map(([x, y]) => `${xOf(x)},${yOf(y)}`).join(" "), BLUE),
    ...points.map(([x, y]) => element("circle", { cx: xOf(x), cy: yOf(y), r: "2", fill: BLUE })),
  ];
}

const panels: readonly Panel[] = [
  { title: "A SOAP body (handler alone)", unit: "KiB", points: await overBody() },
  {
    title: "Pair by the length of the Key URI (handler alone)",
    unit: "characters",
    points: await overKeyUri(),
  },
  {
    title: "ValidatePin, wrong pin, by connections (whole server)",
    unit: "connections",
    points: await overConnections(),
  },
  { title: "A decision by secrets remembered", unit: "secrets", points: await overEntries() },
];
for (const { title, points } of panels) {
  const shown = points.map(([x, y]) => `${Math.round(x)}: ${y.toFixed(1)}`).join(", ");
  process.stdout.write(`${title}, µs: ${shown}\n`);
}
const picture = element(
  "svg",
  {
    xmlns: "http://www.w3.org/2000/svg",
    viewBox: `0 0 ${2 * WIDTH} ${2 * HEIGHT}`,
    "font-family": "sans-serif",
    "font-size": "11",
    fill: "#555",
  },
  ...panels.flatMap(panelElements),
);
if (file !== undefined) {
  Deno.writeTextFileSync(file, `${writeIndented(picture)}\n`.replaceAll("\r\n", "\n"));
}
