import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import type { Binding } from "../../../lib/bindings/binding.ts";
import { bindingsOf } from "../../../lib/bindings/bindings.ts";
import { Fault, type FaultCode } from "../../../lib/operations/fault.ts";

const BINDINGS = new Map(
  bindingsOf("http://authenticatorapi.com/").map((binding) => [binding.name, binding]),
);

function bindingNamed(name: string): Binding {
  const binding = BINDINGS.get(name);
  assert(binding !== undefined, name);
  return binding;
}

// wire.md §3.10 and wire.md §5.3: each code, its status, that of a SOAP reply, whom it blames in SOAP 1.1 and
// in 1.2, and whether the text has that the request was not read.
const ROWS: readonly (readonly [FaultCode, number, number, string, string, boolean])[] = [
  ["unreadable", 400, 500, "Client", "Sender", true],
  ["invalid", 400, 500, "Client", "Sender", false],
  ["bad-host", 400, 400, "Client", "Sender", true],
  ["unauthorized", 401, 401, "Client", "Sender", false],
  ["unknown-operation", 404, 500, "Client", "Sender", false],
  ["timeout", 408, 408, "Client", "Sender", true],
  ["body-too-large", 413, 413, "Client", "Sender", true],
  ["query-too-long", 414, 414, "Client", "Sender", true],
  ["unsupported-media-type", 415, 415, "Client", "Sender", true],
  ["version-mismatch", 500, 500, "VersionMismatch", "VersionMismatch", false],
  ["must-understand", 500, 500, "MustUnderstand", "MustUnderstand", false],
  ["busy", 503, 503, "Server", "Receiver", true],
  ["closed", 503, 503, "Server", "Receiver", false],
  ["internal", 500, 500, "Server", "Receiver", false],
];

for (const [code, status, soapStatus, code11, code12, unread] of ROWS) {
  Deno.test(`the fault ${code} has its status and its code in every binding`, () => {
    const fault = new Fault(code, "Why.");
    for (const name of ["HTTP GET", "HTTP POST", "JSON"]) {
      assertEquals(bindingNamed(name).writeFault(fault).status, status, name);
    }
    const text = unread ? "Server was unable to read request. ---&gt; Why." : "Why.";
    const soap11 = bindingNamed("SOAP 1.1").writeFault(fault);
    assertEquals(soap11.status, soapStatus);
    const fault11 = `<faultcode>soap:${code11}</faultcode><faultstring>${text}</faultstring>`;
    assert(`${soap11.body}`.includes(fault11), `${soap11.body}`);
    const soap12 = bindingNamed("SOAP 1.2").writeFault(fault);
    assertEquals(soap12.status, soapStatus);
    const fault12 = `<soap:Value>soap:${code12}</soap:Value></soap:Code><soap:Reason>` +
      `<soap:Text xml:lang="en">${text}</soap:Text>`;
    assert(`${soap12.body}`.includes(fault12), `${soap12.body}`);
  });
}
