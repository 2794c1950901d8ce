import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import {
  baseOf,
  checkHost,
  checkQuery,
  isAuthority,
  MAX_QUERY_LENGTH,
  targetOf,
} from "../../../lib/http/request_target.ts";
import { Fault } from "../../../lib/operations/fault.ts";

const HOSTS = [
  "localhost",
  "localhost:8080",
  "pin.example.com",
  "pin.example.com.",
  "under_score.example",
  "127.0.0.1:65535",
  "[::1]",
  "[2001:db8::1]:8443",
  "[::ffff:127.0.0.1]",
  // No address, and so a name.
  "256.0.0.1",
];

const NO_HOSTS = [
  "",
  ":8080",
  "localhost:",
  "localhost:65536",
  "localhost:99999",
  "..",
  ".example",
  "a..b",
  "a b",
  "a/b",
  "a@b",
  "a?b",
  "<b>",
  'a"b',
  "a'b",
  "é",
  "::1",
  "[::::::]",
  "[::1",
  "[localhost]",
  "[::1]x",
  `${"a".repeat(262)}`,
];

Deno.test("isAuthority() accepts hosts with an optional port", () => {
  for (const host of HOSTS) assertEquals(isAuthority(host), true, host);
});

Deno.test("isAuthority() rejects everything else", () => {
  for (const host of NO_HOSTS) assertEquals(isAuthority(host), false, host);
});

Deno.test("targetOf() keeps path and query as sent", () => {
  const { authority, path, query } = targetOf(
    new Request("http://localhost:8080/API.asmx/Pair?a=%41+b?c&=d"),
    "localhost:8080",
  );
  assertEquals([authority, path, query], ["localhost:8080", "/API.asmx/Pair", "a=%41+b?c&=d"]);
});

Deno.test("targetOf() has the scheme", () => {
  const schemeOf = (url: string): string => targetOf(new Request(url), null).scheme;
  assertEquals(schemeOf("https://localhost/?http://a"), "https");
  assertEquals(schemeOf("http://localhost/?https:"), "http");
});

Deno.test("targetOf() finds the root in a whole URL without a path", () => {
  for (const query of ["", "wsdl", "a=/b", "a=?b"]) {
    const url = `http://host${query && `?${query}`}`;
    const target = targetOf(Object.defineProperty(new Request(url), "url", { value: url }), null);
    assertEquals(target, { host: null, scheme: "http", authority: "host", path: "/", query });
  }
});

Deno.test("targetOf() starts the path after the Host, for every text in it", () => {
  for (const host of ["a/b", "a?b", "a/b?c/d", "/", "?"]) {
    const url = `http://${host}/path?query`;
    const request = Object.defineProperty(new Request("http://x/"), "url", { value: url });
    const { authority, path, query } = targetOf(request, host);
    assertEquals([authority, path, query], [host, "/path", "query"]);
  }
});

Deno.test("targetOf() finds the path of a whole URL beside a Host that is another", () => {
  for (const host of [null, "pin.example.com", "null", ""]) {
    const { authority, path, query } = targetOf(new Request("http://null.example/a?b"), host);
    assertEquals([authority, path, query], ["null.example", "/a", "b"]);
  }
});

Deno.test("isAuthority() accepts the longest name of RFC 1035 with a port, and nothing longer", () => {
  const longest = `${"a".repeat(63)}.`.repeat(3) + `${"a".repeat(62)}.`;
  assertEquals([longest.length, isAuthority(`${longest}:65535`)], [255, true]);
  assertEquals([isAuthority("a".repeat(261)), isAuthority("a".repeat(262))], [true, false]);
});

Deno.test("baseOf() believes a proxy over TLS whose caller came without", () => {
  const request = new Request("https://otp.example/", { headers: { "x-forwarded-proto": "http" } });
  const options = { baseUrl: undefined, trustProxy: true };
  assertEquals(baseOf(request, targetOf(request, null), options), "http://otp.example");
});

Deno.test("checkHost() refuses a Host that is none, in the URL or beside it, and checkQuery() a long query", () => {
  const check = (url: string, host?: string): void => {
    const request = new Request(url, host === undefined ? {} : { headers: { host } });
    const target = targetOf(request, request.headers.get("host"));
    checkHost(target);
    checkQuery({ ...target, query: url.split("?")[1] ?? "" });
  };
  check("http://localhost:8080/");
  check("http://localhost:8080/", "pin.example");
  check(`http://localhost/?${"x".repeat(MAX_QUERY_LENGTH)}`);
  const faultOf = (...request: Parameters<typeof check>): readonly [string, string] => {
    const { code, message } = assertThrows(() => check(...request), Fault);
    return [code, message];
  };
  const badHost = ["bad-host", "The Host header is not a host with an optional port."] as const;
  assertEquals(faultOf("http://a..b/"), badHost);
  assertEquals(faultOf("http://localhost/", "a/b"), badHost);
  assertEquals(faultOf(`http://localhost/?${"x".repeat(MAX_QUERY_LENGTH + 1)}`), [
    "query-too-long",
    "The query string is longer than 8192 characters.",
  ]);
});
