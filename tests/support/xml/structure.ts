/** The content of a document, read by the parser under test and by others, as lines to compare. */

import { SaxesParser } from "saxes";
import { XmlError } from "../../../lib/xml/cursor.ts";
import { isElement, parseXml, type XmlElement } from "../../../lib/xml/tree.ts";

/** The root element, or the error when there is one; every other exception goes through. */
export function read(document: string): XmlElement | XmlError {
  try {
    return parseXml(document).root;
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    return error;
  }
}

/** The document shows a difference that is meant. The message is the reason. */
export class Incomparable extends Error {}

/** One line for each element, attribute and text, neighbouring texts put together. */
export class Lines {
  /** The lines. */
  readonly lines: string[] = [];

  /** Adds what is no text. */
  add(line: string): void {
    this.lines.push(line);
  }

  /** Adds a text. */
  text(text: string): void {
    if (text === "") return;
    if (this.lines.at(-1)?.startsWith("|")) this.lines.push(this.lines.pop() + text);
    else this.lines.push(`|${text}`);
  }
}

/** The lines of a document that the parser under test read. */
export function structure(root: XmlElement): string[] {
  const lines = new Lines();
  const walk = (element: XmlElement): void => {
    lines.add(`<{${element.namespaceName}}${element.localName}`);
    for (const { namespaceName, localName, value } of element.attributes) {
      lines.add(` {${namespaceName}}${localName}=${value}`);
    }
    for (const child of element.children) {
      if (isElement(child)) walk(child);
      else lines.text(child.text);
    }
    lines.add(">");
  };
  walk(root);
  return lines.lines;
}

/**
 * The same by saxes.
 *
 * @returns Undefined when it refuses the document.
 * @throws {Incomparable} When saxes takes what the standards, or this service, do not.
 */
export function structureBySaxes(document: string): string[] | undefined {
  const lines = new Lines();
  let depth = 0;
  const parser = new SaxesParser({ xmlns: true });
  parser.on("opentag", ({ uri, local, attributes }) => {
    depth++;
    demandNcName(local);
    lines.add(`<{${uri}}${local}`);
    for (const { prefix, local, uri, value, name } of Object.values(attributes)) {
      if (name !== "xmlns" && prefix !== "xmlns") lines.add(` {${uri}}${local}=${value}`);
    }
  });
  parser.on("closetag", () => {
    depth--;
    lines.add(">");
  });
  const text = (value: string): void => {
    if (depth > 0) lines.text(value);
  };
  parser.on("text", text);
  parser.on("cdata", text);
  parser.on("attribute", ({ name, local, value }) => {
    demandNcName(local);
    if (/^xmlns(:|$)/.test(name) && value !== value.trim()) {
      throw new Incomparable("saxes trims namespace names; Namespaces 1.0 §2.3 does not");
    }
  });
  parser.on("processinginstruction", ({ target, body }) => {
    if (target.includes(":")) {
      throw new Incomparable("saxes allows a colon in a target; Namespaces 1.0 §7 does not");
    }
    if (body.startsWith("?")) {
      throw new Incomparable("saxes allows <?a?b?> too; XML 1.0 [16] PI wants white space");
    }
  });
  parser.on("xmldecl", ({ version = "1.0" }) => {
    if (version !== "1.0") throw new Incomparable("this service reads XML 1.0 alone");
  });
  parser.on("doctype", () => {
    throw new Incomparable("this service refuses a document type declaration");
  });
  // Without a handler for "error", saxes throws the first one.
  try {
    parser.write(document).close();
  } catch (error) {
    if (error instanceof Incomparable) throw error;
    return undefined;
  }
  return lines.lines;
}

function demandNcName(local: string): void {
  if (/^[-.0-9\xB7\u0300-\u036F\u203F\u2040]/.test(local)) {
    throw new Incomparable("saxes allows any NameChar first; Namespaces 1.0 [11] does not");
  }
}
