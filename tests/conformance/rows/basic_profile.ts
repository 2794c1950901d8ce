import { deviates, met, notApplicable, type Source, testsOf } from "../row.ts";

const soap = testsOf("exchanges/soap11.md");
const contract = testsOf("exchanges/contract.md");
const xml = testsOf("exchanges/xml.md");
const routes = testsOf("exchanges/routes.md");
const order = testsOf("conformance/soap_test.ts");
const wsdl = testsOf("exchanges/description.md")("The WSDL has all four bindings");

/** WS-I Basic Profile, as RECEIVER and INSTANCE, and for the WSDL. */
export const BASIC_PROFILE: Source = {
  title: "WS-I Basic Profile 1.1",
  note:
    "For a RECEIVER and INSTANCE of SOAP 1.1, and the DESCRIPTION that it publishes; with the Simple " +
    "SOAP Binding Profile 1.0 (SSBP), into which 1.1 put how an envelope is serialized. Requirements " +
    "have kept their numbers in 1.2 (now an OASIS standard); those that are new there are marked. " +
    "They were read in the text of 1.2, and in WS-I's test assertions for 1.1 and matrix for 1.2.",
  isChecked: () => true,
  rows: [
    met("BP-01", "R9980", "MUST", "An envelope has the structure of SOAP 1.1 section 4.", [
      contract("Pair over SOAP 1.1"),
      soap("Nothing else stands in an Envelope"),
    ]),
    met("BP-02", "R9981", "MUST", "The Body has no more than one child.", [
      soap("The Body must hold one operation"),
      contract("Pair over SOAP 1.1"),
    ]),
    met("BP-03", "R1015", "MUST", "A root element that is not Envelope gets a fault.", [
      soap("The root must be an Envelope"),
    ]),
    met("BP-04", "R1014", "MUST", "Children of the Body are in a namespace.", [
      contract("Pair over SOAP 1.1"),
      soap("The Body must hold one operation"),
    ]),
    met("BP-05", "R1008", "MUST", "No document type declaration.", [
      xml("A document type declaration is refused"),
    ]),
    deviates(
      "BP-06",
      "R1009",
      "MUST",
      "No processing instructions in an envelope.",
      "Our replies hold none; a caller's are ignored.",
      [
        soap(
          "White space, comments and processing instructions may stand anywhere between elements",
        ),
      ],
    ),
    met("BP-07", "R1010 (SSBP)", "MUST", "A receiver accepts an XML declaration.", [
      soap("The XML declaration may be absent or spell utf-8 in any case"),
    ]),
    met("BP-08", "R1011", "MUST", "Nothing follows the Body in the Envelope.", [
      soap("Nothing else stands in an Envelope"),
    ]),
    met(
      "BP-09",
      "R1005, R1006",
      "MUST",
      "No encodingStyle in envelopes: we send none, and pass over a caller's.",
      [
        contract("Pair over SOAP 1.1"),
        soap("Type attributes and encodingStyle are passed over"),
      ],
    ),
    deviates(
      "BP-10",
      "R1012 (SSBP)",
      "MUST",
      "Envelopes are UTF-8 or UTF-16.",
      "We send UTF-8 and take nothing else: the contract says UTF-8, and one encoding cannot be confused with another.",
      [
        order("SOAP 1.1: an Envelope in UTF-16 is 415"),
        contract("Pair over SOAP 1.1"),
      ],
    ),
    met("BP-11", "R1018 (SSBP)", "MUST", "A reply names its encoding in the charset parameter.", [
      contract("Pair over SOAP 1.1"),
    ]),
    met(
      "BP-12",
      "R4001 (SSBP), R4006 (1.2)",
      "MUST",
      "A byte order mark before a UTF-8 envelope is accepted.",
      [
        soap("One byte order mark is passed over"),
      ],
    ),
    deviates(
      "BP-13",
      "R4007 (new in 1.2)",
      "MUST",
      "A byte order mark of UTF-16 does not lead to a fault.",
      "UTF-16 is refused altogether, see BP-10.",
      [
        order("SOAP 1.1: an Envelope in UTF-16 is 415"),
      ],
    ),
    deviates(
      "BP-14",
      "R1019 (SSBP)",
      "MUST",
      "The encoding that an XML declaration names is ignored.",
      "A declaration that contradicts the bytes is refused: it is a mistake of the caller's that would show later as wrong letters.",
      [
        soap("An XML declaration of another encoding is an error"),
      ],
    ),
    met(
      "BP-15",
      "R1013",
      "MUST",
      "mustUnderstand is 0 or 1: we send none, and take `true` for 1.",
      [
        soap("A header block that must be understood is a fault"),
        soap("A header block that need not be understood is passed over"),
      ],
    ),
    met("BP-16", "R1017", "MUST", "xsi:type is not required.", [
      contract("Pair over SOAP 1.1"),
      soap("Type attributes and encodingStyle are passed over"),
    ]),
    met(
      "BP-17",
      "R1032",
      "MUST",
      "Envelope, Header and Body have no attributes of the SOAP namespace in what we send.",
      [
        contract("Pair over SOAP 1.1"),
      ],
    ),
    met(
      "BP-18",
      "R1025",
      "MUST",
      "Mandatory header blocks are checked before anything is processed.",
      [
        soap("A header block decides before the Body does"),
        order("SOAP 1.1: a header not understood goes before the Body and the action"),
      ],
    ),
    met(
      "BP-19",
      "R1027",
      "MUST",
      "A mandatory block for this node that is not understood is a MustUnderstand fault.",
      [
        soap("A header block that must be understood is a fault"),
        soap("A header block aimed at this node by its actor is a fault"),
      ],
    ),
    met(
      "BP-20",
      "R1028, R1029",
      "MUST",
      "After a fault no result is sent, and (a SHOULD) nothing more is processed.",
      [
        order("SOAP 1.1: a fault reply holds one Fault and no result"),
      ],
    ),
    met(
      "BP-21",
      "R1000",
      "MUST",
      "A Fault holds only faultcode, faultstring, faultactor and detail.",
      [
        soap("A missing parameter is named"),
      ],
    ),
    met("BP-22", "R1001", "MUST", "The children of a Fault are in no namespace.", [
      soap("A missing parameter is named"),
    ]),
    met(
      "BP-23",
      "R1004, R1031",
      "SHOULD",
      "The faultcode is one of SOAP's own, without the dot notation.",
      [
        soap("A missing parameter is named"),
        soap("What is not XML gets a fault too"),
      ],
    ),
    met("BP-24", "R1141, R1140", "MUST", "HTTP/1.1, or HTTP/1.0.", [
      contract("Pair over SOAP 1.1"),
      soap("An HTTP/1.0 caller is answered"),
    ]),
    met("BP-25", "R1132", "MUST", "A SOAP request is a POST.", [contract("Pair over SOAP 1.1")]),
    met(
      "BP-26",
      "R1109, R2744",
      "MUST",
      "SOAPAction is quoted and equal to the WSDL's soapAction; one that is not equal is refused.",
      [
        soap("A SOAPAction names the operation, with quotes or without"),
        soap("A SOAPAction that names another operation is refused"),
      ],
    ),
    met("BP-27", "R1124, R1111", "MUST", "A success is 2xx, and should be 200.", [
      contract("ValidatePin over SOAP 1.1"),
    ]),
    deviates(
      "BP-28",
      "R1125, R1113",
      "MUST",
      "A malformed request is 4xx, and should be 400.",
      "It is 500 with a fault that says where the error is: the clients of this service read a fault only with 500.",
      [
        soap("What is not XML gets a fault too"),
      ],
    ),
    met(
      "BP-29",
      "R1114",
      "SHOULD",
      "A method other than POST is 405; GET is the contract's own binding and the service page.",
      [
        routes("Another verb is 405 and says what is allowed"),
      ],
    ),
    met("BP-30", "R1115", "SHOULD", "A Content-Type that the WSDL does not allow is 415.", [
      soap("Another media type is 415"),
    ]),
    deviates(
      "BP-31",
      "R1126",
      "MUST",
      "A reply that holds a Fault is 500.",
      "413, 415, 408, 414, 401 and 503 keep their status and say in a fault what is wrong; a client that looks at the status alone loses nothing.",
      [
        soap("Another media type is 415"),
        testsOf("exchanges/limits.md")("A SOAP 1.1 body has at most 65,536 bytes"),
      ],
    ),
    met(
      "BP-32",
      "R2724",
      "SHOULD",
      "An envelope that the WSDL does not describe gets a Client fault.",
      [
        soap("The Body must hold one operation"),
        soap("A missing parameter is named"),
      ],
    ),
    met(
      "BP-33",
      "R2725",
      "MUST",
      "VersionMismatch, MustUnderstand and Client are looked for in this order.",
      [
        order("SOAP 1.1: a version mismatch goes before everything else"),
        order("SOAP 1.1: a header not understood goes before the Body and the action"),
      ],
    ),
    met(
      "BP-34",
      "R2712",
      "MUST",
      "The child of the Body is the global element that the message part refers to.",
      [
        contract("Pair over SOAP 1.1"),
        wsdl,
      ],
    ),
    met("BP-35", "R0001", "MUST", "The WSDL is there for the asking.", [wsdl]),
    met("BP-36", "R4003, R4004", "MUST", "The WSDL is XML 1.0 in UTF-8.", [wsdl]),
    met("BP-37", "R2701, R2702", "MUST", "The SOAP binding names the HTTP transport.", [wsdl]),
    met(
      "BP-38",
      "R2705, R2706, R2716",
      "MUST",
      "The SOAP binding is document/literal, without a namespace on soap:body.",
      [wsdl],
    ),
    met(
      "BP-39",
      "R2204, R2210",
      "MUST",
      "Messages of the SOAP binding have one part, defined by an element.",
      [wsdl],
    ),
    met(
      "BP-40",
      "R2105, R2801",
      "MUST",
      "The schema has a target namespace and is XML Schema 1.0.",
      [wsdl],
    ),
    met(
      "BP-41",
      "R2718, R2304",
      "MUST",
      "A binding has the operations of its portType, with distinct names.",
      [wsdl],
    ),
    deviates(
      "BP-42",
      "R2401",
      "MUST",
      "Every binding of the WSDL is a SOAP binding.",
      "The contract has four bindings, and two of them are HTTP GET and HTTP POST, described as WSDL 1.1 does.",
      [wsdl],
    ),
    met("BP-43", "R5001", "MUST", "The address is http or https, whichever is in use.", [
      testsOf("exchanges/base_url.md")("Addresses begin with the base URL"),
      testsOf("exchanges/trust_proxy.md")("Forwarded fields are believed"),
    ]),
    notApplicable(
      "BP-44",
      "R1121, R1122",
      "SHOULD",
      "Cookies.",
      "The service sets none and reads none.",
    ),
    notApplicable(
      "BP-45",
      "R1040 and on (1.2)",
      "MUST",
      "WS-Addressing.",
      "The service does not use it; such blocks are header blocks like any other.",
      [
        soap("A header block that need not be understood is passed over"),
      ],
    ),
    notApplicable(
      "BP-46",
      "R2203 and other rpc-literal",
      "MUST",
      "rpc-literal bindings.",
      "The binding is document/literal.",
    ),
    notApplicable(
      "BP-47",
      "R1130",
      "MUST",
      "A redirect to another endpoint is 307.",
      "The endpoint is never redirected; `/` leads a browser to the service page.",
    ),
    notApplicable(
      "BP-48",
      "R3100 and other UDDI",
      "MUST",
      "UDDI registration.",
      "The service is in no registry.",
    ),
    notApplicable(
      "BP-49",
      "R1002, R1003, R1016, R1107",
      "MUST",
      "How a receiver reads a fault.",
      "The service sends faults and receives none.",
    ),
  ],
};
