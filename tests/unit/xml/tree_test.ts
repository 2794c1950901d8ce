// Rows for what a whole document shows: nesting, the one root, Namespaces in XML 1.0, limits; see
// `outline.ts` for the right-hand side.

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import { XmlError } from "../../../lib/xml/cursor.ts";
import {
  attributeValue,
  hasName,
  isElement,
  parseXml,
  XML_LIMITS,
  type XmlElement,
} from "../../../lib/xml/tree.ts";
import { outlineDocument, type Row, testTable } from "../../support/xml/outline.ts";

const XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace";
const XMLNS_NAMESPACE = "http://www.w3.org/2000/xmlns/";

const NO_ROOT = "! A root element was expected";
const SECOND_ROOT = "! A second root element was found";
const TEXT_OUTSIDE = "! Text stands outside the root element";
const NOT_CLOSED = "! An element is not closed";
const NO_MATCH = "! An end-tag does not match the start-tag that is open";
const TWICE = "! An attribute stands twice on an element";
const XML_RESERVED = "! The prefix xml and its namespace belong to each other alone";
const XMLNS_RESERVED = "! The prefix xmlns and its namespace cannot be declared";
const BAD_PREFIX = "! A prefix is not well-formed";
const UNDECLARED = "! A prefix is not declared";
const UNDECLARING = "! A prefix cannot be undeclared";
const NO_QNAME = "! A name with a colon is not a prefix and a local name";

testTable("parseXml() reads [1] document", outlineDocument, [
  ["<a/>", "start a | end"],
  ["<?xml version='1.0'?>\r\n<!--b-->\t<?c?>\n<a/>\n<!--d--><?e?> ", "start a | end"],
  [" \n<a></a>", "start a | end"],
  ["", `${NO_ROOT} (1:1)`],
  [" \r\n ", `${NO_ROOT} (2:2)`],
  ["<?xml version='1.0'?>", `${NO_ROOT} (1:22)`],
  ["<!--a--><?b?>", `${NO_ROOT} (1:14)`],
  ["<a/><b/>", `${SECOND_ROOT} (1:5)`],
  ["<a></a>\n<a></a>", `${SECOND_ROOT} (2:1)`],
  ["a", `${TEXT_OUTSIDE} (1:1)`],
  ["a<a/>", `${TEXT_OUTSIDE} (1:1)`],
  ["<a/>a", `${TEXT_OUTSIDE} (1:5)`],
  ["<a/>\n <!----> a", `${TEXT_OUTSIDE} (2:9)`],
  ["{}", `${TEXT_OUTSIDE} (1:1)`],
  ["<a/>\0", "! A character stands here that XML forbids (1:5)"],
  ["<a/>\xA0", `${TEXT_OUTSIDE} (1:5)`],
  ["<a/>&#32;", `${TEXT_OUTSIDE} (1:5)`],
  ["&#32;<a/>", `${TEXT_OUTSIDE} (1:1)`],
  ["<a/>&amp;", `${TEXT_OUTSIDE} (1:5)`],
  ["<![CDATA[]]><a/>", `${TEXT_OUTSIDE} (1:1)`],
  ["<a/><![CDATA[ ]]>", `${TEXT_OUTSIDE} (1:5)`],
  ["\uFEFF<a/>", `${TEXT_OUTSIDE} (1:1)`],
  ["<a/>\uFEFF", `${TEXT_OUTSIDE} (1:5)`],
  ["<a/></a>", `${NO_MATCH} (1:5)`],
  ["</a>", `${NO_MATCH} (1:1)`],
  ["<!DOCTYPE a><a/>", "! A document type declaration is not accepted (1:1)"],
  ["<a/><!DOCTYPE a>", "! A document type declaration is not accepted (1:5)"],
]);

