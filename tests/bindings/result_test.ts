import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import { httpGetBinding } from "../../lib/bindings/http_get_post.ts";
import { jsonBinding } from "../../lib/bindings/json.ts";
import { soapBindings } from "../../lib/bindings/soap/soap.ts";
import { cacheBooleanReplies } from "../../lib/bindings/result.ts";
import { simpleTypeOf } from "../../lib/bindings/xsd.ts";
import type { Operation, Result, ResultType } from "../../lib/operations/operations.ts";

const GET = httpGetBinding("urn:x/");
const [, SOAP] = soapBindings("urn:x/");
const JSON_FORM = jsonBinding();

function operation(result: ResultType): Operation {
  return {
    name: "Say",
    documentation: "",
    parameters: [],
    result,
    invoke: () => Promise.reject(),
  };
}

const RESULTS: readonly (readonly [ResultType, Result, xml: string, soap: string, json: string])[] =
  [
    [
      { kind: "string" },
      "d\u00e9j\u00e0 <vu>",
      '<string xmlns="urn:x/">d\u00e9j\u00e0 &lt;vu&gt;</string>',
      "<SayResult>d\u00e9j\u00e0 &lt;vu&gt;</SayResult>",
      '{"d":"d\\u00e9j\\u00e0 \\u003cvu\\u003e"}',
    ],
    [
      { kind: "integer" },
      -2147483648,
      '<int xmlns="urn:x/">-2147483648</int>',
      "<SayResult>-2147483648</SayResult>",
      '{"d":-2147483648}',
    ],
    [
      { kind: "boolean" },
      false,
      '<boolean xmlns="urn:x/">false</boolean>',
      "<SayResult>false</SayResult>",
      '{"d":false}',
    ],
    [
      { kind: "record", name: "Info", fields: ["A"] },
      { A: "1", secret: "not a field" },
      "  <A>1</A>\r\n</Info>",
      "<SayResult><A>1</A></SayResult>",
      '{"d":{"__type":"AuthenticatorAPI.Info","A":"1"}}',
    ],
  ];

for (const [type, result, xml, soap, json] of RESULTS) {
  Deno.test(`every binding writes a result of the kind ${type.kind}`, () => {
    const say = operation(type);
    assertEquals(String(GET.writeReply(say, result).body).endsWith(xml), true);
    assertEquals(String(SOAP.writeReply(say, result).body).includes(soap), true);
    assertEquals(JSON_FORM.writeReply(say, result).body, json);
  });
}

// What is not of its type is a mistake of ours, and must not go out as something else.
const WRONG: readonly (readonly [ResultType, Result])[] = [
  [{ kind: "boolean" }, "true"],
  [{ kind: "boolean" }, 1],
  [{ kind: "boolean" }, { A: "1" }],
  [{ kind: "integer" }, { A: "1" }],
  [{ kind: "string" }, 1],
  [{ kind: "integer" }, 0.5],
  [{ kind: "integer" }, 2147483648],
  [{ kind: "integer" }, NaN],
  [{ kind: "string" }, { A: "1" }],
  [{ kind: "record", name: "Info", fields: ["A"] }, { B: "1" }],
  [{ kind: "record", name: "Info", fields: ["A"] }, "A"],
];

Deno.test("no binding writes a result that is not of its type", () => {
  for (const [type, result] of WRONG) {
    const message = type.kind === "record"
      ? "A result lacks a field of its type"
      : "A result is not of its type";
    for (const binding of [GET, SOAP, JSON_FORM]) {
      assertThrows(() => binding.writeReply(operation(type), result), TypeError, message);
    }
  }
});

Deno.test("cacheBooleanReplies() writes each boolean of each operation once, and all else each time", () => {
  let writings = 0;
  const write = cacheBooleanReplies((operation, result) => ({
    status: 200,
    contentType: "text/plain",
    body: `${operation.name} ${result} ${++writings}`,
  }));
  const [one, other] = ["One", "Other"].map((name) => ({
    ...operation({ kind: "boolean" }),
    name,
  }));
  const bodies = (): unknown[] =>
    [one!, other!].flatMap((of) => [true, false, "true"].map((result) => write(of, result).body));
  assertEquals(bodies(), [
    "One true 1",
    "One false 2",
    "One true 3",
    "Other true 4",
    "Other false 5",
    "Other true 6",
  ]);
  assertEquals(bodies(), [
    "One true 1",
    "One false 2",
    "One true 7",
    "Other true 4",
    "Other false 5",
    "Other true 8",
  ]);
});

Deno.test("each type of one value has its name in XML Schema, and may be nil as it is in .NET", () => {
  assertEquals(simpleTypeOf({ kind: "boolean" }), { name: "boolean", isNillable: false });
  assertEquals(simpleTypeOf({ kind: "string" }), { name: "string", isNillable: true });
  assertEquals(simpleTypeOf({ kind: "integer" }), { name: "int", isNillable: false });
  assertEquals(simpleTypeOf({ kind: "record", name: "Info", fields: [] }), undefined);
});
