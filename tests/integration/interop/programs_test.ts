/** The programs of the service page, taken from it as it is served and run as they stand. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { withFolder } from "../../support/folder.ts";
import { choicesOf, panesOf } from "../../support/service_page.ts";
import { killIfThere, limitLife } from "../../support/child.ts";
import { freePort } from "../../support/free_port.ts";
import { bytesOfBase32 } from "../../support/reference_base32.ts";
import { clientFile, compileCSharp, run } from "../../support/client_program.ts";
import { compiled, DOTNET_ENV, dotnetTest, powershellWords } from "../../support/dotnet.ts";
import { removeWine, runVbscript } from "../../support/wine.ts";
import { codeOfSetupCode } from "./oath.ts";
import { PATIENT, serverForTests, type TestServer } from "../../support/test_server.ts";

const KEY = `it's-"$HOME"\\-\`id\`-#{1}-%41-<b>&amp;`;
const keys = Deno.makeTempFileSync({ prefix: "keys" });
Deno.writeTextFileSync(keys, `${KEY}\n`);
Deno.test.afterAll(() => Deno.remove(keys));

const server = serverForTests(...PATIENT);
const lockedServer = serverForTests(
  ...["--secret-encoding", "base32", "--api-keys-file", keys],
  ...PATIENT,
);

/** Address in the programs of a page that runs no script, which would put in the page's own. */
const EXAMPLE_BASE = "http://127.0.0.1:8080";

// What ends a string, begins another value or is read twice in one of the languages.
const HOSTILE =
  `it's "$HOME" \\ \`id\` $(id) #{1} %41 %s +&=; <b> ]]> &amp; \\u0041\\x41 {0} @{x}` +
  ` b\u00fccher \u{1F511} \u2019\u201d\nline 2\\`;

type Writer = (text: string) => string;

/** String literal in double quotes, as in C. */
const inDoubleQuotes: Writer = (text) => JSON.stringify(text);

/** String literal in single quotes with backslashes, as in PHP. */
const inSingleQuotes: Writer = (text) => `'${text.replace(/[\\']/g, String.raw`\$&`)}'`;

/**
 * Expression in Visual Basic, whose literals have no escapes: it takes typographic quotation marks for
 * straight ones, so these and line ends are joined by their codes.
 */
const inVisualBasic: Writer = (text) =>
  text.split(/([\n\u201C\u201D])/).map((part, i) =>
    i % 2 === 0
      ? `"${part.replaceAll('"', '""')}"`
      : `Microsoft.VisualBasic.ChrW(${part.charCodeAt(0)})`
  ).join(" & ");

/** String literal in VBScript. */
const inVbscript: Writer = (text) => `"${text.replaceAll('"', '""')}"`;

/** Classic ASP, whose page is no program that asks for a pin. */
const ASP = "Classic ASP";

/** A tool of a language. */
interface Language {
  /** Name of the language on the page, where it differs from that of the row. */
  readonly title?: string;
  /** Whether it needs the SDK of .NET, without which its tests are left out. */
  readonly needsDotnet?: true;
  /** File name of the program. */
  readonly file: string;
  /** Writes a string literal. */
  readonly literal: Writer;
  /** Makes the command that runs a file; compiles it first where the language wants that. */
  readonly command: (path: string, folder: string) => Promise<readonly string[]>;
}

const interpreted = (...words: readonly string[]): Language["command"] => (path) =>
  Promise.resolve([...words, path]);

