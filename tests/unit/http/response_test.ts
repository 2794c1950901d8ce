import { assertEquals } from "@std/assert/equals";
import { byteLength, matchesTag, respond, withStatusFields } from "../../../lib/http/response.ts";
import type { Reply } from "../../../lib/bindings/binding.ts";
import { CHALLENGE } from "../../../lib/http/api_keys.ts";

const BODY = "caf\u00e9 \u{1F511}";

Deno.test("the Content-Length of a HEAD counts bytes, as the body of a GET has them", async () => {
  for (const body of [BODY, new TextEncoder().encode(BODY)]) {
    const reply = { status: 200, contentType: "text/plain; charset=utf-8", body };
    const bytes = (await respond("GET", reply).arrayBuffer()).byteLength;
    assertEquals([bytes, byteLength(body)], [10, 10]);
    assertEquals(respond("HEAD", reply).headers.get("content-length"), "10");
  }
});

Deno.test("respond() sends the usual header fields, unless a reply has its own, and ends the connection of a CONNECT", () => {
  const fieldsOf = (reply: Omit<Reply, "contentType">, method = "GET"): unknown => {
    const response = respond(method, { contentType: "text/plain", ...reply }, "a1-0");
    return [response.status, Object.fromEntries(response.headers)];
  };
  const usual = {
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-request-id": "a1-0",
  };
  assertEquals(fieldsOf({ status: 400, body: "a" }), [
    400,
    { ...usual, "cache-control": "no-store", "content-type": "text/plain" },
  ]);
  // What follows in its tunnel must not be read as a request.
  assertEquals(fieldsOf({ status: 405, body: null }, "CONNECT"), [
    405,
    { ...usual, "cache-control": "no-store", "connection": "close" },
  ]);
  // What has no body has no media type either (RFC 9110 §8.3).
  const headers = { "cache-control": "no-cache", "etag": '"a"' };
  for (const method of ["GET", "HEAD"]) {
    const fresh = { status: 304, body: null, headers };
    assertEquals(fieldsOf(fresh, method), [304, { ...usual, ...headers }]);
  }
});

Deno.test("matchesTag() reads a list of tags, weakly, or a star", () => {
  const rows: readonly (readonly [value: string | null, fresh: boolean])[] = [
    ['"a"', true],
    ['W/"a"', true],
    [' \t"a" ', true],
    ['"b","a"', true],
    ['"b" ,\t W/"a" , "c"', true],
    ["*", true],
    [" * ", true],
    [null, false],
    ["", false],
    ["a", false],
    ['"b"', false],
    ['w/"a"', false],
    ['W/W/"a"', false],
    ['"W/a"', false],
    ['"b", *', false],
    ['"a" "a"', false],
  ];
  for (const [value, fresh] of rows) assertEquals(matchesTag(value, '"a"'), fresh, `${value}`);
});

Deno.test("withStatusFields() adds WWW-Authenticate to 401, and Retry-After to 503", () => {
  const headersAt = (status: number): Reply["headers"] =>
    withStatusFields({ status, contentType: "", body: "", headers: { jsonerror: "true" } }).headers;
  assertEquals(headersAt(401), { "jsonerror": "true", "www-authenticate": CHALLENGE });
  assertEquals(headersAt(503), { "jsonerror": "true", "retry-after": "1" });
  for (const status of [200, 400]) assertEquals(headersAt(status), { "jsonerror": "true" });
});
