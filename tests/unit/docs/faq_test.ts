import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { fencesOf, read } from "../../support/pages.ts";
import { handlerWith } from "../../support/handler.ts";
import { requestOf } from "./commands.ts";

// docs/faq.md: what it shows is what callers get, and who searches for an error finds its text there.

const PAGE = "docs/faq.md";

Deno.test("docs/faq.md: every call with curl prints the output below it", async () => {
  const fences = fencesOf(PAGE);
  const commands = [...fences.entries()].filter(([, { text }]) => text.startsWith("curl "));
  assert(commands.length >= 2);
  for (const [index, { text }] of commands) {
    const reply = await handlerWith()(requestOf(text.trimEnd()));
    assertEquals(reply.status, 200, text);
    assertEquals(
      (await reply.text()).replaceAll("\r\n", "\n"),
      fences[index + 1]!.text.trimEnd(),
      text,
    );
  }
});

const SERVICE = "http://127.0.0.1:8080/api.asmx";
const JSON_TEXT = '{"pin":"123456","secretCode":"x"}';
const ENVELOPE = '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"/>';
const SOAP_WANTED = "The Content-Type must be text/xml or application/soap+xml.";
const LOOKS_LIKE_JSON = "The body looks like JSON; send Content-Type: application/json.";
const FORM_WANTED =
  "The Content-Type must be application/x-www-form-urlencoded or application/json.";

// A wrong call as the page describes it, the status, and the error, which stands on the page.
const MISTAKES: readonly (readonly [string, number, string])[] = [
  [`curl ${SERVICE}/ValidatePin -d '${JSON_TEXT}'`, 400, LOOKS_LIKE_JSON],
  [`curl '${SERVICE}/ValidatePin?pin=1&secretCode=x' -d ''`, 400, "The body is empty"],
  [
    `curl ${SERVICE}/ValidatePin -H 'Content-Type: application/json' -d '{"Pin":"1"}'`,
    400,
    "Missing parameter: pin.",
  ],
  [`curl ${SERVICE} -d 'pin=123456&secretCode=x'`, 415, SOAP_WANTED],
  [`curl ${SERVICE} -H 'Content-Type: application/json' -d '${JSON_TEXT}'`, 415, SOAP_WANTED],
  [`curl ${SERVICE} -d '${ENVELOPE}'`, 415, SOAP_WANTED],
  [`curl ${SERVICE} -H 'Content-Type: application/xml' -d '${ENVELOPE}'`, 415, SOAP_WANTED],
  [
    `curl ${SERVICE}/ValidatePin -H 'Content-Type: text/xml' -d '${ENVELOPE}'`,
    415,
    FORM_WANTED,
  ],
  [
    `curl ${SERVICE}/ValidatePin -H 'Content-Type: multipart/form-data; boundary=a' -d '--a--'`,
    415,
    FORM_WANTED,
  ],
];

for (const [line, status, error] of MISTAKES) {
  Deno.test(`docs/faq.md has the error of: ${line}`, async () => {
    const reply = await handlerWith()(requestOf(line));
    const text = await reply.text();
    assertEquals([reply.status, text.includes(error)], [status, true], text);
    const headings = read(PAGE).split("\n").filter((text) => text.startsWith("### "));
    assert(headings.some((heading) => heading.includes(`\`${error}`)), `No title has: ${error}`);
  });
}