const LANGUAGES: Readonly<Record<string, Language>> = {
  "curl": {
    file: "program.sh",
    literal: (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`,
    command: async (path) => {
      // The shell would not say which package has it.
      await run("curl", ["--version"]);
      return ["sh", path];
    },
  },
  "C#": {
    file: "Program.cs",
    literal: inDoubleQuotes,
    command: async (path, folder) => {
      const options = ["-langversion:7.2", "-r:System.Net.Http", "-r:System.Xml.Linq"];
      await compileCSharp(`${folder}/program.exe`, [path], options);
      return ["mono", `${folder}/program.exe`];
    },
  },
  "C# by Roslyn": {
    title: "C#",
    needsDotnet: true,
    file: "Program.cs",
    literal: inDoubleQuotes,
    command: (path, folder) => compiled("csc", path, folder),
  },
  "VB": {
    needsDotnet: true,
    file: "Program.vb",
    literal: inVisualBasic,
    command: (path, folder) => compiled("vbc", path, folder),
  },
  "PowerShell": {
    needsDotnet: true,
    file: "program.ps1",
    literal: (text) => `'${text.replace(/['\u2018-\u201B]/g, "$&$&")}'`,
    command: (path) => powershellWords("-File", path),
  },
  "PHP": { file: "program.php", literal: inSingleQuotes, command: interpreted("php") },
  "Python": {
    file: "program.py",
    literal: inDoubleQuotes,
    command: interpreted("/usr/bin/python3"),
  },
  "Java": { file: "PairAndCheck.java", literal: inDoubleQuotes, command: interpreted("java") },
  "JavaScript": { file: "program.mjs", literal: inDoubleQuotes, command: interpreted("node") },
  "JavaScript by Deno": {
    title: "JavaScript",
    file: "program.mjs",
    literal: inDoubleQuotes,
    command: interpreted(Deno.execPath(), "run", "--no-config", "--allow-net"),
  },
  "Go": {
    file: "program.go",
    literal: inDoubleQuotes,
    command: async (path, folder) => {
      await run("go", ["build", "-o", `${folder}/program`, path]);
      return [`${folder}/program`];
    },
  },
  "Ruby": {
    file: "program.rb",
    literal: inSingleQuotes,
    command: async (path, folder) => {
      // Ruby keeps what it prints to a pipe, also before it waits for a line.
      await Deno.writeTextFile(`${folder}/sync.rb`, "$stdout.sync = true\n");
      return ["ruby", "-r", `${folder}/sync.rb`, path];
    },
  },
};

// Debian has no compiler of Delphi; Free Pascal lacks its units of HTTP and XML.
const UNTRIED = ["Delphi"];

async function pageOf({ url }: TestServer): Promise<string> {
  const reply = await fetch(`${url}/api.asmx`, { headers: { "X-Api-Key": KEY } });
  return await reply.text();
}

/** Texts to put in the place of a program's constants. */
interface Constants {
  readonly url?: string;
  readonly appName?: string;
  readonly account?: string;
  readonly key?: string;
}

/** Program of a page with other constants. */
async function programOf(
  language: string,
  server: TestServer,
  { url = server.url, ...constants }: Constants = {},
): Promise<string> {
  const { title: wanted = language, literal } = LANGUAGES[language] ?? { literal: inVbscript };
  const pane = panesOf(await pageOf(server), "login").find(({ title }) => title === wanted);
  assert(pane !== undefined, `The page has no program in ${wanted}`);
  const placed = {
    appName: "Example Corp",
    account: "jane@example.com",
    key: "YOUR-API-KEY",
  } as const;
  return Object.entries(constants).reduce((text, [name, value]) => {
    const pattern = new RegExp(`(["'])${placed[name as keyof typeof placed]}\\1`);
    assertMatch(text, pattern);
    return text.replace(pattern, () => literal(value!));
  }, pane.text.replace(EXAMPLE_BASE, url));
}

