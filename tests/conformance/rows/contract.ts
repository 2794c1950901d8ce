import { met, notApplicable, type Source, testsOf } from "../row.ts";

const contract = testsOf("exchanges/contract.md");
const agree = testsOf("bindings_agree_test.ts");

/** The contract that the project was given. */
export const CONTRACT: Source = {
  title: "The contract",
  note:
    "The description of Pair and ValidatePin that the project was given (`contract.md`). What it " +
    "leaves open the wire contract below decides.",
  isChecked: () => true,
  rows: [
    met(
      "C-01",
      "§1",
      "MUST",
      "Pair takes appName, appInfo and secretCode, and returns a manual setup code and an HTML fragment.",
      [
        contract("Pair over SOAP 1.1"),
      ],
    ),
    met(
      "C-02",
      "§1",
      "MUST",
      "ValidatePin takes a pin and a secretCode, and returns whether the pin is valid for it.",
      [
        contract("ValidatePin over SOAP 1.1"),
      ],
    ),
    met(
      "C-03",
      "§2",
      "MUST",
      "PairingInfo has the fields ManualSetupCode and Html, both strings.",
      [
        contract("Pair by HTTP GET"),
        contract("Pair over SOAP 1.2"),
      ],
    ),
    met("C-04", "§2", "MUST", "Over SOAP the result of Pair is PairResult inside PairResponse.", [
      contract("Pair over SOAP 1.1"),
      contract("Pair over SOAP 1.2"),
    ]),
    met("C-05", "§2", "MUST", "By HTTP GET and HTTP POST the root element is PairingInfo.", [
      contract("Pair by HTTP GET"),
      contract("Pair by HTTP POST"),
    ]),
    met(
      "C-06",
      "§2",
      "MUST",
      "appName, appInfo and secretCode are required for Pair in every binding.",
      [
        agree("Pair without … is the same error in all bindings"),
      ],
    ),
    met("C-07", "§2", "MUST", "pin and secretCode are required for ValidatePin in every binding.", [
      agree("ValidatePin without … is the same error in all bindings"),
    ]),
    met("C-08", "§2", "MUST", "The result of ValidatePin is a boolean: true or false.", [
      contract("ValidatePin by HTTP GET"),
    ]),
    met("C-09", "§4", "MUST", "All paths of the operations are under `/api.asmx`.", [
      testsOf("exchanges/routes.md")("The file part of a path is compared without case"),
    ]),
    met(
      "C-10",
      "§4",
      "MUST",
      "The elements of requests and replies are in one configurable namespace, an absolute URI that ends with a slash.",
      [
        testsOf("exchanges/namespace.md")("Calls and replies are in the namespace"),
        testsOf("config/options_test.ts")(
          "parseCommand() names --namespace and what is expected, never the value",
        ),
      ],
    ),
    met(
      "C-11",
      "§4.1, SOAP 1.1",
      "MUST",
      "Pair answers a SOAP 1.1 envelope with text/xml in UTF-8 and a quoted SOAPAction, with 200 and text/xml in UTF-8.",
      [
        contract("Pair over SOAP 1.1"),
      ],
    ),
    met(
      "C-12",
      "§4.1, SOAP 1.2",
      "MUST",
      "Pair answers a SOAP 1.2 envelope with application/soap+xml and no SOAPAction, in the same structure and media type.",
      [
        contract("Pair over SOAP 1.2"),
      ],
    ),
    met(
      "C-13",
      "§4.1, HTTP GET",
      "MUST",
      "Pair answers `GET /api.asmx/Pair` with its parameters in the query.",
      [
        contract("Pair by HTTP GET"),
      ],
    ),
    met(
      "C-14",
      "§4.1, HTTP POST",
      "MUST",
      "Pair answers `POST /api.asmx/Pair` with its parameters in a form body, like HTTP GET.",
      [
        contract("Pair by HTTP POST"),
      ],
    ),
    met(
      "C-15",
      "§4.2, SOAP 1.1",
      "MUST",
      "ValidatePin answers a SOAP 1.1 envelope with ValidatePinResult in ValidatePinResponse.",
      [
        contract("ValidatePin over SOAP 1.1"),
      ],
    ),
    met(
      "C-16",
      "§4.2, SOAP 1.2",
      "MUST",
      "ValidatePin answers a SOAP 1.2 envelope in the same structure.",
      [
        contract("ValidatePin over SOAP 1.2"),
      ],
    ),
    met(
      "C-17",
      "§4.2, HTTP GET",
      "MUST",
      "ValidatePin answers `GET /api.asmx/ValidatePin` with a root element boolean and the boolean as its text.",
      [
        contract("ValidatePin by HTTP GET"),
      ],
    ),
    met(
      "C-18",
      "§4.2, HTTP POST",
      "MUST",
      "ValidatePin answers `POST /api.asmx/ValidatePin` like HTTP GET.",
      [
        contract("ValidatePin by HTTP POST"),
      ],
    ),
    met(
      "C-19",
      "§4.3, rule 1",
      "MUST",
      "Each operation returns the same logical result in all bindings.",
      [
        agree("Pair has the same result in all bindings for …"),
        agree("ValidatePin has the same result in all bindings for …"),
      ],
    ),
    met(
      "C-20",
      "§4.3, rule 2",
      "MUST",
      "A request with Host and Content-Length is answered; a success is always 200.",
      [
        contract("Pair by HTTP POST"),
        contract("ValidatePin over SOAP 1.2"),
      ],
    ),
    met(
      "C-21",
      "§4.3, rule 3",
      "MUST",
      "Requests and replies are UTF-8, with an XML declaration of version 1.0 and encoding utf-8.",
      [
        contract("Pair over SOAP 1.1"),
        contract("ValidatePin by HTTP POST"),
      ],
    ),
    met(
      "C-22",
      "§5",
      "MUST",
      "The secretCode is an ordinary parameter of both operations, and callers need nothing else.",
      [
        contract("ValidatePin by HTTP POST"),
        testsOf("http/keys_test.ts")("createHandler() without keys asks for none"),
      ],
    ),
    met("C-23", "§9", "MUST", "SOAP 1.1 and SOAP 1.2 are offered side by side at one address.", [
      contract("Pair over SOAP 1.1"),
      contract("Pair over SOAP 1.2"),
    ]),
    notApplicable(
      "C-24",
      "§3, §6",
      "MUST",
      "States, transitions, events, callbacks and notifications.",
      "The contract shows none, and the service has none.",
    ),
  ],
};
