/** The clients: real programs, each behind one function. */

import { type Args, writeCall } from "../../support/calls.ts";
import { clientFile, needModule, run, runClient } from "../../support/client_program.ts";
import { runVbscript } from "../../support/wine.ts";
import { builtClients, dotnet } from "../../support/dotnet.ts";
import { AXIS_JARS, classPath, JAX_WS_JARS, stubsOf } from "./stubs.ts";

/** The bindings of the contract. */
export const CONTRACT_BINDINGS = ["SOAP 1.1", "SOAP 1.2", "HTTP GET", "HTTP POST"] as const;

/** All bindings. */
export const BINDINGS = [...CONTRACT_BINDINGS, "JSON"] as const;

/** A binding of the contract. */
export type ContractBinding = typeof CONTRACT_BINDINGS[number];

/** A binding. */
export type Binding = typeof BINDINGS[number];

/** A call of an operation. */
export interface Call {
  readonly operation: "Pair" | "ValidatePin";
  readonly args: Args;
}

/** The result of Pair. */
export interface PairingInfo {
  readonly ManualSetupCode: string;
  readonly Html: string;
}

/** The result or the fault that a client reports. */
export type Outcome =
  | { readonly result: PairingInfo | boolean }
  | { readonly fault: { readonly code: string; readonly message: string } };

/** Sends a call to the server at `url`. */
export type Send = (url: string, binding: Binding, call: Call) => Promise<Outcome>;

/** A client. */
export interface Client {
  readonly name: string;
  /** The origin of its requests. */
  readonly made: string;
  readonly bindings: readonly Binding[];
  readonly send: Send;
  /** The bindings that work on Bun and not on Deno, which answers an empty 400. */
  readonly onlyOnBun?: readonly Binding[];
  /** Set when it cannot write characters beyond the Basic Multilingual Plane. */
  readonly breaksBeyondBmp?: true;
  /** Set when it needs the SDK of .NET, without which its tests are left out. */
  readonly needsDotnet?: true;
}

const SOAP: readonly Binding[] = ["SOAP 1.1", "SOAP 1.2"];
const SOAP_11: readonly Binding[] = ["SOAP 1.1"];
const BY_HAND = "written by hand";
const READ = "reads the WSDL as it starts";

/** The names of each binding in generated code: the port of the WSDL, and Mono's protocol. */
const NAMES: Readonly<Record<ContractBinding, readonly [port: string, protocol: string]>> = {
  "SOAP 1.1": ["AuthenticatorAPISoap", "SOAP"],
  "SOAP 1.2": ["AuthenticatorAPISoap12", "SOAP12"],
  "HTTP GET": ["AuthenticatorAPIHttpGet", "HttpGet"],
  "HTTP POST": ["AuthenticatorAPIHttpPost", "HttpPost"],
};

const wsdlOf = (url: string): string => `${url}/api.asmx?wsdl`;
const versionOf = (binding: Binding): string => binding.replace("SOAP ", "");

// In the order of the WSDL, the order of the parameters of generated functions.
function valuesOf({ operation, args }: Call): readonly string[] {
  const names = operation === "Pair" ? ["appName", "appInfo", "secretCode"] : ["pin", "secretCode"];
  return names.map((name) => args[name] ?? "");
}

/** Runs a program of `clients/`, which reads the arguments as JSON and prints the outcome as JSON. */
function program(
  interpreter: string,
  file: string,
  args: (url: string, binding: Binding) => readonly string[],
): Send {
  return async (url, binding, call) => {
    const words = [...args(url, binding), call.operation];
    return await runClient(interpreter, file, words, JSON.stringify(call.args)) as Outcome;
  };
}

/** Runs a command whose output is the outcome as JSON. */
async function outcomeOf(command: string, args: readonly string[], input = ""): Promise<Outcome> {
  return JSON.parse((await run(command, args, input)).text);
}

function nodeModule(module: string, file: string): Send {
  const send = program("node", file, (url, binding) => [wsdlOf(url), versionOf(binding)]);
  return async (...call) => {
    await needModule(module);
    return await send(...call);
  };
}

