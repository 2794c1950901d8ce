import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { parseStoreUrl, type StoreUrl } from "../../../../lib/guard/redis/store_url.ts";

function storeUrl(text: string): StoreUrl {
  const url = parseStoreUrl(text);
  assert(typeof url === "object", text);
  return url;
}

// What is typed, and what may be shown of it.
const URLS: readonly (readonly [string, string])[] = [
  ["redis://127.0.0.1", "redis://127.0.0.1"],
  ["redis://127.0.0.1:6379", "redis://127.0.0.1:6379"],
  ["redis://[::1]:6380/3", "redis://[::1]:6380/3"],
  ["redis://store/15", "redis://store/15"],
  ["rediss://store.example.com", "rediss://store.example.com"],
  ["redis://:canary@store", "redis://store"],
  ["rediss://operator:c%40nary@store:1/0", "rediss://store:1/0"],
  ["redis://operator@store/", "redis://store/"],
];

for (const [typed, shown] of URLS) {
  Deno.test(`parseStoreUrl() reads ${typed}, and shows ${shown}`, () => {
    const url = storeUrl(typed);
    assertEquals([String(url), `${url}`, JSON.stringify({ url })], [
      shown,
      shown,
      JSON.stringify({ url: shown }),
    ]);
    assert(!/canary|c%40nary|operator/.test(Deno.inspect({ url }, { showHidden: true, depth: 9 })));
  });
}

// What is typed, what may be shown of it, and its addresses.
const MANY: readonly (readonly [string, string, readonly (readonly [string, number])[]])[] = [
  ["redis+sentinel://:canary@a,b:1/main", "redis+sentinel://a,b:1/main", [["a", 26379], ["b", 1]]],
  [
    "rediss+sentinel://name:canary@[::1]:5/main.eu-1/3?sentinel_password=c%40nary&timeout=900",
    "rediss+sentinel://[::1]:5/main.eu-1/3",
    [["::1", 5]],
  ],
  [
    "redis+sentinel://a/main?sentinel_username=name&sentinel_password=canary",
    "redis+sentinel://a/main",
    [["a", 26379]],
  ],
  [
    "redis+cluster://name:canary@a:7000,b:7001",
    "redis+cluster://a:7000,b:7001",
    [["a", 7000], ["b", 7001]],
  ],
  [
    "redis+sentinel://[::1],b:26380/main/15",
    "redis+sentinel://[::1],b:26380/main/15",
    [["::1", 26379], ["b", 26380]],
  ],
  ["rediss+cluster://a/0", "rediss+cluster://a/0", [["a", 6379]]],
  ["redis://name@a?timeout=1", "redis://a", [["a", 6379]]],
  ["redis://:canary@[2001:db8::1]/2?timeout=60000", "redis://[2001:db8::1]/2", [
    ["2001:db8::1", 6379],
  ]],
];

for (const [typed, shown, addresses] of MANY) {
  Deno.test(`parseStoreUrl() reads ${typed}, and its ${addresses.length} addresses`, () => {
    const url = storeUrl(typed);
    assertEquals([String(url), JSON.stringify(url)], [shown, JSON.stringify(shown)]);
    assertEquals(url.addresses.map(({ host, port }) => [host, port] as const), addresses);
    assertEquals(url.isEncrypted, typed.startsWith("rediss"));
    assertEquals(url.hasPassword, /canary|c%40nary/.test(typed));
    assert(!/canary|c%40nary/.test(Deno.inspect({ url }, { showHidden: true, depth: 9 })));
  });
}

Deno.test("a StoreUrl has the primary's name, its timeout, its database and its logins", () => {
  const url = storeUrl("redis+sentinel://n:c%40n:a@a/main/3?timeout=900&sentinel_username=s");
  assertEquals([url.primaryName, url.timeoutMs, url.kind, url.database], [
    ...["main", 900, "sentinel", 3],
  ]);
  assertEquals(url.login(), { username: "n", password: "c@n:a" });
  assertEquals(url.sentinelLogin(), { username: "s" });
  const bare = storeUrl("redis://a");
  assertEquals([bare.timeoutMs, bare.database, bare.login(), bare.sentinelLogin()], [
    500,
    0,
    {},
    {},
  ]);
  assertEquals(storeUrl("redis://:only@a").login(), { password: "only" });
});

