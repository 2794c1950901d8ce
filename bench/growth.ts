/**
 * How the cost of a request grows: over the length of its body, the length of the Key URI, the
 * connections that are open, and the secrets that the guard remembers. Writes docs/performance.svg.
 * Needs wrk.
 *
 *     deno run -A bench/growth.ts
 *
 * @module
 */

import process from "node:process";
import { serviceHandler } from "../lib/app/handler.ts";
import { parseConfig } from "../lib/config/options.ts";
import { fingerprintBy } from "../lib/guard/fingerprint.ts";
import { guardRules } from "../lib/guard/guard.ts";
import { createMemoryStore } from "../lib/guard/memory_store.ts";
import { element, type MarkupElement, writeIndented } from "../lib/xml/writer.ts";
import { load, median, scriptOf } from "./load.ts";
import { programs, startPeer } from "./peers.ts";

type Points = readonly (readonly [x: number, microseconds: number])[];

interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly points: Points;
}

const config = parseConfig({ flags: new Map(), env: () => undefined });
const handler = serviceHandler(config, {
  now: () => 1_800_000_000_000,
  log: { error: () => {} },
  isReady: () => true,
});

/** The processor time of a call in microseconds: the median of some runs of so many. */
async function cost(call: (i: number) => unknown, calls: number): Promise<number> {
  const runs: number[] = [];
  for (let run = 0; run < 6; run++) {
    const before = process.cpuUsage();
    for (let i = 0; i < calls; i++) await call(i);
    const { user, system } = process.cpuUsage(before);
    if (run > 0) runs.push((user + system) / calls); // the first one warms up
  }
  return median(runs);
}

function post(contentType: string, body: string): Request {
  const headers = { "content-type": contentType, "content-length": String(body.length) };
  return new Request("http://localhost:8080/api.asmx", { method: "POST", headers, body });
}

async function overBody(): Promise<Points> {
  const points: [number, number][] = [];
  for (const kib of [1, 8, 16, 32, 48, 63]) {
    const blocks = `<x>${"y".repeat(Math.floor(kib * 1024 / 50) - 16)}</x>`.repeat(50);
    const body = '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/">' +
      `<e:Header>${blocks}</e:Header><e:Body>` +
      '<ValidatePin xmlns="http://authenticatorapi.com/"><pin>123456</pin>' +
      "<secretCode>canary</secretCode></ValidatePin></e:Body></e:Envelope>";
    const send = async (): Promise<unknown> => (await handler(post("text/xml", body))).text();
    points.push([body.length / 1024, await cost(send, 300)]);
  }
  return points;
}

async function overKeyUri(): Promise<Points> {
  const points: [number, number][] = [];
  for (const length of [10, 50, 100, 150, 200, 250]) {
    const query = `appName=Example&appInfo=${"a".repeat(length)}&secretCode=YJO8LCQTMFU4`;
    const url = `http://localhost:8080/api.asmx/Pair?${query}`;
    const send = async (): Promise<unknown> => (await handler(new Request(url))).text();
    points.push([75 + length, await cost(send, 300)]);
  }
  return points;
}

async function overConnections(): Promise<Points> {
  const server = await startPeer(programs()[0]!);
  const script = scriptOf([{
    method: "GET",
    path: "/api.asmx/ValidatePin?pin=123456&secretCode=canary",
  }]);
  const points: [number, number][] = [];
  for (const connections of [8, 32, 128, 256, 512, 1000]) {
    const runs: number[] = [];
    for (let run = 0; run < 4; run++) {
      const { cpuMicroseconds } = await load(server, server.url, script, {
        connections,
        seconds: 1,
      });
      if (run > 0) runs.push(cpuMicroseconds);
    }
    points.push([connections, median(runs)]);
  }
  await server.stop();
  return points;
}

async function overEntries(): Promise<Points> {
  const store = createMemoryStore({ rules: guardRules(config), now: () => performance.now() });
  const fingerprint = fingerprintBy(new Uint8Array(32).fill(7), "SHA1");
  const nameOf = (i: number): string => fingerprint(new TextEncoder().encode(`secret ${i}`));
  const points: [number, number][] = [];
  for (const entries of [1_000, 20_000, 40_000, 60_000, 80_000, 100_000]) {
    for (let i = store.size(); i < entries; i++) store.decide(nameOf(i), undefined);
    points.push([entries, await cost((i) => store.decide(nameOf(i % entries), undefined), 5_000)]);
  }
  return points;
}

const [WIDTH, HEIGHT, MARGIN] = [380, 210, 46];

/** A panel at its place in the picture: the line, its ends, and the largest cost. */
function panelElements({ title, unit, points }: Panel, index: number): readonly MarkupElement[] {
  const [left, top] = [(index % 2) * WIDTH + MARGIN, Math.floor(index / 2) * HEIGHT + MARGIN];
  const [width, height] = [WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN];
  const maxX = Math.max(...points.map(([x]) => x));
  const maxY = Math.max(...points.map(([, y]) => y));
  const at = ([x, y]: readonly [number, number]): string =>
    `${(left + width * x / maxX).toFixed(1)},${(top + height - height * y / maxY).toFixed(1)}`;
  const text = (x: number, y: number, anchor: string, content: string): MarkupElement =>
    element("text", { x: String(x), y: String(y), "text-anchor": anchor }, content);
  const axes = `${left},${top} ${left},${top + height} ${left + width},${top + height}`;
  return [
    text(left, top - 14, "start", title),
    element("polyline", { points: axes, fill: "none", stroke: "#999" }),
    element("polyline", { points: points.map(at).join(" "), fill: "none", stroke: "#06c" }),
    text(left - 4, top + 8, "end", `${maxY.toFixed(maxY < 10 ? 1 : 0)} µs`),
    text(left - 4, top + height, "end", "0"),
    text(left + width, top + height + 16, "end", `${Math.round(maxX)} ${unit}`),
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
    title: "ValidatePin by connections (whole server)",
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
Deno.writeTextFileSync(
  new URL("../docs/performance.svg", import.meta.url),
  `${writeIndented(picture)}\n`.replaceAll("\r\n", "\n"),
);
