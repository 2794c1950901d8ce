import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { EnvelopeShapes } from "../../lib/binding/soap/envelope_shapes.ts";
import { type EnvelopeContext, readEnvelope } from "../../lib/binding/soap/envelope.ts";
import { SOAP_11 } from "../../lib/binding/soap/versions.ts";
import { Fault } from "../../lib/service/fault.ts";
import { pick, seededRandom } from "../support/random.ts";

const NAMESPACE = "http://authenticatorapi.com/";
const CONTEXT: EnvelopeContext = { version: SOAP_11, namespace: NAMESPACE, action: null };
const ENVELOPE = '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/">';

function envelopeOf(content: string, head = "", attributes = ""): string {
  const call = `<ValidatePin xmlns="${NAMESPACE}"${attributes}>${content}</ValidatePin>`;
  return `${ENVELOPE}${head}<s:Body>${call}</s:Body></s:Envelope>`;
}

function call(pin: string, secretCode: string): string {
  return envelopeOf(`<pin>${pin}</pin>\n <secretCode>${secretCode}</secretCode>`);
}

/** What comes of an Envelope: the call, or the fault. */
function outcome(text: string, shapes?: EnvelopeShapes, action: string | null = null): unknown {
  try {
    const context = { ...CONTEXT, action, ...(shapes && { shapes }) };
    const { operation, args } = readEnvelope(text, context);
    return [operation.name, Object.fromEntries(args)];
  } catch (error) {
    assert(error instanceof Fault);
    return [error.code, error.message];
  }
}

/** Shapes that an Envelope was read into. */
function shapesOf(...texts: readonly string[]): EnvelopeShapes {
  const shapes = new EnvelopeShapes();
  for (const text of texts) outcome(text, shapes);
  return shapes;
}

Deno.test("an Envelope like one that was read before is told by its shape", () => {
  const shapes = shapesOf(call("1", "first"));
  const found = shapes.find(call(" 22", "~!second ;:= '\" ^[ %"));
  assertEquals(found?.operation.name, "ValidatePin");
  assertEquals(
    found?.args,
    new Map([["pin", " 22"], ["secretCode", "~!second ;:= '\" ^[ %"]]),
  );
  assertEquals(shapes.find(call("", ""))?.args, new Map([["pin", ""], ["secretCode", ""]]));
});

Deno.test("a shape may be laid out in lines, and as long as an application writes it", () => {
  const laidOut = (pin: string): string => call(pin, "s").replaceAll(/<(?=\/?s:)/g, "\n  <").trim();
  const text = laidOut("1");
  assert(shapesOf(text).find(laidOut("2")));
  const longest = text + "\n".repeat(2_048 - text.length);
  assert(shapesOf(longest).find(longest));
  assertEquals(shapesOf(`${longest}\n`).find(`${longest}\n`), undefined);
});

Deno.test("a shape is made of an Envelope with any value that stands for itself", () => {
  for (const value of ["\u00E9", "\n\t]", "\u{1F511}"]) {
    assert(shapesOf(call("1", value)).find(call("2", "s")), value);
    assertEquals(shapesOf(call("1", value)).find(call("2", value)), undefined);
  }
});

Deno.test("parameters are told by their names, in whatever order they stand", () => {
  const turned = (pin: string, secretCode: string): string =>
    envelopeOf(`<secretCode>${secretCode}</secretCode><pin>${pin}</pin>`);
  const shapes = shapesOf(call("1", "s"), turned("2", "t"));
  const args = new Map([["pin", "3"], ["secretCode", "u"]]);
  assertEquals(shapes.find(turned("3", "u"))?.args, args);
  assertEquals(shapes.find(call("3", "u"))?.args, args);
});

Deno.test("what is not the same to the letter is left to the reader", () => {
  const shapes = shapesOf(call("1", "s"));
  const plain = call("123456", "secret");
  assert(shapes.find(plain));
  for (let i = 0; i < plain.length; i++) {
    for (const other of ["<", "&", "]", "\r", "\n", "\t", "\x7F", "\u00E9", "\uFFFE"]) {
      const changed = plain.slice(0, i) + other + plain.slice(i + 1);
      if (changed !== plain) assertEquals(shapes.find(changed), undefined, changed);
    }
  }
  for (const more of ["<!---->", "<x/>", "<![CDATA[]]>", "&#65;", "]]>"]) {
    for (const changed of [call(`12${more}3`, "secret"), call("123", `${more}secret`)]) {
      assertEquals(shapes.find(changed), undefined, changed);
    }
  }
  for (const changed of [`${plain}\n`, `${plain}1`, ` ${plain}`, plain.slice(0, -1), "", "<"]) {
    assertEquals(shapes.find(changed), undefined, changed);
  }
});

