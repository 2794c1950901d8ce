// Calls an operation with classes that WSDL2Java of Apache Axis 1 made from a WSDL, and prints what
// came of it as JSON. Axis 1 speaks SOAP 1.1 alone.
//
// Usage: java Axis OPERATION < VALUES, UTF-8 with a NUL between them

import authapi.AuthenticatorAPILocator;
import authapi.AuthenticatorAPISoap_PortType;
import authapi.PairingInfo;
import java.nio.charset.StandardCharsets;
import org.apache.axis.AxisFault;

public class Axis {
  public static void main(String[] args) throws Exception {
    String input = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
    AuthenticatorAPISoap_PortType port = new AuthenticatorAPILocator().getAuthenticatorAPISoap();
    System.out.println(Json.ascii(call(port, args[0], input.split("\0", -1))));
  }

  static String call(AuthenticatorAPISoap_PortType port, String operation, String[] values)
      throws Exception {
    try {
      if (operation.equals("ValidatePin")) return Json.result(port.validatePin(values[0], values[1]));
      PairingInfo info = port.pair(values[0], values[1], values[2]);
      return Json.result(info.getManualSetupCode(), info.getHtml());
    } catch (AxisFault fault) {
      return Json.fault("soap:" + fault.getFaultCode().getLocalPart(), fault.getFaultString());
    }
  }
}
