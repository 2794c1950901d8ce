// deno-lint-ignore-file explicit-function-return-type -- JavaScript has no types to return.

// Calls an operation with soap of npm, made from a WSDL, and prints what came of it as JSON.
//
// Usage: node node_soap.cjs WSDL-URL VERSION OPERATION < PARAMETERS.json

const { readFileSync } = require("node:fs");

const soap = require("soap");

const PORTS = { "1.1": "AuthenticatorAPISoap", "1.2": "AuthenticatorAPISoap12" };
const MEDIA_TYPES = { "1.1": "text/xml", "1.2": "application/soap+xml" };

async function main([wsdl, version, operation]) {
  const parameters = JSON.parse(readFileSync(0, "utf8"));
  const client = await soap.createClientAsync(wsdl, { forceSoap12Headers: version === "1.2" });
  const call = client.AuthenticatorAPI[PORTS[version]][operation];
  const outcome = await new Promise((resolve) => {
    call(parameters, (error, response) => resolve(outcomeOf(error, response, operation)));
  });
  const sent = client.lastRequestHeaders["Content-Type"];
  if (!sent.startsWith(MEDIA_TYPES[version])) throw new Error(`not SOAP ${version}: ${sent}`);
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}

function outcomeOf(error, response, operation) {
  if (!error) return { result: response[`${operation}Result`] };
  const { faultcode, faultstring, Code, Reason } = error.root.Envelope.Body.Fault;
  return faultcode === undefined
    ? { fault: { code: Code.Value, message: Reason.Text.$value } }
    : { fault: { code: faultcode, message: faultstring } };
}

main(process.argv.slice(2));
