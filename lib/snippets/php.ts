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
  type Language,
  lines,
  phpQuoted,
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
  const { name, url, fields, key, format } = call;
  const result = `$reply->${name}Result`;
  const printed = fields === undefined
    ? `echo ${result} ? 'true' : 'false', "\\n";`
    : lines(fields, (field) => `echo ${result}->${field}, "\\n";`);
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
${printed}`;
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
${resultOf(call)}`;
}

function resultOf({ format, fields }: Call): string {
  if (format === "JSON") {
    const printed = fields?.map((field) => `$d->${field}`) ?? ["$d ? 'true' : 'false'"];
    return `$d = json_decode($reply)->d;\n${lines(printed, (value) => `echo ${value}, "\\n";`)}`;
  }
  const printed = fields?.map((field) => `$result->${field}`) ?? ["$result"];
  return `$result = simplexml_load_string($reply);\n${
    lines(printed, (value) => `echo ${value}, "\\n";`)
  }`;
}
