/** The clients: real programs, all asked the same way. */

import { type Binding, BINDINGS, type Call, type Outcome, type PairingInfo } from "./call.ts";
import { callWithCurl } from "./curl.ts";
import {
  callWithAxis,
  callWithDotnet,
  callWithGsoap,
  callWithJavaHttp,
  callWithJavaHttp11,
  callWithJaxWs,
  callWithNodeSoap,
  callWithPhp,
  callWithSoap4r,
  callWithSoapLite,
  callWithStrongSoap,
  callWithSuds,
  callWithZeep,
} from "./stacks.ts";

/** Sends a call to the server at `url`. */
export type Send = (url: string, binding: Binding, call: Call) => Promise<Outcome>;

/** A client. */
export interface Client {
  readonly name: string;
  /** How it comes by its requests. */
  readonly made: string;
  /** The bindings that it speaks. */
  readonly bindings: readonly Binding[];
  readonly send: Send;
  /** The bindings over which it works on Bun and not on Deno, which answers an empty 400. */
  readonly onlyOnBun?: readonly Binding[];
  /** Set when it cannot write characters beyond the Basic Multilingual Plane. */
  readonly breaksBeyondBmp?: true;
}

const SOAP: readonly Binding[] = ["SOAP 1.1", "SOAP 1.2"];
const SOAP_11: readonly Binding[] = ["SOAP 1.1"];
const BY_HAND = "written by hand";
const READ = "reads the WSDL as it starts";

/** All clients. */
export const CLIENTS: readonly Client[] = [
  { name: "curl", made: BY_HAND, bindings: BINDINGS, send: callWithCurl },
  {
    name: "C#, System.Web.Services of Mono",
    made: "`wsdl`, one proxy for each protocol",
    bindings: BINDINGS,
    send: callWithDotnet,
  },
  { name: "C, gSOAP", made: "`wsdl2h` and `soapcpp2`", bindings: SOAP, send: callWithGsoap },
  {
    name: "Java, Apache Axis 1",
    made: "`WSDL2Java`",
    bindings: SOAP_11,
    send: callWithAxis,
    breaksBeyondBmp: true,
  },
  {
    name: "Java, java.net.http",
    made: BY_HAND,
    bindings: BINDINGS,
    onlyOnBun: BINDINGS,
    send: callWithJavaHttp,
  },
  {
    name: "Java, java.net.http, `HTTP_1_1`",
    made: BY_HAND,
    bindings: BINDINGS,
    send: callWithJavaHttp11,
  },
  { name: "Java, JAX-WS RI", made: "`wsimport -extension`", bindings: SOAP, send: callWithJaxWs },
  { name: "Node.js, soap", made: READ, bindings: SOAP, send: callWithNodeSoap },
  { name: "Node.js, strong-soap", made: READ, bindings: SOAP, send: callWithStrongSoap },
  { name: "Perl, SOAP::Lite", made: BY_HAND, bindings: SOAP, send: callWithSoapLite },
  { name: "PHP, SoapClient", made: READ, bindings: SOAP, send: callWithPhp },
  { name: "Python, suds", made: READ, bindings: SOAP_11, send: callWithSuds },
  { name: "Python, zeep", made: READ, bindings: BINDINGS, send: callWithZeep },
  { name: "Ruby, soap4r", made: READ, bindings: SOAP_11, send: callWithSoap4r },
];

/** Sends a Pair with curl. */
export async function pair(
  url: string,
  binding: Binding,
  args: Readonly<Record<string, string>>,
): Promise<PairingInfo> {
  const outcome = await callWithCurl(url, binding, { operation: "Pair", args });
  if ("result" in outcome && typeof outcome.result === "object") return outcome.result;
  throw new Error(`No pairing information: ${JSON.stringify(outcome)}`);
}

/** Sends a ValidatePin with curl. */
export async function validatePin(
  url: string,
  binding: Binding,
  args: Readonly<Record<string, string>>,
): Promise<boolean> {
  const outcome = await callWithCurl(url, binding, { operation: "ValidatePin", args });
  if ("result" in outcome && typeof outcome.result === "boolean") return outcome.result;
  throw new Error(`No boolean: ${JSON.stringify(outcome)}`);
}
