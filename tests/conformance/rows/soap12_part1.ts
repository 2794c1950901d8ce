import { deviates, met, notApplicable, type Source, testsOf } from "../row.ts";

const soap = testsOf("exchanges/soap12.md");
const contract = testsOf("exchanges/contract.md");
const xml = testsOf("exchanges/xml.md");
const order = testsOf("conformance/soap_test.ts");

/** The messaging framework, as an ultimate receiver. */
export const SOAP12_PART1: Source = {
  title: "SOAP 1.2 part 1",
  note:
    "Messaging Framework, W3C Recommendation, second edition, 27 April 2007, for an ultimate receiver.",
  isChecked: () => true,
  rows: [
    met("S12-01", "§2.2", "MUST", "The node acts in the roles `next` and `ultimateReceiver`.", [
      soap("A header block aimed at this node by its role is a fault"),
    ]),
    met(
      "S12-02",
      "§2.2",
      "MUST",
      "It never acts in the role `none`, nor in one that it does not know.",
      [
        soap("A header block aimed at another node is passed over"),
      ],
    ),
    met(
      "S12-03",
      "§2.6",
      "MUST",
      "A mandatory block for this node that it does not understand is one MustUnderstand fault, and nothing is processed.",
      [
        soap("A header block that must be understood is a fault"),
        soap("A header block decides before the Body does"),
        order("SOAP 1.2: a header not understood goes before the Body and the action"),
      ],
    ),
    met("S12-04", "§2.6", "MAY", "Blocks that are not mandatory may be ignored.", [
      soap("A header block that need not be understood is passed over"),
    ]),
    met("S12-05", "§2.6", "MUST", "The ultimate receiver processes the Body.", [
      contract("ValidatePin over SOAP 1.2"),
    ]),
    met("S12-06", "§2.6", "MUST", "Processing ends in at most one fault.", [
      order("SOAP 1.2: a fault reply holds one Fault and no result"),
    ]),
    met(
      "S12-07",
      "§2.8",
      "MUST",
      "The version is that of the Envelope's name; an unknown one is a VersionMismatch fault.",
      [
        soap("An Envelope in another namespace is a version mismatch"),
        order("SOAP 1.2: a version mismatch goes before everything else"),
      ],
    ),
    met(
      "S12-08",
      "§5",
      "MUST",
      "A message has no document type declaration, and a receiver does not read one.",
      [
        xml("A document type declaration is refused"),
      ],
    ),
    met("S12-36", "§5", "MUST", "What we send holds no processing instructions.", [
      contract("Pair over SOAP 1.2"),
      soap("A missing parameter is named"),
    ]),
    deviates(
      "S12-09",
      "§5",
      "SHOULD",
      "A receiver answers a processing instruction with a Sender fault.",
      "It is ignored, since refusing it would help nobody.",
      [
        soap(
          "White space, comments and processing instructions may stand anywhere between elements",
        ),
        order("SOAP 1.2: what a sender should not have written is passed over"),
      ],
    ),
    deviates(
      "S12-31",
      "§5",
      "MUST",
      "Comments stand inside the Envelope, not before or behind it.",
      "They are ignored there too, as XML allows.",
      [
        order("SOAP 1.2: what a sender should not have written is passed over"),
      ],
    ),
    deviates(
      "S12-32",
      "§2.8, §5.4.6",
      "MUST",
      "A root element that is not Envelope, by name or namespace, is a VersionMismatch.",
      "A root of another name in the namespace of SOAP 1.2 is a Sender fault, since no other version would help; the original answers so as well.",
      [
        order("SOAP 1.2: a root of another name is the sender's mistake, not another version"),
      ],
    ),
    met("S12-33", "§2.8", "MUST", "Any other malformation is a Sender fault.", [
      soap("What is not XML gets a fault too"),
      soap("Nothing else stands in an Envelope"),
      soap("The Body must hold one operation"),
    ]),
    met(
      "S12-10",
      "§5",
      "MAY",
      "Comments and white space may stand between elements inside the Envelope.",
      [
        soap(
          "White space, comments and processing instructions may stand anywhere between elements",
        ),
      ],
    ),
    met(
      "S12-11",
      "§5.1",
      "MUST",
      "The document element is Envelope in the SOAP 1.2 namespace: an optional Header, then a Body, and nothing else.",
      [
        soap("The root must be an Envelope"),
        soap("A Header may stand before the Body"),
        soap("An Envelope must hold a Body"),
        soap("Nothing else stands in an Envelope"),
      ],
    ),
    met(
      "S12-12",
      "§5, §5.3",
      "MUST",
      "Only white space stands between the children of Envelope, Header and Body.",
      [
        soap("Text that is not blank is an error in Envelope, Header and Body"),
      ],
    ),
    deviates(
      "S12-13",
      "§5.1.1",
      "MUST",
      "encodingStyle stands on header blocks, the children of Body and what is in them, and nowhere else.",
      "We send none; a caller's is ignored wherever it stands, since old stacks write it on the Envelope.",
      [
        soap("Type attributes and encodingStyle are passed over"),
        order("SOAP 1.2: what a sender should not have written is passed over"),
      ],
    ),
    deviates(
      "S12-14",
      "§5.2.1",
      "MUST",
      "A header block is in a namespace.",
      "One in no namespace is treated like any other: ignored, or not understood.",
      [
        order("SOAP 1.2: what a sender should not have written is passed over"),
      ],
    ),
    deviates(
      "S12-34",
      "§5.1, §5.2, §5.3",
      "MUST",
      "Attributes of Envelope, Header and Body are in a namespace.",
      "We write none but declarations; a caller's are ignored.",
      [
        order("SOAP 1.2: what a sender should not have written is passed over"),
      ],
    ),
    met(
      "S12-35",
      "§5.2.2, §5.2.3",
      "MUST",
      "role and mustUnderstand are ignored inside a block and in the Body.",
      [
        soap("Only a header block of its own counts"),
      ],
    ),
    met(
      "S12-15",
      "§5.2.2",
      "MUST",
      "A block without a role is for the ultimate receiver; one with an empty role is taken for the same.",
      [
        soap("A header block aimed at this node by its role is a fault"),
        soap("A header block that must be understood is a fault"),
      ],
    ),
    met(
      "S12-16",
      "§5.2.3",
      "MUST",
      "Every way to write a boolean is accepted for mustUnderstand; without it a block is optional.",
      [
        soap("A header block that must be understood is a fault"),
        soap("A header block that need not be understood is passed over"),
        order("SOAP 1.2: mustUnderstand may have blanks around it"),
      ],
    ),
    notApplicable(
      "S12-17",
      "§5.2.4",
      "MUST",
      "relay: what an intermediary forwards.",
      "The service is no intermediary.",
    ),
    met("S12-18", "§5.3", "MUST", "The Body is in the SOAP 1.2 namespace.", [
      soap("An Envelope must hold a Body"),
    ]),
    met("S12-19", "§5.3.1", "SHOULD", "Children of Body are in a namespace.", [
      contract("Pair over SOAP 1.2"),
      soap("The Body must hold one operation"),
    ]),
    met(
      "S12-20",
      "§5.4",
      "MUST",
      "A Fault is the only child of Body, with Code, then Reason, then what is optional.",
      [
        soap("A missing parameter is named"),
      ],
    ),
    met(
      "S12-21",
      "§5.4.1",
      "MUST",
      "Code holds a Value, one of the five codes as a qualified name.",
      [
        soap("A missing parameter is named"),
      ],
    ),
    met("S12-22", "§5.4.2", "MUST", "Reason holds a Text with xml:lang.", [
      soap("A missing parameter is named"),
    ]),
    met(
      "S12-23",
      "§5.4.5",
      "MAY",
      "Detail may be there, empty, and says nothing about which part was processed.",
      [
        soap("A missing parameter is named"),
      ],
    ),
    met(
      "S12-24",
      "§5.4.6",
      "MUST",
      "VersionMismatch, MustUnderstand, Sender and Receiver mean what the table says.",
      [
        soap("An Envelope in another namespace is a version mismatch"),
        soap("A header block that must be understood is a fault"),
        soap("A missing parameter is named"),
        testsOf("conformance/soap_test.ts")(
          "SOAP 1.2: an unexpected error is the receiver's, with 500",
        ),
      ],
    ),
    notApplicable(
      "S12-25",
      "§5.4.6",
      "MUST",
      "DataEncodingUnknown, for an encodingStyle that is not supported.",
      "encodingStyle is ignored, since parameters are plain strings in every encoding.",
    ),
    met(
      "S12-26",
      "§5.4.7",
      "SHOULD",
      "A VersionMismatch fault carries an Upgrade block that names the versions supported, best first.",
      [
        soap("An Envelope in another namespace is a version mismatch"),
      ],
    ),
    deviates(
      "S12-27",
      "Appendix A",
      "MUST",
      "A node that knows both versions processes an envelope of SOAP 1.1, or answers it in SOAP 1.1.",
      "The media type decides the version of the reply, so a SOAP 1.1 envelope sent as application/soap+xml gets the fault of SOAP 1.2.",
      [
        soap("An Envelope in another namespace is a version mismatch"),
      ],
    ),
    deviates(
      "S12-28",
      "§5.4.8",
      "SHOULD",
      "A MustUnderstand fault has a NotUnderstood block for each block that was not understood.",
      "One for each distinct name, at most eight, and none for a namespace name over 256 characters: a namespace name is declared once, and could make the fault thousands of times as large as its request.",
      [
        soap("Of several header blocks, each that is not understood is named"),
        soap("A header block that is not understood is named once"),
        soap("Of header blocks that are not understood, the first eight are named"),
        soap("A header block of a namespace over 256 characters is not named"),
        soap("A header block in the namespace of xml is named with that prefix"),
        soap("A NotUnderstood block escapes a namespace name"),
      ],
    ),
    notApplicable(
      "S12-29",
      "§5.4.3",
      "MUST",
      "A node that is not the ultimate receiver names itself in Node.",
      "The service is the ultimate receiver.",
    ),
    met(
      "S12-30",
      "§1.1",
      "MUST",
      "A prefix means nothing: names are compared as namespace name and local name.",
      [
        soap("Any prefix will do, and none"),
      ],
    ),
  ],
};
