/**
 * Envelopes that differ in the values of their parameters alone. A caller writes the same text around
 * them each time: once the reader has taken an Envelope apart, the next one like it is told by that
 * text. Nothing is decided here; what is not the same to the letter is left to the reader.
 *
 * @module
 */

import type { Operation } from "../../service/operations.ts";
import { isElement, type XmlDocument, type XmlElement, type XmlText } from "../../xml/tree.ts";
import type { Call } from "../binding.ts";

/** An Envelope without the values of its parameters. */
interface EnvelopeShape {
  readonly operation: Operation;
  /** The parameters in the order in which they stand in it. */
  readonly names: readonly string[];
  /** The texts before, between and behind their values. */
  readonly texts: readonly string[];
}

// Many more than the programs that call one server are written in.
const MAX_SHAPES = 8;
/** The longest Envelope that is remembered, in UTF-16 units. */
const MAX_LENGTH = 2_048;

// What stands for itself wherever character data may stand: nothing in it could begin or end anything
// else, and XML forbids none of it.
const PLAIN = /^[ -%'-;=-\\^-~]*$/;

/** The shapes of Envelopes of one version that were read last, without the values that they had. */
export class EnvelopeShapes {
  readonly #known: EnvelopeShape[] = [];

  /** The call that an Envelope holds, when it is one of these shapes with plain values. */
  find(text: string): Call | undefined {
    for (const shape of this.#known) {
      const args = valuesIn(text, shape);
      if (args !== undefined) return { operation: shape.operation, args };
    }
    return undefined;
  }

  /**
   * Remembers the shape of an Envelope that holds a call. It does not where anything but the values
   * of its parameters could be its caller's own: no Header and no element that the operation does not
   * have is kept.
   *
   * @param element The element that names the operation.
   */
  remember(document: XmlDocument, { operation, args }: Call, element: XmlElement): void {
    const { root, text } = document;
    const parameters = element.children.filter(isElement);
    const isBare = root.children.filter(isElement).length === 1 && parameters.length === args.size;
    if (!isBare || text.length > MAX_LENGTH) return;
    const texts: string[] = [];
    let from = 0;
    for (const { children: [value, another] } of parameters) {
      if (value === undefined || another !== undefined || !isInPlace(value, text)) return;
      texts.push(copyOf(text.slice(from, value.offset)));
      from = value.offset + value.text.length;
    }
    texts.push(copyOf(text.slice(from)));
    const names = parameters.map(({ localName }) => localName);
    this.#known.unshift({ operation, names, texts });
    if (this.#known.length > MAX_SHAPES) this.#known.pop();
  }
}

// Whether a value stands in the text as it is, up to the next markup.
function isInPlace(value: XmlElement | XmlText, text: string): value is XmlText {
  return !isElement(value) && text.startsWith(`${value.text}<`, value.offset);
}

// An engine keeps a slice as a view of the whole text, in which the secret stands.
function copyOf(text: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(text));
}

function valuesIn(text: string, { names, texts }: EnvelopeShape): Call["args"] | undefined {
  const args = new Map<string, string>();
  let at = 0;
  for (const [i, before] of texts.entries()) {
    if (!text.startsWith(before, at)) return undefined;
    at += before.length;
    if (i === names.length) break;
    const end = text.indexOf("<", at);
    const value = text.slice(at, end);
    if (end < 0 || !PLAIN.test(value)) return undefined;
    args.set(names[i]!, value);
    at = end;
  }
  return at === text.length ? args : undefined;
}
