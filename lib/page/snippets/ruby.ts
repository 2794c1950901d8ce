/**
 * Snippet for Ruby.
 *
 * @module
 */

import {
  callUrl,
  envelopeOf,
  FORMATS,
  headersOf,
  type Language,
  lines,
  phpQuoted,
  printing,
  resultElements,
  type SnippetCall,
} from "./language.ts";

/** Ruby. */
export const ruby: Language = {
  language: "Ruby",
  values: "php",
  needs: "Ruby 2.5 or later, nothing else",
  formats: FORMATS,
  write,
};

function write(call: SnippetCall): string {
  const { args, format } = call;
  const headers = headersOf(call).map((header) => header.map(phpQuoted).join(" => "));
  const address = phpQuoted(callUrl(call));
  const sent = format === "HTTP GET"
    ? `uri = URI(${address})
uri.query = URI.encode_www_form(arguments)
reply = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == 'https') do |http|
  http.get(uri.request_uri${headers.length === 0 ? "" : `, { ${headers.join(", ")} }`})
end`
    : `reply = Net::HTTP.post(
  URI(${address}),
  ${bodyOf(call)},
  { ${headers.join(", ")} }
)`;
  return `require '${format === "JSON" ? "json" : "rexml/document"}'
require 'net/http'

arguments = {
${lines(args, ([name, value]) => `  ${phpQuoted(name)} => ${phpQuoted(value)},`)}
}
${sent}
raise reply.body unless reply.is_a?(Net::HTTPSuccess)
${resultOf(call)}`;
}

function bodyOf(call: SnippetCall): string {
  const { format, soap } = call;
  if (soap === undefined) {
    return format === "JSON" ? "arguments.to_json" : "URI.encode_www_form(arguments)";
  }
  const [before, behind] = envelopeOf(call, soap);
  return `${phpQuoted(before)} +
    arguments.map { |name, value| "<#{name}>#{value.encode(xml: :text)}</#{name}>" }.join +
    ${phpQuoted(behind)}`;
}

function resultOf(call: SnippetCall): string {
  const { format, fields } = call;
  const isJson = format === "JSON";
  const values = isJson
    ? fields?.map((field) => `result[${phpQuoted(field)}]`) ?? ["result"]
    : resultElements(call)?.map((name) =>
      `REXML::XPath.first(result, "//*[local-name()='${name}']").text`
    ) ?? ["result.root.text"];
  const [read, right] = isJson
    ? ["JSON.parse(reply.body)['d']", "true"]
    : ["REXML::Document.new(reply.body)", "'true'"];
  return `result = ${read}\n${printing(call, values, "puts %", `accepted = % == ${right}`)}`;
}
