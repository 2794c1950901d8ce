import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { eTag } from "@std/http/etag";
import type { Handler } from "../../../lib/http/handler.ts";
import { servicePage } from "../../../lib/page/page.ts";
import type { ServicePage } from "../../../lib/page/service_page.ts";
import { handlerWith } from "../../support/handler.ts";

interface Setup {
  /** Asks a host for its OpenAPI description, and gives the status. */
  readonly fetchPath: (host: string) => Promise<number>;
  /** How often a description was written. */
  readonly written: () => number;
  readonly handler: Handler;
}

/** A handler whose page is counted as it is written, or fails. */
function setup(write: (count: number) => void = () => {}): Setup {
  let count = 0;
  const document: ServicePage["document"] = (...args) => {
    write(++count);
    return servicePage.document(...args);
  };
  const handler = handlerWith({ page: { ...servicePage, document }, log: { error: () => {} } });
  return {
    fetchPath: async (host) => {
      const reply = await handler(new Request(`http://${host}/api.asmx`));
      await reply.body?.cancel();
      return reply.status;
    },
    written: () => count,
    handler,
  };
}

Deno.test("a page is written once for all hosts", async () => {
  const { fetchPath, written } = setup();
  await fetchPath("host");
  const once = written();
  for (let i = 0; i < 64; i++) await fetchPath(`host${i}`);
  assertEquals([written(), once > 0], [once, true]);
});

Deno.test("a page that could not be written is written at the next request", async () => {
  const { fetchPath } = setup((count) => {
    if (count === 1) throw new TypeError("broken");
  });
  assertEquals([await fetchPath("localhost"), await fetchPath("localhost")], [500, 200]);
});

Deno.test("a description whose entity tag could not be made is written at the next request", async () => {
  const { subtle } = crypto;
  subtle.digest = () => Promise.reject(new Error("broken"));
  const handler = handlerWith();
  const statusNow = async (): Promise<number> => {
    const reply = await handler(new Request("http://host/api.asmx?wsdl"));
    await reply.body?.cancel();
    return reply.status;
  };
  try {
    assertEquals(await statusNow(), 500);
  } finally {
    Reflect.deleteProperty(subtle, "digest");
  }
  assertEquals(await statusNow(), 200);
});

Deno.test("descriptions are kept for the last twelve addresses", async () => {
  const { subtle } = crypto;
  const digest = subtle.digest.bind(subtle);
  let digests = 0;
  subtle.digest = (...args) => {
    digests++;
    return digest(...args);
  };
  try {
    const handler = handlerWith();
    const isKept = async (host: number): Promise<boolean> => {
      const before = digests;
      await (await handler(new Request(`http://host${host}/api.asmx?wsdl`))).body?.cancel();
      return digests === before;
    };
    for (let host = 0; host < 13; host++) assertEquals(await isKept(host), false);
    assertEquals([await isKept(12), await isKept(1), await isKept(0)], [true, true, false]);
  } finally {
    Reflect.deleteProperty(subtle, "digest");
  }
});

Deno.test("the page describes single use and the limit by the options", async () => {
  const textWith = async (flags: Readonly<Record<string, string>>): Promise<string> =>
    await (await handlerWith({ flags })(new Request("http://localhost/api.asmx"))).text();
  const unlimited = await textWith({ "max-failures": "0" });
  for (const words of ["any number of times while it is accepted", "no limit"]) {
    assert(unlimited.includes(words), words);
  }
  const page = await textWith({ "single-use": "true" });
  assertEquals(/A code works<\/th>\s*<td[^>]*><span>(.*?)</.exec(page)?.[1], "once");
});

Deno.test("a compressed page has the text of the uncompressed one", async () => {
  const textOf = async (headers: HeadersInit): Promise<string> => {
    const request = new Request("http://localhost/api.asmx", { headers });
    const reply = await handlerWith()(request);
    const zip = new DecompressionStream("gzip");
    const isZipped = reply.headers.has("content-encoding");
    return await new Response(isZipped ? reply.body!.pipeThrough(zip) : reply.body).text();
  };
  const plain = await textOf({});
  assert(plain.startsWith("<!DOCTYPE html>"), plain.slice(0, 100));
  assertEquals(await textOf({ "accept-encoding": "gzip" }), plain);
});

async function replyTo(
  path: string,
  headers: HeadersInit = {},
  handler: Handler = handlerWith(),
): Promise<Response> {
  const reply = await handler(new Request(`http://localhost${path}`, { headers }));
  await reply.body?.cancel();
  return reply;
}

const TOOLS =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";
const PAGE = servicePage.policy;

/** What is asked for, its status, media type and policy, and whether browsers get it compressed. */
const DOCUMENTS: readonly (readonly [string, number, string, string | null, boolean])[] = [
  ["/api.asmx?wsdl", 200, "text/xml", TOOLS, false],
  ["/api.asmx?DISCO", 200, "text/xml", TOOLS, false],
  ["/openapi.json", 200, "application/json", TOOLS, false],
  ["/api.asmx?script", 200, "text/javascript", null, true],
  ["/api.asmx?style", 200, "text/css", null, true],
  ["/api.asmx", 200, "text/html", PAGE, true],
  ["/api.asmx?op=Pair", 200, "text/html", PAGE, true],
  ["/api.asmx?OP=ValidatePin&format=JSON", 200, "text/html", PAGE, true],
  ["/api.asmx?op=pair", 404, "text/html", PAGE, true],
];

