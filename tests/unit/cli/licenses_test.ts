import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { licenses } from "../../../lib/cli/licenses.ts";
import { read } from "../../support/pages.ts";

const TEXT = licenses();

Deno.test("licenses() has the text of LICENSE, and its line of copyright", () => {
  const [, copyright, ...text] = read("LICENSE").trim().split("\n\n");
  assert(TEXT.includes(copyright!));
  assert(TEXT.endsWith(text.join("\n\n")));
});

Deno.test("licenses() names every package that runs, with its version", () => {
  const lock = JSON.parse(read("runtime.lock")) as { npm: Record<string, unknown> };
  const names = Object.keys(lock.npm).map((name) => name.replace(/@(?=\d)/, " "));
  assertEquals(names.filter((name) => !TEXT.includes(`\n${name} `)), []);
});

const HEAD = `Under the MIT license below:

authenticator             Copyright (c) 2026 the Authenticator authors
@redis/client 6.3.1       Copyright (c) 2022-2025, Redis, inc.
deno-std 1.4.0            Copyright 2018-2026 the Deno authors.
deno-std 1.4.0, encoding  Copyright (c) 2014 Jameson Little.

The runtime inside is one of these, with its own libraries:

Deno  MIT license; V8 under the BSD license, and others:
      https://github.com/denoland/deno/blob/main/LICENSE.md
Bun   MIT license; JavaScriptCore under the LGPL 2, and others. The page names them, and says how to
      link Bun with a changed JavaScriptCore: https://bun.com/docs/project/license

MIT license

Permission is hereby granted,`;

Deno.test("licenses() has the owners of the packages, and the licences of the runtimes", () => {
  assertEquals(TEXT.slice(0, HEAD.length), HEAD);
});
