// Calls an operation with the HTTP client of the JDK, requests written by hand, and prints what came
// of it as JSON. Version HTTP_2 is what the client has unless told otherwise.
//
// Usage: java JavaHttp HTTP_1_1|HTTP_2 URL BINDING OPERATION < NAMES AND VALUES, UTF-8 with a NUL
// between them

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;

public class JavaHttp {
  static final String NAMESPACE = "http://authenticatorapi.com/";

  public static void main(String[] args) throws Exception {
    String input = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
    HttpRequest request = request(args[1] + "/api.asmx", args[2], args[3], input.split("\0", -1));
    HttpClient client =
        HttpClient.newBuilder().version(HttpClient.Version.valueOf(args[0])).build();
    System.out.println(Json.ascii(outcome(client.send(request, BodyHandlers.ofByteArray()))));
  }

  static HttpRequest request(String url, String binding, String operation, String[] parameters) {
    String form = form(parameters);
    switch (binding) {
      case "HTTP GET":
        return HttpRequest.newBuilder(URI.create(url + "/" + operation + "?" + form)).build();
      case "HTTP POST":
        return post(url + "/" + operation, "application/x-www-form-urlencoded", form).build();
      case "SOAP 1.1":
        String soap11 = "http://schemas.xmlsoap.org/soap/envelope/";
        return post(url, "text/xml; charset=utf-8", envelope(soap11, operation, parameters))
            .header("SOAPAction", "\"" + NAMESPACE + operation + "\"").build();
      default:
        String soap12 = "http://www.w3.org/2003/05/soap-envelope";
        String body = envelope(soap12, operation, parameters);
        return post(url, "application/soap+xml; charset=utf-8", body).build();
    }
  }

  static HttpRequest.Builder post(String url, String type, String body) {
    return HttpRequest.newBuilder(URI.create(url)).header("Content-Type", type)
        .POST(BodyPublishers.ofString(body));
  }

  static String form(String[] parameters) {
    List<String> pairs = new ArrayList<>();
    for (int i = 0; i + 1 < parameters.length; i += 2) {
      pairs.add(parameters[i] + "=" + URLEncoder.encode(parameters[i + 1], StandardCharsets.UTF_8));
    }
    return String.join("&", pairs);
  }

  static String envelope(String namespace, String operation, String[] parameters) {
    StringBuilder values = new StringBuilder();
    for (int i = 0; i + 1 < parameters.length; i += 2) {
      String value = parameters[i + 1].replace("&", "&amp;").replace("<", "&lt;")
          .replace(">", "&gt;");
      values.append("<" + parameters[i] + ">" + value + "</" + parameters[i] + ">");
    }
    return "<s:Envelope xmlns:s=\"" + namespace + "\"><s:Body><" + operation + " xmlns=\""
        + NAMESPACE + "\">" + values + "</" + operation + "></s:Body></s:Envelope>";
  }

  static String outcome(HttpResponse<byte[]> reply) throws Exception {
    String type = reply.headers().firstValue("content-type").orElse("");
    if (!type.contains("xml")) {
      String text = new String(reply.body(), StandardCharsets.UTF_8).trim();
      return Json.fault("", text.isEmpty() ? "an empty " + reply.statusCode() : text);
    }
    Document document = DocumentBuilderFactory.newInstance().newDocumentBuilder()
        .parse(new ByteArrayInputStream(reply.body()));
    if (reply.statusCode() == 200) return result(document);
    String code = text(document, "faultcode");
    return code != null
        ? Json.fault(code, text(document, "faultstring"))
        : Json.fault(text(document, "soap:Value"), text(document, "soap:Text"));
  }

  static String result(Document document) {
    String setupCode = text(document, "ManualSetupCode");
    return setupCode != null
        ? Json.result(setupCode, text(document, "Html"))
        : Json.result(document.getDocumentElement().getTextContent().equals("true"));
  }

  static String text(Document document, String name) {
    return document.getElementsByTagName(name).getLength() == 0
        ? null
        : document.getElementsByTagName(name).item(0).getTextContent();
  }
}
