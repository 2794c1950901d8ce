/** The public callers (wire.md §9.10), by their numbers in README.md: how each calls, and cuts the reply. */

import { fileURLToPath } from "node:url";
import type { Args } from "../../../support/calls.ts";
import { compileCSharp, run } from "../../../support/client_program.ts";

/** The parts of the reply to a Pair that a caller cuts out; each caller needs other parts. */
export interface Paired {
  readonly setupCode?: string;
  /** The address of the picture. */
  readonly picture?: string;
  readonly html?: string;
}

type Pair = (url: string, args: Args) => Promise<Paired>;
type Validate = (url: string, args: Args) => Promise<boolean>;

/** A public caller. */
export interface PublicCaller {
  readonly row: number;
  readonly what: string;
  readonly pair?: Pair;
  readonly validate?: Validate;
}

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

let folder = "";

/** The commands that run callers in other languages. */
export const COMMANDS = {
  php: (): readonly string[] => ["php", fileOf("callers.php")],
  java: (): readonly string[] => ["java", "-cp", folder, "Callers"],
  python: (): readonly string[] => ["/usr/bin/python3", fileOf("callers.py")],
  csharp: (): readonly string[] => ["mono", `${folder}/Callers.exe`],
} as const;

type Language = keyof typeof COMMANDS;

/** Compiles the callers in C# and Java. */
export async function compileCallers(): Promise<void> {
  folder = await Deno.makeTempDir({ prefix: "callers" });
  await compileCSharp(`${folder}/Callers.exe`, [fileOf("Callers.cs")], ["-r:System.Xml.Linq"]);
  await run("javac", ["-encoding", "UTF-8", "-d", folder, fileOf("Callers.java")]);
}

/** Removes the compiled callers. */
export async function removeCallers(): Promise<void> {
  if (folder !== "") await Deno.remove(folder, { recursive: true });
}

/** Runs a caller in another language, and reads the lines `NAME=VALUE` that it prints. */
export async function runCaller(
  language: Language,
  way: string,
  operation: "Pair" | "ValidatePin",
  url: string,
  ...values: readonly string[]
): Promise<Readonly<Record<string, string>>> {
  const [program, ...words] = COMMANDS[language]();
  const { text } = await run(program!, [...words, way, operation, url, ...values]);
  const lines = text.split(/\r?\n/).filter((line) => line !== "");
  return Object.fromEntries(lines.map((line) => {
    const equals = line.indexOf("=");
    return [line.slice(0, equals), line.slice(equals + 1)];
  }));
}

/** Pairs by a caller in another language. */
export function pairWith(language: Language, way: string): Pair {
  return async (url, { appName, appInfo, secretCode }) =>
    await runCaller(language, way, "Pair", url, appName!, appInfo!, secretCode!);
}

function validateWith(language: Language, way: string): Validate {
  return async (url, { pin, secretCode }) => {
    const { accepted } = await runCaller(language, way, "ValidatePin", url, pin!, secretCode!);
    if (accepted === "true") return true;
    if (accepted === "false") return false;
    throw new Error(`Neither true nor false: ${accepted}`);
  };
}

function both(language: Language, way: string): { pair: Pair; validate: Validate } {
  return { pair: pairWith(language, way), validate: validateWith(language, way) };
}

async function textOf(address: string): Promise<string> {
  const reply = await fetch(address);
  if (!reply.ok) throw new Error(`${reply.status}`);
  return await reply.text();
}

/** Gets `/pair.aspx`, and cuts the reply apart. */
function pairByAspx(cut: (html: string) => Paired): Pair {
  return async (url, { appName, appInfo, secretCode }) => {
    const query = { AppName: appName!, AppInfo: appInfo!, SecretCode: secretCode! };
    return cut(await textOf(`${url}/pair.aspx?${new URLSearchParams(query)}`));
  };
}

// The callers put the pin in the address as it is.
function validateAddress(url: string, { pin, secretCode }: Args): string {
  return `${url}/Validate.aspx?Pin=${pin}&SecretCode=${encodeURIComponent(secretCode!)}`;
}

/** Gets `/Validate.aspx`, and reads the text. */
function validateByAspx(read: (text: string) => boolean): Validate {
  return async (url, args) => read(await textOf(validateAddress(url, args)));
}

const validateByText = validateByAspx((text) => text === "True");

/** Row 17, Node.js: the status is ignored, and only the text `False` refuses. */
export const validateFailingOpen: Validate = async (url, args) =>
  await (await fetch(validateAddress(url, args))).text() !== "False";