/** What a program printed, and how it ended. */
interface Talk {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const SETUP_KEY = /(?:Setup key: |<ManualSetupCode>)([A-Z2-7]+)/;

/**
 * Runs a program in a folder of its own, and types a pin when it has shown a setup key.
 *
 * @param pinOf Makes the pin from the setup key.
 */
async function talk(
  language: string,
  text: string,
  pinOf: (setupKey: string) => Promise<string>,
): Promise<Talk> {
  const { file, command } = LANGUAGES[language]!;
  return await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/${file}`, text);
    const [program, ...args] = await command(`${folder}/${file}`, folder);
    const child = new Deno.Command(program!, {
      args,
      env: { ...DOTNET_ENV, NO_COLOR: "1" },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    limitLife(child, 120_000);
    const errors = new Response(child.stderr).text();
    const input = child.stdin.getWriter();
    let stdout = "";
    let isAsked = false;
    for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
      stdout += part;
      const [, setupKey] = SETUP_KEY.exec(stdout) ?? [];
      if (isAsked || setupKey === undefined || !stdout.includes("Pin: ")) continue;
      isAsked = true;
      await input.write(new TextEncoder().encode(`${await pinOf(setupKey)}\n`));
    }
    await input.close().catch(() => {}); // The program has ended.
    const { code } = await child.status;
    killIfThere(child);
    return { code, stdout, stderr: await errors };
  });
}

/** Label in the Key URI of a pairing, by the server. */
async function labelOf(appName: string, appInfo: string): Promise<string> {
  const body = new URLSearchParams({ appName, appInfo, secretCode: "any" });
  const reply = await fetch(`${server.url}/api.asmx/Pair`, { method: "POST", body });
  return /otpauth:[^?]*\?/.exec(await reply.text())![0];
}

const wrongPin = async (setupKey: string): Promise<string> => `${await codeOfSetupCode(setupKey)}0`;

for (const [language, { needsDotnet }] of Object.entries(LANGUAGES)) {
  const name = `the ${language} program`;
  const test = needsDotnet ? dotnetTest : Deno.test;

  test(`${name} pairs with awkward names and a new secret, and checks the right pin`, async () => {
    const names = { appName: `App ${HOSTILE}`, account: HOSTILE };
    const text = await programOf(language, server, names);
    const talks = [
      await talk(language, text, codeOfSetupCode),
      await talk(language, text, codeOfSetupCode),
    ];
    const secrets = talks.map(({ code, stdout, stderr }) => {
      assertEquals([code, stdout.includes("The pin is right.")], [0, true], stdout + stderr);
      const secret = new TextDecoder().decode(bytesOfBase32(SETUP_KEY.exec(stdout)![1]!));
      assertMatch(secret, /^9[A-Z2-7]{31,32}$/);
      assert(!stdout.includes(secret), "the secret is printed");
      return secret;
    });
    assert(secrets[0] !== secrets[1]);
    const label = await labelOf(names.appName, names.account);
    assert(talks[0]!.stdout.includes(label), talks[0]!.stdout);
    assertMatch(talks[0]!.stdout, /(?:<|&lt;)svg /);
  });

  test(`${name} pairs by Base32, with an awkward key, and refuses a wrong pin`, async () => {
    const text = await programOf(language, lockedServer, { key: KEY });
    const right = await talk(language, text, codeOfSetupCode);
    assertEquals([right.code, right.stdout.includes("The pin is right.")], [0, true], right.stderr);
    assertMatch(SETUP_KEY.exec(right.stdout)![1]!, /^[A-Z2-7]{32}$/);
    const wrong = await talk(language, text, wrongPin);
    assertMatch(wrong.stdout, /The pin is not right\./);
    assert(!wrong.stdout.includes("The pin is right."));
  });

  test(`${name} ends with the server's sentence on an error`, async () => {
    const text = await programOf(language, server, { appName: "x".repeat(257) });
    const { code, stderr, stdout } = await talk(language, text, codeOfSetupCode);
    assert(code !== 0, stdout);
    assertMatch(stderr, /Parameter appName is longer than 256 characters\./);
  });

  test(`${name} ends with an error where no server listens, and shows no secret`, async () => {
    const url = `http://127.0.0.1:${freePort()}`;
    const text = await programOf(language, server, { url });
    const { code, stderr, stdout } = await talk(language, text, codeOfSetupCode);
    assert(code !== 0, stdout);
    assert(!/9[A-Z2-7]{31}/.test(stdout + stderr), stdout + stderr);
  });
}

// Two platforms that would wait for minutes, or for ever: each gives up after ten seconds.
for (const language of ["Python", "JavaScript"]) {
  Deno.test(`the ${language} program ends with an error where a server never answers`, async () => {
    // The system accepts the connection, and nothing reads from it.
    using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const url = `http://127.0.0.1:${silent.addr.port}`;
    const text = await programOf(language, server, { url });
    const { code, stderr } = await talk(language, text, codeOfSetupCode);
    assert(code !== 0);
    assertMatch(stderr, /time(?:d )?out/i);
  });
}