testTable("parseXml() reads [39] element and [43] content", outlineDocument, [
  ["<a><b><c/></b><b/></a>", "start a | start b | start c | end | end | start b | end | end"],
  ["<a>\u{1F511}</a>", "start a | text \u{1F511} | end"],
  [
    "<a>1<b/>2<b/>3</a>",
    "start a | text 1 | start b | end | text 2 | start b | end | text 3 | end",
  ],
  ["<a> <b/>\n</a>", "start a | text   | start b | end | text \\n | end"],
  [
    "<a>1&amp;<![CDATA[&2]]><![CDATA[]]>3</a>",
    "start a | text 1& | text &2 | text  | text 3 | end",
  ],
  ["<a>1<!--2-->3<?d 4?>5</a>", "start a | text 1 | text 3 | text 5 | end"],
  ["<a\n></a\n>", "start a | end"],
  ["<a b='1' c='&lt;'/>", "start a b='1' c='<' | end"],
  ["<a>", `${NOT_CLOSED} (1:4)`],
  ["<a>\n<b></b>\n", `${NOT_CLOSED} (3:1)`],
  ["<a><b></a></b>", `${NO_MATCH} (1:7)`],
  ["<a><b></a>", `${NO_MATCH} (1:7)`],
  ["<a></b>", `${NO_MATCH} (1:4)`],
  ["<a></A>", `${NO_MATCH} (1:4)`],
  ["<a></aa>", `${NO_MATCH} (1:4)`],
  ["<a></a></a>", `${NO_MATCH} (1:8)`],
  ["<\xE9></e\u0301>", `${NO_MATCH} (1:4)`],
  // The qualified names must match, not the expanded ones.
  ["<p:a xmlns:p='u' xmlns:q='u'></q:a>", `${NO_MATCH} (1:30)`],
  ["<p:a xmlns:p='u' xmlns='u'></a>", `${NO_MATCH} (1:28)`],
]);

testTable("parseXml() applies namespaces to names", outlineDocument, [
  ["<a xmlns='u'><b/></a>", "start {u}a | start {u}b | end | end"],
  ["<p:a xmlns:p='u'><p:b/><b/></p:a>", "start {u}a | start {u}b | end | start b | end | end"],
  ["<p:a xmlns='u' xmlns:p='v'/>", "start {v}a | end"],
  ["<p:a p:b='1' xmlns:p='u'/>", "start {u}a {u}b='1' | end"],
  // An unprefixed attribute is in no namespace, whatever the default namespace is.
  ["<a xmlns='u' b='1'/>", "start {u}a b='1' | end"],
  ["<a xmlns='&#117;\n&amp;'/>", "start {u &}a | end"],
  ["<a xmlns=' '/>", "start { }a | end"],
  ["<_:a xmlns:_='u'/>", "start {u}a | end"],
  ["<\xE9.-1:a xmlns:\xE9.-1='u'/>", "start {u}a | end"],
  ["<constructor:a xmlns:constructor='u'/>", "start {u}a | end"],
  // Shadowing, and the end of a scope.
  [
    "<a xmlns='u'><b xmlns='v'><c/></b><d/></a>",
    "start {u}a | start {v}b | start {v}c | end | end | start {u}d | end | end",
  ],
  [
    "<p:a xmlns:p='u'><p:b xmlns:p='v'><p:c/></p:b><p:d/></p:a>",
    "start {u}a | start {v}b | start {v}c | end | end | start {u}d | end | end",
  ],
  ["<a xmlns='u'><b xmlns='v'/><c/></a>", "start {u}a | start {v}b | end | start {u}c | end | end"],
  ["<a xmlns='u'><b xmlns=''/><c/></a>", "start {u}a | start b | end | start {u}c | end | end"],
  [
    "<a xmlns='u'><b xmlns=''><c/></b><d/></a>",
    "start {u}a | start b | start c | end | end | start {u}d | end | end",
  ],
  ["<a xmlns=''/>", "start a | end"],
  ["<a xmlns='' b='1'><b xmlns=''/></a>", "start a b='1' | start b | end | end"],
  ["<a><b xmlns:p='u'><p:c/></b><p:d/></a>", `${UNDECLARED} (1:29)`],
  ["<a><b xmlns:p='u'/><p:c/></a>", `${UNDECLARED} (1:20)`],
  ["<a><b xmlns:p='u'/><c p:d=''/></a>", `${UNDECLARED} (1:23)`],
  ["<a><b xmlns='u'/><c/></a>", "start a | start {u}b | end | start c | end | end"],
  // Namespaces in XML 1.0 §3: an element may not have the prefix xmlns; the name is not reserved.
  ["<xmlns/>", "start xmlns | end"],
]);

