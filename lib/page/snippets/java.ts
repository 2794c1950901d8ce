/**
 * Snippet for Java.
 *
 * @module
 */

import {
  argumentLines,
  callUrl,
  FORMS,
  headersOf,
  KEEP_SECRET,
  type Language,
  lines,
  printing,
  type SnippetCall,
} from "./language.ts";

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
  const { name, format, secret, quote } = call;
  const address = format === "HTTP GET"
    ? `${quote(`${callUrl(call)}?`)} + body`
    : quote(callUrl(call));
  const headers = lines(
    headersOf(call),
    ([known, value]) => `                .header(${quote(known)}, ${quote(value)})\n`,
    "",
  );
  const post = format === "HTTP GET"
    ? ""
    : "                .POST(HttpRequest.BodyPublishers.ofString(body))\n";
  const print = "        System.out.println(%);";
  const keep = '        var accepted = "true".equals(%);';
  return `import java.io.StringReader;
import java.net.*;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
${secret === "" ? "" : "import java.security.SecureRandom;\n"}import java.time.Duration;
${
    secret === ""
      ? ""
      : "import java.util.stream.Collectors;\n"
  }import javax.xml.parsers.DocumentBuilderFactory;
import org.xml.sax.InputSource;

public class ${name} {
    public static void main(String[] arguments) throws Exception {
${secret}        var body = String.join("&",
${
    argumentLines(call, "                // ", ([known, value]) =>
      `                ${quote(`${known}=`)} + encode(${quote(value)})`, ",\n")
  });
        var request = HttpRequest.newBuilder(URI.create(${address}))
${headers}${post}                .timeout(Duration.ofSeconds(10)).build();
        var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        var reply = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (reply.statusCode() != 200) throw new Exception(reply.body());
        var result = DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(new InputSource(new StringReader(reply.body()))).getDocumentElement();
${printing(call, valuesOf(call), print, keep)}
    }

    static String encode(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }
}`;
}

function valuesOf({ fields, quote }: SnippetCall): readonly string[] {
  const text = (name: string): string =>
    `result.getElementsByTagName(${quote(name)}).item(0).getTextContent()`;
  return fields?.map(text) ?? ["result.getTextContent()"];
}
