/** Documents over TCP, as what TEST_PROGRAM names sends them to browsers: compressed, and once. */

import { gunzipSync } from "node:zlib";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { eTag } from "@std/http/etag";
import { exchangeRaw, type RawReply } from "../../support/http.ts";
import { PROGRAM, startProgram } from "../../support/program.ts";

const COMPRESSED = [
  "/api.asmx",
  "/api.asmx?op=Pair&format=JSON",
  "/api.asmx?script",
  "/api.asmx?style",
];

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

Deno.test(`documents come compressed to whom takes that, and once (${PROGRAM})`, async () => {
  const program = await startProgram(["--port", "0"]);
  const { hostname, port } = new URL(program.url);
  const ask = (method: string, path: string, ...fields: readonly string[]): Promise<RawReply> => {
    const head = [`${method} ${path} HTTP/1.1`, `Host: ${hostname}:${port}`, ...fields];
    return exchangeRaw({ hostname, port: Number(port) }, { head, body: new Uint8Array() });
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
    // Of the bytes: those of another runtime have another one.
    assertEquals(tag.replace("-gzip", ""), await eTag(zipped.body.toBase64()), path);
    assert(tag !== plain.headers.get("etag"), path);
    for (const method of ["GET", "HEAD"]) {
      const again = await ask(method, path, gzip, `If-None-Match: ${tag}`);
      assertEquals([again.status, again.headers.get("etag")], [304, tag], path);
    }
    const head = await ask("HEAD", path, gzip);
    assertEquals(head.headers.get("content-length"), String(zipped.body.length), path);
  }
  // What names the base of each request is written for it.
  for (const path of ["/api.asmx?wsdl", "/api.asmx?disco", "/openapi.json"]) {
    const { status, headers } = await ask("GET", path, gzip);
    assertEquals([status, headers.get("content-encoding")], [200, undefined], path);
  }
  program.signal("SIGTERM");
  const { code, stderr } = await program.outcome;
  assertEquals(code, 0, stderr);
  assert(!/^\S+ (?:warn|error) /m.test(stderr), stderr);
});
