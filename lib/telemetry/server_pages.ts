/**
 * The pages of metrics of several servers as one, in the text format of Prometheus (exposition format
 * 0.0.4). A page may be from a program that is no server of ours: of what it says, nothing gets
 * through but samples as this program writes them, and what describes them is from a page of our own.
 *
 * @module
 */

/** More than any page: that of a server, and that of all of them. */
export const MAX_PAGE_BYTES = 131_072;

/** A sample of a page that was read. */
export interface Sample {
  /** Its name. */
  readonly name: string;
  /** Its labels as they are written, without braces; empty where it has none. */
  readonly labels: string;
  /** Its value as it is written. */
  readonly value: string;
}

/** What a server said. */
export interface ServerSamples {
  /** Its metrics port. */
  readonly port: number;
  /** The samples of its page; undefined when it gave none. */
  readonly samples: readonly Sample[] | undefined;
}

const MAX_LINE_LENGTH = 1_024;

// A value has nothing but printable characters of ASCII, and the three escapes of the format.
const LABEL = String.raw`[a-z][a-z0-9_]*="(?:[ !#-\[\]-~]|\\[\\"n])*"`;
const SAMPLE = new RegExp(
  String
    .raw`^((?:authenticator|process)_[a-z0-9_]+)(?:\{(${LABEL}(?:,${LABEL})*)\})? ([-+.0-9e]+)$`,
);
const LABELS = /([a-z0-9_]+)="((?:[^"\\]|\\.)*)"/g;

// A page ends with it: one without it was cut off, or is another program's.
const LAST_NAME = "authenticator_build_info";

// What the page of all servers says itself.
const UP = "authenticator_server_up";
const LEFT_OUT = "authenticator_servers_left_out";
const OWN_LABEL = "server";

/**
 * Reads the page of a server.
 *
 * @param text One character for each byte.
 * @returns Its samples; undefined when anything in it is not as this program writes it.
 */
export function readPage(text: string): readonly Sample[] | undefined {
  if (text.length > MAX_PAGE_BYTES || !text.endsWith("\n")) return undefined;
  const samples: Sample[] = [];
  const seen = new Set<string>();
  for (const line of text.slice(0, -1).split("\n")) {
    if (line.startsWith("#")) continue;
    const sample = readSample(line);
    if (sample === undefined) return undefined;
    const series = seriesOf(sample);
    if (seen.has(series)) return undefined;
    seen.add(series);
    samples.push(sample);
  }
  return samples.at(-1)?.name === LAST_NAME ? samples : undefined;
}

function readSample(line: string): Sample | undefined {
  if (line.length > MAX_LINE_LENGTH) return undefined;
  const [, name, labels = "", value] = SAMPLE.exec(line) ?? [];
  if (name === undefined || value === undefined || name === UP || name === LEFT_OUT) {
    return undefined;
  }
  // A label of the same name twice, as `server` would be, or a bound that is no number, would make
  // Prometheus refuse the samples of all servers.
  const pairs = pairsOf(labels);
  const names = new Set(pairs.map(([label]) => label));
  const areTheirs = names.size === pairs.length && !names.has(OWN_LABEL);
  const areBounds = pairs.every(([label, text]) =>
    label !== "le" || text === "+Inf" || isNumber(text)
  );
  return areTheirs && areBounds && isNumber(value) ? { name, labels, value } : undefined;
}

function pairsOf(labels: string): readonly (readonly [label: string, text: string])[] {
  return labels === ""
    ? []
    : [...labels.matchAll(LABELS)].map(([, label, text]) => [label!, text!]);
}

// What Prometheus counts as one, in whatever order its labels stand; an empty one is none.
function seriesOf({ name, labels }: Sample): string {
  const said = pairsOf(labels).filter(([, text]) => text !== "");
  return `${name} ${said.map(([label, text]) => `${label}="${text}"`).toSorted().join()}`;
}

// As JavaScript writes it, which leaves out what is beyond all numbers.
function isNumber(text: string): boolean {
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text;
}

/**
 * Writes one page of the pages of several servers. If it would be too long, whole servers are left
 * out, the last ones first.
 *
 * @param described A page of this program, whose families describe the samples.
 */
export function joinPages(described: string, servers: readonly ServerSamples[]): string {
  const families = familiesOf(described);
  const head = (leftOut: number): readonly string[] => [
    `# HELP ${UP} Whether the server with this metrics port answered.`,
    `# TYPE ${UP} gauge`,
    ...servers.map(({ port, samples }) =>
      `${UP}{${OWN_LABEL}="${port}"} ${samples === undefined ? 0 : 1}`
    ),
    `# HELP ${LEFT_OUT} Servers that answered and have no place on this page.`,
    `# TYPE ${LEFT_OUT} gauge`,
    `${LEFT_OUT} ${leftOut}`,
  ];
  let room = MAX_PAGE_BYTES -
    lengthOf([...head(servers.length), ...[...families.values()].flat()]);
  let leftOut = 0;
  for (const { port, samples } of servers) {
    if (samples === undefined) continue;
    const lines = samples.map((sample) => labelled(sample, port));
    // Once there is too little, nothing has room any more.
    room -= lengthOf(lines);
    if (room < 0) leftOut++;
    else samples.forEach((sample, i) => add(families, familyOf(sample, families), lines[i]!));
  }
  return [...head(leftOut), ...[...families.values()].flat(), ""].join("\n");
}

function add(families: Map<string, string[]>, family: string, line: string): void {
  const lines = families.get(family);
  if (lines === undefined) families.set(family, [line]);
  else lines.push(line);
}

// What stands over each family of a page, by the name of the family.
function familiesOf(page: string): Map<string, string[]> {
  const families = new Map<string, string[]>();
  for (const [line, name] of page.matchAll(/^# (?:HELP|TYPE) ([a-z0-9_]+) .*$/gm)) {
    families.set(name!, [...families.get(name!) ?? [], line]);
  }
  return families;
}

// A sample that no family of ours has, for instance of a server with a newer version, is a family of
// its own with nothing over it.
function familyOf({ name }: Sample, families: ReadonlyMap<string, readonly string[]>): string {
  const base = name.replace(/_(?:bucket|sum|count)$/, "");
  const isHistogram = families.get(base)?.includes(`# TYPE ${base} histogram`) ?? false;
  return isHistogram ? base : name;
}

function labelled({ name, labels, value }: Sample, port: number): string {
  return `${name}{${OWN_LABEL}="${port}"${labels === "" ? "" : `,${labels}`}} ${value}`;
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((length, line) => length + line.length + 1, 0);
}
