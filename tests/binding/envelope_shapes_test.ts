import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { EnvelopeShapes } from "../../lib/binding/soap/envelope_shapes.ts";
import { type EnvelopeContext, readEnvelope } from "../../lib/binding/soap/envelope.ts";
import { SOAP_11 } from "../../lib/binding/soap/versions.ts";
import { Fault } from "../../lib/service/fault.ts";
import { pick, seededRandom } from "../support/random.ts";

const NAMESPACE = "http://authenticatorapi.com/";
const XSI = "http://www.w3.org/2001/XMLSchema-instance";
const CONTEXT: EnvelopeContext = { version: SOAP_11, namespace: NAMESPACE, action: null };
const ENVELOPE = `<s:Envelope xmlns:s="${SOAP_11.envelope}">`;

function envelopeOf(
  content: string,
  { name = "ValidatePin", head = "", attributes = "" } = {},
): string {
  const call = `<${name} xmlns="${NAMESPACE}"${attributes}>${content}</${name}>`;
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

/** The shapes of Envelopes that are read one after the other. */
function shapesOf(...texts: readonly string[]): EnvelopeShapes {
  const shapes = new EnvelopeShapes([SOAP_11.envelope, SOAP_11.encoding, NAMESPACE]);
  for (const text of texts) outcome(text, shapes);
  return shapes;
}

function argsOf(shapes: EnvelopeShapes, text: string): unknown {
  const found = shapes.find(text);
  return found && [found.operation.name, Object.fromEntries(found.args)];
}

Deno.test("an Envelope with a shape that is known needs no reader", () => {
  const shapes = shapesOf(call("1", "first"));
  const secretCode = "~!second ;:= '\" ^[ %>";
  assertEquals(argsOf(shapes, call(" 22", secretCode)), ["ValidatePin", {
    pin: " 22",
    secretCode,
  }]);
  assertEquals(argsOf(shapes, call("", "")), ["ValidatePin", { pin: "", secretCode: "" }]);
});

Deno.test("parameters have their names in whatever order they stand", () => {
  const turned = (pin: string, secretCode: string): string =>
    envelopeOf(`<secretCode>${secretCode}</secretCode><pin>${pin}</pin>`);
  const shapes = shapesOf(call("1", "s"), turned("2", "t"));
  const expected = ["ValidatePin", { pin: "3", secretCode: "u" }];
  assertEquals(argsOf(shapes, turned("3", "u")), expected);
  assertEquals(argsOf(shapes, call("3", "u")), expected);
});

Deno.test("each shape is of its own operation", () => {
  const pairing = (a: string, b: string, c: string): string =>
    envelopeOf(`<appName>${a}</appName><appInfo>${b}</appInfo><secretCode>${c}</secretCode>`, {
      name: "Pair",
    });
  const shapes = shapesOf(pairing("a", "b", "c"), call("1", "s"));
  for (const text of [pairing("d", "e", "f"), call("2", "t"), pairing("g", "h", "i")]) {
    assertEquals(argsOf(shapes, text), outcome(text));
  }
});

/** An Envelope with a prefix for its own namespace, and a number of others. */
function prefixed(pin: string, prefix: string, others: number): string {
  const attributes = Array.from({ length: others }, (_, i) => ` xmlns:SOAPSDK${i}="${XSI}"`).join(
    "",
  );
  return envelopeOf(`<pin>${pin}</pin><secretCode>s</secretCode>`, { attributes })
    .replaceAll(/\bs(?=[:=])/g, prefix);
}

// As toolkits write it.
const TOOLKITS: Readonly<Record<string, (value: string) => string>> = {
  "an XML declaration, and lines": (value) =>
    `<?xml version='1.0' encoding="utf-8"?>\n${
      call(value, "s").replaceAll(/<(?=\/?s:)/g, "\n  <").trim()
    }\n`,
  "declarations of XML Schema and of the encoding": (value) =>
    envelopeOf(`<pin>${value}</pin ><secretCode>s</secretCode>`, {
      attributes: ` xmlns:i='${XSI}'\n xmlns:e = "${SOAP_11.encoding}"`,
    }),
  "five prefixes of eight characters": (value) => prefixed(value, "SOAP-ENV", 4),
  "as many characters as are compared": (value) => {
    const text = call(value, "s");
    return text + "\n".repeat(2_048 - text.length);
  },
};

for (const [kind, written] of Object.entries(TOOLKITS)) {
  Deno.test(`a shape is made of an Envelope with ${kind}`, () => {
    const text = written("2");
    assertEquals(argsOf(shapesOf(written("1")), text), outcome(text));
  });
}

Deno.test("what differs by a letter goes to the reader", () => {
  const shapes = shapesOf(call("1", "s"));
  const plain = call("123456", "secret");
  assert(shapes.find(plain));
  const others = "<&]\0\x1F\r\n\t\x7F\u00E9\uD800\uFFFE\uFFFF";
  for (let i = 0; i < plain.length; i++) {
    for (const other of others) {
      const changed = plain.slice(0, i) + other + plain.slice(i + 1);
      if (changed !== plain) assertEquals(shapes.find(changed), undefined, changed);
    }
  }
  for (const more of ["<!---->", "<x/>", "<![CDATA[]]>", "&#65;", "]]>"]) {
    for (const changed of [call(`12${more}3`, "secret"), call("123", `${more}secret`)]) {
      assertEquals(shapes.find(changed), undefined, changed);
    }
  }
  for (
    const changed of [
      `${plain}\n`,
      `${plain}1`,
      ` ${plain}`,
      plain.slice(0, -1),
      "",
      "<",
      call("1", "s".repeat(2_048)),
    ]
  ) {
    assertEquals(shapes.find(changed), undefined, changed);
  }
});

const PARAMETERS = "<pin>1</pin>\n <secretCode>s</secretCode>";

// What an Envelope holds beside its values may be a secret too.
const NOT_REMEMBERED: Readonly<Record<string, string>> = {
  "a Header": envelopeOf(PARAMETERS, { head: "<s:Header/>" }),
  "an element that the operation does not have": envelopeOf(`${PARAMETERS}<token>t</token>`),
  "a comment": envelopeOf(`<!-- t -->${PARAMETERS}`),
  "a comment in front": `<!-- t -->${call("1", "s")}`,
  "a comment in a value": call("1", "s<!-- t -->"),
  "a processing instruction": `<?key t?>${call("1", "s")}`,
  "a processing instruction that looks like the XML declaration": `<?xml\u1680 t="1.0"?>${
    call("1", "s")
  }`,
  "a processing instruction in a value": call("1<?xml-t?>", "s"),
  "text beside the parameters": envelopeOf(`t${PARAMETERS}`),
  "blanks of another script": envelopeOf(`\u3000${PARAMETERS}`),
  "an attribute with a value that is known": envelopeOf(PARAMETERS, { attributes: ` t="${XSI}"` }),
  "a long prefix": prefixed("1", "SOAP-ENVS", 0),
  "many prefixes": prefixed("1", "s", 5),
  "an attribute": envelopeOf(PARAMETERS, { attributes: ' token="t"' }),
  "an attribute of a parameter": call("1", "s").replace("<pin>", '<pin key="t">'),
  "a declaration of another namespace": envelopeOf(PARAMETERS, { attributes: ' xmlns:k="t"' }),
  "a declaration that only begins as ours": envelopeOf(PARAMETERS, {
    attributes: ` xmlns:k="${NAMESPACE}t"`,
  }),
  "values that stand in attributes": envelopeOf("", { attributes: ' pin="1" secretCode="s"' }),
  "a parameter that is missing": envelopeOf("<secretCode>s</secretCode>"),
  "a parameter that is nil": call("1", "s").replace("<pin>", `<pin xmlns:i="${XSI}" i:nil="1">`),
  // These would take up room, and nothing would have their shape.
  "carriage returns": call("1", "s").replace("\n", "\r\n"),
  "a reference in a value": call("1", "&#115;"),
  "a CDATA section for a value": call("1", "<![CDATA[s]]>"),
  "a value outside of ASCII": call("1", "\u00E9"),
  "a line end in a value": call("1", "s\n"),
  "an empty value": call("", "s"),
  "more characters than are compared": call("1", "s") + "\n".repeat(2_048),
};

for (const [kind, text] of Object.entries(NOT_REMEMBERED)) {
  Deno.test(`no shape is made of an Envelope with ${kind}`, () => {
    assertEquals((outcome(text) as string[])[0], "ValidatePin");
    const others = Array.from({ length: 8 }, (_, i) => call("1", "s") + " ".repeat(i + 1));
    const shapes = shapesOf(...others.slice(0, 7), text);
    assertEquals(shapes.find(text), undefined);
    // The eighth has the last place, when its turn comes.
    for (let i = 0; i < 17; i++) outcome(others[7]!, shapes);
    assertEquals(others.map((other) => argsOf(shapes, other)), others.map((it) => outcome(it)));
  });
}

Deno.test("no shape is made of an Envelope that is refused", () => {
  const text = call("1", "s");
  for (const refused of [text.replace("s:Body", "s:Boby"), text.replace("</pin>", "</pim>")]) {
    assertEquals(shapesOf(refused).find(refused), undefined);
  }
  const shapes = shapesOf();
  outcome(text, shapes, `${NAMESPACE}Pair`);
  assertEquals(shapes.find(text), undefined);
});

Deno.test("the action is compared where no reader is needed as well", () => {
  const text = call("1", "s");
  const shapes = shapesOf(text);
  for (const name of ["Pair", "ValidatePin"]) {
    const action = `"${NAMESPACE}${name}"`;
    assertEquals(outcome(text, shapes, action), outcome(text, undefined, action));
  }
});

/** How many times an Envelope is read before its shape is known; 100 when it never is. */
function readsOf(text: string, shapes: EnvelopeShapes, others: readonly string[] = []): number {
  for (let reads = 0; reads < 100; reads++) {
    if (shapes.find(text) !== undefined) return reads;
    for (const other of [text, ...others]) outcome(other, shapes);
  }
  return 100;
}

const SHAPELESS = envelopeOf(PARAMETERS, { head: "<s:Header/>" });

Deno.test("a shape is made of the first Envelope, or of the seventeenth after one of which none is", () => {
  const eight = Array.from({ length: 8 }, (_, i) => call("1", "s") + " ".repeat(i));
  for (let known = 0; known < 8; known++) {
    const text = eight[known]!;
    assertEquals(readsOf(text, shapesOf(...eight.slice(0, known))), 1);
    assertEquals(readsOf(text, shapesOf(...eight.slice(0, known), SHAPELESS)), 17);
    assertEquals(readsOf(text, shapesOf(SHAPELESS, ...eight.slice(0, known))), 17 - known);
  }
});

Deno.test("an Envelope that is too long for a shape keeps no other from one", () => {
  const long = call("1", "s") + "\n".repeat(2_048);
  assertEquals(readsOf(call("1", "s"), shapesOf(long)), 1);
});

Deno.test("eight shapes are known, and seldom has another the place of the oldest", () => {
  const texts = Array.from({ length: 10 }, (_, i) => call("1", "s") + " ".repeat(i));
  const shapes = shapesOf(...texts.slice(0, 8));
  assert(shapes.find(texts[0]!));
  assertEquals(readsOf(texts[8]!, shapes), 1);
  const known = texts.map((text) => shapes.find(text) !== undefined);
  assertEquals(known, [true, false, ...Array<boolean>(7).fill(true), false]);
  assertEquals(readsOf(texts[9]!, shapes), 17);
  assertEquals(shapes.find(texts[0]!), undefined);
});

Deno.test("a caller has its shape whoever takes turns with it", () => {
  const eight = Array.from({ length: 8 }, (_, i) => call("1", "s") + " ".repeat(i + 1));
  for (let others = 1; others < 16; others++) {
    const between = Array<string>(others).fill(SHAPELESS);
    for (const known of [[], eight]) {
      const reads = readsOf(call("1", "s"), shapesOf(...known, SHAPELESS), between);
      assert(reads <= 17, `${others} others: ${reads} reads`);
    }
  }
});

const PIECES = [
  ..."<>&/\"' ]\r\n\t=:;a1\u00E9\uFFFE",
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