testTable("parseXml() demands declared prefixes", outlineDocument, [
  ["<p:a/>", `${UNDECLARED} (1:1)`],
  ["<a>\n<p:b/></a>", `${UNDECLARED} (2:1)`],
  ["<a p:b='1'/>", `${UNDECLARED} (1:4)`],
  ["<p:a xmlns:P='u'/>", `${UNDECLARED} (1:1)`],
  ["<toString:a/>", `${UNDECLARED} (1:1)`],
  ["<a __proto__:b='1'/>", `${UNDECLARED} (1:4)`],
  ["<xmlns:a/>", `${UNDECLARED} (1:1)`],
  ["<XML:a/>", `${UNDECLARED} (1:1)`],
  // Behind an element that declares nothing.
  ["<a><b/><S:c/></a>", `${UNDECLARED} (1:8)`],
]);

testTable("parseXml() demands qualified names", outlineDocument, [
  ["<:a/>", `${NO_QNAME} (1:1)`],
  ["<:/>", `${NO_QNAME} (1:1)`],
  ["<a:/>", `${NO_QNAME} (1:1)`],
  ["<a:b:c xmlns:a='u'/>", `${NO_QNAME} (1:1)`],
  ["<a::b xmlns:a='u'/>", `${NO_QNAME} (1:1)`],
  ["<a:1b xmlns:a='u'/>", `${NO_QNAME} (1:1)`],
  ["<a:-b xmlns:a='u'/>", `${NO_QNAME} (1:1)`],
  ["<a:\xB7 xmlns:a='u'/>", `${NO_QNAME} (1:1)`],
  ["<:a xmlns='u'/>", `${NO_QNAME} (1:1)`],
  ["<a :b='1'/>", `${NO_QNAME} (1:4)`],
  ["<a b:='1' xmlns:b='u'/>", `${NO_QNAME} (1:4)`],
  ["<a b:c:d='1' xmlns:b='u'/>", `${NO_QNAME} (1:4)`],
  ["<a b:1='1' xmlns:b='u'/>", `${NO_QNAME} (1:4)`],
  ["<xml:a:b/>", `${NO_QNAME} (1:1)`],
  // In declarations.
  ["<a xmlns:='u'/>", `${BAD_PREFIX} (1:4)`],
  ["<a xmlns:=''/>", `${BAD_PREFIX} (1:4)`],
  ["<a xmlns::='u'/>", `${BAD_PREFIX} (1:4)`],
  ["<a xmlns::b='u'/>", `${BAD_PREFIX} (1:4)`],
  ["<a xmlns:b:c='u'/>", `${BAD_PREFIX} (1:4)`],
  ["<a xmlns:b:='u'/>", `${BAD_PREFIX} (1:4)`],
  ["<a xmlns:1='u'/>", `${BAD_PREFIX} (1:4)`],
  ["<a xmlns:-b='u'/>", `${BAD_PREFIX} (1:4)`],
  // No declarations: these are attributes like others.
  [
    "<a xmlnsb='u' XMLNS='v' Xmlns:b='w' xmlns:Xmlns='x'/>",
    "start a xmlnsb='u' XMLNS='v' {x}b='w' | end",
  ],
]);

