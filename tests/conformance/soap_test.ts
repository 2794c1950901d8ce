import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { ask, soap } from "./ask.ts";
import { handlerWith } from "../support/handler.ts";

// What SOAP demands beside the exchanges: the order of faults where a request has several (WS-I Basic
// Profile R2725), and what the service forgives.

const ENVELOPES = {
  "1.1": "http://schemas.xmlsoap.org/soap/envelope/",
  "1.2": "http://www.w3.org/2003/05/soap-envelope",
} as const;

const ACTION = { SOAPAction: '"http://authenticatorapi.com/Pair"' };

function envelope(namespace: string, body: string): string {
  return `<s:Envelope xmlns:s="${namespace}"><s:Header>` +
    `<x:y xmlns:x="urn:x" s:mustUnderstand="1"/></s:Header><s:Body>${body}</s:Body></s:Envelope>`;
}

const CALL =
  '<s:Envelope xmlns:s="ENV"><s:Body><ValidatePin xmlns="http://authenticatorapi.com/">' +
  "<pin>1</pin><secretCode>x</secretCode></ValidatePin></s:Body></s:Envelope>";

const SECRET = "<secretCode>x</secretCode>";

const BROKEN = "<Nothing/><Nothing/>";

for (const version of ["1.1", "1.2"] as const) {
  Deno.test(`SOAP ${version}: a version mismatch goes before everything else`, async () => {
    const reply = await ask(soap(version, envelope("urn:none", BROKEN), ACTION));
    assertEquals(reply.status, 500);
    assert(reply.text.includes("soap:VersionMismatch<"), reply.text);
  });

  Deno.test(`SOAP ${version}: a header not understood goes before the Body and the action`, async () => {
    const text = envelope(ENVELOPES[version], BROKEN);
    const reply = await ask(soap(version, text, ACTION));
    assertEquals(reply.status, 500);
    assert(reply.text.includes("soap:MustUnderstand<"), reply.text);
  });

  Deno.test(`SOAP ${version}: a fault reply holds one Fault and no result`, async () => {
    const text = envelope(ENVELOPES[version], "").replace(' s:mustUnderstand="1"', "");
    const reply = await ask(soap(version, text));
    assertEquals(reply.text.match(/<soap:Fault>/g)?.length, 1);
    assertEquals(/Response|Result/.test(reply.text), false);
  });

  Deno.test(`SOAP ${version}: what a sender should not have written is passed over`, async () => {
    const style = 's:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"';
    const call = '<ValidatePin xmlns="http://authenticatorapi.com/"><pin>1</pin>' +
      "<secretCode>x</secretCode></ValidatePin>";
    const text =
      `<?before it?><!-- before it --><s:Envelope xmlns:s="${ENVELOPES[version]}" ${style} ` +
      `attribute="1"><s:Header attribute="1"><block/></s:Header><s:Body attribute="1">${call}` +
      "</s:Body></s:Envelope><!-- behind it -->";
    const reply = await ask(soap(version, text));
    assertEquals(reply.status, 200);
    assert(reply.text.includes("<ValidatePinResult>false<"), reply.text);
  });

  Deno.test(`SOAP ${version}: mustUnderstand may have blanks around it`, async () => {
    const text = envelope(ENVELOPES[version], BROKEN).replace('"1"', '"\n1 "');
    const reply = await ask(soap(version, text));
    assert(reply.text.includes("soap:MustUnderstand<"), reply.text);
  });

  Deno.test(
    `SOAP ${version}: a root of another name is the sender's mistake, not another version`,
    async () => {
      const reply = await ask(soap(version, `<s:Letter xmlns:s="${ENVELOPES[version]}"/>`));
      assertEquals(reply.status, 500);
      const code = version === "1.1" ? "<faultcode>soap:Client<" : "<soap:Value>soap:Sender<";
      assert(reply.text.includes(code), reply.text);
      assert(reply.text.includes("Missing required soap:Envelope element."));
    },
  );

  Deno.test(`SOAP ${version}: an unexpected error is the receiver's, with 500`, async () => {
    const handler = handlerWith({
      now: () => {
        throw new Error("the clock is broken");
      },
      log: { error: () => {} },
      isReady: () => true,
    });
    const { headers, body } = soap(version, CALL.replaceAll("ENV", ENVELOPES[version]));
    const url = "http://otp.example/api.asmx";
    const reply = await handler(
      new Request(url, { method: "POST", headers: headers!, body: body! }),
    );
    assertEquals(reply.status, 500);
    const code = version === "1.1" ? "<faultcode>soap:Server<" : "<soap:Value>soap:Receiver<";
    assert((await reply.text()).includes(code));
  });
}

