// Calls an operation with classes that wsimport of the JAX-WS reference implementation made from a
// WSDL, and prints what came of it as JSON.
//
// Usage: java JaxWs VERSION OPERATION < VALUES, UTF-8 with a NUL between them

import authapi.AuthenticatorAPI;
import authapi.AuthenticatorAPISoap;
import authapi.PairingInfo;
import java.nio.charset.StandardCharsets;
import javax.xml.ws.BindingProvider;
import javax.xml.ws.soap.SOAPFaultException;

public class JaxWs {
  public static void main(String[] args) throws Exception {
    String input = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
    AuthenticatorAPI service = new AuthenticatorAPI();
    AuthenticatorAPISoap port = args[0].equals("1.1")
        ? service.getAuthenticatorAPISoap()
        : service.getAuthenticatorAPISoap12();
    String binding = ((BindingProvider) port).getBinding().getBindingID();
    if (binding.contains("2003/05") != args[0].equals("1.2")) throw new Error(binding);
    System.out.println(Json.ascii(call(port, args[1], input.split("\0", -1))));
  }

  static String call(AuthenticatorAPISoap port, String operation, String[] values) {
    try {
      if (operation.equals("ValidatePin")) return Json.result(port.validatePin(values[0], values[1]));
      PairingInfo info = port.pair(values[0], values[1], values[2]);
      return Json.result(info.getManualSetupCode(), info.getHtml());
    } catch (SOAPFaultException e) {
      return Json.fault(e.getFault().getFaultCode(), e.getFault().getFaultString());
    }
  }
}
