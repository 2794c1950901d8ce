/**
 * Licences of the program and its parts.
 *
 * @module
 */

// The text of LICENSE after its copyright lines, which is also the packages' licence.
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

const RUNTIMES = `The runtime inside is one of these, with its own libraries:

Deno  MIT license; V8 under the BSD license, and others:
      https://github.com/denoland/deno/blob/main/LICENSE.md
Bun   MIT license; JavaScriptCore under the LGPL 2, and others. The page names them, and says how to
      link Bun with a changed JavaScriptCore: https://bun.com/docs/project/license`;

/**
 * Writes the output of `authenticator licenses`: the copyright lines and licences of the program,
 * its packages and its runtimes.
 */
export function licenses(): string {
  const width = Math.max(...COPYRIGHTS.map(([name]) => name.length));
  const lines = COPYRIGHTS.map(([name, copyright]) => `${name.padEnd(width)}  ${copyright}`);
  return `Under the MIT license below:\n\n${
    lines.join("\n")
  }\n\n${RUNTIMES}\n\nMIT license\n\n${MIT}`;
}
