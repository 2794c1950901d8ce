/**
 * Snippets for JavaScript and TypeScript.
 *
 * @module
 */

import {
  argumentLines,
  callUrl,
  headersOf,
  KEEP_SECRET,
  type Language,
  printing,
  type SnippetCall,
} from "./language.ts";

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
  return fields === undefined
    ? "boolean"
    : `{ ${fields.map((field) => `${field}: string`).join("; ")} }`;
}

function write(call: SnippetCall, type: string): string {
  const { fields, secret, quote } = call;
  const values = fields?.map((field) => `d.${field}`) ?? ["d"];
  const headers = headersOf(call).map(([name, value]) => `${quote(name)}: ${quote(value)}`);
  return `${secret}const reply = await fetch(${quote(callUrl(call))}, {
  method: "POST",
  headers: { ${headers.join(", ")} },
  body: JSON.stringify({
${argumentLines(call, "    // ", ([name, value]) => `    ${name}: ${quote(value)},`)}
  }),
  signal: AbortSignal.timeout(10_000),
});
if (!reply.ok) throw new Error((await reply.json()).Message);
const { d }${type} = await reply.json();
${printing(call, values, "console.log(%);", "const accepted = % === true;")}`;
}
