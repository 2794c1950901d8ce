/**
 * The hosted service as its published source and documentation describe it (docs/wire.md §9), in the
 * forms of ASP.NET: line ends, attributes, faults. It shares no code with `lib/`.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { AskedCall, SentReply } from "./compared_server.ts";
import { referenceBase32 } from "./reference_base32.ts";
import { referenceHotp } from "./reference_totp.ts";

const NAMESPACE = "http://authenticatorapi.com/";
const XML = "text/xml; charset=utf-8";
const XML_12 = "application/soap+xml; charset=utf-8";
const HTML = "text/html; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";
const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
const XSD = 'xmlns:xsd="http://www.w3.org/2001/XMLSchema"';
const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>';

/** Answers a call as the hosted service does. */
export function hostedService(call: AskedCall, nowMs = Date.now()): SentReply {
  if (/^\/api\.asmx\?wsdl$/i.test(call.target)) {
    return { status: 200, type: XML, text: wsdl(call.headers.get("host") ?? "") };
  }
  if (call.target === "/seal") {
    return { status: 404, type: HTML, text: "<h2><i>The resource cannot be found.</i></h2>" };
  }
  switch (call.form) {
    case "SOAP 1.1":
    case "SOAP 1.2":
      return soap(call, nowMs);
    case "HTTP GET":
    case "HTTP POST":
      return parameters(call, nowMs);
    case "JSON":
      return json(call, nowMs);
    default:
      return short(call, nowMs);
  }
}

/** Null stands for a parameter that is not there. */
function argument({ args }: AskedCall, name: string): string | null {
  return args.get(name.toLowerCase()) ?? null;
}

// Encoding.ASCII has a question mark for everything else.
function isRight(pin: string | null, secret: string, nowMs: number): boolean {
  const key = Buffer.from(secret.replace(/[^\0-\x7F]/g, "?"), "latin1");
  const now = Math.floor(nowMs / 30_000);
  return Array.from({ length: 21 }, (_, i) => referenceHotp(key, now + i - 10)).includes(pin ?? "");
}

interface Pairing {
  readonly key: string;
  readonly html: string;
}

function pair(appName: string | null, appInfo: string, secret: string): Pairing {
  const key = referenceBase32(Buffer.from(secret, "latin1"));
  const escape = (text: string): string => encodeURIComponent(text);
  const issuer = appName ? `&issuer=${escape(appName)}` : "";
  const uri = `otpauth://totp/${appInfo.replaceAll(" ", "")}?secret=${key}${issuer}`;
  return {
    key,
    html: `<a title='Manually pair with ${key}' href='https://www.authenticatorapi.com'>` +
      `<img src='https://www.AuthenticatorAPI.com/qr.aspx?size=300x300&data=${escape(uri)}' ` +
      "border=0></a>",
  };
}

const xml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function soap(call: AskedCall, nowMs: number): SentReply {
  const is12 = call.form === "SOAP 1.2";
  const type = is12 ? XML_12 : XML;
  const envelope = is12
    ? "http://www.w3.org/2003/05/soap-envelope"
    : "http://schemas.xmlsoap.org/soap/envelope/";
  const reply = (status: number, content: string): SentReply => ({
    status,
    type,
    text: `${DECLARATION}<soap:Envelope xmlns:soap="${envelope}" ${XSI} ${XSD}><soap:Body>` +
      `${content}</soap:Body></soap:Envelope>`,
  });
  const fault = (code: "Client" | "Server", text: string): SentReply => {
    const code12 = code === "Client" ? "Sender" : "Receiver";
    return reply(
      500,
      is12
        ? `<soap:Fault><soap:Code><soap:Value>soap:${code12}</soap:Value></soap:Code><soap:Reason>` +
          `<soap:Text xml:lang="en">${text}</soap:Text></soap:Reason><soap:Detail /></soap:Fault>`
        : `<soap:Fault><faultcode>soap:${code}</faultcode><faultstring>${text}</faultstring>` +
          "<detail /></soap:Fault>",
    );
  };
  if (call.operation !== "Pair" && call.operation !== "ValidatePin") {
    return fault("Client", "Server did not recognize the value of HTTP Header SOAPAction.");
  }
  if (!/<\/(\w+:)?Envelope>\s*$/.test(call.body)) return { status: 400, type, text: "" };
  const secret = argument(call, "secretCode");
  if (secret === null) {
    return fault(
      "Server",
      "Server was unable to process request. ---&gt; String reference not set to an instance of a " +
        "String.\r\nParameter name: s",
    );
  }
  if (call.operation === "ValidatePin") {
    const result = isRight(argument(call, "pin"), secret, nowMs);
    return reply(
      200,
      `<ValidatePinResponse xmlns="${NAMESPACE}"><ValidatePinResult>${result}</ValidatePinResult>` +
        "</ValidatePinResponse>",
    );
  }
  const { key, html } = pair(argument(call, "appName"), argument(call, "appInfo") ?? "", secret);
  return reply(
    200,
    `<PairResponse xmlns="${NAMESPACE}"><PairResult><ManualSetupCode>${key}</ManualSetupCode>` +
      `<Html>${xml(html)}</Html></PairResult></PairResponse>`,
  );
}

