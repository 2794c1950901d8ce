/**
 * Snippet for Ruby.
 *
 * @module
 */

import {
  argumentLines,
  callUrl,
  headersOf,
  KEEP_SECRET,
  type Language,
  linesOf,
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
  secret: `# ${KEEP_SECRET}
secret = Array.new(32) { [*'A'..'Z', *'2'..'7'].sample(random: SecureRandom) }.join
puts secret
`,
  write,
};

// Without max_retries, Net::HTTP sends a GET that had no answer once more.
function write(call: SnippetCall): string {
  const { format, secret, quote } = call;
  const headers = headersOf(call).map((header) => header.map(quote).join(" => "));
  const isGet = format === "HTTP GET";
  const body = format === "JSON" ? "arguments.to_json" : "URI.encode_www_form(arguments)";
  const given = [
    "uri.request_uri",
    ...(isGet ? [] : [body]),
    ...(headers.length === 0 ? [] : [`{ ${headers.join(", ")} }`]),
  ];
  return `require '${format === "JSON" ? "json" : "rexml/document"}'
require 'net/http'
${secret === "" ? "" : "require 'securerandom'\n"}
${secret}arguments = {
${argumentLines(call, "  # ", ([name, value]) => `  ${quote(name)} => ${quote(value)},`)}
}
uri = URI(${quote(callUrl(call))})
${
    linesOf(...(isGet ? [`uri.query = ${body}`] : []))
  }limits = { open_timeout: 10, read_timeout: 10, max_retries: 0 }
reply = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == 'https', **limits) do |http|
  http.${isGet ? "get" : "post"}(${given.join(", ")})
end
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
