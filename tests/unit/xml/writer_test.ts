import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import * as fc from "fast-check";
import { isElement, parseXml, type XmlElement } from "../../../lib/xml/tree.ts";
import {
  element,
  type MarkupElement,
  type MarkupNode,
  writeCompact,
  writeHtmlFragment,
  writeIndented,
} from "../../../lib/xml/writer.ts";
import { IS_REPLAY, runOptions } from "../../support/property.ts";
import { type Row, testTable } from "../../support/xml/outline.ts";

const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>';

const TEXTS: readonly Row[] = [
  ["&", "&amp;"],
  ["<>", "&lt;&gt;"],
  ["", ""],
  ["plain", "plain"],
  [`a & b < c > d`, "a &amp; b &lt; c &gt; d"],
  [`it's "so"`, `it's "so"`],
  ["&amp;&#38;", "&amp;amp;&amp;#38;"],
  ["]]>", "]]&gt;"],
  ["<![CDATA[<!--", "&lt;![CDATA[&lt;!--"],
  ["\t\n ", "\t\n "],
  // A literal carriage return would be read as a line feed (XML 1.0 §2.11).
  ["a\r\nb\r", "a&#13;\nb&#13;"],
  ["\xE9\u20AC\u{1F511}\xA0\u2028", "\xE9\u20AC\u{1F511}\xA0\u2028"],
];

const ATTRIBUTES: readonly Row[] = [
  ["", ""],
  ["plain", "plain"],
  ["a & b < c > d", "a &amp; b &lt; c &gt; d"],
  [`it's "so"`, "it&#39;s &quot;so&quot;"],
  ["&#39;", "&amp;#39;"],
  // White space other than the blank would be normalised to it (§3.3.3).
  [" \t\r\n ", " &#9;&#13;&#10; "],
  ["\xE9\u20AC\u{1F511}\xA0\u2028\x7F", "&#233;&#8364;&#128273;&#160;&#8232;&#127;"],
];

testTable(
  "writeCompact() escapes text",
  (text) => writeCompact(element("a", {}, text)),
  TEXTS.map(([text, written]): Row => [text, `${DECLARATION}<a>${written}</a>`]),
);

testTable(
  "writeHtmlFragment() escapes text in the same way",
  (text) => writeHtmlFragment(element("a", {}, text)),
  TEXTS.map(([text, written]): Row => [text, `<a>${written}</a>`]),
);

testTable(
  "writeCompact() escapes attributes",
  (value) => writeCompact(element("a", { b: value })),
  ATTRIBUTES.map(([value, written]): Row => [value, `${DECLARATION}<a b="${written}" />`]),
);

testTable(
  "writeHtmlFragment() escapes attributes in the same way",
  (value) => writeHtmlFragment(element("a", { b: value })),
  ATTRIBUTES.map(([value, written]): Row => [value, `<a b='${written}'></a>`]),
);

const MIXED = element(
  "p:a",
  { "xmlns:p": "u", b: "1", a: "2" },
  element("b", {}, "text"),
  "between",
  { name: "c" },
  element("d", {}, element("e", {}), "", element("f", {}, "")),
);

const RECORD = element(
  "a",
  { xmlns: "u" },
  element("b", {}, "text <"),
  element("c", { d: "1" }, element("e", {}, element("f", {}), element("g", {}, "\r\n"))),
  element("h", {}, "mixed ", element("i", {}), " content"),
  { name: "j" },
);

Deno.test("writeCompact() writes one line, attributes in their order", () => {
  assertEquals(
    writeCompact(MIXED),
    `${DECLARATION}<p:a xmlns:p="u" b="1" a="2"><b>text</b>between<c />` +
      "<d><e /><f></f></d></p:a>",
  );
});

Deno.test("writeHtmlFragment() writes no declaration, and quotes with apostrophes", () => {
  assertEquals(
    writeHtmlFragment(MIXED),
    "<p:a xmlns:p='u' b='1' a='2'><b>text</b>between<c></c><d><e></e><f></f></d></p:a>",
  );
});

Deno.test("writeIndented() ends lines with CRLF and keeps elements with text on one line", () => {
  assertEquals(
    writeIndented(RECORD),
    [
      DECLARATION,
      '<a xmlns="u">',
      "  <b>text &lt;</b>",
      '  <c d="1">',
      "    <e>",
      "      <f />",
      "      <g>&#13;\n</g>",
      "    </e>",
      "  </c>",
      "  <h>mixed <i /> content</h>",
      "  <j />",
      "</a>",
    ].join("\r\n"),
  );
  assertEquals(writeIndented(element("a", {}, "text")), `${DECLARATION}\r\n<a>text</a>`);
  assertEquals(writeIndented({ name: "a" }), `${DECLARATION}\r\n<a />`);
});

