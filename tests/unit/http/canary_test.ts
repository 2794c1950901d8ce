import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { createLog } from "../../../lib/telemetry/log.ts";
import { createMetrics } from "../../../lib/telemetry/metrics.ts";
import { setupCode } from "../../../lib/otp/key_uri.ts";
import { referenceHotp } from "../../support/reference_totp.ts";
import { handlerWith } from "../../support/handler.ts";

// Texts that must come out nowhere: not in the log, not in the metrics, not in an error.
const SECRET = "canary-secret-7c1f";
const NOW = 1_800_000_000_000;
const PIN = referenceHotp(SECRET, NOW / 30_000);
const WRONG_PIN = "987600";
const KEY = "canary-key-0123456789";
const BASE32 = setupCode(new TextEncoder().encode(SECRET));
const CANARIES = [SECRET, PIN, WRONG_PIN, KEY, btoa(SECRET), BASE32, "7c1f"];

const SOAP_11 = "http://schemas.xmlsoap.org/soap/envelope/";
const SOAP_12 = "http://www.w3.org/2003/05/soap-envelope";
const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";

/** A request: method, path, media type, body. */
type Row = readonly [string, string, string?, string?];

function envelope(namespace: string, body: string): string {
  return `<e:Envelope xmlns:e="${namespace}"><e:Body>${body}</e:Body></e:Envelope>`;
}

function parameters(pin: string): string {
  return `appName=a&appInfo=b&pin=${pin}&secretCode=${SECRET}`;
}

function element(name: string, pin: string): string {
  return `<${name} xmlns="http://authenticatorapi.com/"><appName>a</appName>` +
    `<appInfo>b</appInfo><pin>${pin}</pin><secretCode>${SECRET}</secretCode></${name}>`;
}

// Right and wrong calls in every binding, and the secret in wrong places; the replies of all others
// are in tests/exchanges/, where each `hush` must not come back, and their sentence is what is logged.
const ROWS: readonly Row[] = [
  ...[PIN, WRONG_PIN].flatMap((pin): Row[] => [
    ["GET", `/api.asmx/ValidatePin?${parameters(pin)}`],
    ["POST", "/api.asmx/ValidatePin", FORM, parameters(pin)],
    ["POST", "/api.asmx", "text/xml", envelope(SOAP_11, element("ValidatePin", pin))],
    ["POST", "/api.asmx", "application/soap+xml", envelope(SOAP_12, element("ValidatePin", pin))],
  ]),
  ["POST", "/api.asmx/ValidatePin", JSON_TYPE, JSON.stringify({ pin: PIN, secretCode: SECRET })],
  ["POST", "/api.asmx/ValidatePin", JSON_TYPE, `{"secretCode":"${SECRET}"`],
  ["POST", "/api.asmx/ValidatePin", JSON_TYPE, `{"secretCode":["${SECRET}"],"pin":1}`],
  ["POST", `/api.asmx/${SECRET}`, JSON_TYPE, "{}"],
  ["GET", `/Validate.aspx?${parameters(PIN)}`],
  ["GET", `/Validate.aspx?${parameters(WRONG_PIN)}`],
  ["GET", `/Validate.aspx?SecretCode=${SECRET}`],
  ["GET", `/pair.aspx?AppName=${SECRET}&SecretCode=${SECRET}`],
  ["GET", `/qr.aspx?data=${SECRET}&size=${SECRET}`],
  ["GET", `/api.asmx/Pair?${parameters(PIN)}`],
  ["GET", `/${SECRET}`],
  ["GET", `/api.asmx/${SECRET}?pin=${PIN}`],
  ["GET", `/api.asmx?op=${SECRET}`],
  ["GET", `/api.asmx/Pair?${SECRET}=1&appName=${SECRET}`],
  ["GET", `/api.asmx/ValidatePin?secretCode=${SECRET}&secretCode=${SECRET}&pin=1`],
  ["GET", `/api.asmx/ValidatePin?secretCode=${SECRET}%FF&pin=1`],
  ["GET", `/api.asmx/ValidatePin?secretCode=${SECRET.repeat(80)}&pin=1`],
  ["GET", `/api.asmx?${SECRET.repeat(600)}`],
  [SECRET.replaceAll("-", ""), "/api.asmx"],
  ["POST", "/api.asmx", `text/${SECRET}`, SECRET],
  ["POST", "/api.asmx", "text/xml", SECRET],
  ["POST", "/api.asmx", "text/xml", `<${SECRET}/>`],
  ["POST", "/api.asmx", "text/xml", `<!DOCTYPE ${SECRET}><a/>`],
  ["POST", "/api.asmx", "text/xml", envelope(SECRET, element("Pair", PIN))],
  ["POST", "/api.asmx", "text/xml", envelope(SOAP_11, element(SECRET, PIN))],
  ["POST", "/api.asmx/Pair", FORM, `appName=${SECRET}&secretCode=`],
  ["POST", "/api.asmx/Pair", FORM, `secretCode=${SECRET}%uD800`],
];

for (const apiKeys of [[], [KEY]]) {
  const who = apiKeys.length === 0 ? "without callers' keys" : "with callers' keys";
  Deno.test(`no secret, pin or key appears in log, metrics or errors, ${who}`, async () => {
    const metrics = createMetrics("1", 1);
    let seen = "";
    const write = (line: string): void => void (seen += line);
    const log = createLog({ format: "text", color: false, write, now: () => NOW });
    let count = 0;
    const handler = handlerWith({
      now: () => NOW,
      log,
      apiKeys,
      telemetry: {
        observe: (event) => (log.request(event), metrics.observe(event)),
        requestId: () => `id-${count++}`,
        monotonicMs: () => 0,
      },
    });
    const outcomes = new Set<string>();
    for (const [method, path, contentType, body] of ROWS) {
      const headers: Record<string, string> = { "X-Api-Key": KEY, SOAPAction: SECRET };
      if (contentType !== undefined) headers["content-type"] = contentType;
      if (!path.includes("ValidatePin")) delete headers.SOAPAction;
      const init = body === undefined ? { method, headers } : { method, headers, body };
      const reply = await handler(new Request(`http://localhost${path}`, init));
      outcomes.add(String(reply.status));
      // A pairing holds the secret's Base32 by purpose; nothing else may hold anything.
      const isPairing = reply.status === 200 && path.startsWith("/api.asmx/Pair");
      if (!isPairing) seen += `${[...reply.headers].join()} ${await reply.text()}\n`;
    }
    seen += metrics.text({ residentBytes: 0, cpuSeconds: 0, startSeconds: 0 });
    for (const canary of CANARIES) assert(!seen.includes(canary), canary);
    assertEquals(
      seen.split("\n").filter((line) => line.includes(" info request ")).length,
      ROWS.length,
    );
    for (const status of ["200", "400", "404", "405", "414", "415", "500"]) {
      assert(outcomes.has(status), status);
    }
  });
}
