import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { KeyRing, parseKeys } from "../../lib/http/keys.ts";
import { handlerWith } from "../support/handler.ts";

const PAIRING = "appName=a&appInfo=b&secretCode=c";

Deno.test("a call gets the form of the pairing that its route has, or else the operator's", async () => {
  const textOf = async (path: string, html: string): Promise<string> => {
    const reply = await handlerWith({ flags: { html } })(new Request(`http://localhost${path}`));
    return await reply.text();
  };
  assert((await textOf(`/api.asmx/Pair?${PAIRING}`, "svg")).includes("&lt;svg "));
  assert((await textOf(`/api.asmx/Pair?${PAIRING}`, "image")).includes("&lt;img "));
  const short = await textOf(`/pair.aspx?${PAIRING}`, "svg");
  assert(short.includes(" href='http://localhost'><img src='http://localhost/qr.aspx?"), short);
});

/** Who is said to ask, by the key of the caller and the field of its request. */
async function sourcesOf(
  asked: readonly (readonly [key: string, field: string | undefined])[],
): Promise<readonly (string | undefined)[]> {
  const sources: (string | undefined)[] = [];
  let source: string | undefined;
  const handler = handlerWith({
    apiKeys: new KeyRing(
      parseKeys(`shop:${"s".repeat(16)}\ndesk:${"d".repeat(16)}\n${"b".repeat(16)}`),
    ),
    guard: {
      fingerprint: () => "",
      source: (_, text) => source = text,
      store: {
        refusal: () => undefined,
        decide: () => "wrong",
        isShared: false,
        isHealthy: () => true,
        close: () => {},
      },
    },
  });
  for (const [key, field] of asked) {
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

Deno.test("a call is from nobody without a name of the key and without the field", async () => {
  const asked = [["b", undefined], ["b", ""], ["s", undefined], ["b", "web"]] as const;
  const sources = await sourcesOf(asked);
  assertEquals(sources.map((source) => source === undefined), [true, true, false, false]);
});

Deno.test("a call with a named key is from those whom its caller asks for, and from no other's", async () => {
  const sources = await sourcesOf([
    ["s", undefined],
    ["s", "web"],
    ["s", "desk"],
    ["d", undefined],
    ["d", "web"],
    ["b", "web"],
    ["b", "shop"],
  ]);
  assertEquals(new Set(sources).size, sources.length);
  assertEquals(await sourcesOf([["s", ""], ["s", "web"]]), sources.slice(0, 2));
});
