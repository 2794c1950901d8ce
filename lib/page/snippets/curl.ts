/**
 * Snippet for curl in a POSIX shell.
 *
 * @module
 */

import { SOAP_11, SOAP_12, type SoapVersion } from "../../bindings/soap/versions.ts";
import {
  callUrl,
  type Format,
  FORMATS,
  headersOf,
  isForm,
  KEEP_SECRET,
  keyHeader,
  type Language,
  lines,
  secretComment,
  type SnippetCall,
} from "./language.ts";

const SOAP: Readonly<Partial<Record<Format, SoapVersion>>> = {
  "SOAP 1.1": SOAP_11,
  "SOAP 1.2": SOAP_12,
};

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
  secret: `# ${KEEP_SECRET}
secret=$(LC_ALL=C tr -dc A-Z2-7 </dev/urandom | head -c 32)
echo "$secret"
`,
  write,
};

function write(call: SnippetCall): string {
  const { name, args, format, url, isBoolean, secret, quote } = call;
  const soap = SOAP[format];
  const headers = soap === undefined
    ? isForm(call) ? keyHeader(call) : headersOf(call)
    : soapHeaders(call, soap);
  const parts = [
    `curl --fail-with-body --max-time 10 ${isBoolean ? "--silent --show-error " : ""}${
      format === "HTTP GET" ? "--get " : ""
    }${quote(soap === undefined ? callUrl(call) : url)}`,
    ...headers.map((header) => `--header ${quote(header.join(": "))}`),
    ...(isForm(call)
      ? args.map(([known, value]) =>
        `--data-urlencode ${
          value === undefined ? `"${known}=$secret"` : quote(`${known}=${value}`)
        }`
      )
      : [`--data-raw ${quote(bodyOf(call, soap)).replace(VARIABLE, () => `'"${VARIABLE}"'`)}`]),
  ];
  const command = parts.join(" \\\n  ");
  const before = secret + secretComment(call, "# ");
  if (!isBoolean) return before + command;
  // Match the exact element: a proxy's error page may contain the word "true".
  const element = soap === undefined ? "boolean" : `${name}Result`;
  const right = format === "JSON" ? `'{"d":true}'` : `*'>true</${element}>'*`;
  return `${before}if reply=$(${command}); then
  case $reply in ${right}) echo true ;; *) echo false ;; esac
else printf '%s\\n' "$reply" >&2; false; fi`;
}

function soapHeaders(
  call: SnippetCall,
  { mediaType, action }: SoapVersion,
): readonly (readonly [string, string])[] {
  return [
    ["Content-Type", `${mediaType}; charset=utf-8`],
    ...("header" in action ? [["SOAPAction", `"${call.namespace}${call.name}"`] as const] : []),
    ...keyHeader(call),
  ];
}

/** Variable in a body, which the shell does not replace inside of its quotes. */
const VARIABLE = "$secret";

function bodyOf(
  { name, args, namespaceInXml }: SnippetCall,
  soap: SoapVersion | undefined,
): string {
  if (soap === undefined) {
    const members = lines(args, ([known, value = VARIABLE]) => `    "${known}": "${value}"`, ",\n");
    return `{\n${members}\n  }`;
  }
  return `<soap:Envelope xmlns:soap="${soap.envelope}"><soap:Body><${name} xmlns="${namespaceInXml}">
${lines(args, ([known, value = VARIABLE]) => `    <${known}>${value}</${known}>`)}
  </${name}></soap:Body></soap:Envelope>`;
}
