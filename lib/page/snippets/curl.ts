/**
 * Snippet for curl in a POSIX shell.
 *
 * @module
 */

import { SOAP_11, SOAP_12, type SoapVersion } from "../../bindings/soap/versions.ts";
import { FORMATS, KEEP_SECRET, type Language, type SnippetCall } from "./language.ts";

const SOAP: ReadonlyMap<string, SoapVersion> = new Map([
  ["SOAP 1.1", SOAP_11],
  ["SOAP 1.2", SOAP_12],
]);

/** curl. */
export const curl: Language = {
  language: "curl",
  values: (format) => SOAP.has(format) ? "xml shell" : format === "JSON" ? "json shell" : "shell",
  needs: "curl 7.76 or later in a POSIX shell",
  formats: FORMATS,
  secret: `# ${KEEP_SECRET}
secret=$(LC_ALL=C tr -dc A-Z2-7 </dev/urandom | head -c 32)
echo "$secret"
`,
  write,
};

function write(call: SnippetCall): string {
  const { name, args, format, url, fields, secret, quote, isJson } = call;
  const soap = SOAP.get(format);
  const isForm = soap === undefined && !isJson;
  const headers = soap === undefined
    ? isForm ? call.keyHeader : call.headers
    : soapHeaders(call, soap);
  const data = ([known, value]: typeof args[number]): string =>
    value === undefined ? `"${known}=$secret"` : quote(`${known}=${value}`);
  const command = [
    "curl --fail-with-body --max-time 10",
    ...(fields === undefined ? ["--silent --show-error"] : []),
    ...(call.isGet ? ["--get"] : []),
    quote(soap === undefined ? call.callUrl : url),
    ...headers.map((header) => `--header ${quote(header.join(": "))}`),
    ...(isForm
      ? args.map((arg) => `--data-urlencode ${data(arg)}`)
      : [`--data-raw ${quote(bodyOf(call, soap)).replace(VARIABLE, () => `'"${VARIABLE}"'`)}`]),
  ].join(" \\\n  ");
  const before = secret + call.comment("# ");
  if (fields !== undefined) return before + command;
  // Match the exact element: a proxy's error page may contain the word "true".
  const element = soap === undefined ? "boolean" : `${name}Result`;
  const right = isJson ? `'{"d":true}'` : `*'>true</${element}>'*`;
  return `${before}if reply=$(${command}); then
  case $reply in ${right}) echo true ;; *) echo false ;; esac
else printf '%s\\n' "$reply" >&2; false; fi`;
}

function soapHeaders(
  { name, namespace, keyHeader }: SnippetCall,
  { mediaType, action }: SoapVersion,
): SnippetCall["headers"] {
  return [
    ["Content-Type", `${mediaType}; charset=utf-8`],
    ...("header" in action ? [["SOAPAction", `"${namespace}${name}"`] as const] : []),
    ...keyHeader,
  ];
}

/** Variable in a body, which the shell does not replace inside of its quotes. */
const VARIABLE = "$secret";

function bodyOf(
  { name, args, namespaceInXml }: SnippetCall,
  soap: SoapVersion | undefined,
): string {
  if (soap === undefined) {
    const members = args.map(([known, value = VARIABLE]) => `    "${known}": "${value}"`);
    return `{\n${members.join(",\n")}\n  }`;
  }
  const elements = args.map(([known, value = VARIABLE]) => `    <${known}>${value}</${known}>`);
  return `<soap:Envelope xmlns:soap="${soap.envelope}"><soap:Body><${name} xmlns="${namespaceInXml}">
${elements.join("\n")}
  </${name}></soap:Body></soap:Envelope>`;
}
