/**
 * Snippet for curl in a POSIX shell.
 *
 * @module
 */

import {
  callUrl,
  envelopeOf,
  type Format,
  FORMATS,
  headersOf,
  isForm,
  type Language,
  lines,
  moreHeaders,
  resultElements,
  shellQuoted,
  type SnippetCall,
} from "./language.ts";

const KINDS: Readonly<Partial<Record<Format, string>>> = {
  "SOAP 1.1": "xml shell",
  "SOAP 1.2": "xml shell",
  "JSON": "json shell",
};

/** curl. */
export const curl: Language = {
  language: "curl",
  values: (format) => KINDS[format] ?? "shell",
  needs: "curl 7.76 or later in a POSIX shell",
  formats: FORMATS,
  write,
};

function write(call: SnippetCall): string {
  const { args, format, isBoolean } = call;
  const headers = isForm(call) ? moreHeaders(call) : headersOf(call);
  const parts = [
    `curl --fail-with-body ${isBoolean ? "--silent --show-error " : ""}${
      format === "HTTP GET" ? "--get " : ""
    }${shellQuoted(callUrl(call))}`,
    ...headers.map((header) => `--header ${shellQuoted(header.join(": "))}`),
    ...(isForm(call)
      ? args.map((arg) => `--data-urlencode ${shellQuoted(arg.join("="))}`)
      : [`--data-raw ${shellQuoted(bodyOf(call))}`]),
  ];
  const command = parts.join(" \\\n  ");
  if (!isBoolean) return command;
  // Match the exact element: a proxy's error page may contain the word "true".
  const [name = "boolean"] = resultElements(call) ?? [];
  const right = format === "JSON" ? `'{"d":true}'` : `*'>true</${name}>'*`;
  return `if reply=$(${command}); then
  case $reply in ${right}) echo true ;; *) echo false ;; esac
else printf '%s\\n' "$reply" >&2; false; fi`;
}

function bodyOf(call: SnippetCall): string {
  const { args, soap } = call;
  if (soap === undefined) {
    return `{\n${lines(args, ([name, value]) => `    "${name}": "${value}"`, ",\n")}\n  }`;
  }
  const [before, behind] = envelopeOf(call, soap);
  return `${before}\n${
    lines(args, ([name, value]) => `    <${name}>${value}</${name}>`)
  }\n  ${behind}`;
}
