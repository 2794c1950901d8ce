/**
 * Snippet for Python.
 *
 * @module
 */

import {
  argumentLines,
  callUrl,
  headersOf,
  isForm,
  KEEP_SECRET,
  type Language,
  lines,
  linesOf,
  printing,
  type SnippetCall,
  WITHOUT_SOAP,
} from "./language.ts";

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
  const { format, secret, quote } = call;
  const imports = [
    ...(secret === "" ? [] : ["import base64"]),
    ...(format === "JSON" ? ["import json"] : []),
    ...(secret === "" ? [] : ["import secrets"]),
    ...(isForm(call) ? ["import urllib.parse"] : []),
    "import urllib.error",
    "import urllib.request",
    ...(format === "JSON" ? [] : ["from xml.etree import ElementTree"]),
  ];
  const headers = headersOf(call).map(([name, value]) => `${quote(name)}: ${quote(value)}`);
  const address = format === "HTTP GET"
    ? `${quote(`${callUrl(call)}?`)} + urllib.parse.urlencode(arguments)`
    : quote(callUrl(call));
  return `${lines(imports, (each) => each)}

${secret}arguments = {
${argumentLines(call, "    # ", ([name, value]) => `    ${quote(name)}: ${quote(value)},`)}
}
request = urllib.request.Request(
    ${address},
${linesOf(...dataOf(call).map((data) => `    data=${data},`))}${
    linesOf(...(headers.length === 0 ? [] : [`    headers={${headers.join(", ")}},`]))
  })
try:
    reply = urllib.request.urlopen(request, timeout=10)
except urllib.error.HTTPError as error:
    raise SystemExit(error.read().decode())
${resultOf(call)}`;
}

function dataOf({ format }: SnippetCall): readonly string[] {
  if (format === "HTTP GET") return [];
  return [`${format === "JSON" ? "json.dumps" : "urllib.parse.urlencode"}(arguments).encode()`];
}

function resultOf(call: SnippetCall): string {
  const { format, fields, quote } = call;
  const isJson = format === "JSON";
  const values = isJson
    ? fields?.map((field) => `result[${quote(field)}]`) ?? ["result"]
    : fields?.map((name) => `result.find(".//{*}${name}").text`) ??
      ["result.getroot().text"];
  const read = isJson ? 'json.load(reply)["d"]' : "ElementTree.parse(reply)";
  const keep = `accepted = % ${isJson ? "is True" : '== "true"'}`;
  return `result = ${read}\n${printing(call, values, "print(%)", keep)}`;
}
