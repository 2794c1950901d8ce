/** What only curl shows: the bytes of the replies, and the less usual ways to send a request. */

import { assertEquals } from "@std/assert/equals";
import { type Binding, BINDINGS, type Call, NAMESPACE } from "./call.ts";
import { curl, type CurlReply, envelope, ENVELOPES, requestArguments } from "./curl.ts";
import { codeOf, currentStep } from "./oath.ts";
import { serverForTests } from "../../support/server_under_test.ts";

const server = serverForTests();

const SECRET = "curl";
const SOAP_BINDINGS = ["SOAP 1.1", "SOAP 1.2"] as const;
const CONTENT_TYPES: Readonly<Record<Binding, string>> = {
  "SOAP 1.1": "text/xml; charset=utf-8",
  "SOAP 1.2": "application/soap+xml; charset=utf-8",
  "HTTP GET": "text/xml; charset=utf-8",
  "HTTP POST": "text/xml; charset=utf-8",
};

/** The whole body of the reply to a right pin. */
function trueDocument(binding: Binding): string {
  const content = `<ValidatePinResponse xmlns="${NAMESPACE}">` +
    "<ValidatePinResult>true</ValidatePinResult></ValidatePinResponse>";
  return binding === "SOAP 1.1" || binding === "SOAP 1.2"
    ? soapDocument(binding, content)
    : `<?xml version="1.0" encoding="utf-8"?>\r\n<boolean xmlns="${NAMESPACE}">true</boolean>`;
}

function soapDocument(version: keyof typeof ENVELOPES, content: string): string {
  return '<?xml version="1.0" encoding="utf-8"?>' +
    `<soap:Envelope xmlns:soap="${ENVELOPES[version]}"` +
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"' +
    ' xmlns:xsd="http://www.w3.org/2001/XMLSchema">' +
    `<soap:Body>${content}</soap:Body></soap:Envelope>`;
}

async function sendRightPin(binding: Binding, ...options: readonly string[]): Promise<CurlReply> {
  const pin = await codeOf(SECRET, currentStep());
  const call: Call = { operation: "ValidatePin", args: { pin, secretCode: SECRET } };
  const args = [...options, ...requestArguments(server.url, binding, call)];
  return await curl(args, envelope(binding, call));
}

for (const binding of BINDINGS) {
  Deno.test(`curl over ${binding} gets the document of the contract`, async () => {
    assertEquals(await sendRightPin(binding), {
      status: 200,
      contentType: CONTENT_TYPES[binding],
      output: trueDocument(binding),
    });
  });

  Deno.test(`curl over ${binding} gets the same with HTTP/1.0`, async () => {
    assertEquals(await sendRightPin(binding, "--http1.0"), {
      status: 200,
      contentType: CONTENT_TYPES[binding],
      output: trueDocument(binding),
    });
  });
}

// The time-out is longer than a command may take, so curl sends no body unless it is told to.
const EXPECT = ["--header", "Expect: 100-continue", "--expect100-timeout", "3600", "--include"];

for (const binding of ["SOAP 1.1", "SOAP 1.2", "HTTP POST"] as const) {
  Deno.test(`curl over ${binding} gets 100 Continue when it expects it`, async () => {
    const { status, output } = await sendRightPin(binding, ...EXPECT);
    const [interim, , ...document] = output.split("\r\n\r\n");
    assertEquals(status, 200);
    assertEquals(interim, "HTTP/1.1 100 Continue");
    assertEquals(document.join("\r\n\r\n"), trueDocument(binding));
  });
}

const NOT_WELL_FORMED = "Server was unable to read request. ---&gt; ";
const FAULTS = {
  "SOAP 1.1": (text: string) =>
    `<soap:Fault><faultcode>soap:Client</faultcode><faultstring>${text}</faultstring>` +
    "<detail /></soap:Fault>",
  "SOAP 1.2": (text: string) =>
    "<soap:Fault><soap:Code><soap:Value>soap:Sender</soap:Value></soap:Code><soap:Reason>" +
    `<soap:Text xml:lang="en">${text}</soap:Text></soap:Reason><soap:Detail /></soap:Fault>`,
};

for (const version of SOAP_BINDINGS) {
  const post = ["--header", `Content-Type: ${CONTENT_TYPES[version]}`, "--data-binary", "@-"];

  Deno.test(`curl over ${version} gets a fault for a parameter that is missing`, async () => {
    const call: Call = { operation: "ValidatePin", args: { pin: "000000" } };
    assertEquals(await curl([...post, `${server.url}/api.asmx`], envelope(version, call)), {
      status: 500,
      contentType: CONTENT_TYPES[version],
      output: soapDocument(version, FAULTS[version]("Missing parameter: secretCode.")),
    });
  });

  Deno.test(`curl over ${version} gets a fault for what is not well-formed`, async () => {
    const reply = await curl([...post, `${server.url}/api.asmx`], "<Envelope");
    const reason = reply.output.split(NOT_WELL_FORMED)[1]?.split("<")[0] ?? "";
    assertEquals(reply, {
      status: 500,
      contentType: CONTENT_TYPES[version],
      output: soapDocument(version, FAULTS[version](NOT_WELL_FORMED + reason)),
    });
  });
}

for (const binding of ["HTTP GET", "HTTP POST"] as const) {
  Deno.test(`curl over ${binding} gets a sentence for a parameter that is missing`, async () => {
    const call: Call = { operation: "ValidatePin", args: { pin: "000000" } };
    assertEquals(await curl(requestArguments(server.url, binding, call)), {
      status: 400,
      contentType: "text/plain; charset=utf-8",
      output: "Missing parameter: secretCode.\r\n",
    });
  });
}
