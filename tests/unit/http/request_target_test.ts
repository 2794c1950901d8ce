import { assertEquals } from "@std/assert/equals";
import { baseOf, isAuthority, targetOf } from "../../../lib/http/request_target.ts";

// Those that a client sends are in tests/exchanges/description.md.
Deno.test("isAuthority() accepts hosts with an optional port, and nothing else", () => {
  // 256.0.0.1 is no address, and so a name.
  for (const host of ["pin.example.com:65535", "[::ffff:127.0.0.1]", "256.0.0.1", "a_b.example"]) {
    assertEquals(isAuthority(host), true, host);
  }
  for (
    const host of ["", ":8080", "a:", "a:65536", "..", ".example", "a..b", "[::::::]", "[::1]x"]
  ) {
    assertEquals(isAuthority(host), false, host);
  }
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
