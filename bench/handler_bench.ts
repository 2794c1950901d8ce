// What a request costs in the handler, without the runtime's socket: every operation in every
// binding, and the same with the body of an error.

import { serviceHandler } from "../tests/support/service_handler.ts";
import { parseConfig } from "../lib/config/options.ts";
import { referenceHotp } from "../tests/support/reference_totp.ts";

const SECRET = "YJO8LCQTMFU4";
const NOW = 1_800_000_000_000;
const RIGHT = referenceHotp(SECRET, NOW / 30_000);
const WRONG = RIGHT === "000000" ? "000001" : "000000";

const config = parseConfig({ flags: new Map(), env: () => undefined });
const handler = serviceHandler(config, {
  now: () => NOW,
  log: { error: () => {} },
  isReady: () => true,
});

interface Exchange {
  readonly path: string;
  readonly contentType?: string;
  readonly body?: string;
}

function envelope(namespace: string, content: string): string {
  return `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${namespace}" ` +
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ' +
    'xmlns:xsd="http://www.w3.org/2001/XMLSchema">' +
    `<soap:Body>${content}</soap:Body></soap:Envelope>`;
}

const SOAP_11 = "http://schemas.xmlsoap.org/soap/envelope/";
const SOAP_12 = "http://www.w3.org/2003/05/soap-envelope";
const PAIR = '<Pair xmlns="http://authenticatorapi.com/"><appName>Example Corp</appName>' +
  `<appInfo>jane.doe@example.com</appInfo><secretCode>${SECRET}</secretCode></Pair>`;
const VALIDATE = '<ValidatePin xmlns="http://authenticatorapi.com/">' +
  `<pin>${RIGHT}</pin><secretCode>${SECRET}</secretCode></ValidatePin>`;
const PAIR_FORM = `appName=Example+Corp&appInfo=jane.doe%40example.com&secretCode=${SECRET}`;
const FORM = "application/x-www-form-urlencoded";

const EXCHANGES: Readonly<Record<string, Readonly<Record<string, Exchange>>>> = {
  ValidatePin: {
    "HTTP GET, right pin": { path: `/api.asmx/ValidatePin?pin=${RIGHT}&secretCode=${SECRET}` },
    "HTTP GET, wrong pin": { path: `/api.asmx/ValidatePin?pin=${WRONG}&secretCode=${SECRET}` },
    "HTTP POST": {
      path: "/api.asmx/ValidatePin",
      contentType: FORM,
      body: `pin=${RIGHT}&secretCode=${SECRET}`,
    },
    "SOAP 1.1": { path: "/api.asmx", contentType: "text/xml", body: envelope(SOAP_11, VALIDATE) },
    "SOAP 1.2": {
      path: "/api.asmx",
      contentType: "application/soap+xml",
      body: envelope(SOAP_12, VALIDATE),
    },
  },
  Pair: {
    "HTTP GET": { path: `/api.asmx/Pair?${PAIR_FORM}` },
    "HTTP POST": { path: "/api.asmx/Pair", contentType: FORM, body: PAIR_FORM },
    "SOAP 1.1": { path: "/api.asmx", contentType: "text/xml", body: envelope(SOAP_11, PAIR) },
  },
  others: {
    "healthz": { path: "/healthz" },
    "WSDL": { path: "/api.asmx?wsdl" },
    "fault": { path: "/api.asmx", contentType: "text/xml", body: "<not an envelope" },
  },
};

function requestOf({ path, contentType, body }: Exchange): Request {
  const url = `http://localhost:8080${path}`;
  if (contentType === undefined || body === undefined) return new Request(url);
  return new Request(url, {
    method: "POST",
    headers: { "content-type": contentType, "content-length": String(body.length) },
    body,
  });
}

for (const [group, exchanges] of Object.entries(EXCHANGES)) {
  for (const [name, exchange] of Object.entries(exchanges)) {
    Deno.bench(name, { group }, async () => {
      const reply = await handler(requestOf(exchange));
      await reply.text();
    });
  }
}