// What a tree is when it is read again: declarations gone, neighbouring texts one, none empty.
interface Plain {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (Plain | string)[];
}

function plainChildren(nodes: readonly (Plain | string)[]): (Plain | string)[] {
  const children: (Plain | string)[] = [];
  for (const node of nodes) {
    const last = children.at(-1);
    if (node === "") continue;
    if (typeof node === "string" && typeof last === "string") children.push(children.pop() + node);
    else children.push(node);
  }
  return children;
}

function plainMarkup({ name, attributes = {}, children = [] }: MarkupElement): Plain {
  const plain = (node: MarkupNode): Plain | string =>
    typeof node === "string" ? node : plainMarkup(node);
  return { name, attributes, children: plainChildren(children.map(plain)) };
}

function plainElement(element: XmlElement): Plain {
  const name = (node: { readonly namespaceName: string; readonly localName: string }): string =>
    node.namespaceName === "" ? node.localName : `${node.namespaceName}:${node.localName}`;
  return {
    name: name(element),
    attributes: Object.fromEntries(element.attributes.map((a) => [name(a), a.value])),
    children: plainChildren(
      element.children.map((node) => isElement(node) ? plainElement(node) : node.text),
    ),
  };
}

const NAMES = ["a", "b", "_", "p:c", "p:\xE9", "q:d-1.\xB7", "\u540D", "p:\u{10000}"];
const CHARACTERS = [..."ab  \t\r\n&<>\"'];!-=/\xA0\xE9\u2028\uFFFD\u{1F511}\u{10FFFF}"];

const TEXT = fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 8 });
const NAME = fc.constantFrom(...NAMES);

const { tree: TREE } = fc.letrec<{ readonly tree: MarkupElement }>((tie) => ({
  tree: fc.record({
    name: NAME,
    attributes: fc.dictionary(NAME, TEXT, { maxKeys: 3, noNullPrototype: true }),
    children: fc.array(fc.oneof({ maxDepth: 5, depthSize: "max" }, TEXT, tie("tree")), {
      maxLength: 4,
    }),
  }),
}));

Deno.test("parseXml() reads back what is written", () => {
  const property = fc.property(TREE, (tree) => {
    const root = element("r", { "xmlns:p": "p", "xmlns:q": "q" }, tree);
    for (const write of [writeCompact, writeHtmlFragment]) {
      const read = plainElement(parseXml(write(root)).root);
      assertEquals(read, { name: "r", attributes: {}, children: [plainMarkup(tree)] });
    }
  });
  fc.assert(property, runOptions(500));
});

// Elements with either one text or elements in them, as records have.
const { record: RECORDS } = fc.letrec<{ readonly record: MarkupElement }>((tie) => ({
  record: fc.record({
    name: fc.constant("a"),
    attributes: fc.record({ b: TEXT }),
    children: fc.oneof(
      { maxDepth: 4, depthSize: "max" },
      fc.tuple(TEXT.map((text) => `${text}.`)),
      fc.array(tie("record"), { maxLength: 3, size: "max" }),
    ),
  }),
}));

Deno.test("parseXml() reads back what is written indented, but for blanks between elements", () => {
  const withoutBlanks = (plain: Plain): Plain => ({
    ...plain,
    children: plain.children
      .filter((child) => typeof child !== "string" || !/^\r?\n *$/.test(child))
      .map((child) => typeof child === "string" ? child : withoutBlanks(child)),
  });
  let lines = 0;
  const property = fc.property(RECORDS, (root) => {
    const written = writeIndented(root);
    assertEquals(withoutBlanks(plainElement(parseXml(written).root)), plainMarkup(root));
    lines += written.split("\r\n").length;
  });
  fc.assert(property, runOptions(500));
  assert(IS_REPLAY || lines > 1000, `${lines} lines`);
});

Deno.test("writeHtmlFragment() writes an end-tag for every element except the void ones", () => {
  const written = (name: string): string => writeHtmlFragment(element(name, {}));
  for (const name of ["br", "hr", "img", "input", "link", "meta"]) {
    assertEquals(written(name), `<${name} />`);
  }
  for (const name of ["a", "path", "script"]) assertEquals(written(name), `<${name}></${name}>`);
});
