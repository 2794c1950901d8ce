import { assertEquals } from "@std/assert/equals";
import { storeThat } from "../../support/guard_store.ts";
import { handlerWith } from "../../support/handler.ts";

/** The source of a call, by the key of the caller and the field of its request. */
async function sourcesOf(
  sourceFor: readonly (readonly [key: string, field: string | undefined])[],
): Promise<readonly (string | undefined)[]> {
  const sources: (string | undefined)[] = [];
  let source: string | undefined;
  const handler = handlerWith({
    apiKeys: ["shop:s", "shopweb:d", "b", "c"].map((line) => line + line.at(-1)!.repeat(15)),
    pinGuard: {
      fingerprint: () => "",
      source: (_, text) => source = text,
      store: storeThat({ decide: () => "wrong" }),
    },
  });
  for (const [key, field] of sourceFor) {
    source = undefined;
    const headers = new Headers({ "x-api-key": key.repeat(16) });
    if (field !== undefined) headers.set("x-authenticator-source", field);
    const url = "http://localhost/Validate.aspx?Pin=1&SecretCode=x";
    const reply = await handler(new Request(url, { headers }));
    assertEquals(await reply.text(), "False");
    sources.push(source);
  }
  return sources;
}

Deno.test("a source belongs to the API key of its caller", async () => {
  const sources = await sourcesOf([
    ["s", undefined],
    ["s", "web"],
    ["s", "webweb"],
    ["d", undefined],
    ["d", "web"],
    ["b", undefined],
    ["b", "web"],
    ["b", "shop"],
    ["c", undefined],
    ["c", "web"],
  ]);
  assertEquals(new Set(sources).size, sources.length);
  assertEquals(await sourcesOf([["s", ""], ["s", "web"]]), sources.slice(0, 2));
  assertEquals(await sourcesOf([["b", ""]]), sources.slice(5, 6));
});

Deno.test("ValidatePin answers a page of another site only with an API key", async () => {
  const key = "0123456789abcdef";
  const ask = async (apiKeys: readonly string[] | undefined, shown: string): Promise<number> => {
    const headers = { "sec-fetch-site": "cross-site", "x-api-key": shown };
    const url = "http://localhost/api.asmx/ValidatePin?pin=1&secretCode=s";
    return (await handlerWith({ apiKeys })(new Request(url, { headers }))).status;
  };
  assertEquals(await ask([key], key), 200);
  assertEquals(await ask([key], "wrong"), 401);
  assertEquals(await ask(undefined, key), 403);
});
