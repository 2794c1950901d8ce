/** curl as a client: requests as the contract shows them, replies taken apart by hand. */

import { type Binding, type Call, NAMESPACE, type Outcome, type PairingInfo } from "./call.ts";
import { run } from "../../support/client_program.ts";

/** A reply as curl saw it. */
export interface CurlReply {
  readonly status: number;
  readonly contentType: string;
  /** What curl printed: the body, and with `--include` the header in front of it. */
  readonly output: string;
}

/** Runs curl; `input` is what `@-` stands for. */
export async function curl(args: readonly string[], input = ""): Promise<CurlReply> {
  const fixed = ["--disable", "--silent", "--show-error", "--write-out", "%{stderr}%{json}"];
  const { text, errors } = await run("curl", [...fixed, ...args], input);
  const { http_code: status, content_type: contentType } = JSON.parse(errors);
  return { status, contentType: contentType ?? "", output: text };
}

/** The namespace name of the envelope of each version of SOAP. */
export const ENVELOPES = {
  "SOAP 1.1": "http://schemas.xmlsoap.org/soap/envelope/",
  "SOAP 1.2": "http://www.w3.org/2003/05/soap-envelope",
} as const;

/** The arguments for curl that make a request of a call; those of SOAP read the input. */
export function requestArguments(url: string, binding: Binding, call: Call): readonly string[] {
  const { operation, args } = call;
  const encoded = Object.entries(args)
    .flatMap(([name, value]) => ["--data-urlencode", `${name}=${value}`]);
  switch (binding) {
    case "SOAP 1.1": {
      const headers = ["Content-Type: text/xml; charset=utf-8", soapAction(operation)];
      return [...headers.flatMap((header) => ["-H", header]), ...soapBody(url)];
    }
    case "SOAP 1.2":
      return ["-H", "Content-Type: application/soap+xml; charset=utf-8", ...soapBody(url)];
    case "HTTP GET":
      return ["--get", ...encoded, `${url}/api.asmx/${operation}`];
    case "HTTP POST":
      return [...encoded, `${url}/api.asmx/${operation}`];
  }
}

function soapAction(operation: string): string {
  return `SOAPAction: "${NAMESPACE}${operation}"`;
}

function soapBody(url: string): readonly string[] {
  return ["--data-binary", "@-", `${url}/api.asmx`];
}

/** The envelope of a call; empty when the binding has none. */
export function envelope(binding: Binding, { operation, args }: Call): string {
  if (binding !== "SOAP 1.1" && binding !== "SOAP 1.2") return "";
  const parameters = Object.entries(args)
    .map(([name, value]) => `      <${name}>${escapeXml(value)}</${name}>\n`);
  return '<?xml version="1.0" encoding="utf-8"?>\n' +
    `<soap:Envelope xmlns:soap="${ENVELOPES[binding]}">\n  <soap:Body>\n` +
    `    <${operation} xmlns="${NAMESPACE}">\n${parameters.join("")}    </${operation}>\n` +
    "  </soap:Body>\n</soap:Envelope>\n";
}

/** Sends a call with curl and reads the reply. */
export async function callWithCurl(url: string, binding: Binding, call: Call): Promise<Outcome> {
  const reply = await curl(requestArguments(url, binding, call), envelope(binding, call));
  return reply.status === 200
    ? { result: readResult(reply.output) }
    : { fault: readFault(binding, reply) };
}

function readResult(body: string): PairingInfo | boolean {
  const answer = />(true|false)<\//.exec(body)?.[1];
  if (answer !== undefined) return answer === "true";
  return { ManualSetupCode: textOf(body, "ManualSetupCode"), Html: textOf(body, "Html") };
}

function readFault(binding: Binding, reply: CurlReply): { code: string; message: string } {
  switch (binding) {
    case "SOAP 1.1":
      return {
        code: textOf(reply.output, "faultcode"),
        message: textOf(reply.output, "faultstring"),
      };
    case "SOAP 1.2":
      return {
        code: textOf(reply.output, "soap:Value"),
        message: textOf(reply.output, "soap:Text"),
      };
    case "HTTP GET":
    case "HTTP POST":
      return { code: "", message: reply.output.trimEnd() };
  }
}

function textOf(xml: string, name: string): string {
  const text = new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`).exec(xml)?.[1];
  if (text === undefined) throw new Error(`No element ${name} in: ${xml}`);
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
