import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { ask, pinOf, type Told } from "./ask.ts";

// protocol.md §5, JSON; asmx.md §7 has the original's form.

const SECRET = "12345678BXYT";

function json(path: string, body: string, headers = {}): Promise<Told> {
  const fields = { "Content-Type": "application/json; charset=utf-8", ...headers };
  return ask({ target: path, headers: fields, body });
}

function validate(value: unknown): Promise<Told> {
  return json("/api.asmx/ValidatePin", JSON.stringify(value));
}

function errorOf(message: string): string {
  return `{"Message":"${message}","StackTrace":"","ExceptionType":""}`;
}

Deno.test("JSON: Pair has the members of the original stack, in their order", async () => {
  const args = { appName: "My App", appInfo: "john", secretCode: SECRET };
  const reply = await json("/api.asmx/Pair", JSON.stringify(args), { Accept: "text/xml" });
  assertEquals([reply.status, reply.type], [200, "application/json; charset=utf-8"]);
  const start = '{"d":{"__type":"AuthenticatorAPI.PairingInfo",' +
    '"ManualSetupCode":"GEZDGNBVGY3TQQSYLFKA","Html":"\\u003ca title=\\u0027Manually pair with ' +
    "GEZDGNBVGY3TQQSYLFKA\\u0027 href=\\u0027otpauth://totp/My%20App:john?";
  assertEquals(reply.text.slice(0, start.length), start);
  assert(reply.text.endsWith('\\u003c/a\\u003e"}}'));
  const form = await ask({ target: `/api.asmx/Pair?${new URLSearchParams(args)}` });
  const [, escaped] = /<Html>(.*)<\/Html>/.exec(form.text)!;
  const html = escaped!.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  assertEquals(JSON.parse(reply.text).d.Html, html);
});

Deno.test("JSON: ValidatePin is a boolean in d", async () => {
  const right = await validate({ pin: pinOf(SECRET), secretCode: SECRET });
  assertEquals([right.status, right.type], [200, "application/json; charset=utf-8"]);
  assertEquals(right.text, '{"d":true}');
  assertEquals((await validate({ pin: "", secretCode: SECRET })).text, '{"d":false}');
});

Deno.test("JSON: a number is its decimal text", async () => {
  let secret = "";
  for (let i = 0; !/^[1-9]/.test(secret && pinOf(secret)); i++) secret = `number ${i}`;
  assertEquals(
    (await validate({ pin: Number(pinOf(secret)), secretCode: secret })).text,
    '{"d":true}',
  );
  for (let i = 0; !/^0/.test(pinOf(secret)); i++) secret = `zero ${i}`;
  assertEquals(
    (await validate({ pin: Number(pinOf(secret)), secretCode: secret })).text,
    '{"d":false}',
  );
});

Deno.test("JSON: a number has all the digits that it was written with", async () => {
  const rows: readonly (readonly [number: string, text: string])[] = [
    ["9007199254740993", "9007199254740993"],
    ["12345678901234567890.10", "12345678901234567890.10"],
    ["-1", "-1"],
    ["1.5", "1.5"],
    ["9007199254740991.4", "9007199254740991.4"],
    ["0", "0"],
    ["-0", "-0"],
    ["1e3", "1e3"],
    ["1.5E+1", "1.5E%2B1"],
    ["012345", "012345"],
    ["+1", "%2B1"],
    [".5", ".5"],
    ["1.", "1."],
  ];
  for (const [number, text] of rows) {
    const body = `{"appInfo":${number},"appName":"x","secretCode":"y"}`;
    const reply = await json("/api.asmx/Pair", body);
    assert(reply.text.includes(`otpauth://totp/x:${text}?`), `${body} ${reply.text}`);
  }
});

Deno.test("JSON: what is nearly a number is none, wherever it stands", async () => {
  const rows: readonly string[] = [
    ...["--1", "-", ".", "1e", "1e+", "1e1.5", "0x1", "1_0"],
    ...["1 2", "1-1", "NaN", "Infinity", "-Infinity", "1true", "true1", '1"a"', '"a"1', "٣"],
  ];
  for (const number of rows) {
    for (const value of [number, `[${number}]`, `{"a":${number}}`]) {
      const reply = await json(
        "/api.asmx/ValidatePin",
        `{"pin":"1","secretCode":"x","other":${value}}`,
      );
      assertEquals([reply.status, /line 1, column \d+/.test(reply.text)], [400, true], value);
    }
  }
  for (const text of ["1", "{}1", "[1"]) {
    const reply = await json("/api.asmx/ValidatePin", text);
    assertEquals(reply.status, 400, text);
    assert(reply.text.includes("The body "), reply.text);
  }
});

Deno.test("JSON: an error has status, jsonerror and no trace", async () => {
  const rows: readonly (readonly [number, string, string])[] = [
    [400, '{"pin":"1"}', "Missing parameter: secretCode."],
    [
      400,
      '{"pin":null,"Pin":"1"}',
      "Missing parameter: pin. Names are case sensitive.",
    ],
    [400, '{"pin":"1","secretCode":""}', "Parameter secretCode must not be empty."],
    [
      400,
      '{"pin":"1","pin":"2","secretCode":"x"}',
      "Duplicate parameter: pin (line 1, column 12).",
    ],
    [400, '{"x":{"y":[]},"pin":"1",\n"pin":"2"}', "Duplicate parameter: pin (line 2, column 1)."],
    [400, '{"pin":{}}', "Parameter pin must be a string or a number (line 1, column 8)."],
    [400, "[]", "The body must be a JSON object with the parameters (line 1, column 1)."],
    [400, "", "The body is empty; it must be a JSON object."],
  ];
  for (const [status, body, message] of rows) {
    const reply = await json("/api.asmx/ValidatePin", body);
    assertEquals([reply.status, reply.type], [status, "application/json; charset=utf-8"], body);
    assertEquals(reply.headers.get("jsonerror"), "true");
    assertEquals(reply.text, errorOf(message));
  }
});

Deno.test("JSON: a name that is no operation is 404 in the same form", async () => {
  const reply = await json("/api.asmx/hush", "{}");
  assertEquals([reply.status, reply.headers.get("jsonerror")], [404, "true"]);
  assert(reply.text.startsWith('{"Message":"Web Service method name is not valid.'), reply.text);
  assert(!reply.text.includes("hush"));
});

Deno.test("JSON: a POST to the service without an operation is SOAP", async () => {
  const reply = await json("/api.asmx", '{"pin":"1"}');
  assertEquals([reply.status, reply.type], [415, "text/xml; charset=utf-8"]);
});

Deno.test("JSON: a compressed body is 415, one that is too large 413", async () => {
  const body = '{"pin":"1","secretCode":"x"}';
  const other = await json("/api.asmx/ValidatePin", body, { "Content-Encoding": "gzip" });
  assertEquals([other.status, other.headers.get("jsonerror")], [415, "true"]);
  const large = await json("/api.asmx/ValidatePin", body.padEnd(16_385));
  assertEquals([large.status, large.headers.get("jsonerror")], [413, "true"]);
  assertEquals((await json("/api.asmx/ValidatePin", body.padEnd(16_384))).status, 200);
});