/** The HTTP client of the JDK; with HTTP_2, its default, it requests an upgrade over plain HTTP. */
function javaHttp(version: "HTTP_2" | "HTTP_1_1"): Send {
  return async (url, binding, { operation, args }) => {
    const words = ["-cp", await stubsOf("javaHttp", url), "JavaHttp", version, url, binding];
    return await outcomeOf("java", [...words, operation], Object.entries(args).flat().join("\0"));
  };
}

/** Apache Axis 1, in Java. */
export const callWithAxis: Send = async (url, _binding, call) => {
  const path = classPath(AXIS_JARS, await stubsOf("axis", url));
  return await outcomeOf(
    "java",
    ["-cp", path, "Axis", call.operation],
    valuesOf(call).join("\0"),
  );
};

/** SOAP::Lite with the stubs that it generates from the WSDL. */
export async function callWithSoapLiteStubs(url: string, call: Call): Promise<Outcome> {
  const args = [`${url}/api.asmx`, "1.1", call.operation, "STUB"];
  return await runClient("perl", "soap_lite.pl", args, JSON.stringify(call.args)) as Outcome;
}

/** Port and protocol of a binding, of a client that has no other. */
function namesOf(binding: Binding): readonly [port: string, protocol: string] {
  if (binding === "JSON") throw new TypeError("The WSDL has no port of JSON");
  return NAMES[binding];
}

/** Client of `dotnet/`, by its name there. */
export function dotnetClient(name: string, env: Readonly<Record<string, string>> = {}): Send {
  return async (url, binding, { operation, args }) => {
    const words = [await builtClients(), name, url, binding, operation];
    const { stdout } = await dotnet(words, { input: JSON.stringify(args), env });
    const { version: _, ...outcome } = JSON.parse(stdout);
    return outcome as Outcome;
  };
}

/** zeep of Python, over any port. */
export const callWithZeep: Send = program("/usr/bin/python3", "soap_zeep.py", (url, binding) => [
  wsdlOf(url),
  namesOf(binding)[0],
]);