// Of what else an Envelope holds, nobody knows whether it is a secret.
const NOT_REMEMBERED: Readonly<Record<string, string>> = {
  "with a Header": envelopeOf("<pin>1</pin><secretCode>s</secretCode>", "<s:Header/>"),
  "with an element that the operation does not have": envelopeOf(
    "<pin>1</pin><secretCode>s</secretCode><token>t</token>",
  ),
  "with a parameter that is nil": envelopeOf(
    '<pin i:nil="true">1</pin><secretCode>s</secretCode>',
    "",
    ' xmlns:i="http://www.w3.org/2001/XMLSchema-instance"',
  ),
  "with carriage returns": call("1", "s").replace("\n", "\r\n"),
  "with a reference in a value": call("1", "&#115;"),
  "with a CDATA section for a value": call("1", "<![CDATA[s]]>"),
  "with a value in two pieces": call("1", "s<!-- -->s"),
  "with an empty value": call("", "s"),
  "longer than an application writes it": call("1", "s".repeat(2_048)),
};

for (const [kind, text] of Object.entries(NOT_REMEMBERED)) {
  Deno.test(`no shape is made of an Envelope ${kind}`, () => {
    const shapes = shapesOf(text);
    assertEquals((outcome(text) as string[])[0], "ValidatePin");
    assertEquals(shapes.find(text), undefined);
    assertEquals(outcome(text, shapes), outcome(text));
  });
}

Deno.test("what looks like a shape inside a CDATA section is none", () => {
  // As far behind its beginning as its text is long stands what could be markup.
  const shapes = shapesOf(call(`<![CDATA[${"a".repeat(11)}<bbbbbbbb]]>`, "s"));
  assertEquals(shapes.find(call("1<bbbbbbbb]]>", "s")), undefined);
});

Deno.test("no shape is made of an Envelope that is refused", () => {
  const text = call("1", "s");
  for (const refused of [text.replace("s:Body", "s:Boby"), text.replace("</pin>", "</pim>")]) {
    assertEquals(shapesOf(refused).find(refused), undefined);
  }
  const shapes = new EnvelopeShapes();
  outcome(text, shapes, `${NAMESPACE}Pair`);
  assertEquals(shapes.find(text), undefined);
});

Deno.test("the action is compared for an Envelope that is told by its shape as well", () => {
  const text = call("1", "s");
  const shapes = shapesOf(text);
  for (const name of ["Pair", "ValidatePin"]) {
    const action = `"${NAMESPACE}${name}"`;
    assertEquals(outcome(text, shapes, action), outcome(text, undefined, action));
  }
});

Deno.test("the last eight shapes are remembered", () => {
  const texts = Array.from({ length: 9 }, (_, i) => call("1", "s").replace("\n", " ".repeat(i)));
  const shapes = shapesOf(...texts);
  assertEquals(texts.map((text) => shapes.find(text) !== undefined), [
    false,
    ...Array<boolean>(8).fill(true),
  ]);
});

const PIECES = [
  ..."<>&/\"' ]\r\n\t=:;a1é\uFFFE",
  "]]>",
  "&amp;",
  "&#x3C;",
  "<!-- -->",
  "<![CDATA[<]]>",
  "<?a b?>",
  "<pin>2</pin>",
  "</pin>",
  "<secretCode>",
  '<pin xmlns="">3</pin>',
];

Deno.test("an Envelope is read the same with shapes and without, whatever is changed in it", () => {
  const random = seededRandom(7);
  let told = 0;
  for (let i = 0; i < 4_000; i++) {
    const shapes = shapesOf(call("1", "s"), envelopeOf("<secretCode>s</secretCode><pin>1</pin>"));
    let text = call("123456", "secret");
    for (let changes = random(4); changes > 0; changes--) {
      // Half of them in a value.
      const value = text.indexOf("123456");
      const at = random(2) === 0 && value > 0 ? value + random(7) : random(text.length);
      text = text.slice(0, at) + pick(random, PIECES) + text.slice(at + random(2));
    }
    if (shapes.find(text) !== undefined) told++;
    assertEquals(outcome(text, shapes), outcome(text), text);
    assertEquals(outcome(text, shapes), outcome(text), text);
  }
  assert(told > 500, String(told));
});
