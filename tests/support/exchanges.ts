/**
 * Reads the Markdown files of golden exchanges; `tests/exchanges/README.md` says what they look
 * like.
 *
 * @module
 */

import { hasVersion, SOAP_DOCUMENT, soapSections } from "./soap_document.ts";

/** A request or a reply as it stands in a file: its placeholders are not filled in yet. */
export interface Block {
  /** The request line or status line, and the lines of the header. */
  readonly head: readonly string[];
  /** The body, its line ends as the block says. */
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

const FLAGS: ReadonlySet<string> = new Set(["escaped", "crlf", "wire"]);

/**
 * Reads all files of exchanges in a folder, in the order of their names.
 *
 * @throws {SyntaxError} When one of them is not written as the README says.
 */
export function readExchangeFiles(folder: URL): readonly ExchangeFile[] {
  return [...Deno.readDirSync(folder)]
    .map((entry) => entry.name)
    .filter((name) => name.endsWith(".md") && ![SOAP_DOCUMENT, "README.md"].includes(name))
    .sort()
    .map((name) => parseExchangeFile(name, textOf(folder, name)));
}

function textOf(folder: URL, name: string): string {
  const read = (file: string): string => Deno.readTextFileSync(new URL(file, folder));
  return hasVersion(name) ? read(name) + soapSections(read(SOAP_DOCUMENT), name) : read(name);
}

/**
 * Reads one file.
 *
 * @throws {SyntaxError} When it is not written as the README says.
 */
export function parseExchangeFile(name: string, text: string): ExchangeFile {
  const [preface, ...sections] = text.split(/^## /m);
  const options = /^Options: `(.*)`$/m.exec(preface!)?.[1] ?? "";
  const exchanges = sections.map((section) => parseSection(name, section));
  const rules = new Set(exchanges.map((exchange) => exchange.rule));
  if (rules.size !== exchanges.length) throw new SyntaxError(`${name}: a heading stands twice`);
  return { name, args: options.split(" ").filter((word) => word !== ""), exchanges };
}

function parseSection(file: string, section: string): Exchange {
  const [rule, ...lines] = section.split("\n");
  const fail = (message: string): never => {
    throw new SyntaxError(`${file}: ${rule}: ${message}`);
  };
  const { fences, prose } = splitFences(lines);
  if (!/§|RFC|asmx\.md/.test(prose)) fail("the paragraph cites no source");
  if (fences.length === 0 || fences.length % 2 !== 0) fail("requests and replies are not in pairs");
  for (const { flags } of fences) {
    for (const flag of flags) if (!FLAGS.has(flag)) fail(`there is no mark "${flag}"`);
  }
  const steps: Step[] = [];
  for (let i = 0; i < fences.length; i += 2) {
    steps.push(parseStep(fences[i]!, fences[i + 1]!, fail));
  }
  return { rule: rule!, wireOnly: fences.some(({ flags }) => flags.has("wire")), steps };
}

function splitFences(lines: readonly string[]): { fences: readonly Fence[]; prose: string } {
  const fences: Fence[] = [];
  const prose: string[] = [];
  let open: { flags: ReadonlySet<string>; lines: string[] } | undefined;
  for (const line of lines) {
    const info = /^```http(.*)$/.exec(line)?.[1];
    if (open === undefined && info !== undefined) {
      open = { flags: new Set(info.split(" ").filter((word) => word !== "")), lines: [] };
      fences.push(open);
    } else if (line === "```") open = undefined;
    else (open?.lines ?? prose).push(line);
  }
  return { fences, prose: prose.join("\n") };
}

function parseStep(request: Fence, reply: Fence, fail: (message: string) => never): Step {
  if (/^HTTP\//.test(request.lines[0] ?? "")) fail("a reply stands where a request should");
  if (!/^HTTP\//.test(reply.lines[0] ?? "")) fail("a request stands where a reply should");
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
