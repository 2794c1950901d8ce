import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { FORMATS } from "../../../lib/page/snippets/language.ts";
import { encoderOf, keyEncoderOf } from "../../../lib/page/samples/quoting.ts";
import { OPERATIONS } from "../../../lib/operations/operations.ts";
import { getPage, handlerWith, tabsOf, textOf } from "../pages.ts";

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
      const query = `?op=${operation}&format=${encodeURIComponent(format)}`;
      const { html } = await getPage(handlerWith(), query);
      const hints = [...html.matchAll(/<p class="hint">(Needs [^<]*)<\/p>/g)]
        .map(([, hint]) => textOf(hint!));
      const programs = [...tabsOf(html, "code")];
      assertEquals(hints.length, programs.length);
      programs.forEach(([language, [program]], i) => {
        const [, said, rest] = /\. ([A-Z0-9. ]+?)(\.|, regardless of the format above\.)$/.exec(
          hints[i]!,
        ) ?? [];
        assertEquals(rest === ".", said === format, `${language}: ${hints[i]}`);
        assert(SIGNS.get(said!)!.test(program!), `${language}: ${said}\n${program}`);
      });
      assert(html.includes(`data-format="${format}"`));
    });
  }
}

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
    const query = `?op=ValidatePin&format=${encodeURIComponent(format)}`;
    const programs = tabsOf((await getPage(handlerWith(), query)).html, "code");
    for (const [language, kept] of KEPT) assertMatch(programs.get(language)![0]!, kept, language);
    assertMatch(programs.get("PowerShell")![0]!, /^\$ErrorActionPreference = 'Stop'\n/);
  });
}

Deno.test("a format that there is not is the one that the form goes by", async () => {
  const { html } = await getPage(handlerWith(), "?op=Pair&format=hush");
  assertEquals(html, (await getPage(handlerWith(), "?op=Pair")).html);
  assert(html.includes('data-format="HTTP POST"') && !html.includes("hush"));
});

Deno.test("without script, the page of every format is a link away", async () => {
  const { html } = await getPage(handlerWith(), "?op=Pair");
  const links = [...html.matchAll(/href="(\?op=Pair&[^"]*)#snippets"/g)];
  const formats = links.map(([, href]) => new URLSearchParams(textOf(href!)).get("format"));
  assertEquals(formats, [...FORMATS]);
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