for (const [path, status, mediaType, policy, isZipped] of DOCUMENTS) {
  Deno.test(`${path} is ${mediaType}${isZipped ? ", compressed" : ""}`, async () => {
    const headers = { "accept-encoding": "gzip" };
    const reply = await handlerWith()(new Request(`http://localhost${path}`, { headers }));
    const field = (name: string): string | null => reply.headers.get(name);
    assertEquals([reply.status, field("content-type")], [status, `${mediaType}; charset=utf-8`]);
    assertEquals(field("content-security-policy"), policy);
    assertEquals(field("cache-control"), "no-cache");
    assertEquals(field("content-encoding"), isZipped ? "gzip" : null);
    assertEquals(field("vary"), isZipped ? "accept-encoding" : null);
    const tag = isZipped ? /^"[^"]+-gzip"$/ : /^"[^"]+(?<!-gzip)"$/;
    assertEquals(tag.test(field("etag")!), true, field("etag")!);
    // Of the bytes themselves: compressed by another runtime, they differ.
    const bytes = await reply.bytes();
    const text = isZipped ? bytes.toBase64() : new TextDecoder().decode(bytes);
    assertEquals(field("etag")!.replace("-gzip", ""), await eTag(text));
    if (status === 404) return;
    // The reply to who has this version has the fields that belong to a cache, and no body.
    const known = await handlerWith()(
      new Request(`http://localhost${path}`, {
        headers: { ...headers, "if-none-match": field("etag")! },
      }),
    );
    const kept = ["cache-control", "content-security-policy", "etag", "vary"];
    assertEquals([known.status, await known.text()], [304, ""]);
    assertEquals(
      [...kept, "content-encoding"].map((name) => known.headers.get(name)),
      [...kept.map(field), null],
    );
  });
}

Deno.test("one handler returns each document with its own text in every order", async () => {
  const handler = handlerWith();
  const paths = DOCUMENTS.map(([path]) => path).filter((path) => !/\?op=Pair|OP=/.test(path));
  const textOf = async (path: string): Promise<string> =>
    await (await handler(new Request(`http://localhost${path}`))).text();
  const texts: string[] = [];
  for (const path of paths) texts.push(await textOf(path));
  assertEquals(new Set(texts).size, paths.length);
  for (const [i, path] of paths.entries()) assertEquals(await textOf(path), texts[i], path);
  for (const query of ["WSDL", "?wsdl", "?%77sdl", "&=&wsdl"]) {
    assertEquals(await textOf(`/api.asmx?${query}`), await textOf("/api.asmx?wsdl"), query);
  }
  const page = await textOf("/api.asmx");
  const queries = ["other", "op=Pair", "op=ValidatePin", "%6Fp=P%61ir&format=JSON", "OP=x&op=Pair"];
  for (const query of queries) assertEquals(await textOf(`/api.asmx?${query}`), page, query);
});

Deno.test("the page behind a slash differs, since its links go a folder higher", async () => {
  const handler = handlerWith();
  for (const query of ["", "?op=Pair"]) {
    const tagOf = async (path: string): Promise<string | null> =>
      (await replyTo(path + query, {}, handler)).headers.get("etag");
    const usual = await tagOf("/api.asmx");
    assertEquals(await tagOf("/api.asmx/") === usual, false, query);
    assertEquals(await tagOf("/API.asmx"), usual);
  }
});

Deno.test("the description names the keys of callers where they need one", async () => {
  for (const apiKeys of [[], ["0123456789abcdef"]]) {
    const headers = { "x-api-key": "0123456789abcdef" };
    const request = new Request("http://localhost/openapi.json", { headers });
    const { security = [] } = await (await handlerWith({ apiKeys })(request)).json();
    assertEquals(security.length > 0, apiKeys.length > 0);
  }
});

/** Values of Accept-Encoding, and whether gzip may be sent (RFC 9110 §12.4.2, §12.5.3). */
const ACCEPTED: readonly (readonly [string, boolean])[] = [
  ["gzip", true],
  ["GZip", true],
  ["br,gzip,deflate", true],
  ["br, \t gzip \t , deflate", true],
  ["  gzip  ;  q=1", true],
  ["gzip \t;\t \tq=1", true],
  ["gzip;q=0.001", true],
  ["gzip;q=0.9, br", true],
  ["identity;q=0, gzip;q=0.5", true],
  ["", false],
  ["br", false],
  ["gzip;q=0", false],
  ["gzip;q=0.", false],
  ["gzip;q=0.000", false],
  ["gzip ; q=0.0, br", false],
  ["x-gzip", false],
  ["br gzip", false],
  ["gzipped", false],
  ["gzip br", false],
];

Deno.test("a client that accepts gzip gets it, and no other does", async () => {
  const handler = handlerWith();
  for (const [value, takesIt] of ACCEPTED) {
    const reply = await replyTo("/api.asmx", { "accept-encoding": value }, handler);
    assertEquals(reply.headers.get("content-encoding") === "gzip", takesIt, value);
    assertEquals(reply.headers.get("vary"), "accept-encoding", value);
  }
  const reply = await replyTo("/api.asmx", {}, handler);
  assertEquals(reply.headers.get("content-encoding"), null);
});