const ROLES = {
  "1.1": ["actor", "http://schemas.xmlsoap.org/soap/actor/next"],
  "1.2": ["role", "http://www.w3.org/2003/05/soap-envelope/role/next"],
} as const;

for (const version of ["1.1", "1.2"] as const) {
  Deno.test(`SOAP ${version}: blanks around mustUnderstand, a role and nil are none of them`, async () => {
    const [attribute, next] = ROLES[version];
    const tell = async (block: string, call: string): Promise<string> => {
      const text = CALL.replace("ENV", ENVELOPES[version])
        .replace("<s:Body>", `<s:Header>${block}</s:Header><s:Body>`)
        .replace("<secretCode>x</secretCode>", call);
      return (await ask(soap(version, text))).text;
    };
    const block = (required: string, role: string): string =>
      `<x:y xmlns:x="urn:x" s:mustUnderstand="${required}" s:${attribute}="${role}"/>`;
    const notUnderstood = "soap:MustUnderstand<";
    for (const required of ["1", " 1", "true ", "\ttrue\n"]) {
      for (const role of ["", " ", next, ` ${next}`, `${next}\n`]) {
        const reply = await tell(block(required, role), SECRET);
        assert(reply.includes(notUnderstood), `${required}, ${role}: ${reply}`);
      }
    }
    assert(!(await tell(block(" 0 ", next), SECRET)).includes(notUnderstood));
    assert(!(await tell(block("1", `${next}/other`), SECRET)).includes(notUnderstood));
    for (const nil of [" true", "1 ", "\ntrue\t"]) {
      const xsi = 'xmlns:i="http://www.w3.org/2001/XMLSchema-instance"';
      const reply = await tell("", `<secretCode ${xsi} i:nil="${nil}">1</secretCode>`);
      assert(reply.includes("Missing parameter: secretCode."), reply);
    }
  });

  Deno.test(`SOAP ${version}: a query that is too long is 414, and a fault that says it was not read`, async () => {
    const request = soap(version, CALL.replace("ENV", ENVELOPES[version]));
    const reply = await ask({ ...request, target: `/api.asmx?${"x".repeat(8_193)}` });
    assertEquals([reply.status, reply.type], [414, request.headers?.["Content-Type"] ?? ""]);
    const text = "Server was unable to read request. ---&gt; " +
      "The query string is longer than 8192 characters.";
    assert(reply.text.includes(`${text}<`), reply.text);
    assert(reply.text.includes(version === "1.1" ? "soap:Client<" : "soap:Sender<"), reply.text);
  });
}

Deno.test("SOAP 1.1: quotes of an action stand around the whole of it, or belong to it", async () => {
  const text = CALL.replace("ENV", ENVELOPES["1.1"]);
  const namespace = "http://authenticatorapi.com/";
  for (const action of [`"${namespace}ValidatePin"`, `${namespace}ValidatePin`, '""', ""]) {
    assertEquals((await ask(soap("1.1", text, { SOAPAction: action }))).status, 200, action);
  }
  for (const action of [`${namespace}"ValidatePin"`, `"${namespace}"ValidatePin`, '"']) {
    const reply = await ask(soap("1.1", text, { SOAPAction: action }));
    assert(reply.text.includes("did not recognize the value of HTTP Header SOAPAction"), action);
  }
});
