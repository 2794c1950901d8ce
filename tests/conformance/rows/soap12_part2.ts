import { deviates, met, notApplicable, type Source, testsOf } from "../row.ts";

const soap = testsOf("exchanges/soap12.md");
const contract = testsOf("exchanges/contract.md");

/** The HTTP binding, as the responding node. */
export const SOAP12_PART2: Source = {
  title: "SOAP 1.2 part 2",
  note:
    "Adjuncts, W3C Recommendation, second edition, 27 April 2007: the HTTP binding (section 7) for " +
    "the responding node, and the action feature (section 6.5; RFC 3902 for the media type).",
  // The text of RFC 3902 was not at hand.
  isChecked: (id) => !["A12-07", "A12-09", "A12-10", "A12-12"].includes(id),
  rows: [
    met("A12-01", "§7.1.4", "MUST", "Messages are sent and received as application/soap+xml.", [
      contract("Pair over SOAP 1.2"),
    ]),
    met("A12-02", "§7.5.2.2, table 19", "MUST", "A success is 200 with the response envelope.", [
      contract("ValidatePin over SOAP 1.2"),
    ]),
    deviates(
      "A12-03",
      "§7.5.2.1, table 18; §7.5.2.2, table 20",
      "MUST",
      "A Sender fault, and a malformed message, is HTTP 400.",
      "It is 500: the original does that, and SAAJ and WCF never read a fault that comes with 400.",
      [
        soap("A missing parameter is named"),
        soap("What is not XML gets a fault too"),
      ],
    ),
    met(
      "A12-04",
      "§7.5.2.2, table 20",
      "MUST",
      "VersionMismatch, MustUnderstand and Receiver faults are HTTP 500.",
      [
        soap("An Envelope in another namespace is a version mismatch"),
        soap("A header block that must be understood is a fault"),
        testsOf("conformance/soap_test.ts")(
          "SOAP 1.2: an unexpected error is the receiver's, with 500",
        ),
      ],
    ),
    met("A12-05", "§7.5.2.1, table 18", "MUST", "A method that is not supported is 405.", [
      testsOf("exchanges/routes.md")("Another verb is 405 and says what is allowed"),
    ]),
    met("A12-06", "§7.5.2.1, table 18", "MUST", "A media type that is not supported is 415.", [
      testsOf("exchanges/soap11.md")("Another media type is 415"),
      soap("Another charset is 415"),
    ]),
    met(
      "A12-07",
      "§6.5.2; RFC 3902",
      "MAY",
      "A receiver may use the action to decide, and may insist on it.",
      [
        soap("An action names the operation, with quotes or without"),
        soap("An action that names another operation is refused"),
        soap("A missing or empty action leaves it to the Body"),
      ],
    ),
    met(
      "A12-08",
      "§6.5.3",
      "MUST",
      "The action is the `action` parameter of the media type, not a SOAPAction.",
      [
        soap("An action names the operation, with quotes or without"),
        soap("A SOAPAction beside SOAP 1.2 means nothing"),
      ],
    ),
    met(
      "A12-09",
      "RFC 3902, charset",
      "MUST",
      "The charset parameter means what it does for application/xml; utf-8 is understood.",
      [
        soap("The media type is compared without case, its parameters do not matter"),
      ],
    ),
    deviates(
      "A12-10",
      "RFC 3902; RFC 7303",
      "MUST",
      "An XML processor reads UTF-16 as well as UTF-8.",
      "UTF-8 only, as the contract says; UTF-16 is 415 in words. No public caller sends it.",
      [
        testsOf("conformance/soap_test.ts")("SOAP 1.2: an Envelope in UTF-16 is 415"),
      ],
    ),
    deviates(
      "A12-11",
      "§7.3",
      "MUST",
      "The binding has the SOAP response pattern too: GET with a SOAP message as the reply.",
      "The contract's HTTP GET binding answers plain XML.",
      [contract("ValidatePin by HTTP GET")],
    ),
    notApplicable(
      "A12-12",
      "§2 to §4",
      "MUST",
      "Data model, SOAP encoding and RPC representation.",
      "Messages are document/literal.",
    ),
  ],
};
