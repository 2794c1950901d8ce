/** A request for every route and every kind of reply, for tests that watch the server. */

import { NAMESPACE } from "./call.ts";
import { ENVELOPES } from "./curl.ts";

function soap(envelope: string, operation: string, parameters: string): string {
  return `<s:Envelope xmlns:s="${envelope}"><s:Body><${operation} xmlns="${NAMESPACE}">` +
    `${parameters}</${operation}></s:Body></s:Envelope>`;
}

function post(path: string, type: string, body: string): readonly [string, RequestInit] {
  return [path, { method: "POST", headers: { "Content-Type": type }, body }];
}

const PAIR = "appName=a.example&appInfo=http%3A%2F%2Fb.example%2F&secretCode=s";
const PAIR_XML = "<appName>a.example</appName><appInfo>http://b.example/</appInfo>" +
  "<secretCode>s</secretCode>";
const PIN_XML = "<pin>1</pin><secretCode>s</secretCode>";
const FORM = "application/x-www-form-urlencoded";

// What would lead a careless parser out.
const DOCTYPE = '<!DOCTYPE s [<!ENTITY x SYSTEM "http://c.example/x">]><s>&x;</s>';

/** The requests: a path, and the rest. */
export const REQUESTS: readonly (readonly [path: string, init?: RequestInit])[] = [
  ["/"],
  ["/healthz"],
  ["/readyz"],
  ["/metrics"],
  ["/api.asmx"],
  ["/api.asmx?op=Pair"],
  ["/api.asmx?op=ValidatePin"],
  ["/api.asmx?wsdl"],
  ["/api.asmx?disco"],
  [`/api.asmx/Pair?${PAIR}`],
  ["/api.asmx/ValidatePin?pin=1&secretCode=s"],
  ["/api.asmx/ValidatePin"],
  [`/pair.aspx?${PAIR}`],
  ["/Validate.aspx?pin=1&secretCode=s"],
  ["/Validate.aspx"],
  ["/qr.aspx?data=http%3A%2F%2Fb.example%2F"],
  ["/qr.aspx?data=x&format=svg"],
  ["/qr.aspx"],
  ["/nowhere"],
  ["/api.asmx", { method: "OPTIONS" }],
  ["/api.asmx", { method: "DELETE" }],
  post("/api.asmx/Pair", FORM, PAIR),
  post("/api.asmx/ValidatePin", FORM, "pin=1&secretCode=s"),
  post("/api.asmx/Pair", "application/json", '{"appName":"a","appInfo":"b","secretCode":"s"}'),
  post("/api.asmx/ValidatePin", "application/json", '{"pin":"1","secretCode":"s"}'),
  post("/api.asmx/ValidatePin", "application/json", "{"),
  post("/api.asmx", "text/plain", "?"),
  ...Object.values(ENVELOPES).flatMap((envelope, i) => {
    const type = ["text/xml", "application/soap+xml"][i]!;
    return [
      post("/api.asmx", type, soap(envelope, "Pair", PAIR_XML)),
      post("/api.asmx", type, soap(envelope, "ValidatePin", PIN_XML)),
      post("/api.asmx", type, soap(envelope, "ValidatePin", "")),
      post("/api.asmx", type, soap(envelope, "Other", "")),
      post("/api.asmx", type, DOCTYPE),
      post("/api.asmx", type, "x".repeat(70_000)),
    ];
  }),
];
