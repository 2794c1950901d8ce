/**
 * Which npm packages run, and that nothing runs without the integrity that a lock holds.
 *
 * @module
 */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { decodeBase32, encodeBase32 } from "@std/encoding/base32";
import { eTag } from "@std/http/etag";
import { createHash } from "node:crypto";
import { Secret } from "otpauth";
import project from "../../deno.json" with { type: "json" };
import importMap from "../../import_map.json" with { type: "json" };

import { read } from "../support/pages.ts";
import { seededRandom } from "../support/random.ts";
import { referenceBase32 } from "../support/reference_base32.ts";

interface Lock {
  readonly npm: Readonly<Record<string, { readonly integrity: string }>>;
  readonly workspace: { readonly dependencies: readonly string[] };
}

function lockIn(path: string): Lock {
  return JSON.parse(read(path));
}

/** The packages that the import map names, as a lock does: `npm:NAME@VERSION`. */
function packagesMapped(): string[] {
  const targets = Object.values(importMap.imports).filter((target) => !target.startsWith("./"));
  const packages = targets.map((target) =>
    /^npm:\/?((?:@[^/]+\/)?[^@/]+@\d+\.\d+\.\d+)(?:\/|$)/.exec(target)?.[1] ?? target
  );
  return [...new Set(packages)].map((name) => `npm:${name}`).sort();
}

Deno.test("the program has two packages, each pinned by its SHA-512", () => {
  const { npm } = lockIn("runtime.lock");
  assertEquals(Object.keys(npm), ["@redis/client@6.3.1", "deno-std@1.4.0"]);
  for (const { integrity } of Object.values(npm)) {
    assert(/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity));
  }
});

Deno.test("each lock file has the packages of the import map", () => {
  for (const path of ["runtime.lock", "test.lock", "release.lock", "deno.lock"]) {
    const known = lockIn(path).workspace.dependencies.toSorted();
    assertEquals(known, packagesMapped(), `${path} is not up to date: deno task lock`);
  }
});

Deno.test("the lock files of the program, of its tests and releases are parts of the full lock file", () => {
  // A name may go on with the versions of its peers.
  const packagesOf = (path: string): ReadonlyMap<string, string> =>
    new Map(
      Object.entries(lockIn(path).npm)
        .map(([name, { integrity }]) => [name.split("_")[0]!, integrity]),
    );
  const all = packagesOf("deno.lock");
  for (const part of ["runtime.lock", "test.lock", "release.lock"]) {
    for (const [name, integrity] of packagesOf(part)) assertEquals(all.get(name), integrity, name);
  }
});

Deno.test("a release downloads what it needs: three packages, and those that these need", () => {
  assertEquals(Object.keys(lockIn("release.lock").npm), [
    "@cyclonedx/cyclonedx-library@10.3.0",
    "@isaacs/fs-minipass@4.0.1",
    "chownr@3.0.0",
    "deno-std@1.4.0",
    "minipass@7.1.3",
    "minizlib@3.1.0",
    "tar@7.5.23",
    "typescript@5.9.3",
    "yallist@5.0.0",
  ]);
});

Deno.test("every task that runs code holds it to a lock", () => {
  const tasks = Object.entries(project.tasks).filter(([name]) => name !== "lock");
  const runs = tasks.flatMap(([name, { command }]) =>
    [...command.matchAll(/\bdeno (?:run|test|bench|check) [^&]*/g)].map(([run]) => ({ name, run }))
  );
  const free = runs.filter(({ run }) =>
    !/--lock=(?:runtime|test|release|deno)\.lock --frozen /.test(run)
  );
  assertEquals(free.map(({ name }) => name), []);
  assert(runs.length > 10);
});

Deno.test("docs/dependencies.md names the packages that run, and no other", () => {
  const page = read("docs/dependencies.md");
  const locked = Object.keys(lockIn("runtime.lock").npm);
  assertEquals(page.match(/^- `[^`]+` \d/gm)!.length, locked.length);
  for (const name of locked) assert(page.includes(`\`${name.replace(/@(?=\d)/, "` ")} `), name);
});

Deno.test("lib/ uses two modules of the standard library, and the client of Redis", async () => {
  const used = new Set<string>();
  for (const path of await sourcesIn("lib/")) {
    for (
      const [, name] of read(path).matchAll(/^(?! \*).*(?:from|import\() ?"(?!\.|node:)([^"]+)"/gm)
    ) {
      used.add(name!);
    }
  }
  assertEquals([...used].sort(), ["@redis/client", "@std/encoding/base32", "@std/http/etag"]);
});

async function sourcesIn(folder: string): Promise<string[]> {
  const paths: string[] = [];
  for await (
    const { name, isDirectory } of Deno.readDir(new URL(`../../${folder}`, import.meta.url))
  ) {
    if (isDirectory) paths.push(...await sourcesIn(`${folder}${name}/`));
    else if (name.endsWith(".ts")) paths.push(folder + name);
  }
  return paths;
}

// RFC 4648 §10.
const BASE32_VECTORS = [
  ["", ""],
  ["f", "MY======"],
  ["fo", "MZXQ===="],
  ["foo", "MZXW6==="],
  ["foob", "MZXW6YQ="],
  ["fooba", "MZXW6YTB"],
  ["foobar", "MZXW6YTBOI======"],
] as const;

Deno.test("the locked Base32 has the vectors of RFC 4648 §10, both ways", () => {
  for (const [text, base32] of BASE32_VECTORS) {
    const bytes = new TextEncoder().encode(text);
    assertEquals(encodeBase32(bytes), base32);
    assertEquals(decodeBase32(base32), bytes);
  }
});

const LENGTHS = Array.from({ length: 201 }, (_, length) => length);

/** Bytes of a length: all clear, all set, and a few times at random. */
function samplesOf(length: number): Uint8Array<ArrayBuffer>[] {
  const random = seededRandom(length + 1);
  const drawn = (): Uint8Array<ArrayBuffer> => Uint8Array.from({ length }, () => random(256));
  return [new Uint8Array(length), new Uint8Array(length).fill(255), drawn(), drawn(), drawn()];
}

Deno.test("the locked Base32 agrees with two other implementations up to 200 bytes", () => {
  for (const bytes of LENGTHS.flatMap(samplesOf)) {
    const base32 = encodeBase32(bytes);
    const digits = base32.replace(/=+$/, "");
    assertEquals([digits, base32.length % 8], [referenceBase32(bytes), 0]);
    assertEquals(digits, new Secret({ buffer: bytes.buffer }).base32);
    assertEquals(decodeBase32(base32), bytes);
  }
});

// RFC 9110 §8.8.3: entity-tag = [ weak ] opaque-tag, of etagc between quotation marks.
const STRONG_TAG = /^"[\x21\x23-\x7E\x80-\xFF]*"$/;

Deno.test("the locked ETag is a strong entity tag of length and SHA-256, up to 200 bytes", async () => {
  const tags = new Map<string, string>();
  for (const bytes of LENGTHS.flatMap(samplesOf)) {
    const text = bytes.toBase64().slice(0, bytes.length);
    const tag = await eTag(text);
    const hash = createHash("sha256").update(text).digest("base64").slice(0, 27);
    assertEquals(tag, `"${text.length.toString(16)}-${hash}"`);
    assert(STRONG_TAG.test(tag));
    tags.set(text, tag);
  }
  assertEquals(new Set(tags.values()).size, tags.size);
});