testTable(
  "parseXml() accepts the prefixes xml and xmlns only with their own namespaces",
  outlineDocument,
  [
    ["<a xml:lang='en'/>", `start a {${XML_NAMESPACE}}lang='en' | end`],
    ["<xml:a/>", `start {${XML_NAMESPACE}}a | end`],
    [`<a xmlns:xml='${XML_NAMESPACE}' xml:b='1'/>`, `start a {${XML_NAMESPACE}}b='1' | end`],
    [
      `<a><b xmlns:xml='${XML_NAMESPACE}'/><xml:c/></a>`,
      `start a | start b | end | start {${XML_NAMESPACE}}c | end | end`,
    ],
    ["<a xmlns:xml='u'/>", `${XML_RESERVED} (1:4)`],
    ["<a xmlns:xml=''/>", `${XML_RESERVED} (1:4)`],
    [`<a xmlns:xml='${XMLNS_NAMESPACE}'/>`, `${XML_RESERVED} (1:4)`],
    [`<a b='1' xmlns:p='${XML_NAMESPACE}'/>`, `${XML_RESERVED} (1:10)`],
    [`<a xmlns='${XML_NAMESPACE}'/>`, `${XML_RESERVED} (1:4)`],
    ["<a xmlns:xmlns='u'/>", `${XMLNS_RESERVED} (1:4)`],
    ["<a xmlns:xmlns=''/>", `${XMLNS_RESERVED} (1:4)`],
    [`<a xmlns:xmlns='${XMLNS_NAMESPACE}'/>`, `${XMLNS_RESERVED} (1:4)`],
    [`<a xmlns:p='${XMLNS_NAMESPACE}'/>`, `${XMLNS_RESERVED} (1:4)`],
    [`<a xmlns='${XMLNS_NAMESPACE}'/>`, `${XMLNS_RESERVED} (1:4)`],
    // Namespace names are compared character by character, after normalisation of the value.
    [`<a xmlns='${XML_NAMESPACE.replace("h", "&#104;")}'/>`, `${XML_RESERVED} (1:4)`],
    [`<a xmlns='${XML_NAMESPACE}/'/>`, `start {${XML_NAMESPACE}/}a | end`],
    [
      `<a xmlns='${XML_NAMESPACE.toUpperCase()}'/>`,
      `start {${XML_NAMESPACE.toUpperCase()}}a | end`,
    ],
    // Prefixes that begin with xml are reserved, but to use one is no error (§3).
    ["<xmlx:a xmlns:xmlx='u'/>", "start {u}a | end"],
    // A prefix cannot be undeclared (only the default namespace can).
    ["<a xmlns:p=''/>", `${UNDECLARING} (1:4)`],
    ["<a xmlns:p='u'><b xmlns:p=''/></a>", `${UNDECLARING} (1:19)`],
  ],
);

testTable("parseXml() demands unique attributes after expansion", outlineDocument, [
  ["<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>", `${TWICE} (1:36)`],
  ["<a p:b='1' q:b='2' xmlns:p='u' xmlns:q='u'/>", `${TWICE} (1:12)`],
  ["<a xmlns:p='u'><b xmlns:q='u' p:b='1' q:b='2'/></a>", `${TWICE} (1:39)`],
  [`<a xmlns:xml='${XML_NAMESPACE}' xml:b='1' xml:b='2'/>`, `${TWICE} (1:63)`],
  ["<a xmlns='u' xmlns:p='u' b='1' p:b='2'/>", "start {u}a b='1' {u}b='2' | end"],
  ["<a xmlns:p='u' xmlns:q='v' p:b='1' q:b='2'/>", "start a {u}b='1' {v}b='2' | end"],
  ["<a xmlns:p='b' xmlns:q='c b' p:c='1' q:c='2'/>", "start a {b}c='1' {c b}c='2' | end"],
  // Names that run together.
  ["<a xmlns:p='bc' xmlns:q='c' p:a='1' q:ab='2'/>", "start a {bc}a='1' {c}ab='2' | end"],
  ["<a xmlns:p='cb' xmlns:q='c' p:a='1' q:ba='2'/>", "start a {cb}a='1' {c}ba='2' | end"],
  ["<a xmlns='u' xmlns:p='u' xmlns:q='u'/>", "start {u}a | end"],
]);

