/**
 * Licences of the program and its parts.
 *
 * @module
 */

import license from "../../LICENSE" with { type: "text" };

// The text after its title and its copyright line, which is also the packages' licence.
const MIT = license.trim().split("\n\n").slice(2).join("\n\n");

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
