/**
 * Reads the Markdown files of golden exchanges; `tests/exchanges/README.md` describes their
 * format.
 *
 * @module
 */

/** A request or a reply as it stands in a file: its placeholders are not filled in yet. */
export interface Block {
  /** The request line or status line, and the lines of the header. */
  readonly head: readonly string[];
  /** The body, with the line ends of the block. */
  readonly body: string;
  /** Whether `\xHH`, `\r`, `\n`, `\t` and `\\` in it stand for bytes. */
  readonly escaped: boolean;
}

/** A request, and the reply that it must get. */
export interface Step {
  /** What is sent. */
  readonly request: Block;
  /** What must come back. */
  readonly reply: Block;
  /** Whether an interim 100 (Continue) must come first; otherwise it may. */
  readonly continued: boolean;
}

/** One rule: what is under one heading. */
export interface Exchange {
  /** The heading. */
  readonly rule: string;
  /** Whether it can only be sent over TCP. */
  readonly wireOnly: boolean;
  /** What is sent, in this order. */
  readonly steps: readonly Step[];
}

/** A file of exchanges. */
export interface ExchangeFile {
  /** The name of the file. */
  readonly name: string;
  /** The command line options of the server. */
  readonly args: readonly string[];
  /** The exchanges in the order of the file. */
  readonly exchanges: readonly Exchange[];
}

interface Fence {
  readonly flags: ReadonlySet<string>;
  readonly lines: readonly string[];
}

// A block as it stands in a section: written out, or the name of one with the lines that it takes.
type Entry = Fence | { kind: string; name: string; texts: readonly string[] };

// The document of the exchanges that both versions of SOAP share.
const SOAP_DOCUMENT = "soap.md";
const SOAP_11 = {
  version: "1.1",
  mediaType: "text/xml",
  envelope: "http://schemas.xmlsoap.org/soap/envelope/",
};
const SOAP_12 = {
  version: "1.2",
  mediaType: "application/soap+xml",
  envelope: "http://www.w3.org/2003/05/soap-envelope",
};
const SOAP_FILES = ["soap11.md", "soap12.md"];

const NAMED_BLOCKS = "named.md";
const FLAGS: ReadonlySet<string> = new Set(["escaped", "crlf", "wire"]);
// All the texts of a named block, each on a line, or one of them by its place.
const TEXT = /\{\{text(?: ([1-9]))?\}\}/g;

/** The requests and replies of `named.md`, and which of them exchanges have used. */
export class NamedBlocks {
  readonly #fences = new Map<string, Fence>();
  readonly #used = new Set<string>();

