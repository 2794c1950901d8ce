/**
 * Envelopes that differ in the values of their parameters alone. A caller writes the same text around
 * them each time: once the reader has taken an Envelope apart, the next one with that text around its
 * values needs no reader. What differs by a letter goes to the reader.
 *
 * @module
 */

import type { Operation } from "../../service/operations.ts";
import { isElement, type XmlDocument, type XmlElement, type XmlText } from "../../xml/tree.ts";
import type { Call } from "../binding.ts";
import { XSD_NAMESPACE, XSI_NAMESPACE } from "../xsd.ts";

/** An Envelope without the values of its parameters. */
interface EnvelopeShape {
  readonly operation: Operation;
  /** The parameters in the order in which they stand in it. */
  readonly names: readonly string[];
  /** The texts before, between and behind their values. */
  readonly texts: readonly string[];
}

// More than the SOAP toolkits that call one server.
const MAX_SHAPES = 8;
// To make a shape costs as much as to read an Envelope. So after an attempt that failed, or a shape that
// took the place of another, this many Envelopes are read without an attempt. With the next
// one that is a prime number, so callers that take turns all get a shape, unless 17 of them do.
const PAUSE = 16;
// In UTF-16 units: longer than an Envelope with the longest secretCode, and short enough to be compared
// with each shape.
const MAX_LENGTH = 2_048;

// A value that means itself wherever it stands: without markup and references, without `]`, since
// `]]>` is not allowed, and without what XML forbids or a reader could change.
const PLAIN = /^[ -%'-;=-\\^-~]*$/;

// [3] S, its carriage returns normalised. Not `\s`, which has letters of XML names.
const S = "[ \\t\\n]";
// SOAP toolkits write names as short as SOAP-ENV, and one for each namespace. Besides white
// space, a shape keeps at most these 40 characters that a caller chose.
const PREFIX = "[A-Za-z_][A-Za-z0-9_-]{0,7}";
const MAX_PREFIXES = 5;
// The reader lets it stand in front alone, and with few values.
const DECLARATION = new RegExp(
  `^<\\?xml(?:${S}+[a-z]+${S}*=${S}*(?:"[a-zA-Z0-9.-]+"|'[a-zA-Z0-9.-]+'))+${S}*\\?>`,
);

/** The shapes of Envelopes of one version and one service. */
export class EnvelopeShapes {
  readonly #known: EnvelopeShape[] = [];
  readonly #bare: RegExp;
  #pause = 0;

  /**
   * Knows no shape yet.
   *
   * @param namespaces The namespace names that an Envelope may declare beside those of XML Schema.
   */
  constructor(namespaces: readonly string[]) {
    const values = [...namespaces, XSI_NAMESPACE, XSD_NAMESPACE].map(RegExp.escape).join("|");
    const declaration = `xmlns(?::${PREFIX})?${S}*=${S}*(?:"(?:${values})"|'(?:${values})')`;
    const tag = `</?(?:${PREFIX}:)?\\w+(?:${S}+${declaration})*${S}*/?>`;
    this.#bare = new RegExp(`^(?:${S}*${tag})*${S}*$`);
  }

  /** The call that an Envelope holds, when it has a shape that is known, and plain values. */
  find(text: string): Call | undefined {
    if (text.length > MAX_LENGTH) return undefined;
    for (const [i, shape] of this.#known.entries()) {
      const args = valuesIn(text, shape);
      if (args === undefined) continue;
      // The one that was not used for the longest time goes first.
      if (i > 0) this.#known.unshift(...this.#known.splice(i, 1));
      return { operation: shape.operation, args };
    }
    return undefined;
  }

  /**
   * Remembers the shape of an Envelope that was read: its tags, the white space between them and the
   * XML declaration. It does not where there is anything else in which a caller could have put a
   * secret: a Header, other elements, attributes, namespace names, text, comments, or prefixes that are
   * long or many.
   *
   * @param element The element that names the operation.
   */
  remember({ root, text }: XmlDocument, { operation, args }: Call, element: XmlElement): void {
    if (text.length > MAX_LENGTH || this.#pause-- > 0) return;
    this.#pause = PAUSE;
    const parameters = element.children.filter(isElement);
    const isWhole = args.size === operation.parameters.length && parameters.length === args.size;
    // The Body alone, without a Header.
    const isAlone = root.children.filter(isElement).length === 1;
    if (!isWhole || !isAlone) return;
    const texts: string[] = [];
    let from = 0;
    for (const { children: [value] } of parameters) {
      if (value === undefined || !isPlain(value, text)) return;
      texts.push(text.slice(from, value.offset));
      from = value.offset + value.text.length;
    }
    texts.push(text.slice(from));
    const bare = texts.join("").replace(DECLARATION, "");
    if (!this.#bare.test(bare) || bare.split("xmlns:").length > 1 + MAX_PREFIXES) return;
    const names = parameters.map(({ localName }) =>
      operation.parameters.find(({ name }) => name === localName)!.name
    );
    this.#known.unshift({ operation, names, texts: texts.map(copyOf) });
    if (this.#known.length > MAX_SHAPES) this.#known.pop();
    else this.#pause = 0;
  }
}

// Whether a value is plain, and stands so in the text.
function isPlain(value: XmlElement | XmlText, text: string): value is XmlText {
  return !isElement(value) && PLAIN.test(value.text) && text.startsWith(value.text, value.offset);
}

// An engine keeps a slice as a view of the whole text, in which the secret stands. So no text or name
// of an Envelope is kept, but copies.
function copyOf(text: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(text));
}

function valuesIn(text: string, { names, texts }: EnvelopeShape): Call["args"] | undefined {
  const values: string[] = [];
  let at = 0;
  for (const before of texts) {
    // Not `startsWith`, for which Deno takes several times as long.
    if (text.slice(at, at + before.length) !== before) return undefined;
    at += before.length;
    if (values.length === names.length) break;
    const end = text.indexOf("<", at);
    values.push(text.slice(at, end));
    at = end;
  }
  if (at !== text.length) return undefined;
  // Not before: a text that comes here fits no other shape, so its values are looked at once.
  const args = new Map<string, string>();
  for (let i = 0; i < values.length; i++) {
    if (!PLAIN.test(values[i]!)) return undefined;
    args.set(names[i]!, values[i]!);
  }
  return args;
}
