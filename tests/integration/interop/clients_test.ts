/** Every client, over every binding that it speaks, for every operation. */

import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { PROGRAM } from "../../support/program.ts";
import { referenceBase32 } from "../../support/reference_base32.ts";
import {
  type Binding,
  callWithAxis,
  callWithSoapLiteStubs,
  CLIENTS,
  type Outcome,
  pair,
} from "./clients.ts";
import { codeOf, currentStep, wrongCode } from "./oath.ts";
import { PATIENT, serverForTests } from "../../support/test_server.ts";
import { dotnetTest } from "../../support/dotnet.ts";
import { removeWine } from "../../support/wine.ts";
import { removeStubs } from "./stubs.ts";

const server = serverForTests(...PATIENT);
Deno.test.afterAll(removeStubs);
Deno.test.afterAll(removeWine);

const SECRET = "pass wörd 🔑 <&> \"'%+";
const NAMES = { appName: "Bücher & Söhne <GmbH>", appInfo: 'anna+"o\'neil" 50% 鍵🔑' };

// The fault code of a caller's mistake.
const CALLERS_FAULT: Readonly<Record<Binding, string>> = {
  "SOAP 1.1": "Client",
  "SOAP 1.2": "Sender",
  "HTTP GET": "",
  "HTTP POST": "",
  "JSON": "",
};

// Some stacks replace the prefix by one of their own.
function withoutPrefix(outcome: Outcome): Outcome {
  if ("result" in outcome) return outcome;
  const { code, message } = outcome.fault;
  return { fault: { code: code.replace(/^.*:/, ""), message } };
}

const BEYOND_BMP = /[\u{10000}-\u{10FFFF}]/gu;

for (const { name, bindings, onlyOnBun = [], send, breaksBeyondBmp, needsDotnet } of CLIENTS) {
  const test = needsDotnet ? dotnetTest : Deno.test;
  const writable = (text: string): string => breaksBeyondBmp ? text.replace(BEYOND_BMP, "") : text;
  const secretCode = writable(SECRET);

  for (const binding of bindings) {
    const client = `${name} over ${binding}`;

    if (PROGRAM === "deno" && onlyOnBun.includes(binding)) {
      Deno.test(`${client} gets an empty 400 of Deno`, async () => {
        const args = { pin: await codeOf(secretCode, currentStep()), secretCode };
        const outcome = await send(server.url, binding, { operation: "ValidatePin", args });
        assertEquals(outcome, { fault: { code: "", message: "an empty 400" } });
      });
      continue;
    }

    test(`${client} gets the pairing information that any other caller gets`, async () => {
      const { appName, appInfo } = NAMES;
      const args = { appName: writable(appName), appInfo: writable(appInfo), secretCode };
      const outcome = await send(server.url, binding, { operation: "Pair", args });
      const result = await pair(server.url, "HTTP GET", args);
      assertEquals(outcome, { result });
      assertEquals(result.ManualSetupCode, referenceBase32(secretCode));
      assertMatch(result.Html, /^<a [^>]+><svg [^>]+>.+<\/svg><\/a>$/);
    });

    test(`${client} gets the fault of a Pair without a name`, async () => {
      const args = { appName: "", appInfo: "anna", secretCode };
      const outcome = await send(server.url, binding, { operation: "Pair", args });
      assertEquals(withoutPrefix(outcome), {
        fault: { code: CALLERS_FAULT[binding], message: "Parameter appName must not be empty." },
      });
    });

    test(`${client} gets true for the right pin`, async () => {
      const args = { pin: await codeOf(secretCode, currentStep()), secretCode };
      const outcome = await send(server.url, binding, { operation: "ValidatePin", args });
      assertEquals(outcome, { result: true });
    });

    test(`${client} gets false for a wrong pin`, async () => {
      const args = { pin: await wrongCode(secretCode), secretCode };
      const outcome = await send(server.url, binding, { operation: "ValidatePin", args });
      assertEquals(outcome, { result: false });
    });

    test(`${client} gets the fault of a ValidatePin without a secret`, async () => {
      const args = { pin: "000000", secretCode: "" };
      const outcome = await send(server.url, binding, { operation: "ValidatePin", args });
      assertEquals(withoutPrefix(outcome), {
        fault: { code: CALLERS_FAULT[binding], message: "Parameter secretCode must not be empty." },
      });
    });
  }
}

Deno.test("the stubs of SOAP::Lite put the parameters in no namespace, and get a fault that names the right one", async () => {
  const args = { pin: "000000", secretCode: "s" };
  const expected = "It is expected in namespace http://authenticatorapi.com/.";
  assertEquals(await callWithSoapLiteStubs(server.url, { operation: "ValidatePin", args }), {
    fault: { code: "soap:Client", message: `Missing parameter: pin. ${expected}` },
  });
});

Deno.test("Axis 1 writes surrogate pairs as two references, which is not XML, and gets a fault", async () => {
  const args = { ...NAMES, secretCode: "s" };
  const outcome = await callWithAxis(server.url, "SOAP 1.1", { operation: "Pair", args });
  const { code, message } = "fault" in outcome ? outcome.fault : { code: "", message: "" };
  assertEquals(code, "soap:Client");
  assertMatch(message, /A character reference names a character that XML forbids/);
});
