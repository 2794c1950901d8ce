/** SOAP stacks of other languages, each behind the same function. */

import type { Binding, Call, Outcome } from "./call.ts";
import { run, runClient } from "../../support/client_program.ts";
import { AXIS_JARS, classPath, JAX_WS_JARS, stubsOf } from "./stubs.ts";

const PYTHON = "/usr/bin/python3";

/** PHP's SoapClient. */
export async function callWithPhp(url: string, binding: Binding, call: Call): Promise<Outcome> {
  return await runJson("php", "soap.php", [wsdlOf(url), versionOf(binding), call.operation], call);
}

const PORTS: Readonly<Record<Binding, string>> = {
  "SOAP 1.1": "AuthenticatorAPISoap",
  "SOAP 1.2": "AuthenticatorAPISoap12",
  "HTTP GET": "AuthenticatorAPIHttpGet",
  "HTTP POST": "AuthenticatorAPIHttpPost",
};

/** zeep of Python, over any port. */
export async function callWithZeep(url: string, binding: Binding, call: Call): Promise<Outcome> {
  return await runJson(PYTHON, "soap_zeep.py", [wsdlOf(url), PORTS[binding], call.operation], call);
}

/** suds of Python. */
export async function callWithSuds(url: string, _binding: Binding, call: Call): Promise<Outcome> {
  return await runJson(PYTHON, "soap_suds.py", [wsdlOf(url), call.operation], call);
}

/** SOAP::Lite of Perl. */
export async function callWithSoapLite(
  url: string,
  binding: Binding,
  call: Call,
): Promise<Outcome> {
  const args = [`${url}/api.asmx`, versionOf(binding), call.operation];
  return await runJson("perl", "soap_lite.pl", args, call);
}

/** What SOAP::Lite gets with the stubs that it makes from a WSDL. */
export async function callWithSoapLiteStubs(url: string, call: Call): Promise<Outcome> {
  const args = [`${url}/api.asmx`, "1.1", call.operation, "STUB"];
  return await runJson("perl", "soap_lite.pl", args, call);
}

/** soap4r of Ruby. */
export async function callWithSoap4r(url: string, _binding: Binding, call: Call): Promise<Outcome> {
  return await runJson("ruby", "soap4r.rb", [wsdlOf(url), call.operation], call);
}

/** soap of npm, in Node.js. */
export async function callWithNodeSoap(
  url: string,
  binding: Binding,
  call: Call,
): Promise<Outcome> {
  return await runNode("soap", "node_soap.cjs", url, binding, call);
}

/** strong-soap of npm, in Node.js. */
export async function callWithStrongSoap(
  url: string,
  binding: Binding,
  call: Call,
): Promise<Outcome> {
  return await runNode("strong-soap", "node_strong_soap.cjs", url, binding, call);
}

async function runNode(
  module: string,
  program: string,
  url: string,
  binding: Binding,
  call: Call,
): Promise<Outcome> {
  try {
    await run("node", ["-e", `require.resolve(${JSON.stringify(module)})`]);
  } catch (error) {
    if (!`${error}`.includes("MODULE_NOT_FOUND")) throw error;
    throw new Error(
      `the module ${module} of Node.js is missing: npm install --prefix FOLDER ${module}, ` +
        "and NODE_PATH=FOLDER/node_modules in the environment",
    );
  }
  return await runJson("node", program, [wsdlOf(url), versionOf(binding), call.operation], call);
}

/** Stubs of gSOAP, in C. */
export async function callWithGsoap(url: string, binding: Binding, call: Call): Promise<Outcome> {
  const version = versionOf(binding);
  const program = `${await stubsOf("gsoap", url)}/soap${version}/client`;
  return await parsed(run(program, [version, call.operation, ...valuesOf(call)]));
}

/** Classes of the JAX-WS reference implementation, in Java. */
export async function callWithJaxWs(url: string, binding: Binding, call: Call): Promise<Outcome> {
  const path = classPath(JAX_WS_JARS, await stubsOf("jaxWs", url));
  const args = ["-cp", path, "JaxWs", versionOf(binding), call.operation];
  return await parsed(run("java", args, valuesOf(call).join("\0")));
}

/** Classes of Apache Axis 1, in Java. */
export async function callWithAxis(url: string, _binding: Binding, call: Call): Promise<Outcome> {
  const path = classPath(AXIS_JARS, await stubsOf("axis", url));
  const args = ["-cp", path, "Axis", call.operation];
  return await parsed(run("java", args, valuesOf(call).join("\0")));
}

/** The HTTP client of the JDK as it comes: over plain HTTP it asks for an upgrade to HTTP/2. */
export async function callWithJavaHttp(
  url: string,
  binding: Binding,
  call: Call,
): Promise<Outcome> {
  return await runJavaHttp("HTTP_2", url, binding, call);
}

/** The HTTP client of the JDK that is told to speak HTTP/1.1. */
export async function callWithJavaHttp11(
  url: string,
  binding: Binding,
  call: Call,
): Promise<Outcome> {
  return await runJavaHttp("HTTP_1_1", url, binding, call);
}

async function runJavaHttp(
  version: string,
  url: string,
  binding: Binding,
  { operation, args }: Call,
): Promise<Outcome> {
  const program = ["-cp", await stubsOf("javaHttp", url), "JavaHttp"];
  const input = Object.entries(args).flat().join("\0");
  return await parsed(run("java", [...program, version, url, binding, operation], input));
}

const PROTOCOLS: Readonly<Record<Binding, string>> = {
  "SOAP 1.1": "SOAP",
  "SOAP 1.2": "SOAP12",
  "HTTP GET": "HttpGet",
  "HTTP POST": "HttpPost",
};

/** Proxies of `wsdl` and System.Web.Services, in C#. */
export async function callWithDotnet(url: string, binding: Binding, call: Call): Promise<Outcome> {
  const program = `${await stubsOf("mono", url)}/Dotnet.exe`;
  const args = [program, PROTOCOLS[binding], call.operation];
  return await parsed(run("mono", args, JSON.stringify(call.args)));
}

function wsdlOf(url: string): string {
  return `${url}/api.asmx?wsdl`;
}

function versionOf(binding: Binding): string {
  return binding.replace("SOAP ", "");
}

// In the order of the WSDL, which is all that generated functions go by.
function valuesOf({ operation, args }: Call): readonly string[] {
  const names = operation === "Pair" ? ["appName", "appInfo", "secretCode"] : ["pin", "secretCode"];
  return names.map((name) => args[name] ?? "");
}

async function runJson(
  interpreter: string,
  program: string,
  args: readonly string[],
  call: Call,
): Promise<Outcome> {
  return await runClient(interpreter, program, args, JSON.stringify(call.args)) as Outcome;
}

async function parsed(output: Promise<{ readonly text: string }>): Promise<Outcome> {
  return JSON.parse((await output).text);
}
