/**
 * Snippet for Python.
 *
 * @module
 */

import { KEEP_SECRET, type Language, linesOf, type SnippetCall, WITHOUT_SOAP } from "./language.ts";

/** Python. */
export const python: Language = {
  language: "Python",
  values: "c",
  needs: "Python 3.8 or later, nothing else",
  formats: WITHOUT_SOAP,
  secret: `# ${KEEP_SECRET}
secret = base64.b32encode(secrets.token_bytes(20)).decode()
print(secret)
`,
  write,
};

function write(call: SnippetCall): string {
  const { secret, quote, isJson, isGet, callUrl } = call;
  const imports = [
    ...(secret === "" ? [] : ["import base64"]),
    ...(isJson ? ["import json"] : []),
    ...(secret === "" ? [] : ["import secrets"]),
    ...(isJson ? [] : ["import urllib.parse"]),
    "import urllib.error",
    "import urllib.request",
    ...(isJson ? [] : ["from xml.etree import ElementTree"]),
  ];
  const headers = call.headers.map((header) => header.map(quote).join(": "));
  const query = "urllib.parse.urlencode(arguments)";
  const data = isJson ? "json.dumps(arguments)" : query;
  const request = [
    isGet ? `${quote(`${callUrl}?`)} + ${query}` : quote(callUrl),
    ...(isGet ? [] : [`data=${data}.encode()`]),
    ...(headers.length === 0 ? [] : [`headers={${headers.join(", ")}}`]),
  ];
  const [read, whole, right] = isJson
    ? ['json.load(reply)["d"]', "result", "% is True"]
    : ["ElementTree.parse(reply)", "result.getroot().text", '% == "true"'];
  const field = (name: string): string =>
    isJson ? `result[${quote(name)}]` : `result.find(".//{*}${name}").text`;
  return `${linesOf(imports)}
${secret}arguments = {
${call.lines("    # ", ([name, value]) => `    ${quote(name)}: ${quote(value)},`)}
}
request = urllib.request.Request(
${linesOf(request.map((part) => `    ${part},`))})
try:
    reply = urllib.request.urlopen(request, timeout=10)
except urllib.error.HTTPError as error:
    raise SystemExit(error.read().decode())
result = ${read}
${call.printing(field, whole, "print(%)", `accepted = ${right}`)}`;
}
