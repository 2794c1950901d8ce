import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import { type Exchange, NamedBlocks, parseExchangeFile } from "../../support/exchanges.ts";

const NAMED = `# Named

## ping

\`\`\`http
GET {{text}} HTTP/1.1
\`\`\`

## SOAP {{version}}

\`\`\`http
POST / HTTP/1.1
{{text}}

<e xmlns="{{envelope}}"/>
\`\`\`

## 200

\`\`\`http crlf
HTTP/1.1 200 OK

{{text 2}} {{text 1}} {{text 2}}

\`\`\`

## 204

\`\`\`http
HTTP/1.1 204 No Content
\`\`\`
`;

function read(lines: string, named: NamedBlocks = new NamedBlocks(NAMED)): Exchange {
  return parseExchangeFile("a.md", `# A\n\n## Rule\n\n§1\n\n${lines}\n`, named).exchanges[0]!;
}

Deno.test("several requests have the reply that follows them", () => {
  const { steps } = read("- Request: **ping** `/a`\n- Request: **ping** `/b`\n- Reply: **204**");
  assertEquals(steps.map(({ request, reply }) => [request.head, reply.head]), [
    [["GET /a HTTP/1.1"], ["HTTP/1.1 204 No Content"]],
    [["GET /b HTTP/1.1"], ["HTTP/1.1 204 No Content"]],
  ]);
});

const MISTAKES: readonly (readonly [mistake: string, lines: string, message: string])[] = [
  ["an unknown name", "- Request: **pong** `/`\n- Reply: **204**", 'no request named "pong"'],
  ["a request as a reply", "- Request: **ping** `/`\n- Reply: **ping** `/`", "no reply named"],
  ["a reply first", "- Reply: **204**\n- Request: **ping** `/`", "a reply stands where"],
  ["no reply", "- Request: **ping** `/`", "the last request has no reply"],
  ["a text too few", "- Request: **ping**\n- Reply: **204**", '"ping" takes some texts and gets 0'],
  ["a text too many", "- Request: **ping** `/`\n- Reply: **204** `a`", "takes 0 texts and gets 1"],
  ["a place left out", "- Request: **ping** `/`\n- Reply: **200** `a`", "takes 2 texts and gets 1"],
  ["another list", "- Request: ping `/`\n- Reply: **204**", "names neither a request nor a reply"],
];

for (const [mistake, lines, message] of MISTAKES) {
  Deno.test(`an exchange with a name is refused with ${mistake}`, () => {
    assertThrows(() => read(lines), SyntaxError, message);
  });
}

Deno.test("a name that is given twice, or has no block or two, is refused", () => {
  const block = "```http\nHTTP/1.1 204 No Content\n```\n";
  const twice = `# N\n\n## 204\n\nA.\n\n${block}\n## 204\n\nB.\n\n${block}`;
  assertThrows(() => new NamedBlocks(twice), SyntaxError, "a heading stands twice");
  for (const blocks of ["", block + block]) {
    const document = `# N\n\n## 204\n\n${blocks}`;
    assertThrows(() => new NamedBlocks(document), SyntaxError, "there must be one block");
  }
});

Deno.test("a name that no exchange uses is found", () => {
  const named = new NamedBlocks(NAMED);
  read("- Request: **SOAP 1.1** `A: b`\n- Reply: **204**", named);
  assertEquals(named.unused(), ["Request ping", "Reply 200", "Request SOAP 1.2"]);
});