  /**
   * Reads them, those of SOAP for both versions.
   *
   * @throws {SyntaxError} When the document does not follow the README.
   */
  constructor(document: string) {
    const sections = SOAP_FILES.flatMap((file) => soapSections(document, file).split(/^(?=## )/m));
    for (const section of new Set(sections)) this.#add(section);
  }

  #add(section: string): void {
    const [heading, ...lines] = section.slice("## ".length).split("\n");
    const name = heading!;
    const fail = failure(NAMED_BLOCKS, name);
    const { entries: [fence, ...others] } = splitEntries(lines, fail);
    if (fence === undefined || "name" in fence || others.length > 0) {
      return fail("there must be one block");
    }
    checkFlags(fence, fail);
    const key = `${isReply(fence) ? "Reply" : "Request"} ${name}`;
    if (this.#fences.has(key)) fail("a heading stands twice");
    this.#fences.set(key, fence);
  }

  /** The block of an entry, its text filled in; calls `fail` when there is none like it. */
  get(entry: Entry, fail: (message: string) => never): Fence {
    if (!("name" in entry)) return entry;
    const { kind, name, texts } = entry;
    const key = `${kind} ${name}`;
    const fence = this.#fences.get(key);
    if (fence === undefined) return fail(`there is no ${kind.toLowerCase()} named "${name}"`);
    this.#used.add(key);
    const wanted = textsOf(fence);
    if (wanted === "some" ? texts.length === 0 : texts.length !== wanted) {
      fail(`"${name}" takes ${wanted} texts and gets ${texts.length}`);
    }
    const fill = (line: string): string =>
      line.replaceAll(
        TEXT,
        (_, place?: string) => place === undefined ? texts.join("\n") : texts[Number(place) - 1]!,
      );
    return { ...fence, lines: fence.lines.flatMap((line) => fill(line).split("\n")) };
  }

  /** The names that no exchange has used. */
  unused(): readonly string[] {
    return [...this.#fences.keys()].filter((key) => !this.#used.has(key));
  }
}

/**
 * Reads all files of exchanges in a folder, in the order of their names.
 *
 * @throws {SyntaxError} When one of them does not follow the README, or no exchange uses
 * one of the named blocks.
 */
export function readExchangeFiles(folder: URL): readonly ExchangeFile[] {
  const named = new NamedBlocks(Deno.readTextFileSync(new URL(NAMED_BLOCKS, folder)));
  const files = [...Deno.readDirSync(folder)]
    .map((entry) => entry.name)
    .filter((name) => name.endsWith(".md"))
    .filter((name) => ![SOAP_DOCUMENT, NAMED_BLOCKS, "README.md"].includes(name))
    .sort()
    .map((name) => parseExchangeFile(name, textOf(folder, name), named));
  const unused = named.unused();
  if (unused.length > 0) {
    throw new SyntaxError(`${NAMED_BLOCKS}: no exchange uses ${unused.join(", ")}`);
  }
  return files;
}

function textOf(folder: URL, name: string): string {
  const read = (file: string): string => Deno.readTextFileSync(new URL(file, folder));
  return SOAP_FILES.includes(name)
    ? read(name) + soapSections(read(SOAP_DOCUMENT), name)
    : read(name);
}

// The sections of the document as one version has them, without its preface.
function soapSections(document: string, name: string): string {
  const isFirst = name === SOAP_FILES[0];
  const [own, other] = isFirst ? [SOAP_11, SOAP_12] : [SOAP_12, SOAP_11];
  return document.slice(document.indexOf("\n## ") + 1)
    .replace(
      /\{\{either ([^{}|]*)\|([^{}|]*)\}\}/g,
      (_, of11: string, of12: string) => isFirst ? of11 : of12,
    )
    .replaceAll("{{version}}", own.version)
    .replaceAll("{{media-type}}", own.mediaType)
    .replaceAll("{{envelope}}", own.envelope)
    .replaceAll("{{other-envelope}}", other.envelope);
}

/**
 * Reads one file.
 *
 * @throws {SyntaxError} When it does not follow the README.
 */
export function parseExchangeFile(name: string, text: string, named: NamedBlocks): ExchangeFile {
  const [preface, ...sections] = text.split(/^## /m);
  const options = /^Options: `(.*)`$/m.exec(preface!)?.[1] ?? "";
  const exchanges = sections.map((section) => parseSection(name, section, named));
  const rules = new Set(exchanges.map((exchange) => exchange.rule));
  if (rules.size !== exchanges.length) throw new SyntaxError(`${name}: a heading stands twice`);
  return { name, args: options.split(" ").filter((word) => word !== ""), exchanges };
}

function parseSection(file: string, section: string, named: NamedBlocks): Exchange {
  const [rule, ...lines] = section.split("\n");
  const fail = failure(file, rule!);
  const { entries, prose } = splitEntries(lines, fail);
  if (!/§|RFC/.test(prose)) fail("the paragraph cites no source");
  const fences = entries.map((entry) => named.get(entry, fail));
  for (const fence of fences) checkFlags(fence, fail);
  const steps: Step[] = [];
  let requests: Fence[] = [];
  for (const fence of fences) {
    if (!isReply(fence)) {
      requests.push(fence);
      continue;
    }
    if (requests.length === 0) fail("a reply stands where a request should");
    steps.push(...requests.map((request) => parseStep(request, fence, fail)));
    requests = [];
  }
  if (fences.length === 0 || requests.length > 0) fail("the last request has no reply");
  return { rule: rule!, wireOnly: fences.some(({ flags }) => flags.has("wire")), steps };
}

function failure(file: string, heading: string): (message: string) => never {
  return (message) => {
    throw new SyntaxError(`${file}: ${heading}: ${message}`);
  };
}

function checkFlags({ flags }: Fence, fail: (message: string) => never): void {
  for (const flag of flags) if (!FLAGS.has(flag)) fail(`there is no mark "${flag}"`);
}

// How many texts a named block takes.
function textsOf({ lines }: Fence): number | "some" {
  const places = [...lines.join("\n").matchAll(TEXT)].map(([, place]) => place ?? "some");
  return places.includes("some") ? "some" : Math.max(0, ...places.map(Number));
}

function isReply({ lines }: Fence): boolean {
  return /^HTTP\//.test(lines[0] ?? "");
}

function splitEntries(
  lines: readonly string[],
  fail: (message: string) => never,
): { entries: readonly Entry[]; prose: string } {
  const entries: Entry[] = [];
  const prose: string[] = [];
  let open: { flags: ReadonlySet<string>; lines: string[] } | undefined;
  for (const line of lines) {
    const info = /^```http(.*)$/.exec(line)?.[1];
    if (open === undefined && info !== undefined) {
      open = { flags: new Set(info.split(" ").filter((word) => word !== "")), lines: [] };
      entries.push(open);
    } else if (line === "```") open = undefined;
    else if (open !== undefined) open.lines.push(line);
    else if (line.startsWith("- ")) entries.push(parseName(line, fail));
    else prose.push(line);
  }
  return { entries, prose: prose.join("\n") };
}

function parseName(line: string, fail: (message: string) => never): Entry {
  const [, kind, name, spans] = /^- (Request|Reply): \*\*([^*]+)\*\*((?: `[^`]+`)*)$/.exec(line) ??
    fail(`"${line}" names neither a request nor a reply`);
  const texts = [...spans!.matchAll(/`([^`]+)`/g)].map(([, text]) => text!);
  return { kind: kind!, name: name!, texts };
}

function parseStep(request: Fence, reply: Fence, fail: (message: string) => never): Step {
  const continued = reply.lines[0] === "HTTP/1.1 100 Continue" && reply.lines[1] === "";
  if (reply.lines.at(-1) === "{{any}}" && reply.lines.at(-2) === "") {
    fail("the body is not checked");
  }
  const final = continued ? { ...reply, lines: reply.lines.slice(2) } : reply;
  return { request: parseBlock(request), reply: parseBlock(final), continued };
}

function parseBlock({ flags, lines }: Fence): Block {
  const blank = lines.indexOf("");
  return {
    head: blank < 0 ? lines : lines.slice(0, blank),
    body: blank < 0 ? "" : lines.slice(blank + 1).join(flags.has("crlf") ? "\r\n" : "\n"),
    escaped: flags.has("escaped"),
  };
}
