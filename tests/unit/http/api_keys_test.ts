import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import type { Handler } from "../../../lib/http/handler.ts";
import { KeyRing, parseKeys } from "../../../lib/http/api_keys.ts";
import { KeyFileError } from "../../../lib/system/key_file.ts";
import { handlerWith } from "../../support/handler.ts";

const KEY = "correct-horse-battery-staple";
const OTHER = "another/key:with=signs+0";
const RING = new KeyRing(parseKeys(`${KEY}\n${OTHER}`));

function basic(userAndPassword: string): string {
  return `Basic ${btoa(userAndPassword)}`;
}

// What a request shows, and whether it is let in.
const ROWS: readonly (readonly [string, Readonly<Record<string, string>>, boolean])[] = [
  ["nothing", {}, false],
  ["X-Api-Key", { "X-Api-Key": KEY }, true],
  ["the second key", { "X-Api-Key": OTHER }, true],
  ["a Bearer token", { "Authorization": `Bearer ${KEY}` }, true],
  ["a Bearer token, scheme in another case", { "Authorization": `bearer  ${KEY}` }, true],
  ["a Basic password", { "Authorization": basic(`anybody:${KEY}`) }, true],
  ["a Basic password without a user name", { "Authorization": basic(`:${KEY}`) }, true],
  ["a Basic password that holds colons", { "Authorization": basic(`u:${OTHER}`) }, true],
  ["a Basic user name", { "Authorization": basic(`${KEY}:`) }, false],
  ["Basic without a colon", { "Authorization": basic(KEY) }, false],
  ["a wrong key", { "X-Api-Key": `${KEY}x` }, false],
  ["a key cut short", { "X-Api-Key": KEY.slice(0, -1) }, false],
  ["a key without a name behind one", { "X-Api-Key": `undefined:${KEY}` }, false],
  ["a key in another case", { "X-Api-Key": KEY.toUpperCase() }, false],
  ["both keys at once", { "X-Api-Key": `${KEY}, ${OTHER}` }, false],
  ["an empty key", { "X-Api-Key": "" }, false],
  ["an empty key before a token", { "X-Api-Key": "", Authorization: `Bearer ${KEY}` }, true],
  ["a Bearer token behind another scheme", { "Authorization": `Digest Bearer ${KEY}` }, false],
  ["a Bearer token with something behind it", { "Authorization": `Bearer ${KEY} x` }, false],
  ["another scheme", { "Authorization": `Digest ${KEY}` }, false],
  ["a wrong X-Api-Key before a right token", {
    "X-Api-Key": "x",
    "Authorization": `Bearer ${KEY}`,
  }, false],
];

for (const [shown, headers, expected] of ROWS) {
  Deno.test(`KeyRing ${expected ? "lets in" : "refuses"} ${shown}`, () => {
    const caller = RING.callerOf(new Request("http://localhost/", { headers }));
    assertEquals(caller !== undefined, expected);
  });
}

Deno.test("parseKeys() reads one key per line, and skips empty lines and comments", () => {
  for (const text of [`# who\r\n${KEY}\r\n\n${OTHER}`, `# who\r\r${KEY}\r${OTHER}\r`]) {
    assertEquals(parseKeys(text), [
      { name: undefined, key: KEY },
      { name: undefined, key: OTHER },
    ]);
  }
});

Deno.test("parseKeys() accepts the name of a caller before a key", () => {
  const rest = "0123456789abcdef";
  const rows: readonly (readonly [string, string | undefined, string])[] = [
    [`billing:${KEY}`, "billing", KEY],
    [`b:${KEY}`, "b", KEY],
    [`Web.shop_2-eu:${KEY}`, "Web.shop_2-eu", KEY],
    [`${"n".repeat(64)}:${KEY}`, "n".repeat(64), KEY],
    [`billing:a:${rest}`, "billing", `a:${rest}`],
    ["!".repeat(256), undefined, "!".repeat(256)],
    ["~".repeat(16), undefined, "~".repeat(16)],
    [`1st:${rest}`, undefined, `1st:${rest}`],
    [`:${rest}`, undefined, `:${rest}`],
    [`a/b:${rest}`, undefined, `a/b:${rest}`],
  ];
  for (const [line, name, key] of rows) assertEquals(parseKeys(line), [{ name, key }], line);
});

Deno.test("KeyRing identifies a caller by each of its keys, and by a whole line of name and key", () => {
  const ring = new KeyRing(parseKeys(`billing:${KEY}\nbilling:${OTHER}\n${"k".repeat(16)}`));
  const callerBy = (key: string): unknown =>
    ring.callerOf(new Request("http://localhost/", { headers: { "x-api-key": key } }))?.name;
  assertEquals([KEY, OTHER, `billing:${KEY}`].map(callerBy), ["billing", "billing", "billing"]);
  const headers = { "x-api-key": "k".repeat(16) };
  const bare = ring.callerOf(new Request("http://localhost/", { headers }));
  assertEquals(bare?.name === undefined && bare !== undefined, true);
  assertEquals([`other:${KEY}`, "billing", `${KEY}x`].map(callerBy), Array(3).fill(undefined));
});

