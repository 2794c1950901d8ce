import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import { httpGetBinding } from "../../../lib/bindings/http_get_post.ts";
import { JSON_BINDING } from "../../../lib/bindings/json.ts";
import { soapBindings } from "../../../lib/bindings/soap/soap.ts";
import type { Result, ResultType } from "../../../lib/operations/operations.ts";
import { operation } from "./operation.ts";

const GET = httpGetBinding("urn:x/");
const [, SOAP] = soapBindings("urn:x/");

const RESULTS: readonly (readonly [ResultType, Result, xml: string, soap: string, json: string])[] =
  [
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
    const say = operation("Say", type);
    assertEquals(String(GET.writeReply(say, result).body).endsWith(xml), true);
    assertEquals(String(SOAP.writeReply(say, result).body).includes(soap), true);
    assertEquals(JSON_BINDING.writeReply(say, result).body, json);
  });
}

// What is not of its type is a mistake of ours, and must not go out as something else.
const WRONG: readonly (readonly [ResultType, Result])[] = [
  [{ kind: "boolean" }, { A: "1" }],
  [{ kind: "record", name: "Info", fields: ["A"] }, { B: "1" }],
  [{ kind: "record", name: "Info", fields: ["A"] }, true],
];

Deno.test("no binding writes a result that is not of its type", () => {
  for (const [type, result] of WRONG) {
    const message = type.kind === "record"
      ? "A result lacks a field of its type"
      : "A result is not of its type";
    for (const binding of [GET, SOAP, JSON_BINDING]) {
      assertThrows(() => binding.writeReply(operation("Say", type), result), TypeError, message);
    }
  }
});
