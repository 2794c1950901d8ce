/** The snippets of the service page, taken from it as it is served and run as they stand. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { assertRejects } from "@std/assert/rejects";
import { DEFAULT_FORMAT, FORMATS } from "../../lib/page/snippets/language.ts";
import { encoderOf, KEY_HOLE, keyEncoderOf } from "../../lib/page/samples/quoting.ts";
import { LANGUAGE_NAMES } from "../../lib/page/snippets/snippets.ts";
import { textOf } from "../page/pages.ts";
import { freePort } from "../support/free_port.ts";
import { bytesOfBase32 } from "../support/reference_base32.ts";
import { run } from "./command.ts";
import { codeOf, codeOfSetupCode, currentStep } from "./oath.ts";
import { PATIENT, serverForTests, type ServerUnderTest } from "./server.ts";

const KEY = `it's-"$HOME"\\-\`id\`-#{1}-%41-<b>&amp;`;
const keys = Deno.makeTempFileSync({ prefix: "keys" });
Deno.writeTextFileSync(keys, `${KEY}\n`);
Deno.test.afterAll(() => Deno.remove(keys));

const server = serverForTests(...PATIENT);
const base32Server = serverForTests(
  "--secret-encoding",
  "base32",
  "--api-keys-file",
  keys,
  ...PATIENT,
);

/** The address in the snippets of a page that runs no script, which would put in the page's own. */
const EXAMPLE_BASE = "http://localhost:8080";

const EXAMPLE_SECRET = "REPLACETHISSECRETBY32RANDOMCHARS";

/** Runs a program in a file of its own, and gives what it prints. */
async function runFile(
  name: string,
  text: string,
  command: (path: string, folder: string) => Promise<string>,
): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/${name}`;
    await Deno.writeTextFile(path, text);
    return await command(path, folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const output = async (program: string, ...args: string[]): Promise<string> =>
  (await run(program, args)).text;

type Run = (text: string, operation: string) => Promise<string>;

// Debian has no compiler of VB and Delphi, no PowerShell, no IIS and no tools of .NET; Go would take
// much room.
const LANGUAGES: Readonly<Record<string, Run>> = {
  "curl": async (text) => {
    // The shell would not say which package has it.
    await run("curl", ["--version"]);
    return await output("bash", "-c", text);
  },
  "C#": (text) =>
    runFile("Program.cs", text, async (path, folder) => {
      const references = ["-r:System.Net.Http", "-r:System.Xml.Linq"];
      await run("mcs", ["-langversion:7.2", ...references, `-out:${folder}/program.exe`, path]);
      return await output("mono", `${folder}/program.exe`);
    }),
  "PHP": (text) =>
    runFile("snippet.php", text, (path) => output("php", "-d", "soap.wsdl_cache_enabled=0", path)),
  "Python": (text) => runFile("snippet.py", text, (path) => output("/usr/bin/python3", path)),
  "Java": (text, operation) => runFile(`${operation}.java`, text, (path) => output("java", path)),
  "JavaScript": (text) => runFile("snippet.mjs", text, (path) => output("node", path)),
  "TypeScript": (text) =>
    runFile("snippet.ts", text, (path) => output(Deno.execPath(), "run", "--allow-net", path)),
  "Ruby": (text) => runFile("snippet.rb", text, (path) => output("ruby", path)),
};

/** A line that prints the answer, and the same answer asked in an `if`. */
type Asked = readonly [printed: RegExp, asked: string];

const LET_IN = "let in";

const ASKED: Readonly<Record<string, Asked>> = {
  "curl": [/echo true/, `echo '${LET_IN}'`],
  "C#": [/Console\.WriteLine\((.*)\);/, `if ($1) Console.WriteLine("${LET_IN}");`],
  "PHP": [/echo (.*?)(?: \? .*)?, "\\n";/, `if ($1) echo '${LET_IN}';`],
  "Python": [/print\((.*)\)/, `if $1: print("${LET_IN}")`],
  "Java": [/System\.out\.println\((.*)\);/, `if ($1) System.out.println("${LET_IN}");`],
  "JavaScript": [/console\.log\((.*)\);/, `if ($1) console.log("${LET_IN}");`],
  "TypeScript": [/console\.log\((.*)\);/, `if ($1) console.log("${LET_IN}");`],
  "Ruby": [/puts (.*)/, `puts '${LET_IN}' if $1`],
};

const UNTRIED = ["C# from the WSDL", "Go", "PowerShell", "VB", "Classic ASP", "Delphi"];

// No JSON reader of .NET 5 in Mono.
const UNTRIED_FORMATS: ReadonlySet<string> = new Set(["C# JSON"]);

// What ends a string, begins another value or is read twice in one of the languages.
const HOSTILE = `it's "$HOME" \\ \`id\` $(id) #{1} %41 +&=; <b> ]]> &amp; ` +
  "\\u0041\\x41 b\u00fccher \u{1f511} \u2028\u0085\u2019\u201d @{x} {0}\\";

