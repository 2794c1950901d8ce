// How public callers in Java call, and how they cut the reply apart; each by its row in the list of
// public callers. Prints what it found, a line for each: NAME=VALUE.
//
// Usage: java Callers.java ROW OPERATION URL VALUE...

import java.awt.image.BufferedImage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URL;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;

public class Callers {
  public static void main(String[] args) throws Exception {
    System.setProperty("java.awt.headless", "true");
    String url = args[2];
    switch (args[0] + " " + args[1]) {
      // Html in XML, cut between `src='` and `' border=0`.
      case "8 Pair": {
        Document xml = parse(url + "/api.asmx/Pair?appName=" + encode(args[3]) + "&appInfo="
            + encode(args[4]) + "&secretCode=" + encode(args[5]));
        String html = xml.getElementsByTagName("Html").item(0).getTextContent();
        print("setupCode", xml.getElementsByTagName("ManualSetupCode").item(0).getTextContent());
        int start = html.indexOf("src='") + "src='".length();
        print("picture", html.substring(start, html.indexOf("' border=0")));
        break;
      }
      case "8 ValidatePin": {
        Document xml = parse(url + "/api.asmx/ValidatePin?pin=" + encode(args[3]) + "&secretCode="
            + encode(args[4]));
        print("accepted", xml.getDocumentElement().getTextContent());
        break;
      }
      // The first line alone, the sixth piece between quotes, the size replaced in the address.
      case "12 Pair": {
        String html = firstLine(pairAspx(url, args));
        String picture = html.split("'")[5].replace("300x300", "128x128");
        BufferedImage image = ImageIO.read(new URL(picture));
        print("picture", picture);
        print("size", image.getWidth() + "x" + image.getHeight());
        break;
      }
      case "12 ValidatePin":
        print("accepted", "" + firstLine(validateAspx(url, "validate", args)).equals("True"));
        break;
      case "13 Pair": {
        String html = firstLine(pairAspx(url, args));
        print("picture", html.substring(html.indexOf("src") + 5, html.indexOf("border") - 2));
        break;
      }
      case "13 ValidatePin":
        print("accepted", "" + firstLine(validateAspx(url, "Validate", args)).equals("True"));
        break;
      // Whatever is not the text False, with any status or none at all, counts as a right pin.
      case "16 ValidatePin":
        print("accepted", "" + failsOpen(validateAspx(url, "Validate", args)));
        break;
      default:
        throw new IllegalArgumentException(args[0]);
    }
  }

  static boolean failsOpen(String address) {
    try {
      HttpURLConnection connection = (HttpURLConnection) new URL(address).openConnection();
      // Its own five seconds are not what is tried, and a busy machine may take longer.
      connection.setConnectTimeout(300_000);
      connection.setReadTimeout(300_000);
      if (connection.getResponseCode() != 200) return true;
      return !"False".equals(new String(connection.getInputStream().readAllBytes()));
    } catch (IOException e) {
      return true;
    }
  }

  static String pairAspx(String url, String[] args) {
    return url + "/pair.aspx?AppName=" + encode(args[3]) + "&AppInfo=" + encode(args[4])
        + "&SecretCode=" + encode(args[5]);
  }

  static String validateAspx(String url, String file, String[] args) {
    return url + "/" + file + ".aspx?Pin=" + encode(args[3]) + "&SecretCode=" + encode(args[4]);
  }

  static Document parse(String address) throws Exception {
    return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(address);
  }

  static String firstLine(String address) throws IOException {
    InputStreamReader reader = new InputStreamReader(new URL(address).openStream());
    return new BufferedReader(reader).readLine();
  }

  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  static void print(String name, String value) {
    System.out.println(name + "=" + value);
  }
}