/** curl, whose reply is read by regular expressions. */
export const callWithCurl: Send = async (url, binding, { operation, args }) => {
  const { method, path, headers, body } = writeCall(binding, operation, args);
  const fields = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const sent = method === "POST" ? ["--data-binary", "@-"] : [];
  const options = ["--disable", "--silent", "--show-error", "--write-out", "%{stderr}%{http_code}"];
  const words = [...options, ...fields, ...sent, `${url}${path}`];
  const { text, errors: status } = await run("curl", words, body);
  const textOf = (name: string): string => {
    const found = new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`).exec(text)?.[1];
    if (found === undefined) throw new Error(`No element ${name} in: ${text}`);
    return found.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  };
  if (binding === "JSON") {
    const { d, Message: message } = JSON.parse(text);
    if (status !== "200") return { fault: { code: "", message } };
    const { __type: _, ...record } = d;
    return { result: typeof d === "boolean" ? d : record };
  }
  if (status === "200") {
    const answer = />(true|false)<\//.exec(text)?.[1];
    if (answer !== undefined) return { result: answer === "true" };
    return { result: { ManualSetupCode: textOf("ManualSetupCode"), Html: textOf("Html") } };
  }
  switch (binding) {
    case "SOAP 1.1":
      return { fault: { code: textOf("faultcode"), message: textOf("faultstring") } };
    case "SOAP 1.2":
      return { fault: { code: textOf("soap:Value"), message: textOf("soap:Text") } };
    default:
      return { fault: { code: "", message: text.trimEnd() } };
  }
};

/** All clients. */
export const CLIENTS: readonly Client[] = [
  { name: "curl", made: BY_HAND, bindings: BINDINGS, send: callWithCurl },
  {
    name: ".NET, HttpClient",
    made: BY_HAND,
    bindings: BINDINGS,
    needsDotnet: true,
    send: dotnetClient("HttpClient"),
  },
  {
    name: ".NET, WCF",
    made: "a contract as `svcutil` writes it",
    bindings: SOAP,
    needsDotnet: true,
    send: dotnetClient("WCF"),
  },
  {
    name: "C#, System.Web.Services of Mono",
    made: "`wsdl`, one proxy for each protocol",
    bindings: CONTRACT_BINDINGS,
    send: async (url, binding, call) => {
      const words = [`${await stubsOf("mono", url)}/Dotnet.exe`, namesOf(binding)[1]];
      return await outcomeOf("mono", [...words, call.operation], JSON.stringify(call.args));
    },
  },
  {
    name: "C, gSOAP",
    made: "`wsdl2h` and `soapcpp2`",
    bindings: SOAP,
    send: async (url, binding, call) => {
      const version = versionOf(binding);
      const client = `${await stubsOf("gsoap", url)}/soap${version}/client`;
      return await outcomeOf(client, [version, call.operation, ...valuesOf(call)]);
    },
  },
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
    bindings: CONTRACT_BINDINGS,
    onlyOnBun: CONTRACT_BINDINGS,
    send: javaHttp("HTTP_2"),
  },
  {
    name: "Java, java.net.http, `HTTP_1_1`",
    made: BY_HAND,
    bindings: CONTRACT_BINDINGS,
    send: javaHttp("HTTP_1_1"),
  },
  {
    name: "Java, JAX-WS RI",
    made: "`wsimport -extension`",
    bindings: SOAP,
    send: async (url, binding, call) => {
      const path = classPath(JAX_WS_JARS, await stubsOf("jaxWs", url));
      const words = ["-cp", path, "JaxWs", versionOf(binding), call.operation];
      return await outcomeOf("java", words, valuesOf(call).join("\0"));
    },
  },
  {
    name: "Node.js, soap",
    made: READ,
    bindings: SOAP,
    send: nodeModule("soap", "node_soap.cjs"),
  },
  {
    name: "Node.js, strong-soap",
    made: READ,
    bindings: SOAP,
    send: nodeModule("strong-soap", "node_strong_soap.cjs"),
  },
  {
    name: "Perl, SOAP::Lite",
    made: BY_HAND,
    bindings: SOAP,
    send: program("perl", "soap_lite.pl", (url, binding) => [
      `${url}/api.asmx`,
      versionOf(binding),
    ]),
  },
  {
    name: "PHP, SoapClient",
    made: READ,
    bindings: SOAP,
    send: program("php", "soap.php", (url, binding) => [wsdlOf(url), versionOf(binding)]),
  },
  {
    name: "Python, suds",
    made: READ,
    bindings: SOAP_11,
    send: program("/usr/bin/python3", "soap_suds.py", (url) => [wsdlOf(url)]),
  },
  { name: "Python, zeep", made: READ, bindings: CONTRACT_BINDINGS, send: callWithZeep },
  {
    name: "Ruby, soap4r",
    made: READ,
    bindings: SOAP_11,
    send: program("ruby", "soap4r.rb", (url) => [wsdlOf(url)]),
  },
  ...["MSXML2.ServerXMLHTTP.6.0", "WinHttp.WinHttpRequest.5.1"].map((className): Client => ({
    name: `VBScript of Wine, ${className.replace(/^(\w+)\.(\w+)\..*$/, "$2")}`,
    made: BY_HAND,
    bindings: BINDINGS,
    send: async (url, binding, { operation, args }) => {
      const units = Object.entries(args).map(([name, value]) =>
        `${name}=${value.split("").map((unit) => unit.charCodeAt(0)).join(",")}`
      );
      const words = [className, url, binding, operation, ...units];
      return JSON.parse(await runVbscript(clientFile("msxml.vbs"), words));
    },
  })),
];

/** Sends a Pair with curl. */
export async function pair(url: string, binding: Binding, args: Args): Promise<PairingInfo> {
  const outcome = await callWithCurl(url, binding, { operation: "Pair", args });
  if ("result" in outcome && typeof outcome.result === "object") return outcome.result;
  throw new Error(`No pairing information: ${JSON.stringify(outcome)}`);
}
