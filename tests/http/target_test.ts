import { assertEquals } from "@std/assert/equals";
import { isAuthority, targetOf } from "../../lib/http/target.ts";

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

Deno.test("isAuthority() takes hosts with an optional port", () => {
  for (const host of HOSTS) assertEquals(isAuthority(host), true, host);
});

Deno.test("isAuthority() takes nothing else", () => {
  for (const host of NO_HOSTS) assertEquals(isAuthority(host), false, host);
});

Deno.test("targetOf() leaves path and query as they were sent", () => {
  const { authority, path, query } = targetOf(
    new Request("http://localhost:8080/API.asmx/Pair?a=%41+b?c&=d"),
  );
  assertEquals([authority, path, query], ["localhost:8080", "/API.asmx/Pair", "a=%41+b?c&=d"]);
});

Deno.test("targetOf() finds the root in a whole URL without a path", () => {
  for (const query of ["", "wsdl", "a=/b", "a=?b"]) {
    const url = `http://host${query && `?${query}`}`;
    const target = targetOf(Object.defineProperty(new Request(url), "url", { value: url }));
    assertEquals(target, { scheme: "http", authority: "host", path: "/", query });
  }
});
