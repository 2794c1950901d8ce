/** The clients: real programs, all asked the same way. */

import { type Binding, BINDINGS, type Call, type Outcome, type PairingInfo } from "./call.ts";
import { runClient } from "./command.ts";
import { callWithCurl } from "./curl.ts";

/** Sends a call to the server at `url`. */
export type Client = (url: string, binding: Binding, call: Call) => Promise<Outcome>;

/** Each client with the bindings that it speaks. */
export const CLIENTS: readonly {
  readonly name: string;
  readonly bindings: readonly Binding[];
  readonly send: Client;
}[] = [
  { name: "curl", bindings: BINDINGS, send: callWithCurl },
  { name: "PHP SoapClient", bindings: ["SOAP 1.1", "SOAP 1.2"], send: callWithPhp },
  { name: "Python zeep", bindings: BINDINGS, send: callWithZeep },
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

async function callWithPhp(url: string, binding: Binding, call: Call): Promise<Outcome> {
  const version = binding.replace("SOAP ", "");
  const args = [`${url}/api.asmx?wsdl`, version, call.operation];
  return await runClient("php", "soap.php", args, JSON.stringify(call.args)) as Outcome;
}

const PORTS: Readonly<Record<Binding, string>> = {
  "SOAP 1.1": "AuthenticatorAPISoap",
  "SOAP 1.2": "AuthenticatorAPISoap12",
  "HTTP GET": "AuthenticatorAPIHttpGet",
  "HTTP POST": "AuthenticatorAPIHttpPost",
};

async function callWithZeep(url: string, binding: Binding, call: Call): Promise<Outcome> {
  const args = [`${url}/api.asmx?wsdl`, PORTS[binding], call.operation];
  const input = JSON.stringify(call.args);
  return await runClient("/usr/bin/python3", "soap_zeep.py", args, input) as Outcome;
}
