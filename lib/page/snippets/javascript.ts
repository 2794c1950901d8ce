/**
 * Snippets for JavaScript and TypeScript.
 *
 * @module
 */

import { KEEP_SECRET, type Language, type SnippetCall } from "./language.ts";

// The global crypto would need no import, but Node.js 18 does not have it.
const SECRET = `import { randomBytes } from "node:crypto";

// ${KEEP_SECRET}
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const secret = Array.from(randomBytes(32), (byte) => alphabet[byte % 32]).join("");
console.log(secret);
`;

/** JavaScript; outside browsers it has no XML parser. */
export const javascript: Language = {
  language: "JavaScript",
  values: "c",
  needs: "a module in Node.js 18 or later, Deno or Bun",
  formats: ["JSON"],
  secret: SECRET,
  write: (call) => write(call, ""),
};

/** TypeScript. */
export const typescript: Language = {
  language: "TypeScript",
  values: "c",
  needs: "Deno, Bun, or Node.js 22 or later",
  formats: ["JSON"],
  secret: SECRET,
  write: (call) => write(call, `: { d: ${typeOf(call)} }`),
};

function typeOf({ fields }: SnippetCall): string {
  const members = fields?.map((field) => `${field}: string`);
  return members === undefined ? "boolean" : `{ ${members.join("; ")} }`;
}

function write(call: SnippetCall, type: string): string {
  const { secret, quote, callUrl } = call;
  const headers = call.headers.map((header) => header.map(quote).join(": "));
  return `${secret}const reply = await fetch(${quote(callUrl)}, {
  method: "POST",
  headers: { ${headers.join(", ")} },
  body: JSON.stringify({
${call.lines("    // ", ([name, value]) => `    ${name}: ${quote(value)},`)}
  }),
  signal: AbortSignal.timeout(10_000),
});
if (!reply.ok) throw new Error((await reply.json()).Message);
const { d }${type} = await reply.json();
${
    call.printing(
      (field) => `d.${field}`,
      "d",
      "console.log(%);",
      "const accepted = % === true;",
    )
  }`;
}
