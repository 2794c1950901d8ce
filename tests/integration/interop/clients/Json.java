// Writes the JSON that the clients in Java print, in ASCII.

final class Json {
  static String result(boolean value) {
    return "{\"result\":" + value + "}";
  }

  static String result(String manualSetupCode, String html) {
    return "{\"result\":{\"ManualSetupCode\":" + text(manualSetupCode)
        + ",\"Html\":" + text(html) + "}}";
  }

  static String fault(String code, String message) {
    return "{\"fault\":{\"code\":" + text(code) + ",\"message\":" + text(message) + "}}";
  }

  static String ascii(String json) {
    StringBuilder out = new StringBuilder();
    for (char c : json.toCharArray()) out.append(c < 0x7f ? "" + c : String.format("\\u%04x", (int) c));
    return out.toString();
  }

  private static String text(String value) {
    StringBuilder out = new StringBuilder("\"");
    for (char c : value.toCharArray()) {
      if (c == '"' || c == '\\') out.append('\\').append(c);
      else if (c < 0x20) out.append(String.format("\\u%04x", (int) c));
      else out.append(c);
    }
    return out.append('"').toString();
  }
}
