/**
 * Paths of `/Validate.aspx` over TCP, as bytes: its callers take any text but `False` for a success,
 * also `Not found.`
 *
 * @module
 */

import { assertEquals } from "@std/assert/equals";
import * as fc from "fast-check";
import { exchangeRaw, hasHead, statusIn, Wire } from "../../support/http.ts";
import { read } from "../../support/pages.ts";
import { PROGRAM } from "../../support/program.ts";
import { runOptions } from "../../support/property.ts";
import { pinOf, wrongPinOf } from "../../support/reference_totp.ts";
import { PATIENT, serverForTests } from "../../support/test_server.ts";

const server = serverForTests(...PATIENT, "--max-failures", "0");

async function ask(method: string, target: string): Promise<readonly [number, string]> {
  const { status, body } = await exchangeRaw(server.url, {
    head: [`${method} ${target} HTTP/1.1`, "Host: localhost", "Content-Length: 0"],
  });
  return [status, new TextDecoder().decode(body)];
}

/** The characters of a text, each in either case, and as it is or percent-encoded. */
function spelled(text: string): fc.Arbitrary<string> {
  const characters = [...text].map((character) => {
    const cases = [character.toUpperCase(), character.toLowerCase()];
    return fc.constantFrom(...cases, ...cases.map(percentEncoded));
  });
  return fc.tuple(...characters).map((spellings) => spellings.join(""));
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
}

// Visible ASCII but for what ends a path, and for the backslash, which Bun takes for a slash.
const CHARACTERS = Array.from({ length: 94 }, (_, i) => String.fromCharCode(0x21 + i))
  .filter((character) => !"?#\\/".includes(character));

const SEGMENT = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...CHARACTERS) },
    fc.constantFrom("%2f", "%FF", "%00", "%5C", "%zz", "%C3%A9", "%2E%2E%2E"),
  ),
  { maxLength: 4 },
  // Bun resolves those of dots alone, as a browser does.
).map((parts) => parts.join("")).filter((segment) => !/^(?:\.|%2e){1,2}$/i.test(segment));

const BEHIND = fc.oneof(
  fc.constant(""),
  fc.tuple(fc.constantFrom("/", "%2F", "%2f", "//"), fc.array(SEGMENT, { maxLength: 3 }))
    .map(([slash, segments]) => slash + segments.join("/")),
);

const PATH = fc.tuple(fc.constantFrom("/", "//", "/%2F"), spelled("Validate.aspx"), BEHIND)
  .map((parts) => parts.join(""));

const SECRET = "12345678BXYT";

const QUERIES: readonly (readonly [query: () => string, text: string])[] = [
  [() => `Pin=${pinOf(SECRET)}&SecretCode=${SECRET}`, "True"],
  [() => `Pin=${wrongPinOf(SECRET)}&SecretCode=${SECRET}`, "False"],
  [() => "Pin=&SecretCode=", "False"],
  [() => `SecretCode=${SECRET}`, "Pass 'Pin' in QueryString"],
  [() => "Pin=1", "Pass 'SecretCode' in QueryString"],
];

Deno.test(`/Validate.aspx answers by each spelling of its path, whatever stands behind it (${PROGRAM})`, async () => {
  const requests = fc.tuple(
    fc.constantFrom("GET", "POST"),
    PATH,
    fc.constantFrom(...QUERIES),
  );
  await fc.assert(
    fc.asyncProperty(requests, async ([method, path, [query, text]]) => {
      assertEquals(await ask(method, `${path}?${query()}`), [200, text]);
    }),
    runOptions(1_000),
  );
});

Deno.test(`a path that only begins like that of /Validate.aspx is not found (${PROGRAM})`, async () => {
  const paths = [
    "/Validate.aspxx",
    "/Validate.aspx;a",
    "/Validate.aspx%3F",
    "/Validate.aspx%252Fx",
  ];
  for (const path of paths) {
    assertEquals(await ask("GET", `${path}?Pin=1&SecretCode=x`), [404, "Not found.\r\n"], path);
  }
});

Deno.test(`/Validate.aspx/x answers other methods as /Validate.aspx does (${PROGRAM})`, async () => {
  for (const path of ["/Validate.aspx", "/Validate.aspx/x"]) {
    const text = "Method not allowed. Expected GET, HEAD, POST, OPTIONS.\r\n";
    assertEquals(await ask("PUT", `${path}?Pin=1&SecretCode=x`), [405, text], path);
  }
});

const TARGET = "/Validate.aspx?Pin=1&SecretCode=x";
const HOST = "Host: localhost\r\n";

function request(target: string, fields = HOST, method = "GET"): string {
  return `${method} ${target} HTTP/1.1\r\n${fields}\r\n`;
}

function headerLines(count: number): string {
  return Array.from({ length: count }, (_, i) => `X-${i}: 1\r\n`).join("");
}

// What is sent, as docs/wire.md has it, and its bytes.
const SENT: Readonly<Record<string, string>> = {
  "HTTP/1.1 without Host": request(TARGET, ""),
  "Two Hosts": request(TARGET, HOST + HOST),
  "A blank in the target": request(TARGET.replace("1", "1 2")),
  "250 header lines": request(TARGET, HOST + headerLines(249)),
  "A query of 300 kB": request(`${TARGET}&a=${"x".repeat(300_000)}`),
  "Two different `Content-Length`":
    request(TARGET, `${HOST}Content-Length: 1\r\nContent-Length: 2\r\n`, "POST") + "ab",
  "A chunk whose size is no number":
    request(TARGET, `${HOST}Transfer-Encoding: chunked\r\n`, "POST") + "zz\r\n",
  "`get` for `GET`": request(TARGET, HOST, "get"),
  "`/Validate.aspx/../x`": request(TARGET.replace("?", "/../x?")),
};

const [, TABLE] = read("docs/wire.md").split(/<!-- \/?validate -->/);
const ROWS = TABLE!.trim().split("\n").slice(2)
  .map((row) => row.split("|").slice(1, -1).map((cell) => cell.trim()));

Deno.test("docs/wire.md: the table of /Validate.aspx has the requests of this file", () => {
  assertEquals(ROWS.map(([title]) => title), Object.keys(SENT));
});

for (const [title, deno, bun] of ROWS) {
  const expected = PROGRAM === "deno" ? deno : bun;
  Deno.test(`${title} on /Validate.aspx → ${expected} (${PROGRAM})`, async () => {
    using wire = await Wire.saying(server.url, SENT[title!]!);
    const received = await wire.receive((text) => hasHead(text) && !text.endsWith("\r\n\r\n"));
    assertEquals(received.endsWith("\r\n\r\nFalse") ? "`False`" : statusIn(received), expected);
  });
}
