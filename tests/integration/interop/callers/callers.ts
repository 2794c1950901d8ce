/** The public callers, by their rows in the list of wire.md §9.10. */

import { run } from "../../../support/client_program.ts";
import {
  pairByGuide,
  pairLaClient,
  pairLmb,
  pairOtpDemo,
  pairSnifd,
  validateByGuide,
  validateByText,
  validateFailingOpen,
  validateRoblox,
} from "./aspx.ts";
import {
  callerFile,
  type PairCall,
  type Paired,
  pairWith,
  type PinCall,
  validateWith,
} from "./caller.ts";
import { pairSoramitsu, validatePong, validateSoramitsu } from "./json.ts";

/** A public caller. */
export interface PublicCaller {
  readonly row: number;
  readonly what: string;
  readonly pair?: (url: string, call: PairCall) => Promise<Paired>;
  readonly validate?: (url: string, call: PinCall) => Promise<boolean>;
}

const PHP = (): readonly string[] => ["php", callerFile("callers.php")];
const JAVA = (): readonly string[] => ["java", "-cp", folder, "Callers"];
const PYTHON = (): readonly string[] => ["/usr/bin/python3", callerFile("callers.py")];
/** Callers in C#. */
export const CSHARP = (): readonly string[] => ["mono", `${folder}/Callers.exe`];

let folder = "";

/** Compiles what has to be compiled. */
export async function compileCallers(): Promise<void> {
  folder = await Deno.makeTempDir({ prefix: "callers" });
  const program = `-out:${folder}/Callers.exe`;
  await run("mcs", ["-r:System.Xml.Linq", program, callerFile("Callers.cs")]);
  await run("javac", ["-encoding", "UTF-8", "-d", folder, callerFile("Callers.java")]);
}

/** Removes what was compiled. */
export async function removeCallers(): Promise<void> {
  if (folder !== "") await Deno.remove(folder, { recursive: true });
}

/** The callers that work; the rest have tests of their own. */
export const PUBLIC_CALLERS: readonly PublicCaller[] = [
  { row: 1, what: "C#, SOAP 1.1 by hand", validate: validateWith(CSHARP, "1-soap") },
  { row: 1, what: "C#, HTTP GET", validate: validateWith(CSHARP, "1-get") },
  { row: 2, what: "NestJS, JSON", validate: validatePong },
  {
    row: 3,
    what: "Kotlin, JSON that accepts XML",
    pair: pairSoramitsu,
    validate: validateSoramitsu,
  },
  {
    row: 4,
    what: "PHP, pair.aspx and a form",
    pair: pairWith(PHP, "4"),
    validate: validateWith(PHP, "4"),
  },
  {
    row: 5,
    what: "PHP, a form that is not encoded",
    pair: pairWith(PHP, "5"),
    validate: validateWith(PHP, "5"),
  },
  {
    row: 6,
    what: "PHP, a form, any encoding of the reply",
    pair: pairWith(PHP, "6"),
    validate: validateWith(PHP, "6"),
  },
  {
    row: 7,
    what: "PHP, HTTP GET without redirection",
    pair: pairWith(PHP, "7"),
    validate: validateWith(PHP, "7"),
  },
  {
    row: 8,
    what: "Java, HTTP GET, DOM",
    pair: pairWith(JAVA, "8"),
    validate: validateWith(JAVA, "8"),
  },
  {
    row: 9,
    what: "C#, HTTP GET, names in another case",
    pair: pairWith(CSHARP, "9"),
    validate: validateWith(CSHARP, "9-right-name"),
  },
  {
    row: 10,
    what: "Rust, cut from quote to quote",
    pair: pairLaClient,
    validate: validateByText,
  },
  { row: 11, what: "Node.js, a greedy pattern", pair: pairOtpDemo, validate: validateByText },
  {
    row: 12,
    what: "Java, the sixth piece, another size",
    pair: pairWith(JAVA, "12"),
    validate: validateWith(JAVA, "12"),
  },
  {
    row: 13,
    what: "Java, cut by indexOf",
    pair: pairWith(JAVA, "13"),
    validate: validateWith(JAVA, "13"),
  },
  { row: 14, what: "Node.js, title and src", pair: pairLmb },
  { row: 15, what: "Node.js, a img", pair: pairSnifd, validate: validateByText },
  { row: 16, what: "Java, fails open", validate: validateWith(JAVA, "16") },
  { row: 17, what: "Node.js, fails open", validate: validateFailingOpen },
  { row: 18, what: "Lua, raises on other text", validate: validateRoblox },
  {
    row: 19,
    what: "Python, requests.get and BeautifulSoup",
    pair: pairWith(PYTHON, "get"),
    validate: validateWith(PYTHON, "get"),
  },
  { row: 19, what: "Python, requests.post", validate: validateWith(PYTHON, "post") },
  { row: 20, what: "PHP, the text True", validate: validateWith(PHP, "20") },
  { row: 21, what: "C#, three ways to read True", validate: validateWith(CSHARP, "21") },
  {
    row: 24,
    what: "PHP, the official guide",
    pair: pairWith(PHP, "24"),
    validate: validateWith(PHP, "24"),
  },
  {
    row: 24,
    what: "JavaScript, the official guide",
    pair: pairByGuide,
    validate: validateByGuide,
  },
];
