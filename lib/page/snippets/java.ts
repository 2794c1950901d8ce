/**
 * Snippet for Java.
 *
 * @module
 */

import { FORMS, KEEP_SECRET, type Language, linesOf, type SnippetCall } from "./language.ts";

/** Java. */
export const java: Language = {
  language: "Java",
  values: "c",
  needs: "Java 11 or later, nothing else",
  formats: FORMS,
  secret: `        // ${KEEP_SECRET}
        var alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
        var secret = new SecureRandom().ints(32, 0, 32)
                .mapToObj(i -> alphabet.substring(i, i + 1)).collect(Collectors.joining());
        System.out.println(secret);
`,
  write,
};

// Uses HTTP/1.1: by default Java's client asks for an upgrade to HTTP/2 over plain HTTP, and Deno
// 2.9 refuses a body with such a request.
function write(call: SnippetCall): string {
  const { name, secret, quote, isGet, callUrl } = call;
  const imports = [
    "java.io.StringReader",
    "java.net.*",
    "java.net.http.*",
    "java.nio.charset.StandardCharsets",
    ...(secret === "" ? [] : ["java.security.SecureRandom"]),
    "java.time.Duration",
    ...(secret === "" ? [] : ["java.util.stream.Collectors"]),
    "javax.xml.parsers.DocumentBuilderFactory",
    "org.xml.sax.InputSource",
  ];
  const address = isGet ? `${quote(`${callUrl}?`)} + body` : quote(callUrl);
  const request = [
    ...call.headers.map((header) => `.header(${header.map(quote).join(", ")})`),
    ...(isGet ? [] : [".POST(HttpRequest.BodyPublishers.ofString(body))"]),
  ];
  const field = (known: string): string =>
    `result.getElementsByTagName(${quote(known)}).item(0).getTextContent()`;
  const print = "        System.out.println(%);";
  const keep = '        var accepted = "true".equals(%);';
  return `${linesOf(imports.map((each) => `import ${each};`))}
public class ${name} {
    public static void main(String[] arguments) throws Exception {
${secret}        var body = String.join("&",
${
    call.lines("                // ", ([known, value]) =>
      `                ${quote(`${known}=`)} + encode(${quote(value)})`, ",\n")
  });
        var request = HttpRequest.newBuilder(URI.create(${address}))
${linesOf(request.map((part) => `                ${part}`))}\
                .timeout(Duration.ofSeconds(10)).build();
        var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        var reply = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (reply.statusCode() != 200) throw new Exception(reply.body());
        var result = DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(new InputSource(new StringReader(reply.body()))).getDocumentElement();
${call.printing(field, "result.getTextContent()", print, keep)}
    }

    static String encode(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }
}`;
}