function parameters(call: AskedCall, nowMs: number): SentReply {
  const fault = (text: string): SentReply => ({
    status: 500,
    type: "text/plain; charset=utf-8",
    text: `${text}\r\n`,
  });
  const names = { Pair: ["appName", "appInfo", "secretCode"], ValidatePin: ["pin", "secretCode"] };
  if (call.operation !== "Pair" && call.operation !== "ValidatePin") {
    return fault(`${call.operation} Web Service method name is not valid.`);
  }
  const missing = names[call.operation].find((name) => argument(call, name) === null);
  if (missing !== undefined) return fault(`Missing parameter: ${missing}.`);
  const [first, second, third] = names[call.operation].map((name) => argument(call, name)!);
  if (call.operation === "ValidatePin") {
    const result = isRight(first!, second!, nowMs);
    const text = `${DECLARATION}\r\n<boolean xmlns="${NAMESPACE}">${result}</boolean>`;
    return { status: 200, type: XML, text };
  }
  const { key, html } = pair(first!, second!, third!);
  const lines = [
    DECLARATION,
    `<PairingInfo ${XSD} ${XSI} xmlns="${NAMESPACE}">`,
    `  <ManualSetupCode>${key}</ManualSetupCode>`,
    `  <Html>${xml(html)}</Html>`,
    "</PairingInfo>",
  ];
  return { status: 200, type: XML, text: lines.join("\r\n") };
}

function json(call: AskedCall, nowMs: number): SentReply {
  const reply = (status: number, value: unknown): SentReply => ({
    status,
    type: JSON_TYPE,
    text: JSON.stringify(value).replace(
      /[<>&']/g,
      (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`,
    ),
  });
  const secret = argument(call, "secretCode");
  if (secret === null) {
    const Message = "There was an error processing the request.";
    return reply(500, { Message, StackTrace: "", ExceptionType: "" });
  }
  if (call.operation === "ValidatePin") {
    return reply(200, { d: isRight(argument(call, "pin"), secret, nowMs) });
  }
  const { key, html } = pair(argument(call, "appName"), argument(call, "appInfo") ?? "", secret);
  const __type = "AuthenticatorAPI.PairingInfo";
  return reply(200, { d: { __type, ManualSetupCode: key, Html: html } });
}

function short(call: AskedCall, nowMs: number): SentReply {
  const names = call.operation === "Pair"
    ? ["AppName", "AppInfo", "SecretCode"]
    : ["Pin", "SecretCode"];
  const missing = names.find((name) => !argument(call, name));
  const [first, second, third] = names.map((name) => argument(call, name)!);
  const text = missing !== undefined
    ? `Pass '${missing}' in QueryString`
    : call.operation === "Pair"
    ? pair(first!, second!, third!).html
    : isRight(first!, second!, nowMs)
    ? "True"
    : "False";
  return { status: 200, type: HTML, text };
}

// The parts of the document that clients read.
function wsdl(host: string): string {
  const operation = (name: string): string =>
    `    <wsdl:operation name="${name}">\r\n    </wsdl:operation>\r\n`;
  const types = ["Soap", "HttpGet", "HttpPost"].map((suffix) =>
    `  <wsdl:portType name="AuthenticatorAPI${suffix}">\r\n` +
    `${operation("Pair")}${operation("ValidatePin")}  </wsdl:portType>\r\n`
  );
  const ports = [["Soap", "soap"], ["Soap12", "soap12"], ["HttpGet", "http"], ["HttpPost", "http"]]
    .map(([suffix, prefix]) =>
      `    <wsdl:port name="AuthenticatorAPI${suffix}" binding="tns:AuthenticatorAPI${suffix}">\r\n` +
      `      <${prefix}:address location="http://${host}/api.asmx" />\r\n    </wsdl:port>\r\n`
    );
  return `${DECLARATION}\r\n<wsdl:definitions xmlns:tns="${NAMESPACE}" ` +
    'xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" ' +
    'xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/" ' +
    'xmlns:http="http://schemas.xmlsoap.org/wsdl/http/" ' +
    `targetNamespace="${NAMESPACE}" xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/">\r\n` +
    `${types.join("")}  <wsdl:service name="AuthenticatorAPI">\r\n${ports.join("")}` +
    "  </wsdl:service>\r\n</wsdl:definitions>";
}
