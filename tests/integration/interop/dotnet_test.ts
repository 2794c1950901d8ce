/** What Microsoft's clients do beside the rows of the table: TLS, message contracts, generated clients. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { fileURLToPath } from "node:url";
import { builtClients, dotnet, dotnetTest } from "../../support/dotnet.ts";
import { PROGRAM } from "../../support/program.ts";
import { referenceBase32 } from "../../support/reference_base32.ts";
import { PATIENT, serverForTests } from "../../support/test_server.ts";
import { dotnetClient, pair, type Send } from "./clients.ts";
import { codeOf, currentStep, wrongCode } from "./oath.ts";

const certificate = (name: string): string =>
  fileURLToPath(new URL(`../../support/certificates/${name}.pem`, import.meta.url));

const server = serverForTests(...PATIENT);
const tls = serverForTests(
  ...["--tls-cert", certificate("store"), "--tls-key", certificate("store_key")],
  ...PATIENT,
);

// OpenSSL's variable: the certificate is checked against this authority alone.
const TRUSTING = { SSL_CERT_FILE: certificate("authority") };

const SECRET = "pass wörd 🔑 <&> \"'%+";
const NAMES = { appName: "Bücher & Söhne <GmbH>", appInfo: 'anna+"o\'neil" 50% 鍵🔑' };

/** Calls both operations, each right and with a mistake. */
async function checkAll(url: string, send: Send, code: string): Promise<void> {
  const binding = code === "" ? "JSON" : "SOAP 1.1";
  const call = (operation: "Pair" | "ValidatePin", args: Readonly<Record<string, string>>) =>
    send(url, binding, { operation, args });
  const paired = { ...NAMES, secretCode: SECRET };
  const result = await pair(server.url, "HTTP GET", paired);
  assertEquals(result.ManualSetupCode, referenceBase32(SECRET));
  assertEquals(await call("Pair", paired), { result });
  const pin = await codeOf(SECRET, currentStep());
  assertEquals(await call("ValidatePin", { pin, secretCode: SECRET }), { result: true });
  const wrong = await wrongCode(SECRET);
  assertEquals(await call("ValidatePin", { pin: wrong, secretCode: SECRET }), { result: false });
  assertEquals(await call("Pair", { ...paired, appName: "" }), {
    fault: { code, message: "Parameter appName must not be empty." },
  });
  assertEquals(await call("ValidatePin", { pin, secretCode: "" }), {
    fault: { code, message: "Parameter secretCode must not be empty." },
  });
}

dotnetTest(
  "WCF with message contracts and DataContractSerializer calls both operations",
  () => checkAll(server.url, dotnetClient("WCF, message contracts"), "Client"),
);

for (const name of ["NSwag, System.Text.Json", "NSwag, Newtonsoft.Json", "Kiota"]) {
  dotnetTest(
    `the client of ${name}, generated from /openapi.json, calls both operations`,
    () => checkAll(server.url, dotnetClient(name), ""),
  );
}

dotnetTest(
  "WCF calls both operations over TLS",
  () => checkAll(tls.url, dotnetClient("WCF", TRUSTING), "Client"),
);

dotnetTest("HttpClient has HTTP/2 over TLS on Deno, and HTTP/1.1 on Bun, by ALPN", async () => {
  const words = [await builtClients(), "HttpClient", tls.url, "JSON", "ValidatePin"];
  const input = JSON.stringify({ pin: await codeOf(SECRET, currentStep()), secretCode: SECRET });
  const { stdout } = await dotnet(words, { input, env: TRUSTING });
  const version = PROGRAM === "deno" ? "2.0" : "1.1";
  assertEquals(JSON.parse(stdout), { result: true, version });
});

dotnetTest("HttpClient refuses the certificate of an authority that it does not know", async () => {
  const words = [await builtClients(), "HttpClient", tls.url, "JSON", "ValidatePin"];
  const input = JSON.stringify({ pin: "1", secretCode: SECRET });
  const error = await dotnet(words, { input, env: { SSL_CERT_FILE: certificate("client") } })
    .then(() => "", (error: Error) => error.message);
  assert(error.includes("AuthenticationException"), error);
});
