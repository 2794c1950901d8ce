/**
 * Snippet for Ruby.
 *
 * @module
 */

import {
  callUrl,
  headersOf,
  type Language,
  lines,
  printing,
  type SnippetCall,
  WITHOUT_SOAP,
} from "./language.ts";

/** Ruby. */
export const ruby: Language = {
  language: "Ruby",
  values: "php",
  needs: "Ruby 2.5 or later, nothing else",
  formats: WITHOUT_SOAP,
  secret: `# Keep the secret encrypted with the user's account.
secret = Array.new(32) { [*'A'..'Z', *'2'..'7'].sample(random: SecureRandom) }.join
`,
  write,
};

function write(call: SnippetCall): string {
  const { args, format, secret, quote } = call;
  const headers = headersOf(call).map((header) => header.map(quote).join(" => "));
  const address = quote(callUrl(call));
  const sent = format === "HTTP GET"
    ? `uri = URI(${address})
uri.query = URI.encode_www_form(arguments)
reply = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == 'https') do |http|
  http.get(uri.request_uri${headers.length === 0 ? "" : `, { ${headers.join(", ")} }`})
end`
    : `reply = Net::HTTP.post(
  URI(${address}),
  ${format === "JSON" ? "arguments.to_json" : "URI.encode_www_form(arguments)"},
  { ${headers.join(", ")} }
)`;
  return `require '${format === "JSON" ? "json" : "rexml/document"}'
require 'net/http'
${secret === "" ? "" : "require 'securerandom'\n"}
${secret}arguments = {
${lines(args, ([name, value]) => `  ${quote(name)} => ${quote(value)},`)}
}
${sent}
raise reply.body unless reply.is_a?(Net::HTTPSuccess)
${resultOf(call)}`;
}

function resultOf(call: SnippetCall): string {
  const { format, fields, quote } = call;
  const isJson = format === "JSON";
  const values = isJson
    ? fields?.map((field) => `result[${quote(field)}]`) ?? ["result"]
    : fields?.map((name) => `REXML::XPath.first(result, "//*[local-name()='${name}']").text`) ??
      ["result.root.text"];
  const [read, right] = isJson
    ? ["JSON.parse(reply.body)['d']", "true"]
    : ["REXML::Document.new(reply.body)", "'true'"];
  return `result = ${read}\n${printing(call, values, "puts %", `accepted = % == ${right}`)}`;
}
