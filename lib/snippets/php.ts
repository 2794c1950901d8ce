/**
 * The snippet for PHP.
 *
 * @module
 */

import {
  addressOf,
  type Call,
  FORMATS,
  headersOf,
  isForm,
  type Language,
  lines,
  phpQuoted,
  printing,
} from "./language.ts";

/** PHP. */
export const php: Language = {
  language: "PHP",
  values: "php",
  needs: "PHP 7.4 or later; its soap extension for SOAP, SimpleXML for HTTP GET and HTTP POST",
  formats: FORMATS,
  write: (call) => call.soap === undefined ? writeHttp(call) : writeSoap(call),
};

function argumentsOf({ args }: Call): string {
  return lines(args, ([name, value]) => `    ${phpQuoted(name)} => ${phpQuoted(value)},`);
}

function writeSoap(call: Call): string {
  const { name, url, key, format } = call;
  const options = [
    ...(format === "SOAP 1.2" ? ["'soap_version' => SOAP_1_2"] : []),
    ...(key === undefined ? [] : [`'login' => 'any', 'password' => ${phpQuoted(key)}`]),
  ];
  const given = options.length === 0 ? "" : `, [${options.join(", ")}]`;
  return `<?php
$client = new SoapClient(${phpQuoted(`${url}?wsdl`)}${given});
$reply = $client->${name}([
${argumentsOf(call)}
]);
${resultOf(call, `$reply->${name}Result`)}`;
}

function writeHttp(call: Call): string {
  const { format } = call;
  const headers = headersOf(call).map((header) => phpQuoted(header.join(": ")));
  const content = format === "JSON" ? "json_encode($arguments)" : "http_build_query($arguments)";
  const options = [
    ...(format === "HTTP GET" ? [] : ["'method' => 'POST'"]),
    ...(headers.length === 0 ? [] : [`'header' => [${headers.join(", ")}]`]),
    ...(format === "HTTP GET" ? [] : [`'content' => ${content}`]),
  ];
  const address = format === "HTTP GET"
    ? `${phpQuoted(`${addressOf(call)}?`)} . http_build_query($arguments)`
    : phpQuoted(addressOf(call));
  return `<?php
$arguments = [
${argumentsOf(call)}
];
$context = stream_context_create(['http' => [
${lines(options, (option) => `    ${option},`)}
]]);
$reply = file_get_contents(${address}, false, $context);
if ($reply === false) exit(1);
${resultOf(call, format === "JSON" ? "json_decode($reply)->d" : "simplexml_load_string($reply)")}`;
}

function resultOf(call: Call, read: string): string {
  const values = call.fields?.map((field) => `$result->${field}`) ?? ["$result"];
  const keep = `$accepted = ${isForm(call) ? "(string) % === 'true'" : "% === true"};`;
  return `$result = ${read};
${printing(call, values, 'echo %, "\\n";', keep, "$accepted ? 'true' : 'false'")}`;
}
