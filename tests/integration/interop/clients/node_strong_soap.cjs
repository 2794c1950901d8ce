// deno-lint-ignore-file explicit-function-return-type -- JavaScript has no types to return.

// Calls an operation with strong-soap of npm, made from a WSDL, and prints what came of it as JSON.
//
// Usage: node node_strong_soap.cjs WSDL-URL VERSION OPERATION < PARAMETERS.json

const { readFileSync } = require("node:fs");

const { soap } = require("strong-soap");

const PORTS = { "1.1": "AuthenticatorAPISoap", "1.2": "AuthenticatorAPISoap12" };
const MEDIA_TYPES = { "1.1": "text/xml", "1.2": "application/soap+xml" };

const [wsdl, version, operation] = process.argv.slice(2);
const parameters = JSON.parse(readFileSync(0, "utf8"));

soap.createClient(wsdl, {}, (failure, client) => {
  if (failure) throw failure;
  const call = client.AuthenticatorAPI[PORTS[version]][operation];
  call(parameters, (error, response) => {
    const sent = client.lastRequestHeaders["Content-Type"];
    if (!sent.startsWith(MEDIA_TYPES[version])) throw new Error(`not SOAP ${version}: ${sent}`);
    process.stdout.write(`${JSON.stringify(outcomeOf(error, response))}\n`);
  });
});

function outcomeOf(error, response) {
  if (!error) return { result: response[`${operation}Result`] };
  const { faultcode, faultstring, Code, Reason } = error.root.Envelope.Body.Fault;
  return faultcode === undefined
    ? { fault: { code: Code.Value, message: Reason.Text.$value } }
    : { fault: { code: faultcode, message: faultstring } };
}
