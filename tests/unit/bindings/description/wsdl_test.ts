import { assertEquals } from "@std/assert/equals";
import { wsdl } from "../../../../lib/bindings/description/wsdl.ts";
import { OPERATIONS, type ResultType } from "../../../../lib/operations/operations.ts";
import { isElement, parseXml, type XmlElement } from "../../../../lib/xml/tree.ts";
import { operation } from "../operation.ts";

const XSD = "http://www.w3.org/2001/XMLSchema";
const ADDRESS = { namespace: "http://example.com/", base: "http://localhost" };
const INFO: ResultType = { kind: "record", name: "Info", fields: ["A", "B"] };

// Each type twice, since a name that is declared twice makes the whole schema invalid.
const MANY = [
  ...OPERATIONS.values(),
  ...(["boolean"] as const).flatMap((kind) => [
    operation(`${kind}1`, { kind }),
    operation(`${kind}2`, { kind }),
  ]),
  operation("Info1", INFO),
  operation("Info2", INFO),
];

function elementsOf(parent: XmlElement): readonly XmlElement[] {
  return parent.children.filter(isElement);
}

function schemaOf(text: string): XmlElement {
  const [types] = elementsOf(parseXml(text).root);
  return elementsOf(types!)[0]!;
}

function attribute(element: XmlElement, name: string): string | undefined {
  return element.attributes.find(({ localName }) => localName === name)?.value;
}

function declared(localName: string): string[] {
  return elementsOf(schemaOf(wsdl(ADDRESS, MANY)))
    .filter((child) => child.localName === localName && child.namespaceName === XSD)
    .map((child) => attribute(child, "name")!);
}

Deno.test("wsdl() declares each global element and type once, however many operations use it", () => {
  const elements = declared("element");
  assertEquals(elements.length, new Set(elements).size);
  const records = MANY.map(({ result }) => result).filter((result) => result.kind === "record");
  const names = [...new Set(records.map(({ name }) => name))];
  assertEquals(declared("complexType"), names);
  for (const { name } of MANY) {
    assertEquals(elements.filter((known) => known === name).length, 1, name);
    assertEquals(elements.filter((known) => known === `${name}Response`).length, 1, name);
  }
  assertEquals(
    elements.filter((name) => [...names, "boolean", "string", "int"].includes(name)).sort(),
    [...names, "boolean"].sort(),
  );
});

Deno.test("wsdl() has a type of XML Schema for each kind of result", () => {
  const schema = schemaOf(wsdl(ADDRESS, MANY));
  const facts = ["boolean", "Info"].map((name) => {
    const found = elementsOf(schema).find((child) =>
      child.localName === "element" && attribute(child, "name") === name
    )!;
    return [name, attribute(found, "type"), attribute(found, "nillable")];
  });
  assertEquals(facts, [
    ["boolean", "s:boolean", undefined],
    ["Info", "tns:Info", "true"],
  ]);
});