/** A snippet as the page shows it. */
interface Shown {
  /** The snippet in HTML, with its values marked. */
  readonly html: string;
  /** How it writes values. */
  readonly values: string;
  /** Whether it is in the format that was asked for. */
  readonly isInFormat: boolean;
}

async function snippetOf(
  language: string,
  operation: string,
  format: string,
  { url }: ServerUnderTest = server,
): Promise<Shown> {
  const query = new URLSearchParams({ op: operation, format, lang: language });
  const reply = await fetch(`${url}/api.asmx?${query}`, { headers: { [KEY_HOLE]: KEY } });
  const panel = new RegExp(
    `<p class="hint">([^<]*)</p>\\s*<figure[^>]*>\\s*<figcaption>\\s*<span class="title"[^>]*>${
      language.replace(/[#.]/g, "\\$&")
    }</span>[^]*?<pre[^>]*\\sdata-values="([a-z ]+)">([^]*?)</pre>`,
  ).exec(await reply.text());
  const [, hint, values, html] = panel ?? [];
  if (html === undefined) throw new Error(`The page has no snippet in ${language}`);
  const here = html.replaceAll(EXAMPLE_BASE, url);
  return {
    html: here,
    values: values!,
    isInFormat: textOf(hint!).endsWith(`. Shown in ${format}.`),
  };
}

/** A snippet with other texts in the places of parameters, as the page's script writes them. */
function filled({ html, values }: Shown, texts: Readonly<Record<string, string>>): string {
  return textOf(html.replace(/(<var data-name="([^"]+)">)[^<]*/g, (all, start, name) => {
    const text = texts[name];
    if (text === undefined) return all;
    const encode = (name === KEY_HOLE ? keyEncoderOf : encoderOf)(values);
    return start + encode(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  }));
}

/** The setup key in the printed result of a pairing, which must be in its link too. */
function setupKeyIn(printed: string): string {
  const [, key] = /\?secret=([A-Z2-7]+)/.exec(printed) ?? [];
  if (key === undefined) throw new Error(`no Key URI in ${printed}`);
  assertMatch(printed, new RegExp(`(?<![=A-Z2-7])${key}\\b`));
  assertMatch(printed, /(?:<|&lt;|\\u003c)svg /);
  return key;
}

/** What a program that pairs prints. */
interface Pairing {
  /** The secret that it made, from its first line. */
  readonly secret: string;
  /** The setup key in the result below. */
  readonly setupKey: string;
}

function pairingIn(printed: string): Pairing {
  const [, secret, result] = /^(.*)\n([^]*)$/.exec(printed) ?? [];
  if (result === undefined) throw new Error(`no secret above a result in ${printed}`);
  assertMatch(secret!, /^[A-Z2-7]{32}$/);
  return { secret: secret!, setupKey: setupKeyIn(result) };
}

/** The `true` or `false` that a program prints. */
const answerIn = (printed: string): string | undefined =>
  /\b(?:true|false)\b/i.exec(printed)?.[0].toLowerCase();

/** The label in the Key URI of a pairing of somebody, by the server. */
async function labelOf(appInfo: string): Promise<string> {
  const body = new URLSearchParams({ appName: "Example Corp", appInfo, secretCode: "any" });
  const reply = await fetch(`${server.url}/api.asmx/Pair`, { method: "POST", body });
  return /otpauth:[^?]*\?/.exec(await reply.text())![0];
}

let tried = 0;

