import java.io.StringReader;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.Scanner;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

public class PairAndCheck {
    static final String SERVICE_URL = "{{url}}";
    static final String API_KEY = "{{apiKey}}"; // Empty where the server asks for none.
    static final String APP_NAME = "Example Corp";
    static final String ACCOUNT = "jane@example.com";
    static final String USER_ADDRESS = "203.0.113.7"; // IP address of the user who types the pin.

    // HTTP/1.1: an upgrade to HTTP/2 is refused over plain HTTP.
    static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    public static void main(String[] commandLine) throws Exception {
        // Keep the secret encrypted or sealed beside the account: each login needs it.
        String secret = newSecret();
        Element pairing = call("Pair", Map.of(
                "appName", APP_NAME, "appInfo", ACCOUNT, "secretCode", secret));
        System.out.println("Setup key: " + textIn(pairing, "ManualSetupCode"));
        System.out.println("QR code for your page: " + textIn(pairing, "Html"));

        System.out.print("Pin: ");
        String pin = new Scanner(System.in).nextLine();
        Element answer = call("ValidatePin", Map.of("pin", pin, "secretCode", secret));
        boolean isRight = answer.getTextContent().equals("true");
        System.out.println(isRight ? "The pin is right." : "The pin is not right.");
    }

    static Element call(String operation, Map<String, String> arguments) throws Exception {
        String form = arguments.entrySet().stream()
                .map(entry -> entry.getKey() + "="
                        + URLEncoder.encode(entry.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        HttpRequest request = HttpRequest.newBuilder(URI.create(SERVICE_URL + "/" + operation))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("X-Api-Key", API_KEY)
                .header("X-Authenticator-Source", USER_ADDRESS)
                .timeout(Duration.ofSeconds(10))
                .POST(HttpRequest.BodyPublishers.ofString(form))
                .build();
        HttpResponse<String> reply =
                CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
        if (reply.statusCode() != 200) {
            throw new Exception(reply.body());
        }
        return DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(new InputSource(new StringReader(reply.body()))).getDocumentElement();
    }

    static String textIn(Element element, String name) {
        return element.getElementsByTagName(name).item(0).getTextContent();
    }

    static String newSecret() {
        SecureRandom random = new SecureRandom();
        StringBuilder secret = new StringBuilder("{{secretStart}}");
        while (secret.length() < 32) {
            secret.append("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".charAt(random.nextInt(32)));
        }
        return secret.toString();
    }
}
