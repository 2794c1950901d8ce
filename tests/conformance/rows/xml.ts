import { deviates, met, notApplicable, type Source, testsOf } from "../row.ts";

const xml = testsOf("exchanges/xml.md");
const soap = testsOf("exchanges/soap11.md");
const tokenizer = testsOf("xml/tokenizer_test.ts");
const tree = testsOf("xml/tree_test.ts");
const cursor = testsOf("xml/cursor_test.ts");
const writer = testsOf("xml/writer_test.ts");

const NO_DTD = "It concerns declarations in a document type, and a document with one is refused.";

/** XML 1.0, as a processor that does not validate. */
export const XML: Source = {
  title: "XML 1.0",
  note: "Fifth edition, for a processor that does not validate and refuses every document type. " +
    "Numbers in brackets are productions, WFC well-formedness constraints.",
  isChecked: () => true,
  rows: [
    met("X-01", "§2.1 [1]", "MUST", "One root element, nothing around it but Misc.", [
      xml("There is one root element, and nothing but Misc around it"),
      tree("parseXml() reads [1] document"),
    ]),
    met("X-02", "§2.2 [2]", "MUST", "Only characters of Char.", [
      xml("A character that XML forbids is refused"),
      tokenizer("tokenize() reads [2] Char"),
      cursor("findForbiddenCharacter() knows [2] Char"),
    ]),
    deviates(
      "X-03",
      "§2.2, §4.3.3",
      "MUST",
      "A processor reads UTF-8 and UTF-16.",
      "UTF-8 only: the contract says so. UTF-16 is 415 in words.",
      [
        testsOf("conformance/soap_test.ts")("SOAP 1.1: an Envelope in UTF-16 is 415"),
      ],
    ),
    met("X-04", "§2.3 [4], [4a], [5]", "MUST", "Names have the characters of the fifth edition.", [
      xml("Names are those of the fifth edition"),
      cursor("Cursor.name() begins a name with the characters of [4] NameStartChar"),
      cursor("Cursor.name() goes on with the characters of [4a] NameChar"),
    ]),
    met("X-05", "§2.4 [14]", "MUST", "No `<` and no bare `&` in character data.", [
      xml("Entities other than the five predefined are refused"),
      tokenizer("tokenize() reads [14] CharData"),
    ]),
    met("X-06", "§2.4 [14]", "MUST", "No `]]>` in character data.", [
      xml("A section end may not stand in text"),
    ]),
    met("X-07", "§2.5 [15]", "MUST", "No `--` in a comment.", [
      xml("Two hyphens may not stand in a comment"),
      tokenizer("tokenize() reads [15] Comment"),
    ]),
    met(
      "X-08",
      "§2.6 [16], [17]",
      "MUST",
      "A processing instruction is not called xml, in any case.",
      [
        xml("A processing instruction may not be called xml"),
        tokenizer("tokenize() reads [16] PI"),
      ],
    ),
    met("X-09", "§2.7 [18] to [21]", "MUST", "CDATA sections end with `]]>` and are not nested.", [
      tokenizer("tokenize() reads [18] CDSect"),
      xml("Sections, comments and instructions must be closed"),
    ]),
    met(
      "X-10",
      "§2.8 [23] to [26]",
      "MUST",
      "The XML declaration: version, encoding, standalone, in this order, at the very beginning.",
      [
        xml("The XML declaration must be well-formed"),
        tokenizer("tokenize() reads [23] XMLDecl and leaves it out"),
      ],
    ),
    deviates(
      "X-11",
      "§2.8, note",
      "MUST",
      "A document of another version 1.x is read as 1.0.",
      "Only 1.0 is taken: a document that says 1.1 may hold characters that 1.0 forbids.",
      [
        soap("An XML declaration of another version is an error"),
      ],
    ),
    deviates(
      "X-12",
      "§2.8 [28]",
      "MUST",
      "A processor reads the document type declaration.",
      "Any is refused unread: entities in it can make a small message large or fetch files.",
      [
        xml("A document type declaration is refused"),
        xml("Markup declarations stand nowhere"),
      ],
    ),
    met("X-13", "§2.10", "MUST", "All white space in content is passed on.", [
      soap("A value is all its text, with CDATA, without comments and instructions"),
    ]),
    met("X-14", "§2.11", "MUST", "CR LF and CR become LF before anything else.", [
      soap("A value is all its text, with CDATA, without comments and instructions"),
      tree("parseXml() gives offsets into the text with normalised line ends"),
    ]),
    met(
      "X-15",
      "§3, WFC Element Type Match",
      "MUST",
      "The end-tag has the name of the start-tag.",
      [
        xml("Tags must match"),
        tree("parseXml() reads [39] element and [43] content"),
      ],
    ),
    met(
      "X-16",
      "§3.1 [40], [42], [44]",
      "MUST",
      "Start-tags, end-tags and empty-element tags have their form.",
      [
        xml("A start-tag must be well-formed"),
        tokenizer("tokenize() reads [40] STag, [42] ETag and [44] EmptyElemTag"),
      ],
    ),
    met("X-17", "§3.1, WFC Unique Att Spec", "MUST", "No attribute twice in a tag.", [
      xml("An attribute may stand once"),
    ]),
    met(
      "X-18",
      "§3.1, WFC No External Entity References",
      "MUST",
      "No reference to an external entity in an attribute.",
      [
        xml("Entities other than the five predefined are refused"),
      ],
    ),
    met(
      "X-19",
      "§3.1, WFC No < in Attribute Values",
      "MUST",
      "No `<` in the value of an attribute.",
      [
        xml("A less-than sign may not stand in an attribute value"),
      ],
    ),
    met("X-20", "§3.1 [41], §2.3 [10]", "MUST", "Values of attributes are quoted.", [
      xml("A start-tag must be well-formed"),
      tokenizer("tokenize() reads [41] Attribute"),
    ]),
    met(
      "X-21",
      "§3.3.3",
      "MUST",
      "White space in values of attributes is normalised; a reference to a character is not.",
      [
        tokenizer("tokenize() normalises the values of attributes (§3.3.3)"),
      ],
    ),
    met(
      "X-22",
      "§4.1 [66], WFC Legal Character",
      "MUST",
      "Character references are to characters of Char.",
      [
        xml("A reference to a character that XML forbids is refused"),
        tokenizer("tokenize() reads [66] CharRef"),
      ],
    ),
    met(
      "X-23",
      "§4.1 [68], WFC Entity Declared",
      "MUST",
      "Without a document type only amp, lt, gt, apos and quot may be referred to.",
      [
        xml("Entities other than the five predefined are refused"),
        tokenizer("tokenize() reads [68] EntityRef of the five predefined entities"),
      ],
    ),
    met(
      "X-24",
      "§4.6",
      "MUST",
      "The five predefined entities are recognised whether declared or not.",
      [
        tokenizer("tokenize() reads [68] EntityRef of the five predefined entities"),
        soap("Text may be written with references"),
      ],
    ),
    met("X-25", "§4.3.3", "MUST", "Bytes that are not of the encoding are a fatal error.", [
      soap("Bytes that are not UTF-8 are an error"),
      testsOf("body/body_test.ts")("readBody() refuses … and says where"),
    ]),
    met("X-26", "§4.3.3", "MUST", "A byte order mark is a signature and no part of the text.", [
      soap("One byte order mark is passed over"),
    ]),
    met(
      "X-27",
      "§4.3.3",
      "MUST",
      "An encoding declaration that does not fit the bytes is an error; names are compared without case.",
      [
        soap("An XML declaration of another encoding is an error"),
        soap("The XML declaration may be absent or spell utf-8 in any case"),
      ],
    ),
    met(
      "X-28",
      "§5.1",
      "MUST",
      "Violations of well-formedness anywhere are reported, and nothing is processed after one.",
      [
        tree("parseXml() throws XmlError for a document that is cut off anywhere"),
        testsOf("xml/fuzz_test.ts")(
          "parseXml() reads what saxes reads, and refuses what it refuses",
        ),
      ],
    ),
    met(
      "X-29",
      "§2.2, §2.4",
      "MUST",
      "What we write is well-formed: text and attributes are escaped.",
      [
        writer("writeCompact() escapes text"),
        writer("writeCompact() escapes attributes"),
        writer("parseXml() reads back what is written"),
      ],
    ),
    notApplicable(
      "X-30",
      "WFC PEs in Internal Subset, External Subset, PE Between Declarations, In DTD",
      "MUST",
      "Parameter entities.",
      NO_DTD,
    ),
    notApplicable(
      "X-31",
      "WFC Parsed Entity, No Recursion",
      "MUST",
      "Entities that refer to unparsed ones or to themselves.",
      NO_DTD,
    ),
    notApplicable(
      "X-32",
      "§4.4",
      "MUST",
      "Inclusion and replacement of declared entities.",
      NO_DTD,
    ),
    notApplicable("X-33", "§3.3.2, §5.1", "MUST", "Default values of attributes.", NO_DTD),
    notApplicable(
      "X-34",
      "all VC",
      "MUST",
      "Validity constraints.",
      "The processor does not validate.",
    ),
  ],
};
