/** Every client, over every binding that it speaks, for every operation. */

import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import type { Binding } from "./call.ts";
import { base32 } from "./accounts.ts";
import { CLIENTS, pair } from "./clients.ts";
import { codeOf, currentStep, wrongCode } from "./oath.ts";
import { serverForTests } from "./server.ts";

const server = serverForTests();

const SECRET = "pass wörd 🔑 <&> \"'%+";
const NAMES = { appName: "Bücher & Söhne <GmbH>", appInfo: 'anna+"o\'neil" 50% 鍵🔑' };

// What stands for the code of the fault of a caller's mistake.
const CALLERS_FAULT: Readonly<Record<Binding, string>> = {
  "SOAP 1.1": "soap:Client",
  "SOAP 1.2": "soap:Sender",
  "HTTP GET": "",
  "HTTP POST": "",
};

for (const { name, bindings, send } of CLIENTS) {
  for (const binding of bindings) {
    const client = `${name} over ${binding}`;

    Deno.test(`${client} gets the pairing information that any other caller gets`, async () => {
      const args = { ...NAMES, secretCode: SECRET };
      const outcome = await send(server.url, binding, { operation: "Pair", args });
      const result = await pair(server.url, "HTTP GET", args);
      assertEquals(outcome, { result });
      assertEquals(result.ManualSetupCode, base32(SECRET));
      assertMatch(result.Html, /^<a [^>]+><svg [^>]+>.+<\/svg><\/a>$/);
    });

    Deno.test(`${client} gets the fault of a Pair without a name`, async () => {
      const args = { ...NAMES, appName: "", secretCode: SECRET };
      assertEquals(await send(server.url, binding, { operation: "Pair", args }), {
        fault: { code: CALLERS_FAULT[binding], message: "Parameter appName must not be empty." },
      });
    });

    Deno.test(`${client} gets true for the right pin`, async () => {
      const args = { pin: await codeOf(SECRET, currentStep()), secretCode: SECRET };
      const outcome = await send(server.url, binding, { operation: "ValidatePin", args });
      assertEquals(outcome, { result: true });
    });

    Deno.test(`${client} gets false for a wrong pin`, async () => {
      const args = { pin: await wrongCode(SECRET), secretCode: SECRET };
      const outcome = await send(server.url, binding, { operation: "ValidatePin", args });
      assertEquals(outcome, { result: false });
    });

    Deno.test(`${client} gets the fault of a ValidatePin without a secret`, async () => {
      const args = { pin: "000000", secretCode: "" };
      assertEquals(await send(server.url, binding, { operation: "ValidatePin", args }), {
        fault: { code: CALLERS_FAULT[binding], message: "Parameter secretCode must not be empty." },
      });
    });
  }
}
