/**
 * Snippet for Ruby.
 *
 * @module
 */

import { KEEP_SECRET, type Language, type SnippetCall, WITHOUT_SOAP } from "./language.ts";

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
  const { secret, quote, isJson, isGet } = call;
  const headers = call.headers.map((header) => header.map(quote).join(" => "));
  const body = isJson ? "arguments.to_json" : "URI.encode_www_form(arguments)";
  const given = [
    "uri.request_uri",
    ...(isGet ? [] : [body]),
    ...(headers.length === 0 ? [] : [`{ ${headers.join(", ")} }`]),
  ];
  const [read, whole, right] = isJson
    ? ["JSON.parse(reply.body)['d']", "result", "true"]
    : ["REXML::Document.new(reply.body)", "result.root.text", "'true'"];
  const field = (name: string): string =>
    isJson
      ? `result[${quote(name)}]`
      : `REXML::XPath.first(result, "//*[local-name()='${name}']").text`;
  return `require '${isJson ? "json" : "rexml/document"}'
require 'net/http'
${secret === "" ? "" : "require 'securerandom'\n"}
${secret}arguments = {
${call.lines("  # ", ([name, value]) => `  ${quote(name)} => ${quote(value)},`)}
}
uri = URI(${quote(call.callUrl)})
${
    isGet
      ? `uri.query = ${body}\n`
      : ""
  }limits = { open_timeout: 10, read_timeout: 10, max_retries: 0 }
reply = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == 'https', **limits) do |http|
  http.${isGet ? "get" : "post"}(${given.join(", ")})
end
raise reply.body unless reply.is_a?(Net::HTTPSuccess)
result = ${read}
${call.printing(field, whole, "puts %", `accepted = % == ${right}`)}`;
}