Deno.test("parseXml() returns offsets into the text with normalised line ends", () => {
  const { root, text } = parseXml(" <a>\r\nx\u{1F511}<b/>&amp;<![CDATA[y]]>\r</a>");
  assertEquals(text, " <a>\nx\u{1F511}<b/>&amp;<![CDATA[y]]>\n</a>");
  const offsets = [root, ...root.children].map((node) => text.slice(node.offset, node.offset + 4));
  assertEquals(offsets, ["<a>\n", "\nx\u{1F511}", "<b/>", "&amp", "<![C", "\n</a"]);
});

Deno.test("isElement(), hasName() and attributeValue() read a tree", () => {
  const { root } = parseXml("<p:a xmlns:p='u' b='1' p:b='2' c=''>x</p:a>");
  assertEquals([root, ...root.children].map(isElement), [true, false]);
  const names = [["u", "a"], ["", "a"], ["u", "p:a"], ["u", "A"]] as const;
  assertEquals(names.map(([namespace, name]) => hasName(root, namespace, name)), [
    true,
    false,
    false,
    false,
  ]);
  const values = [["", "b"], ["u", "b"], ["", "c"], ["u", "c"], ["", "xmlns:p"]] as const;
  assertEquals(values.map(([namespace, name]) => attributeValue(root, namespace, name)), [
    "1",
    "2",
    "",
    undefined,
    undefined,
  ]);
});

/** `times` pieces of text, each made from its number. */
function repeat(times: number, piece: (i: number) => string): string {
  return Array.from({ length: times }, (_, i) => piece(i)).join("");
}

function nested(depth: number, innermost = "<a></a>"): string {
  return `${"<a>".repeat(depth - 1)}${innermost}${"</a>".repeat(depth - 1)}`;
}

function siblings(elements: number): string {
  return `<r>${"<a/>".repeat(elements - 1)}</r>`;
}

function withAttributes(declarations: number, others: number): string {
  return `<a${repeat(declarations, (i) => ` xmlns:p${i}='u'`)}${
    repeat(others, (i) => ` a${i}=''`)
  }/>`;
}

function withNamespaces(declarations: number): string {
  const declare = (from: number, times: number): string =>
    repeat(times, (i) => ` xmlns:p${from + i}='u'`);
  return `<a${declare(0, 64)}><a${declare(64, 63)}><a${declare(127, declarations - 127)}/></a></a>`;
}

const LONG = "n".repeat(256);
const LONG_ASTRAL = "\u{10000}".repeat(256);
const LONG_PREFIXED = `p:${"n".repeat(254)}`;

Deno.test("parseXml() accepts each limit", () => {
  const rows: Row[] = [
    ["depth", nested(64)],
    ["depth, an empty element", nested(64, "<a/>")],
    ["depth, more than once", `<a>${nested(63)}${nested(63)}</a>`],
    ["elements", siblings(1024)],
    ["attributes", withAttributes(0, 64)],
    ["attributes and declarations", withAttributes(32, 32)],
    ["attributes, on more than one element", `<r>${withAttributes(0, 64).repeat(3)}</r>`],
    ["namespaces", withNamespaces(128)],
    [
      "namespaces, after one another",
      `<r>${repeat(3, (i) => withAttributes(64, 0).replaceAll(":p", `:p${i}.`))}</r>`,
    ],
    [
      "namespaces, shadowed",
      withNamespaces(128).replace("<a xmlns:p127='u'/>", "<a xmlns:p127='u' xmlns:p0='v'/>"),
    ],
    [
      "namespaces, and xml",
      withNamespaces(128).replace("u'/>", `u' xmlns:xml='${XML_NAMESPACE}'/>`),
    ],
    ["namespace name", `<a xmlns='${"u".repeat(1024)}'/>`],
    ["name of an element", `<${LONG}></${LONG} >`],
    ["name of an attribute", `<a ${LONG}=''/>`],
    ["name of a target", `<?${LONG}?><a/>`],
    ["name outside the BMP", `<${LONG_ASTRAL} ${LONG_ASTRAL}=''></${LONG_ASTRAL}>`],
    ["name with a prefix", `<a xmlns:p='u'><${LONG_PREFIXED}/></a>`],
  ];
  for (const [what, document] of rows) assert(parseXml(document).root, what);
});