Deno.test("KeyRing accepts only the new keys after a replacement", () => {
  const ring = new KeyRing(parseKeys(KEY));
  const letsIn = (key: string): boolean =>
    ring.callerOf(new Request("http://localhost/", { headers: { "x-api-key": key } })) !==
      undefined;
  assertEquals([KEY, OTHER].map(letsIn), [true, false]);
  ring.replace(parseKeys(OTHER));
  assertEquals([KEY, OTHER].map(letsIn), [false, true]);
});

Deno.test("KeyRing says whether a replacement changed a key, a name or the number of keys", () => {
  const ring = new KeyRing(parseKeys(KEY));
  const changes = [[KEY], [KEY, OTHER], [KEY, OTHER], [KEY], [OTHER], [`shop:${OTHER}`]]
    .map((lines) => ring.replace(parseKeys(lines.join("\n"))));
  assertEquals(changes, [false, true, false, true, true, true]);
});

Deno.test("createHandler() passes the caller's name to the log and to the operation", async () => {
  const observed: unknown[] = [];
  const handler = handlerWith({
    apiKeys: [`billing:${KEY}`, OTHER],
    telemetry: {
      observe: ({ caller, outcome }) => observed.push([caller, outcome]),
      requestId: () => "a1-0",
      monotonicMs: () => 0,
    },
  });
  const url = "http://localhost/api.asmx/ValidatePin?pin=1&secretCode=x";
  for (const key of [KEY, OTHER, "wrong"]) {
    await handler(new Request(url, { headers: { "x-api-key": key } }));
  }
  assertEquals(observed, [["billing", "false"], [undefined, "false"], [undefined, "unauthorized"]]);
});

Deno.test("parseKeys() names the line of a key that cannot be one, and never shows it", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["k".repeat(15), "be"],
    ["with a blank in it ....", "be"],
    ["sch\u00fctzenf\u00e4hnlein-key", "be"],
    ["k".repeat(257), "be"],
    ["billing:", "have after its name"],
    ["billing:15-characters--", "have after its name"],
    [`billing:${"k".repeat(257)}`, "have after its name"],
    [`billing:${KEY}\u2028`, "be"],
  ];
  for (const [line, verb] of rows) {
    assertEquals(
      assertThrows(() => parseKeys(`${KEY}\n${line}`), KeyFileError).message,
      `line 2 must ${verb} a key of 16 to 256 printable ASCII characters, no spaces`,
    );
  }
  assertEquals(
    assertThrows(() => parseKeys(`${KEY}\n${"n".repeat(65)}:${KEY}`), KeyFileError).message,
    "line 2 has a name of more than 64 characters",
  );
  const { name, message } = assertThrows(() => parseKeys("# nothing yet\n\n"), KeyFileError);
  assertEquals([name, message], ["KeyFileError", "it has no keys"]);
});

Deno.test("parseKeys() refuses a key under two names", () => {
  const rows = [
    [`shop:${KEY}`, `desk:${KEY}`],
    [`shop:${KEY}`, KEY],
    [KEY, `shop:${KEY}`],
  ];
  for (const [first, second] of rows) {
    assertEquals(
      assertThrows(() => parseKeys(`${first}\n${OTHER}\n${second}`), KeyFileError).message,
      "line 3 has a key that is above it with another name or none",
    );
  }
  // Twice under one name, it is one all the same.
  assertEquals(parseKeys(`shop:${KEY}\nshop:${KEY}`).length, 2);
});

function handlerWithKeys(): Handler {
  return handlerWith({ log: { error: () => {} }, apiKeys: [KEY], metricsPage: () => "" });
}

Deno.test("createHandler() checks the length of the query before the key", async () => {
  const handler = handlerWithKeys();
  const long = `?${"x".repeat(8_193)}`;
  for (const path of ["/api.asmx", "/api.asmx/Pair", "/metrics", "/nowhere"]) {
    const statusOf = async (url: string): Promise<number> =>
      (await handler(new Request(url))).status;
    assertEquals(await statusOf(`http://localhost${path}${long}`), 414, path);
    assertEquals(await statusOf(`http://localhost${path}`), 401, path);
  }
});

Deno.test("createHandler() requires a key with every method, and a 401 lists the ways to send one", async () => {
  const handler = handlerWithKeys();
  for (const path of ["/api.asmx/Pair", "/nowhere"]) {
    const url = `http://localhost${path}`;
    for (const method of ["GET", "HEAD", "POST", "OPTIONS", "DELETE"]) {
      const reply = await handler(new Request(url, { method }));
      assertEquals([reply.status, reply.headers.get("www-authenticate"), await reply.text()], [
        401,
        'Basic realm="Authenticator", charset="UTF-8", Bearer realm="Authenticator"',
        method === "HEAD"
          ? ""
          : "An API key is required: as X-Api-Key, as a Bearer token, or in HTTP Basic with any " +
            "user name and the key as password.\r\n",
      ], method);
    }
    const reply = await handler(new Request(url, { headers: { "x-api-key": KEY } }));
    assertEquals(reply.status === 401, false);
  }
});

Deno.test("createHandler() checks the key before it reads a byte of the body", async () => {
  let pulled = false;
  const body = new ReadableStream({ pull: () => void (pulled = true) }, { highWaterMark: 0 });
  const headers = { "content-type": "text/xml" };
  const request = new Request("http://localhost/api.asmx", { method: "POST", headers, body });
  assertEquals([(await handlerWithKeys()(request)).status, pulled], [401, false]);
});
