import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import type { Handler } from "../../lib/http/handler.ts";
import { CHALLENGE, createKeyCheck, KeyFileError, parseKeys } from "../../lib/http/keys.ts";
import { handlerWith } from "../support/handler.ts";

const KEY = "correct-horse-battery-staple";
const OTHER = "another/key:with=signs+0";
const check = createKeyCheck([KEY, OTHER]);

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
  ["a key in another case", { "X-Api-Key": KEY.toUpperCase() }, false],
  ["both keys at once", { "X-Api-Key": `${KEY}, ${OTHER}` }, false],
  ["an empty key", { "X-Api-Key": "" }, false],
  ["another scheme", { "Authorization": `Digest ${KEY}` }, false],
  ["a wrong X-Api-Key before a right token", {
    "X-Api-Key": "x",
    "Authorization": `Bearer ${KEY}`,
  }, false],
];

for (const [shown, headers, expected] of ROWS) {
  Deno.test(`createKeyCheck() ${expected ? "lets in" : "refuses"} ${shown}`, () => {
    assertEquals(check(new Request("http://localhost/", { headers })), expected);
  });
}

Deno.test("createKeyCheck() without keys lets every request in", () => {
  assertEquals(createKeyCheck([])(new Request("http://localhost/")), true);
});

Deno.test("parseKeys() takes a key a line, and passes over empty lines and remarks", () => {
  assertEquals(parseKeys(`# who\r\n${KEY}\r\n\n${OTHER}`), [KEY, OTHER]);
});

Deno.test("parseKeys() names the line of a key that cannot be one, and never shows it", () => {
  const message = "line 2 must be a key of 16 to 256 printable ASCII characters, no spaces";
  for (
    const line of [
      "short",
      "with a blank in it ....",
      "sch\u00fctzenf\u00e4hnlein-key",
      "k".repeat(257),
    ]
  ) {
    assertEquals(assertThrows(() => parseKeys(`${KEY}\n${line}`), KeyFileError).message, message);
  }
  assertEquals(
    assertThrows(() => parseKeys("# nothing yet\n\n"), KeyFileError).message,
    "it must hold a key",
  );
});

function handlerWithKeys(): Handler {
  return handlerWith({ log: { error: () => {} }, apiKeys: [KEY], metricsPage: () => "" });
}

const GUARDED = ["/", "/api.asmx", "/api.asmx?wsdl", "/api.asmx/Pair", "/metrics", "/nowhere"];

for (const path of GUARDED) {
  Deno.test(`createHandler() asks for a key on ${path}`, async () => {
    const handler = handlerWithKeys();
    for (const method of ["GET", "HEAD", "POST", "OPTIONS", "DELETE"]) {
      const reply = await handler(new Request(`http://localhost${path}`, { method }));
      assertEquals([reply.status, reply.headers.get("www-authenticate")], [401, CHALLENGE], method);
    }
    const reply = await handler(
      new Request(`http://localhost${path}`, { headers: { "x-api-key": KEY } }),
    );
    assertEquals(reply.status === 401, false);
  });
}

Deno.test("createHandler() asks load balancers for no key", async () => {
  const handler = handlerWithKeys();
  for (const path of ["/healthz", "/readyz"]) {
    assertEquals((await handler(new Request(`http://localhost${path}`))).status, 200);
  }
});

Deno.test("createHandler() asks for a key before it reads a byte of the body", async () => {
  let pulled = false;
  const body = new ReadableStream({ pull: () => void (pulled = true) }, { highWaterMark: 0 });
  const headers = { "content-type": "text/xml" };
  const request = new Request("http://localhost/api.asmx", { method: "POST", headers, body });
  assertEquals([(await handlerWithKeys()(request)).status, pulled], [401, false]);
});

Deno.test("parseKeys() takes keys of 16 to 256 characters", () => {
  const keys = ["k".repeat(16), "!".repeat(256), "~".repeat(255)];
  assertEquals(parseKeys(keys.join("\n")), keys);
  for (const length of [15, 257]) {
    assertThrows(() => parseKeys("k".repeat(length)), KeyFileError, "line 1");
  }
});
