/** Documents over TCP, as the program that TEST_PROGRAM names sends them: compressed, and once. */

import { gunzipSync } from "node:zlib";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { eTag } from "@std/http/etag";
import { exchangeRaw, type RawReply } from "../../support/http.ts";
import { PROGRAM, type RunningProgram, withProgram } from "../../support/program.ts";

const COMPRESSED = [
  "/api.asmx",
  "/api.asmx?op=Pair&format=JSON",
  "/api.asmx?script",
  "/api.asmx?style",
];

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

Deno.test(`documents are compressed for clients that accept gzip, and sent once (${PROGRAM})`, async () => {
  const { stderr } = await withProgram(["--port", "0"], checkDocuments);
  assert(!/^\S+ (?:warn|error) /m.test(stderr), stderr);
});

async function checkDocuments(program: RunningProgram): Promise<void> {
  const { host } = new URL(program.url);
  const ask = (method: string, path: string, ...fields: readonly string[]): Promise<RawReply> => {
    const head = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, ...fields];
    return exchangeRaw(program.url, { head });
  };
  const gzip = "Accept-Encoding: gzip, br";
  for (const path of COMPRESSED) {
    const plain = await ask("GET", path);
    const zipped = await ask("GET", path, gzip);
    assertEquals([plain.status, zipped.status], [200, 200], path);
    assertEquals(plain.headers.get("content-encoding"), undefined, path);
    assertEquals(zipped.headers.get("content-encoding"), "gzip", path);
    assertEquals(zipped.headers.get("vary"), "accept-encoding", path);
    assertEquals(textOf(gunzipSync(zipped.body)), textOf(plain.body), path);
    const tag = zipped.headers.get("etag")!;
    // The tag is that of the bytes, which differ between runtimes.
    assertEquals(tag.replace("-gzip", ""), await eTag(zipped.body.toBase64()), path);
    assert(tag !== plain.headers.get("etag"), path);
    for (const method of ["GET", "HEAD"]) {
      const again = await ask(method, path, gzip, `If-None-Match: ${tag}`);
      assertEquals([again.status, again.headers.get("etag")], [304, tag], path);
    }
    const head = await ask("HEAD", path, gzip);
    assertEquals(head.headers.get("content-length"), String(zipped.body.length), path);
  }
  // Documents with the base URL in them are written for each request.
  for (const path of ["/api.asmx?wsdl", "/api.asmx?disco", "/openapi.json"]) {
    const { status, headers } = await ask("GET", path, gzip);
    assertEquals([status, headers.get("content-encoding")], [200, undefined], path);
  }
}
