/** What every program of the page does, also where no test runs it: VB, Go, PowerShell, ASP, Delphi. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { getPage, panesOf } from "../../support/service_page.ts";
import { handlerWith } from "../../support/handler.ts";

const PROGRAMS = new Map(
  panesOf((await getPage(handlerWith())).html, "login").map(({ title, text }) => [title, text]),
);

/** Patterns of a program: its random numbers, its time limit, and its only way to a yes. */
const PATTERNS: Readonly<
  Record<string, readonly [random: RegExp, limit: RegExp, isRight: RegExp]>
> = {
  "curl": [
    /<\/dev\/urandom/,
    /--max-time 10 /,
    /\n {2}\*'>true<\/boolean>'\) echo 'The pin is right/,
  ],
  "C#": [/RandomNumberGenerator\.Create\(\)/, /FromSeconds\(10\)/, /answer\.Value == "true"/],
  "PHP": [/random_int\(0, 31\)/, /'timeout' => 10,/, /\]\) === true;\n/],
  "Python": [/secrets\.choice\(/, /timeout=10\)/, /secretCode=secret\) is True\n/],
  "Java": [/new SecureRandom\(\)/, /Duration\.ofSeconds\(10\)/, /\.equals\("true"\)/],
  "JavaScript": [/randomInt\(32\)/, /AbortSignal\.timeout\(10_000\)/, /\}\) === true;\n/],
  "Go": [
    /rand\.Int\(rand\.Reader/,
    /Timeout: 10 \* time\.Second/,
    /\tisRight := false\n[^]*\tif isRight \{/,
  ],
  "Ruby": [
    /SecureRandom\.random_number\(32\)/,
    /read_timeout: 10/,
    /secretCode: secret\) == true\n/,
  ],
  "PowerShell": [
    /RandomNumberGenerator\]::Create\(\)\.GetBytes\(/,
    /TimeoutSec {2}= 10/,
    /if \(\$isRight -is \[bool\] -and \$isRight\) \{ 'The pin is right/,
  ],
  "VB": [
    /RandomNumberGenerator\.Create\(\)/,
    /FromSeconds\(10\)/,
    / isRight = answer\.Value = "true"\n/,
  ],
  "Classic ASP": [
    /CreateObject\("Scriptlet\.TypeLib"\)\.GUID/,
    /setTimeouts 10000, 10000, 10000, 10000/,
    /If answer\.text = "true" Then/,
  ],
  "Delphi": [
    /BCryptGenRandom\(nil, Bytes, [^]*<> 0 then\n {4}raise/,
    /ResponseTimeout := 10000/,
    /\.EndsWith\('>true<\/boolean>'\) then/,
  ],
};

Deno.test("every language of the page has its patterns here: random numbers, time limit, way to a yes", () => {
  const advice = "give the language its row in PATTERNS, in the order of the page";
  assertEquals([...PROGRAMS.keys()], Object.keys(PATTERNS), advice);
});

for (const [language, patterns] of Object.entries(PATTERNS)) {
  Deno.test(`the program in ${language} has a random secret, a timeout of ten seconds, and accepts only true`, () => {
    const program = PROGRAMS.get(language)!;
    for (const pattern of patterns) assertMatch(program, pattern);
    assertEquals(program.match(/The pin is right\./g)?.length, 1);
    assert(program.includes("The pin is not right."));
  });

  Deno.test(`the program in ${language} sends key and source, calls both operations, and holds no namespace`, () => {
    const program = PROGRAMS.get(language)!;
    for (const text of ["X-Api-Key", "X-Authenticator-Source", "ValidatePin", "Keep the secret"]) {
      assert(program.includes(text), text);
    }
    assertMatch(program, /\bPair\b/);
    assert(!program.includes("authenticatorapi.com"));
    assertEquals(program.match(/http:\/\/127\.0\.0\.1:8080\/api\.asmx/g)?.length, 1);
  });
}

Deno.test("a secret of a program begins with a 9 where secrets are text, and is Base32 where they are Base32", async () => {
  const { html } = await getPage(handlerWith({ flags: { "secret-encoding": "base32" } }));
  for (const { title, text } of panesOf(html, "login")) {
    const start = /([^\n]*)(["'=])9(["'$])/;
    const [, line, before, after] = start.exec(PROGRAMS.get(title)!)!;
    assert(text.includes(line! + before + after), title);
    assert(text.includes("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") || text.includes("A-Z2-7"), title);
  }
});
