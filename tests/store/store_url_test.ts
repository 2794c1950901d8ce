import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { StoreUrl } from "../../lib/store/store_url.ts";

// What is typed, and what may be shown of it.
const URLS: readonly (readonly [string, string])[] = [
  ["redis://127.0.0.1", "redis://127.0.0.1"],
  ["redis://127.0.0.1:6379", "redis://127.0.0.1:6379"],
  ["redis://[::1]:6380/3", "redis://[::1]:6380/3"],
  ["redis://store/15", "redis://store/15"],
  ["rediss://store.example.com", "rediss://store.example.com"],
  ["redis://:canary@store", "redis://store"],
  ["rediss://name:c%40nary@store:1/0", "rediss://store:1/0"],
];

for (const [typed, shown] of URLS) {
  Deno.test(`StoreUrl.parse() reads ${typed}, and shows ${shown}`, () => {
    const url = StoreUrl.parse(typed);
    assert(url !== undefined);
    assertEquals(url.reveal(), typed);
    assertEquals([String(url), `${url}`, JSON.stringify({ url })], [
      shown,
      shown,
      JSON.stringify({ url: shown }),
    ]);
    assert(!/canary|c%40nary|name/.test(Deno.inspect({ url }, { showHidden: true, depth: 9 })));
  });
}

Deno.test("StoreUrl.parse() reads no other scheme, and nothing that the client would not", () => {
  const wrong = [
    "",
    "memory",
    "redis",
    "redis:",
    "redis://",
    "redis:///0",
    "redis://@",
    "redis://:@/0",
    "http://127.0.0.1",
    "redis://h?x=1",
    "redis://h#x",
    "redis://h/name",
    "redis://h:99999",
    "redis://a%zz:b@h",
    " redis://h",
    "unix:///run/redis.sock",
  ];
  assertEquals(wrong.filter((text) => StoreUrl.parse(text) !== undefined), []);
});

Deno.test("a StoreUrl knows whether the way is encrypted, and whether there is one", () => {
  const facts = (text: string): readonly boolean[] => {
    const url = StoreUrl.parse(text)!;
    return [url.isEncrypted, url.isLocal];
  };
  assertEquals(facts("redis://127.0.0.1:1"), [false, true]);
  assertEquals(facts("redis://[::1]"), [false, true]);
  assertEquals(facts("rediss://store.example.com"), [true, false]);
  assertEquals(facts("redis://127.0.0.1.example.com"), [false, false]);
});