async function postJson(
  url: string,
  operation: string,
  args: Args,
  accept: string,
): Promise<unknown> {
  const reply = await fetch(`${url}/api.asmx/${operation}`, {
    method: "POST",
    headers: { "Accept": accept, "Content-Type": "application/json;charset=UTF-8" },
    body: JSON.stringify(args),
  });
  return (await reply.json()).d;
}

const AXIOS = "application/json, text/plain, */*";

/** Row 2, NestJS: looks in the Html for an address that it has not had since 2024. */
export const pairPong: Pair = async (url, args) => {
  const { Html: html } = await postJson(url, "Pair", args, AXIOS) as { readonly Html: string };
  const picture = /chl=(.*?)["']/.exec(html)?.[1];
  return { html, ...(picture !== undefined && { picture }) };
};

const TITLE = "Manually pair with ";

/** The callers that work; the rest have tests of their own. */
export const PUBLIC_CALLERS: readonly PublicCaller[] = [
  { row: 1, what: "C#, SOAP 1.1 by hand", validate: validateWith("csharp", "1-soap") },
  { row: 1, what: "C#, HTTP GET", validate: validateWith("csharp", "1-get") },
  {
    row: 2,
    what: "NestJS, JSON",
    validate: async (url, args) =>
      /true/.test(String(await postJson(url, "ValidatePin", args, AXIOS))),
  },
  {
    row: 3,
    what: "Kotlin, JSON that accepts XML",
    pair: async (url, args) => {
      const { ManualSetupCode: setupCode, Html: html } = await postJson(
        ...[url, "Pair", args, "text/xml"] as const,
      ) as { readonly ManualSetupCode: string; readonly Html: string };
      return { setupCode, html };
    },
    validate: async (url, args) => {
      const d = await postJson(url, "ValidatePin", args, "text/xml");
      if (typeof d !== "boolean") throw new Error(`Not a boolean: ${d}`);
      return d;
    },
  },
  { row: 4, what: "PHP, pair.aspx and a form", ...both("php", "4") },
  { row: 5, what: "PHP, a form that is not encoded", ...both("php", "5") },
  { row: 6, what: "PHP, a form, any encoding of the reply", ...both("php", "6") },
  { row: 7, what: "PHP, HTTP GET without redirection", ...both("php", "7") },
  { row: 8, what: "Java, HTTP GET, DOM", ...both("java", "8") },
  {
    row: 9,
    what: "C#, HTTP GET, names in another case",
    pair: pairWith("csharp", "9"),
    validate: validateWith("csharp", "9-right-name"),
  },
  {
    row: 10,
    what: "Rust, cut from quote to quote",
    pair: pairByAspx((html) => ({ picture: html.split("src='")[1]!.split("'")[0]! })),
    validate: validateByText,
  },
  {
    row: 11,
    what: "Node.js, a greedy pattern",
    pair: pairByAspx((html) => ({ picture: /src='(.*)'/.exec(html)![1]! })),
    validate: validateByText,
  },
  { row: 12, what: "Java, the sixth piece, another size", ...both("java", "12") },
  { row: 13, what: "Java, cut by indexOf", ...both("java", "13") },
  {
    row: 14,
    what: "Node.js, title and src",
    pair: pairByAspx((html) => ({
      setupCode: /<a [^>]*title='([^']*)'/.exec(html)![1]!.replace(TITLE, ""),
      picture: /<img [^>]*src='([^']*)'/.exec(html)![1]!,
    })),
  },
  {
    row: 15,
    what: "Node.js, a img",
    pair: pairByAspx((html) => {
      const pattern = /<a [^>]*title='([^']*)'[^>]*><img src='([^']*)'[^>]*><\/a>/;
      const [, title, picture] = pattern.exec(html)!;
      return { setupCode: title!.slice(TITLE.length), picture: picture! };
    }),
    validate: validateByText,
  },
  { row: 16, what: "Java, fails open", validate: validateWith("java", "16") },
  { row: 17, what: "Node.js, fails open", validate: validateFailingOpen },
  {
    row: 18,
    what: "Lua, raises on other text",
    validate: validateByAspx((text) => {
      if (text !== "True" && text !== "False") throw new Error(`Neither True nor False: ${text}`);
      return text === "True";
    }),
  },
  { row: 19, what: "Python, requests.get and BeautifulSoup", ...both("python", "get") },
  { row: 19, what: "Python, requests.post", validate: validateWith("python", "post") },
  { row: 20, what: "PHP, the text True", validate: validateWith("php", "20") },
  { row: 21, what: "C#, three ways to read True", validate: validateWith("csharp", "21") },
  { row: 24, what: "PHP, the official guide", ...both("php", "24") },
  {
    row: 24,
    what: "JavaScript, the official guide",
    pair: pairByAspx((html) => ({ html })),
    validate: validateByAspx((text) => text.trim().toLowerCase() === "true"),
  },
];