for (const [language, runSnippet] of Object.entries(LANGUAGES)) {
  for (const format of FORMATS) {
    if (UNTRIED_FORMATS.has(`${language} ${format}`)) continue;
    const name = `the ${language} snippet for ${format}`;

    /** What ValidatePin of the page prints for the secret of a pairing and the code in an app now. */
    const answerTo = async (
      { secret, setupKey }: Pairing,
      server?: ServerUnderTest,
    ): Promise<string | undefined> => {
      const shown = await snippetOf(language, "ValidatePin", format, server);
      const pin = await codeOfSetupCode(setupKey);
      const text = filled(shown, { [KEY_HOLE]: KEY, secretCode: secret, pin });
      return answerIn(await runSnippet(text, "ValidatePin"));
    };

    Deno.test(`${name} pairs with a secret that ValidatePin takes, and takes hostile values for what they are`, async () => {
      const shown = await snippetOf(language, "Pair", format);
      if (!shown.isInFormat) return;
      tried++;
      const [first, second] = [
        await runSnippet(filled(shown, {}), "Pair"),
        await runSnippet(filled(shown, { appInfo: HOSTILE }), "Pair"),
      ];
      assertEquals(second.includes(await labelOf(HOSTILE)), true, second);
      const [pairing, other] = [pairingIn(first), pairingIn(second)];
      for (const { secret, setupKey } of [pairing, other]) {
        assertEquals(new TextDecoder().decode(bytesOfBase32(setupKey)), secret);
      }
      assertEquals(pairing.secret === other.secret, false);
      assertEquals(await answerTo(pairing), "true");
    });

    Deno.test(`${name} pairs by Base32, with a key`, async () => {
      const shown = await snippetOf(language, "Pair", format, base32Server);
      if (!shown.isInFormat) return;
      const text = filled(shown, { [KEY_HOLE]: KEY });
      const [first, second] = [
        pairingIn(await runSnippet(text, "Pair")),
        pairingIn(await runSnippet(text, "Pair")),
      ];
      assertEquals(first.setupKey, first.secret);
      assertEquals(first.secret === second.secret, false);
      assertEquals(await answerTo(first, base32Server), "true");
    });

    Deno.test(`${name} shows the sentence of an error`, async () => {
      const shown = await snippetOf(language, "Pair", format);
      if (!shown.isInFormat) return;
      // curl prints the reply, whatever it is.
      const before = language === "curl" ? "exec 1>&2\n" : "";
      const text = before + filled(shown, { appName: "x".repeat(257) });
      const { message } = await assertRejects(() => runSnippet(text, "Pair"), Error);
      assertMatch(message, /Parameter appName is longer than 256 characters\./);
    });

    Deno.test(`${name} tells a right pin from a wrong one, whatever the secret`, async () => {
      const shown = await snippetOf(language, "ValidatePin", format);
      if (!shown.isInFormat) return;
      for (const secretCode of [EXAMPLE_SECRET, HOSTILE]) {
        const pin = await codeOf(secretCode, currentStep());
        // An eighth digit more is the pin of no time step.
        const printed = await Promise.all(
          [pin, `${pin}0`].map((each) =>
            runSnippet(filled(shown, { pin: each, secretCode }), "ValidatePin")
          ),
        );
        assertEquals(printed.map(answerIn), ["true", "false"], secretCode);
      }
    });

    Deno.test(`${name} ends with an error where nobody answers, and shows no secret`, async () => {
      const shown = await snippetOf(language, "ValidatePin", format);
      if (!shown.isInFormat) return;
      const nobody = `http://127.0.0.1:${freePort()}`;
      const text = filled(shown, { pin: "123456" }).replaceAll(server.url, nobody);
      const { message } = await assertRejects(() => runSnippet(text, "ValidatePin"), Error);
      assertMatch(message, /ended with exit code/);
      assertEquals(message.includes(EXAMPLE_SECRET), false, message);
    });

    Deno.test(`${name}, asked in an if, lets in with a right pin alone`, async () => {
      const shown = await snippetOf(language, "ValidatePin", format);
      if (!shown.isInFormat) return;
      const [printed, asked] = ASKED[language]!;
      assertMatch(filled(shown, {}), printed);
      const isLetIn = async (parameter: string, value: string): Promise<boolean> => {
        const text = filled(shown, { [parameter]: value }).replace(printed, asked);
        try {
          return (await runSnippet(text, "ValidatePin")).includes(LET_IN);
        } catch (error) {
          // It may end with the error that the server gives for an empty secret, and for that alone.
          if (value !== "") throw error;
          return false;
        }
      };
      const pin = await codeOf(EXAMPLE_SECRET, currentStep());
      assertEquals(
        await Promise.all([
          isLetIn("pin", pin),
          isLetIn("pin", `${pin}0`),
          isLetIn("secretCode", ""),
        ]),
        [true, false, false],
      );
    });
  }
}

// Two whose platform would wait for minutes, or for ever: each takes the ten seconds of its limit.
for (const language of ["Python", "JavaScript"]) {
  Deno.test(`the ${language} snippet ends with an error where a service never answers`, async () => {
    // The system accepts the connection, and nobody reads from it.
    using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const shown = await snippetOf(language, "ValidatePin", DEFAULT_FORMAT);
    const text = filled(shown, { pin: "123456" })
      .replaceAll(server.url, `http://127.0.0.1:${silent.addr.port}`);
    const start = performance.now();
    const { message } = await assertRejects(() => LANGUAGES[language]!(text, "ValidatePin"), Error);
    const elapsedMs = performance.now() - start;
    assert(elapsedMs > 9_000 && elapsedMs < 30_000, `${elapsedMs} ms`);
    assertMatch(message, /ended with exit code[^]*time(?:d )?out/i);
    assertEquals(message.includes(EXAMPLE_SECRET), false, message);
  });
}

Deno.test("the PHP snippets name the setting that keeps them from a call", async () => {
  for (const format of FORMATS.filter((each) => !each.startsWith("SOAP"))) {
    const text = filled(await snippetOf("PHP", "ValidatePin", format), {});
    const { message } = await assertRejects(
      () => runFile("snippet.php", text, (path) => output("php", "-d", "allow_url_fopen=0", path)),
      Error,
    );
    assertMatch(message, /No answer from the service, or allow_url_fopen is off/);
  }
});

Deno.test("languages call in every format that is short there", () => {
  // All five in curl and PHP; all but SOAP in Python and Ruby; forms alone in C#, where the tests
  // have no JSON, and Java.
  assertEquals(tried, 2 * 5 + 2 * 3 + 2 * 2 + 2);
});

Deno.test("every snippet is run, but for those whose language Debian does not have", () => {
  assertEquals(LANGUAGE_NAMES.filter((language) => !(language in LANGUAGES)), UNTRIED);
});
