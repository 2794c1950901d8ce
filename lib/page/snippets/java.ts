/**
 * Snippet for Java.
 *
 * @module
 */

import {
  callUrl,
  envelopeOf,
  headersOf,
  type Language,
  lines,
  printing,
  quoted,
  resultElements,
  type SnippetCall,
  WITHOUT_JSON,
} from "./language.ts";

/** Java. */
export const java: Language = {
  language: "Java",
  values: "c",
  needs: "Java 11 or later, nothing else",
  formats: WITHOUT_JSON,
  write,
};

// Uses HTTP/1.1: by default Java's client asks for an upgrade to HTTP/2 over plain HTTP, and Deno
// 2.9 refuses a body with such a request.
function write(call: SnippetCall): string {
  const { name, format, soap } = call;
  const address = format === "HTTP GET"
    ? `${quoted(`${callUrl(call)}?`)} + body`
    : quoted(callUrl(call));
  const headers = lines(
    headersOf(call),
    ([known, value]) => `                .header(${quoted(known)}, ${quoted(value)})\n`,
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
import javax.xml.parsers.DocumentBuilderFactory;
import org.xml.sax.InputSource;

public class ${name} {
    public static void main(String[] arguments) throws Exception {
        var body = ${bodyOf(call)};
        var request = HttpRequest.newBuilder(URI.create(${address}))
${headers}${post}                .build();
        var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        var reply = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (reply.statusCode() != 200) throw new Exception(reply.body());
        var result = DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(new InputSource(new StringReader(reply.body()))).getDocumentElement();
${printing(call, valuesOf(call), print, keep)}
    }

    static String encode(String value) {
        return ${
    soap === undefined
      ? "URLEncoder.encode(value, StandardCharsets.UTF_8)"
      : 'value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")'
  };
    }
}`;
}

function bodyOf(call: SnippetCall): string {
  const { args, soap } = call;
  if (soap === undefined) {
    const pairs = lines(
      args,
      ([name, value]) => `                ${quoted(`${name}=`)} + encode(${quoted(value)})`,
      ",\n",
    );
    return `String.join("&",\n${pairs})`;
  }
  const [before, behind] = envelopeOf(call, soap);
  const elements = lines(
    args,
    ([name, value]) => `                + "<${name}>" + encode(${quoted(value)}) + "</${name}>"`,
  );
  return `${quoted(before)}\n${elements}\n                + ${quoted(behind)}`;
}

function valuesOf(call: SnippetCall): readonly string[] {
  const text = (name: string): string =>
    `result.getElementsByTagName(${quoted(name)}).item(0).getTextContent()`;
  return resultElements(call)?.map(text) ?? ["result.getTextContent()"];
}
