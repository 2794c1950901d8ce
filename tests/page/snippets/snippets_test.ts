import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { FORMATS } from "../../../lib/page/snippets/language.ts";
import type { SampleContext } from "../../../lib/page/samples/samples.ts";
import { encoderOf, keyEncoderOf } from "../../../lib/page/samples/quoting.ts";
import {
  type Operation,
  OPERATIONS,
  PAIR,
  type RecordType,
  VALIDATE_PIN,
} from "../../../lib/operations/operations.ts";
import { LANGUAGE_NAMES, type Snippet, snippetIn } from "../../../lib/page/snippets/snippets.ts";
import { getPage, handlerWith, pagesByLanguage, paneOf, textOf } from "../pages.ts";

const OTP = { algorithm: "SHA1", digits: 6, period: 30, window: 1 } as const;

const CONTEXT: SampleContext = {
  base: "http://localhost",
  namespace: "http://authenticatorapi.com/",
  service: { otp: OTP, secretEncoding: "text", html: "svg", now: () => 0 },
  bindings: [],
  wantsKey: false,
};

// What stands in the program of a format, and in none of another format.
const SIGNS: ReadonlyMap<string, RegExp> = new Map([
  ["SOAP 1.1", /text\/xml|SOAPAction|AuthenticatorAPISoap\b|\?wsdl/],
  ["SOAP 1.2", /application\/soap\+xml|SOAP_1_2|AuthenticatorAPISoap12/],
  ["HTTP GET", /--get|[?]['"]|-Body \$body|encode_www_form/],
  ["HTTP POST", /form|post|data-urlencode|urllib/i],
  ["JSON", /json/i],
]);

for (const operation of OPERATIONS.keys()) {
  for (const format of FORMATS) {
    Deno.test(`every program for ${operation} is in ${format}, or says in which format it is`, async () => {
      for (const [language, html] of await pagesByLanguage(handlerWith(), operation, format)) {
        const program = paneOf(html, `${operation}-program`);
        const hint = [...html.matchAll(/<p class="hint">(Needs [^<]*)<\/p>/g)].at(-1)![1]!;
        const [, said, rest] = /\. Shown in ([A-Z0-9. ]+?)(\.|, whatever format is chosen\.)$/.exec(
          textOf(hint),
        ) ?? [];
        assertEquals(rest === ".", said === format, `${language}: ${hint}`);
        assert(SIGNS.get(said!)!.test(program), `${language}: ${said}\n${program}`);
      }
    });
  }
}

// Generators of the secret of a pairing, each with the line that prints it.
const GENERATORS: ReadonlyMap<string, RegExp> = new Map([
  ["curl", /^secret=\$\(.*\/dev\/urandom .*\)\necho "\$secret"$/m],
  ["C#", /RandomNumberGenerator\.Create\(\)\.GetBytes\([^]* Console\.WriteLine\(secret\);\n/],
  [
    "C# from the WSDL",
    /RandomNumberGenerator\.Create\(\)\.GetBytes\([^]*\nConsole\.WriteLine\(secret\);\n/,
  ],
  ["PHP", /random_bytes\(32\)[^]*\necho \$secret, "\\n";\n/],
  ["Python", /secrets\.token_bytes\(20\).*\nprint\(secret\)\n/],
  ["Java", /new SecureRandom\(\)[^]* System\.out\.println\(secret\);\n/],
  ["JavaScript", /from "node:crypto"[^]*randomBytes\(32\).*\nconsole\.log\(secret\);\n/],
  ["TypeScript", /from "node:crypto"[^]*randomBytes\(32\).*\nconsole\.log\(secret\);\n/],
  ["Go", /rand\.Read\([^]*\tfmt\.Println\(secret\)\n/],
  ["Ruby", /random: SecureRandom.*\nputs secret\n/],
  ["PowerShell", /RandomNumberGenerator\]::Create\(\)\.GetBytes\([^]*\n\$secret\n/],
  ["VB", /RandomNumberGenerator\.Create\(\)\.GetBytes\([^]* Console\.WriteLine\(secret\)\n/],
  ["Classic ASP", /(?:\("Scriptlet\.TypeLib"\)\.GUID[^]*){2}\nResponse\.Write secret & "<br>"\n/],
  [
    "Delphi",
    /BCryptGenRandom\(nil, Bytes, SizeOf\(Bytes\), 2 \{\w+\}\) <> 0[^]* Writeln\(Secret\);\n/,
  ],
]);

const KEEP = "Keep the secret encrypted: ValidatePin needs it.";
const EARLIER = "secretCode is what was made for this user before Pair.";

// Languages whose syntax has no comment right above the argument: it is above the call.
const ABOVE_THE_CALL: ReadonlySet<string> = new Set([
  "curl",
  "C# from the WSDL",
  "VB",
  "Classic ASP",
]);

const textOfSnippet = ({ pieces }: Snippet): string => pieces.map(({ text }) => text).join("");

const takesSecret = ({ pieces }: Snippet): boolean =>
  pieces.some(({ placeholder }) => placeholder === "secretCode");

const snippetsFor = (operation: Operation, format: typeof FORMATS[number]): readonly Snippet[] =>
  LANGUAGE_NAMES.map((language) => snippetIn(language, operation, CONTEXT, format));

for (const format of FORMATS) {
  Deno.test(`a program that pairs makes its secret, any other takes it: ${format}`, () => {
    // The row of an operation says whether it pairs, not its name.
    for (const operation of [PAIR, { ...PAIR, name: "Invite" }]) {
      for (const snippet of snippetsFor(operation, format)) {
        const text = textOfSnippet(snippet);
        assertMatch(text, GENERATORS.get(snippet.language)!, snippet.language);
        assert(text.includes(KEEP) && !text.includes(EARLIER) && !takesSecret(snippet), text);
        assert(snippet.pieces.some(({ placeholder }) => placeholder === "appInfo"));
      }
    }
    const { picture: _, ...record } = PAIR.result as RecordType;
    for (const operation of [VALIDATE_PIN, { ...PAIR, result: record }]) {
      for (const snippet of snippetsFor(operation, format)) {
        const text = textOfSnippet(snippet);
        assert(!GENERATORS.get(snippet.language)!.test(text), text);
        assert(!text.includes(KEEP) && takesSecret(snippet), text);
        const [before, after, ...more] = text.split(EARLIER);
        assert(/^ *\t*(?:#|\/\/|') $/.test(before!.split("\n").at(-1)!), text);
        assertEquals(more, []);
        const isAbove = /^\n.*REPLACETHISSECRETBY32RANDOMCHARS/.test(after!);
        assert(isAbove || ABOVE_THE_CALL.has(snippet.language), text);
      }
    }
  });
}

// Limits in the programs. Without one, WCF, WinHTTP and Delphi's client end after a minute at most,
// and the platforms below after a minute or longer, or never.
const LIMITS: ReadonlyMap<string, RegExp> = new Map([
  ["curl", /curl --fail-with-body --max-time 10 /],
  ["C#", / client\.Timeout = TimeSpan\.FromSeconds\(10\);\n/],
  ["PHP", /^ini_set\('default_socket_timeout', '10'\);$|^ {4}'timeout' => 10,$/m],
  ["Python", /urlopen\(request, timeout=10\)/],
  ["Java", /\.timeout\(Duration\.ofSeconds\(10\)\)/],
  ["JavaScript", /\n {2}signal: AbortSignal\.timeout\(10_000\),\n/],
  ["TypeScript", /\n {2}signal: AbortSignal\.timeout\(10_000\),\n/],
  ["Go", /http\.Client\{Timeout: 10 \* time\.Second\}/],
  ["Ruby", /open_timeout: 10, read_timeout: 10, max_retries: 0/],
  ["PowerShell", /^ {2}-TimeoutSec 10 `$/m],
  ["VB", / client\.Timeout = TimeSpan\.FromSeconds\(10\)\n/],
]);

for (const format of FORMATS) {
  Deno.test(`a program that would wait for long has a limit of ten seconds: ${format}`, () => {
    for (const operation of OPERATIONS.values()) {
      for (const snippet of snippetsFor(operation, format)) {
        const limit = LIMITS.get(snippet.language);
        if (limit !== undefined) assertMatch(textOfSnippet(snippet), limit, snippet.language);
      }
    }
  });
}

Deno.test("an error of Go in HTTP GET does not print the URL, which holds the secret", () => {
  const text = textOfSnippet(snippetIn("Go", VALIDATE_PIN, CONTEXT, "HTTP GET"));
  assertMatch(
    text,
    /client\.Do\(request\)\n\tif err != nil \{\n\t\tlog\.Fatal\(errors\.Unwrap\(err\)\)\n/,
  );
});

Deno.test("curl alone builds an Envelope", async () => {
  for (const operation of OPERATIONS.keys()) {
    for (const format of FORMATS) {
      const pages = await pagesByLanguage(handlerWith(), operation, format);
      const builders = [...pages]
        .filter(([, html]) => paneOf(html, `${operation}-program`).includes("Envelope"))
        .map(([language]) => language);
      assertEquals(builders, format.startsWith("SOAP") ? ["curl"] : []);
    }
  }
});

// Where no test runs the program, or with odd replies: what keeps an answer, and prints it.
const KEPT: ReadonlyMap<string, RegExp> = new Map([
  [
    "curl",
    /\n {2}case \$reply in (?:\*'>true<\/(?:ValidatePinResult|boolean)>'\*|'\{"d":true\}')\) echo true ;; \*\) echo false ;; esac\n/,
  ],
  ["Go", /\taccepted := result\.(?:Value == "true"|D)\n\tfmt\.Println\(accepted\)\n/],
  ["PowerShell", /^\$accepted = .* (?:-ceq 'true'|-eq \$true)\n\$accepted$/m],
  ["VB", / accepted As Boolean = \(.*\.Value = "true"\)\n +Console\.WriteLine\(accepted\)\n/],
  ["Classic ASP", /^accepted = \(.*\.text = "true"\)\nResponse\.Write accepted$/m],
  ["Delphi", / Accepted := Pos\('>true<\/boolean>', .*\) > 0;\n +Writeln\(Accepted\);\n/],
]);

for (const format of FORMATS) {
  Deno.test(`no program takes the text false for true: ${format}`, async () => {
    const pages = await pagesByLanguage(handlerWith(), "ValidatePin", format);
    const programIn = (language: string): string =>
      paneOf(pages.get(language)!, "ValidatePin-program");
    for (const [language, kept] of KEPT) assertMatch(programIn(language), kept, language);
    assertMatch(programIn("PowerShell"), /^\$ErrorActionPreference = 'Stop'\n/);
  });
}

Deno.test("a format and a language that there are not are the ones of a page without them", async () => {
  const { html } = await getPage(handlerWith(), "?op=Pair&format=hush&lang=hush");
  assertEquals(html, (await getPage(handlerWith(), "?op=Pair")).html);
  assert(!html.includes("hush"));
});

Deno.test("the page of every format and language is a link away, which keeps the other choice", async () => {
  const { html } = await getPage(handlerWith(), "?op=Pair&format=JSON&lang=PHP");
  const links = [...html.matchAll(/href="(\?op=Pair&[^"]*)#Pair-/g)]
    .map(([, href]) => new URLSearchParams(textOf(href!)));
  const pairs = links.map((query) => [query.get("format"), query.get("lang")]);
  assertEquals(pairs, [
    ...FORMATS.map((format) => [format, "PHP"]),
    ...LANGUAGE_NAMES.map((language) => ["JSON", language]),
  ]);
});

Deno.test("encoderOf() writes a value in one kind of text inside of another", () => {
  assertEquals(encoderOf("xml shell")("it's <b>"), "it'\\''s &#60;b&#62;");
  assertEquals(encoderOf("json shell")(`it's "x"`), `it'\\''s \\"x\\"`);
});

Deno.test("keyEncoderOf() writes keys as they stand in header fields, and never as in a body", () => {
  for (const kind of ["xml", "json", "form"]) assertEquals(keyEncoderOf(kind)('a&<"b'), 'a&<"b');
  assertEquals(keyEncoderOf("xml shell")("a&'b"), "a&'\\''b");
  assertEquals(keyEncoderOf("c")('a"b'), 'a\\"b');
});