Deno.test("the PHP program names the setting that keeps it from a call", async () => {
  const { command } = LANGUAGES["PHP"]!;
  const text = (await programOf("PHP", server))
    .replace("<?php", "<?php ini_set('display_errors', 'stderr');");
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/program.php`, text);
    const [php, path] = await command(`${folder}/program.php`, folder);
    const { code, stdout, stderr } = await new Deno.Command(php!, {
      args: ["-d", "allow_url_fopen=0", path!],
    }).output();
    assert(code !== 0);
    const said = new TextDecoder().decode(Uint8Array.of(...stdout, ...stderr));
    assertMatch(said, /No answer from the service, or allow_url_fopen is off/);
  });
});

/** Start of what the classic ASP program does for each request, behind its functions. */
const ASP_BODY = /^(?=Dim pairing, answer$)/m;

/** Runs the classic ASP program for one request, and returns the lines that it writes. */
async function visitAsp(text: string, ...args: readonly string[]): Promise<readonly string[]> {
  assertMatch(text, ASP_BODY);
  // An argument left out is an error of its own in Wine; Windows takes it.
  const page = text.replace("Err.Raise 1, , ", 'Err.Raise 1, "", ')
    .replace(/<%@[^]*?%>|<%|%>|^Option Explicit$/gm, "")
    .replace(ASP_BODY, "Sub ServePage()\n");
  return await withFolder(async (folder) => {
    const path = `${folder}/page.vbs`;
    const host = Deno.readTextFileSync(clientFile("asp_host.vbs"));
    await Deno.writeTextFile(path, `${host}\n${page}\nEnd Sub\n`);
    return (await runVbscript(path, args)).trimEnd().split(/\r?\n/);
  });
}

Deno.test.afterAll(removeWine);

Deno.test("the classic ASP program pairs, and checks a right and a wrong pin", async () => {
  for (const [where, key] of [[server, undefined], [lockedServer, KEY]] as const) {
    const text = await programOf(ASP, where, key === undefined ? {} : { key });
    const [html = "", shown = "", form = "", secret = ""] = await visitAsp(text, "GET");
    assertMatch(html, /^<a [^>]+><svg [^>]+>.+<\/svg><\/a>$/);
    assertMatch(secret, where === server ? /^9[A-Z2-7]{32}$/ : /^[A-Z2-7]{32}$/);
    assertMatch(form, /^<form method='post'>/);
    const setupKey = SETUP_KEY.exec(shown)![1]!;
    const right = await visitAsp(text, "POST", await codeOfSetupCode(setupKey), secret);
    assertEquals(right, ["The pin is right.", secret]);
    const wrong = await visitAsp(text, "POST", await wrongPin(setupKey), secret);
    assertEquals(wrong, ["The pin is not right.", secret]);
    assert((await visitAsp(text, "GET")).at(-1) !== secret);
  }
});

Deno.test("the classic ASP program pairs with names that end a string or a parameter elsewhere", async () => {
  // No character outside ASCII: Wine has no AscW, which the host would need to write it.
  const name = `it's "$HOME" \\ %41 +&=; <b> #{1} {0}`;
  const text = await programOf(ASP, server, { appName: `App ${name}`, account: name });
  const [html = ""] = await visitAsp(text, "GET");
  const label = await labelOf(`App ${name}`, name);
  assert(html.includes(label), `${label} is not in ${html}`);
});

Deno.test("the classic ASP program ends with the server's sentence on an error", async () => {
  const text = await programOf(ASP, server, { appName: "x".repeat(257) });
  const [error = "", ...lines] = await visitAsp(text, "GET");
  assertEquals(error, "Error: Parameter appName is longer than 256 characters.");
  assertEquals(lines.filter((line) => line.startsWith("<")), []);
});

Deno.test("the classic ASP program ends with an error where no server listens, and shows no secret", async () => {
  const text = await programOf(ASP, server, { url: `http://127.0.0.1:${freePort()}` });
  const [error = "", ...lines] = await visitAsp(text, "GET");
  assertMatch(error, /^Error: /);
  assert(!/9[A-Z2-7]{31}/.test(error), error);
  // The last line is the host's.
  assertMatch(lines.join("\n"), /^9[A-Z2-7]{32}$/);
});

Deno.test("every program is run, but for those whose tool CI does not have", async () => {
  const languages = choicesOf(await pageOf(server), "language");
  const asked = Object.entries(LANGUAGES).map(([name, { title = name }]) => title);
  const tried = [...asked, ASP];
  assertEquals(
    languages.filter((language) => !tried.includes(language)),
    UNTRIED,
    "add the language to LANGUAGES, with the command that runs its program",
  );
});
