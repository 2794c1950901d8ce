/**
 * The licences of what an executable holds.
 *
 * @module
 */

import type { Runtime } from "../runtime/runtime.ts";

// The text of LICENSE, behind its lines of copyright: the packages have the same.
const MIT =
  `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial
portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES
OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

const COPYRIGHTS = [
  ["authenticator", "Copyright (c) 2026 the Authenticator authors"],
  ["@redis/client 6.3.1", "Copyright (c) 2022-2025, Redis, inc."],
  ["deno-std 1.4.0", "Copyright 2018-2026 the Deno authors."],
  ["deno-std 1.4.0, encoding", "Copyright (c) 2014 Jameson Little."],
] as const;

const RUNTIMES: ReadonlyMap<string, string> = new Map([
  [
    "Deno",
    "Deno is under the MIT license, and holds V8 (BSD) and other libraries:\n" +
    "https://github.com/denoland/deno/blob/main/LICENSE.md",
  ],
  [
    "Bun",
    "Bun is under the MIT license, and holds JavaScriptCore (LGPL 2) and other libraries. That page\n" +
    "names them, and says how to link Bun with a changed JavaScriptCore:\n" +
    "https://bun.com/docs/project/license",
  ],
]);

/**
 * What `authenticator licenses` prints: the copyright lines and licences of the program, of the
 * packages in it and of the runtime it runs on.
 */
export function licenses({ title }: Pick<Runtime, "title">): string {
  const width = Math.max(...COPYRIGHTS.map(([name]) => name.length));
  const lines = COPYRIGHTS.map(([name, copyright]) => `${name.padEnd(width)}  ${copyright}`);
  const [runtime = ""] = title.split(" ");
  return `Under the MIT license below:\n\n${lines.join("\n")}\n\n` +
    `The runtime, ${title}:\n\n${RUNTIMES.get(runtime) ?? ""}\n\nMIT license\n\n${MIT}`;
}
