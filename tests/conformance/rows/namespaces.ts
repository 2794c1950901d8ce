import { met, notApplicable, type Source, testsOf } from "../row.ts";

const xml = testsOf("exchanges/xml.md");
const tree = testsOf("xml/tree_test.ts");

/** Namespaces in XML 1.0. */
export const NAMESPACES: Source = {
  title: "Namespaces in XML 1.0",
  note: "Third edition. NSC are namespace constraints.",
  isChecked: () => true,
  rows: [
    met(
      "N-01",
      "§3, NSC Reserved Prefixes and Namespace Names",
      "MUST",
      "The prefix xml is bound to its own name and to no other, and no other prefix to it.",
      [
        xml("The prefixes xml and xmlns are reserved"),
        tree("parseXml() keeps the prefixes xml and xmlns to what they are"),
      ],
    ),
    met(
      "N-02",
      "§3, NSC Reserved Prefixes and Namespace Names",
      "MUST",
      "The prefix xmlns is never declared, and nothing is bound to its name.",
      [
        xml("The prefixes xml and xmlns are reserved"),
      ],
    ),
    met("N-03", "§3", "MUST", "Elements do not have the prefix xmlns.", [
      tree("parseXml() demands declared prefixes"),
    ]),
    met(
      "N-04",
      "§4 [7] to [11]",
      "MUST",
      "Names of elements and attributes are qualified names: one colon at most, not at an end.",
      [
        xml("A name has at most one colon"),
        tree("parseXml() demands qualified names"),
      ],
    ),
    met("N-05", "§5, NSC Prefix Declared", "MUST", "A prefix is declared where it is used.", [
      xml("A prefix must be declared"),
      tree("parseXml() demands declared prefixes"),
    ]),
    met("N-06", "§5, NSC No Prefix Undeclaring", "MUST", "A prefix is not declared as empty.", [
      xml("A prefix cannot be undeclared"),
    ]),
    met(
      "N-07",
      "§6.1",
      "MUST",
      "A declaration holds for its element and all inside, unless another overrides it.",
      [
        tree("parseXml() applies namespaces to names"),
      ],
    ),
    met(
      "N-08",
      "§6.2",
      "MUST",
      'The default namespace is for elements without a prefix, never for attributes; `xmlns=""` ends it.',
      [
        tree("parseXml() applies namespaces to names"),
        testsOf("exchanges/soap11.md")("Any prefix will do, and none"),
      ],
    ),
    met(
      "N-09",
      "§6.3, NSC Attributes Unique",
      "MUST",
      "No two attributes of an element have the same expanded name.",
      [
        xml("An attribute may stand once"),
        tree("parseXml() demands unique attributes after expansion"),
      ],
    ),
    met("N-10", "§2.3", "MUST", "Namespace names are compared character by character.", [
      testsOf("exchanges/namespace.md")("The default namespace is another one then"),
      testsOf("exchanges/soap11.md")("A parameter in another namespace is missing"),
    ]),
    met("N-11", "§7", "MUST", "No colon in the target of a processing instruction.", [
      testsOf("xml/tokenizer_test.ts")("tokenize() reads [16] PI"),
    ]),
    notApplicable(
      "N-12",
      "§7",
      "MUST",
      "No colon in names of entities and notations, and in attributes of type ID.",
      "They are declared in a document type, which is refused.",
    ),
  ],
};