Deno.test("parseStoreUrl() refuses other schemes, and URLs that the client refuses", () => {
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
    "redis://a,b",
    "redis://é",
    "redis://a\u202Eb",
    "redis+sentinel://a",
    "redis+sentinel://a/",
    "redis+sentinel://a/main/x",
    "redis+sentinel://a/x!/main",
    "redis+sentinel://a/!main",
    "redis+cluster://a/x/0",
    "redis://h/x/0",
    "redis://[::1",
    "redis://[::1]x",
    "redis://[g::1]",
    "redis://h:",
    "redis://h:x",
    "redis://h:000080",
    "redis+sentinel://a,/main",
    "redis+cluster://a/1",
    "redis+cluster://a,b:99999",
    "redis+other://a",
    "redis://a?timeout=0",
    "redis://a?timeout=60001",
    "redis://a?timeout=1s",
    "redis://a?timeout=s1",
    "redis://a?timeout=",
    "redis://a?timeout=1&timeout=1",
    "redis://a?sentinel_password=x",
    "redis+sentinel://a/main?sentinel_password=%zz",
  ];
  assertEquals(wrong.filter((text) => typeof parseStoreUrl(text) === "object"), []);
});

const TIMEOUT = "a URL whose timeout is a whole number of milliseconds from 1 to 60000";
const NAMES = "timeout, sentinel_username, sentinel_password";

// What is nearly a URL of a store, and what it must be.
const WANTED_LOGIN =
  "a URL whose user name and password are percent-encoded: / is %2F, # is %23, ? is %3F, @ is %40";

const NEARLY: readonly (readonly [string, string])[] = [
  [
    "redis+sentinel://:canary@a:26379",
    "a URL of redis+sentinel that ends with the name of the primary: redis+sentinel://host:26379/NAME",
  ],
  [
    "redis://:canary@a/canary",
    "a URL of redis that ends with its address, or with a database as in redis://host:6379/0",
  ],
  ["redis+cluster://a/1", "a URL of redis+cluster that ends with its addresses"],
  ["redis://:canary@a,b", "a URL of redis with one address"],
  [`redis+cluster://a${",a".repeat(100)}`, "a URL with at most 100 addresses"],
  ...["redis://:canary%@a", "redis://:c/a@a:6379", "redis://:c#a@a", "redis://u:c@a@a"].map((
    text,
  ): readonly [string, string] => [text, WANTED_LOGIN]),
  ["rediss+sentinel://:c?a@a/m", WANTED_LOGIN],
  ["redis://:canary@a:99999", "a URL with an address such as host:6379"],
  ["redis://a?canary=1", "a URL whose query has only timeout, and none twice"],
  ["redis://a?timeout=1&timeout=2", "a URL whose query has only timeout, and none twice"],
  ["redis+sentinel://a/m?canary", `a URL whose query has only ${NAMES}, and none twice`],
  ["redis+sentinel://a/m?sentinel_password=canary%", "a URL whose query is percent-encoded"],
  ["redis://a?timeout=canary", TIMEOUT],
  ["redis://a?timeout=60001", TIMEOUT],
];

for (const [text, wanted] of NEARLY) {
  Deno.test(`parseStoreUrl() of ${text.slice(0, 50)} wants ${wanted}`, () => {
    assertEquals(parseStoreUrl(text), wanted);
  });
}

Deno.test("parseStoreUrl() is undefined for texts that are nothing like a store's URL", () => {
  const texts = ["", "memory", "http://a"];
  assertEquals(texts.map((text) => parseStoreUrl(text)), texts.map(() => undefined));
});

Deno.test("a StoreUrl has whether the connection is encrypted, and its hosts", () => {
  const facts = (text: string): readonly unknown[] => {
    const { isEncrypted, addresses } = storeUrl(text);
    return [isEncrypted, ...addresses.map(({ host }) => host)];
  };
  assertEquals(facts("redis://127.0.0.1:1"), [false, "127.0.0.1"]);
  assertEquals(facts("redis://[::1]"), [false, "::1"]);
  assertEquals(facts("rediss://store.example.com"), [true, "store.example.com"]);
  assertEquals(facts("redis+cluster://127.0.0.1,store"), [false, "127.0.0.1", "store"]);
});

Deno.test("parseStoreUrl() reads a hundred addresses, and no more", () => {
  const [hundred, more] = [100, 101].map((count) => Array(count).fill("a").join(","));
  for (const [head, path] of [["redis+sentinel://", "/main"], ["redis+cluster://", ""]] as const) {
    assertEquals(storeUrl(`${head}${hundred}${path}`).addresses.length, 100);
    assertEquals(parseStoreUrl(`${head}${more}${path}`), "a URL with at most 100 addresses");
  }
});