testTable("parseXml() refuses a document beyond a limit", outlineDocument, [
  [nested(65), "! Elements are nested deeper than 64 (1:193)"],
  [nested(65, "<a/>"), "! Elements are nested deeper than 64 (1:193)"],
  [siblings(1025), "! There are more than 1024 elements (1:4096)"],
  [`<r>${"<a></a>".repeat(1024)}</r>`, "! There are more than 1024 elements (1:7165)"],
  [withAttributes(0, 65), "! An element has more than 64 attributes (1:442)"],
  [withAttributes(32, 33), "! An element has more than 64 attributes (1:656)"],
  [
    `<a xmlns='${"u".repeat(1025)}'/>`,
    "! A namespace name is longer than 1024 characters (1:4)",
  ],
  [withNamespaces(129), "! More than 128 namespace declarations are in scope (1:1820)"],
  [
    withNamespaces(128).replace("u'/>", "u' xmlns=''/>"),
    "! More than 128 namespace declarations are in scope (1:1820)",
  ],
  [`<${LONG}n/>`, "! A name is longer than 256 characters (1:2)"],
  [`<a></${LONG}n>`, "! A name is longer than 256 characters (1:6)"],
  [`<a ${LONG}n=''/>`, "! A name is longer than 256 characters (1:4)"],
  [`<?${LONG}n?><a/>`, "! A name is longer than 256 characters (1:3)"],
  [`<${LONG_ASTRAL}n/>`, "! A name is longer than 256 characters (1:2)"],
  [`<a xmlns:p='u'><${LONG_PREFIXED}n/></a>`, "! A name is longer than 256 characters (1:17)"],
  [`<a xmlns:${LONG}='u'/>`, "! A name is longer than 256 characters (1:4)"],
]);

Deno.test("parseXml() does not recurse: depth costs no stack", () => {
  const depth = 50_000;
  const limits = { ...XML_LIMITS, depth, elements: depth + 1 };
  let node: XmlElement | undefined = parseXml(nested(depth), limits).root;
  let counted = 0;
  for (; node !== undefined; counted++) node = node.children.find(isElement);
  assertEquals(counted, depth);
  assertThrows(
    () => parseXml(nested(depth + 1), limits),
    XmlError,
    `Elements are nested deeper than ${depth}`,
  );
});

Deno.test("parseXml() throws XmlError for a document that is cut off anywhere", () => {
  const document = `<?xml version="1.0" encoding="utf-8" standalone="yes" ?>\r\n<!-- - --><?pi x?>
    <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns = 'urn:d'><s:Body>
      <Pair s:encodingStyle="a&amp;&#xE9;"\t><appName>&#128273;\u{1F511}<![CDATA[ <]] ]]></appName>
      <nil /><!--\u00E9--><?p?>]]&gt;&apos;</Pair>\r</s:Body></s:Envelope>`;
  assert(parseXml(document).root);
  for (let length = 0; length < document.length; length++) {
    const start = document.slice(0, length);
    const { line, column } = assertThrows(() => parseXml(start), XmlError);
    const width = start.split(/\r\n?|\n/)[line - 1]?.length ?? -1;
    assert(column >= 1 && column <= width + 1, `cut off at ${length}: ${line}:${column}`);
  }
});
