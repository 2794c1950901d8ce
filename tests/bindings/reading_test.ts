import { assertEquals } from "@std/assert/equals";
import { SOAP_11, SOAP_12, type SoapVersion } from "../../lib/bindings/soap/versions.ts";
import { handlerWith } from "../support/handler.ts";

const handler = handlerWith();

/** The status of the reply to a call, and what stands in its body that matters. */
async function ask(path: string, headers: HeadersInit, body: string): Promise<string> {
  const request = new Request(`http://localhost/api.asmx${path}`, {
    method: "POST",
    headers,
    body,
  });
  const reply = await handler(request);
  const text = await reply.text();
  const [said] =
    /Duplicate parameter: \w+|did not recognize|\(line [^)]*\)|is not UTF-8|false/.exec(text) ??
      [text];
  return `${reply.status} ${said}`;
}

function askSoap({ envelope }: SoapVersion, headers: HeadersInit): Promise<string> {
  const call = '<ValidatePin xmlns="http://authenticatorapi.com/"><pin>1</pin>' +
    "<secretCode>s</secretCode></ValidatePin>";
  const body = `<s:Envelope xmlns:s="${envelope}"><s:Body>${call}</s:Body></s:Envelope>`;
  return ask("", headers, body);
}

Deno.test("a form that is not UTF-8 is told before what stands twice in it", async () => {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  for (const form of ["pin=1&PIN=2&secretCode=s&x=%FF", "pin=1&x=%FF&PIN=2&secretCode=s"]) {
    assertEquals(await ask("/ValidatePin", headers, form), "400 is not UTF-8", form);
  }
});

// What a firewall reads as one action must not be read as another here.
const ACTIONS: readonly (readonly [action: string, isOurs: boolean])[] = [
  ["http://authenticatorapi.com/ValidatePin", true],
  ["http://authenticatorapi.com/Pair", false],
  ["http://authenticatorapi.com/", false],
];

for (const [action, isOurs] of ACTIONS) {
  Deno.test(`a SOAPAction ${action} is accepted: ${isOurs}`, async () => {
    const answer = isOurs ? "200 false" : "500 did not recognize";
    const headers = { "content-type": "text/xml", "soapaction": `"${action}"` };
    assertEquals(await askSoap(SOAP_11, headers), answer);
    const contentType = `application/soap+xml; action="${action}"`;
    const isOther = action.endsWith("Pair");
    const answer12 = isOther ? "500 did not recognize" : "200 false";
    assertEquals(await askSoap(SOAP_12, { "content-type": contentType }), answer12);
  });
}

Deno.test("the quotes of a SOAPAction stand around the whole of it", async () => {
  const name = "http://authenticatorapi.com/ValidatePin";
  for (
    const action of [
      `"${name.slice(0, -3)}"${name.slice(-3)}`,
      `${name.slice(0, 3)}"${name.slice(3)}"`,
      `"${name}`,
      `${name}"`,
    ]
  ) {
    const headers = { "content-type": "text/xml", "soapaction": action };
    assertEquals(await askSoap(SOAP_11, headers), "500 did not recognize", action);
  }
});

// Only members of the object itself are parameters.
const BODIES: readonly (readonly [body: string, answer: string])[] = [
  ['{"pin":"1","secretCode":"s","x":{"pin":"2","pin":"3"}}', "200 false"],
  ['{"x":[{"pin":"2"}],"pin":"1","secretCode":"s"}', "200 false"],
  ['{"x":{},"pin":"1","secretCode":"s","pin":"2"}', "400 Duplicate parameter: pin"],
  ['{"x":[[{}]],"pin":"1","secretCode":"s","pin":"2"}', "400 Duplicate parameter: pin"],
  ['{"x":"{[","pin":"1","secretCode":"s","pin":"2"}', "400 Duplicate parameter: pin"],
  ['{"x":"\\"}","pin":"1","secretCode":"s","pin":"2"}', "400 Duplicate parameter: pin"],
  ['{"\\u0070in":"1","secretCode":"s"}', "200 false"],
  ['{"\\u0070\\u0069N":"2","p\\u0069n":"1","secretCode":"s"}', "200 false"],
  ['{"\\\\u0070in":"2","pin":"1","secretCode":"s"}', "200 false"],
  ['{"p\\u0069n":"1","secretCode":"s","pin":"2"}', "400 Duplicate parameter: pin"],
  ['{"1":"pin","pin":"1","secretCode":"s"}', "200 false"],
  ['{"pin":"1","secretCode":"s","x":"\\x"}', "400 (line 1, column 34)"],
  ['{"pin":"1","secretCode":"s","x":"\\u00a"}', "400 (line 1, column 34)"],
  ['{"pin":"1","secretCode":"s","x":"\n"}', "400 (line 1, column 34)"],
  ['{"pin":"1","secretCode":"s\\', "400 (line 1, column 27)"],
  ['{"x":"\n,"pin":"1","secretCode":"s"}', "400 (line 1, column 7)"],
];

for (const [body, answer] of BODIES) {
  Deno.test(`JSON is answered with ${answer}: ${body}`, async () => {
    const headers = { "content-type": "application/json" };
    assertEquals(await ask("/ValidatePin", headers, body), answer);
  });
}
