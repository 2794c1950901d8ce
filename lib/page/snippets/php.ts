/**
 * Snippet for PHP.
 *
 * @module
 */

import { FORMATS, KEEP_SECRET, type Language, linesOf, type SnippetCall } from "./language.ts";

/** PHP. */
export const php: Language = {
  language: "PHP",
  values: "php",
  needs: "PHP 7.4 or later; its soap extension for SOAP, SimpleXML for HTTP GET and HTTP POST",
  formats: FORMATS,
  secret: `// ${KEEP_SECRET}
$secret = '';
foreach (str_split(random_bytes(32)) as $byte) {
    $secret .= 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[ord($byte) % 32];
}
echo $secret, "\\n";
`,
  variable: "$secret",
  write: (call) => call.format.startsWith("SOAP") ? writeSoap(call) : writeHttp(call),
};

function argumentsOf({ lines, quote }: SnippetCall): string {
  return lines("    // ", ([name, value]) => `    ${quote(name)} => ${quote(value)},`);
}

function writeSoap(call: SnippetCall): string {
  const { name, url, key, format, secret, quote } = call;
  const options = [
    ...(format === "SOAP 1.2" ? ["'soap_version' => SOAP_1_2"] : []),
    ...(key === undefined ? [] : [`'login' => 'any', 'password' => ${quote(key)}`]),
  ];
  const given = options.length === 0 ? "" : `, [${options.join(", ")}]`;
  return `<?php
${secret}ini_set('default_socket_timeout', '10');
$client = new SoapClient(${quote(`${url}?wsdl`)}${given});
$reply = $client->${name}([
${argumentsOf(call)}
]);
${resultOf(call, `$reply->${name}Result`, "% === true")}`;
}

// Avoids file_get_contents: its warning prints the URL, which holds the secret in HTTP GET.
function writeHttp(call: SnippetCall): string {
  const { secret, quote, isJson, isGet, callUrl } = call;
  const headers = call.headers.map((header) => quote(header.join(": ")));
  const query = "http_build_query($arguments, '', '&')";
  const content = isJson ? "json_encode($arguments)" : query;
  const options = [
    "'ignore_errors' => true",
    "'timeout' => 10",
    ...(isGet ? [] : ["'method' => 'POST'", `'content' => ${content}`]),
    ...(headers.length === 0 ? [] : [`'header' => [${headers.join(", ")}]`]),
  ];
  const address = isGet ? `${quote(`${callUrl}?`)} . ${query}` : quote(callUrl);
  const [read, right] = isJson
    ? ["json_decode($reply)->d", "% === true"]
    : ["simplexml_load_string($reply)", "(string) % === 'true'"];
  return `<?php
${secret}$arguments = [
${argumentsOf(call)}
];
$context = stream_context_create(['http' => [
${linesOf(options.map((option) => `    ${option},`))}]]);
$stream = @fopen(${address}, 'r', false, $context);
if (!$stream) throw new Exception('No answer from the service, or allow_url_fopen is off');
$reply = stream_get_contents($stream);
if (!strpos(stream_get_meta_data($stream)['wrapper_data'][0], ' 200 ')) throw new Exception($reply);
${resultOf(call, read, right)}`;
}

function resultOf({ printing }: SnippetCall, read: string, right: string): string {
  const shown = "$accepted ? 'true' : 'false'";
  const print = 'echo %, "\\n";';
  return `$result = ${read};
${printing((field) => `$result->${field}`, "$result", print, `$accepted = ${right};`, shown)}`;
}
