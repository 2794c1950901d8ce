import { deviates, met, notApplicable, type Source, testsOf } from "../row.ts";

const soap = testsOf("exchanges/soap11.md");
const contract = testsOf("exchanges/contract.md");
const xml = testsOf("exchanges/xml.md");
const order = testsOf("conformance/soap_test.ts");

/** SOAP 1.1, as a receiver that answers. */
export const SOAP11: Source = {
  title: "SOAP 1.1",
  note:
    "W3C Note of 8 May 2000, sections 3, 4 and 6, for a server that is the ultimate recipient. " +
    "Section 5 (SOAP encoding) and 7 (RPC) bind only messages that use them.",
  isChecked: () => true,
  rows: [
    met("S11-01", "§3", "MUST", "A message holds no document type declaration.", [
      xml("A document type declaration is refused"),
    ]),
    deviates(
      "S11-02",
      "§3",
      "MUST",
      "A message holds no processing instructions.",
      "Our replies hold none; a caller's are ignored, since refusing them would help nobody.",
      [
        soap(
          "White space, comments and processing instructions may stand anywhere between elements",
        ),
        order("SOAP 1.1: what a sender should not have written is passed over"),
        contract("Pair over SOAP 1.1"),
      ],
    ),
    met(
      "S11-03",
      "§3",
      "SHOULD",
      "Elements and attributes of SOAP are in its namespaces in what we send.",
      [
        contract("Pair over SOAP 1.1"),
      ],
    ),
    met("S11-33", "§3", "MUST", "Messages with wrong namespaces are discarded.", [
      soap("An Envelope in another namespace is a version mismatch"),
      soap("The root must be an Envelope"),
    ]),
    met("S11-04", "§4", "MUST", "The Envelope is the top element.", [
      soap("The root must be an Envelope"),
    ]),
    met(
      "S11-05",
      "§4",
      "MUST",
      "A Header, when there is one, is the first child of the Envelope.",
      [
        soap("A Header may stand before the Body"),
        soap("Nothing else stands in an Envelope"),
      ],
    ),
    met("S11-06", "§4", "MUST", "A Body is there, and follows the Header or comes first.", [
      soap("An Envelope must hold a Body"),
      soap("Nothing else stands in an Envelope"),
    ]),
    deviates(
      "S11-07",
      "§4",
      "MAY",
      "An Envelope may hold other qualified elements behind the Body.",
      "WS-I Basic Profile R1011 forbids them, and two readers could take different parts for the message.",
      [
        soap("Nothing else stands in an Envelope"),
      ],
    ),
    met(
      "S11-08",
      "§4.1.1",
      "MAY",
      "encodingStyle may appear on any element; the service uses literal XML and needs none.",
      [
        soap("Type attributes and encodingStyle are passed over"),
      ],
    ),
    met(
      "S11-09",
      "§4.1.2",
      "MUST",
      "An Envelope in another namespace is a version error: the message is discarded and a VersionMismatch fault sent.",
      [
        soap("An Envelope in another namespace is a version mismatch"),
        order("SOAP 1.1: a version mismatch goes before everything else"),
      ],
    ),
    met("S11-10", "§4.1.2", "MUST", "The VersionMismatch fault is in SOAP 1.1.", [
      soap("An Envelope in another namespace is a version mismatch"),
    ]),
    met(
      "S11-11",
      "§4.2.1",
      "MUST",
      "Only actor and mustUnderstand on a child of Header count; elsewhere they are ignored.",
      [
        soap("Only a header block of its own counts"),
      ],
    ),
    met(
      "S11-12",
      "§4.2.2",
      "MUST",
      "A block without an actor is for the ultimate recipient; the actor `next` is for us as well.",
      [
        soap("A header block aimed at this node by its actor is a fault"),
        soap("A header block that must be understood is a fault"),
      ],
    ),
    met("S11-13", "§4.2.2", "MUST", "A block for another actor is not ours to process.", [
      soap("A header block aimed at another node is passed over"),
    ]),
    met(
      "S11-14",
      "§4.2.3",
      "MUST",
      "A block with mustUnderstand 1 that we do not understand makes the message fail with a MustUnderstand fault.",
      [
        soap("A header block that must be understood is a fault"),
        soap("Of several header blocks, one is enough for the fault"),
        soap("A header block decides before the Body does"),
      ],
    ),
    met("S11-15", "§4.2.3", "MUST", "Without the attribute, or with 0, a block may be ignored.", [
      soap("A header block that need not be understood is passed over"),
    ]),
    deviates(
      "S11-16",
      "§4.2.3",
      "MUST",
      "mustUnderstand is 1 or 0 and nothing else.",
      "`true` counts as 1, as in SOAP 1.2 and as in the original: what a caller insists on is not ignored.",
      [
        soap("A header block that must be understood is a fault"),
      ],
    ),
    deviates(
      "S11-32",
      "§4, §4.2",
      "MUST",
      "Children of Header are in a namespace.",
      "One in no namespace is treated like any other block.",
      [
        order("SOAP 1.1: what a sender should not have written is passed over"),
      ],
    ),
    met(
      "S11-17",
      "§4.3",
      "MAY",
      "Body entries are children of the Body; each is qualified or not.",
      [
        soap("The Body must hold one operation"),
        soap("Any prefix will do, and none"),
      ],
    ),
    met("S11-18", "§4.4", "MUST", "A Fault is an entry of the Body and appears once.", [
      soap("A missing parameter is named"),
      order("SOAP 1.1: a fault reply holds one Fault and no result"),
    ]),
    met("S11-19", "§4.4", "MUST", "faultcode is there and is a qualified name.", [
      soap("A missing parameter is named"),
    ]),
    met("S11-20", "§4.4", "MUST", "faultstring is there and says something a person understands.", [
      soap("A missing parameter is named"),
      soap("What is not XML gets a fault too"),
    ]),
    met(
      "S11-21",
      "§4.4",
      "MUST",
      "detail is there when the Body could not be processed, and is missing when the fault is about a header.",
      [
        soap("A missing parameter is named"),
        soap("A header block that must be understood is a fault"),
      ],
    ),
    met(
      "S11-22",
      "§4.4.1",
      "MUST",
      "The codes are VersionMismatch, MustUnderstand, Client and Server, in the namespace of the Envelope.",
      [
        soap("An Envelope in another namespace is a version mismatch"),
        soap("A header block that must be understood is a fault"),
        soap("The Body must hold one operation"),
        testsOf("conformance/soap_test.ts")(
          "SOAP 1.1: an unexpected error is the receiver's, with 500",
        ),
      ],
    ),
    met("S11-23", "§6", "MUST", "A message over HTTP is text/xml.", [
      contract("Pair over SOAP 1.1"),
      soap("Another media type is 415"),
    ]),
    deviates(
      "S11-24",
      "§6.1.1",
      "MUST",
      "A client sends a SOAPAction; without one its intent is unknown.",
      "A missing or empty one leaves it to the element in the Body, as the original does; one that names another operation is refused.",
      [
        soap("A missing or empty SOAPAction leaves it to the Body"),
        soap("A SOAPAction that names another operation is refused"),
      ],
    ),
    met(
      "S11-25",
      "§6.1.1",
      "MAY",
      "A server may filter by SOAPAction; its value is a URI in quotes.",
      [
        soap("A SOAPAction names the operation, with quotes or without"),
        soap("Two SOAPActions are refused"),
      ],
    ),
    met("S11-26", "§6.2", "MUST", "A success is a 2xx with an Envelope.", [
      contract("ValidatePin over SOAP 1.1"),
    ]),
    deviates(
      "S11-27",
      "§6.2",
      "MUST",
      "An error while processing is 500 with an Envelope that holds a Fault.",
      "It is, once the message was read. A body that could not be read keeps the status that says why (408, 413, 415, 503), and a caller without a key gets 401; a fault comes with each of them, see BP-31.",
      [
        soap("A missing parameter is named"),
        soap("What is not XML gets a fault too"),
        soap("Another media type is 415"),
        testsOf("exchanges/limits.md")("A SOAP 1.1 body has at most 65,536 bytes"),
      ],
    ),
    notApplicable(
      "S11-28",
      "§5",
      "MUST",
      "SOAP encoding: multi-reference values, arrays, xsi:type of values.",
      "Messages are document/literal; the only values are strings and a boolean.",
      [
        soap("Type attributes and encodingStyle are passed over"),
      ],
    ),
    notApplicable(
      "S11-29",
      "§6.3",
      "MAY",
      "The HTTP Extension Framework (M-POST).",
      "It was never in use, and WS-I forbids it. M-POST is another verb: 405.",
    ),
    notApplicable(
      "S11-30",
      "§7",
      "MUST",
      "RPC conventions.",
      "The binding is document/literal; the wrapper element only looks like RPC.",
    ),
    notApplicable(
      "S11-31",
      "§4.4",
      "MUST",
      "A node that is not the ultimate destination names itself in faultactor.",
      "The service is the ultimate destination and may leave it out.",
    ),
  ],
};
