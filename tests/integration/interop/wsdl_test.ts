/** The WSDL by the schemas, profiles and generators of others; its addresses are in exchanges/. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { clientFile, compileCSharp, run, runClient } from "../../support/client_program.ts";
import { withProgram } from "../../support/program.ts";
import { serverForTests } from "../../support/test_server.ts";
import { callWithZeep, CONTRACT_BINDINGS } from "./clients.ts";

const server = serverForTests();

let folder = "";
let found = "";

// The schemas come with Mono: that of WSDL 1.1, and that of its SOAP binding.
Deno.test.beforeAll(async () => {
  folder = await Deno.makeTempDir({ prefix: "wsdl" });
  const program = `${folder}/Wsdl.exe`;
  await compileCSharp(program, [clientFile("Wsdl.cs")], ["-r:System.Web.Services"]);
  const wsdl = await (await fetch(`${server.url}/api.asmx?wsdl`)).text();
  await Deno.writeTextFile(`${folder}/api.wsdl`, wsdl);
  const schemas = ["wsdl-1.1.xsd", "wsdl-1.1-soap.xsd"];
  const namespaces = ["http://schemas.xmlsoap.org/wsdl/", "http://schemas.xmlsoap.org/wsdl/soap/"];
  const imports = namespaces.map((namespace, i) =>
    `<xs:import namespace="${namespace}" schemaLocation="${schemas[i]}"/>`
  );
  const all = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">${
    imports.join("")
  }</xs:schema>`;
  await Deno.writeTextFile(`${folder}/all.xsd`, all);
  found = (await run("mono", [program, `${folder}/api.wsdl`, folder])).text;
});

Deno.test.afterAll(() => Deno.remove(folder, { recursive: true }));

async function validate(wsdl: string): Promise<void> {
  const file = `${folder}/candidate.wsdl`;
  await Deno.writeTextFile(file, wsdl);
  await run("xmllint", ["--nonet", "--noout", "--schema", `${folder}/all.xsd`, file]);
}

Deno.test("xmllint finds the WSDL valid by the schemas of WSDL 1.1 and its SOAP binding", async () => {
  await validate(await Deno.readTextFile(`${folder}/api.wsdl`));
});

// Mistakes that show that the schemas are the right ones.
const BROKEN: readonly (readonly [what: string, from: string, to: string])[] = [
  ["a portType without a name", "<wsdl:portType name", "<wsdl:portType nam"],
  ["a SOAP binding without a transport", "<soap:binding transport", "<soap:binding transports"],
  ["an unknown SOAP style", 'style="document"', 'style="documents"'],
  ["an unknown use of a SOAP body", 'use="literal"', 'use="literally"'],
  ["an address without a location", "<soap:address location", "<soap:address locations"],
  [
    "an unknown element of WSDL",
    "<wsdl:input>",
    "<wsdl:inputs></wsdl:inputs><wsdl:input>",
  ],
];

for (const [what, from, to] of BROKEN) {
  Deno.test(`xmllint reports ${what}`, async () => {
    const wsdl = await Deno.readTextFile(`${folder}/api.wsdl`);
    assert(wsdl.includes(from));
    await assertRejects(() => validate(wsdl.replace(from, to)), Error, "validity error");
  });
}

Deno.test("Mono finds that the WSDL conforms to the WS-I Basic Profile 1.1", () => {
  assertEquals(found, "");
});

Deno.test("wsdl2h reads every port of the WSDL without a warning", async () => {
  const header = `${folder}/api.h`;
  const options = ["-c", "-R", "-N", "Api", "-o", header];
  const { text, errors } = await run("wsdl2h", [...options, `${server.url}/api.asmx?wsdl`]);
  assertEquals(`${text}${errors}`.match(/^.*(?:warning|error).*$/gim), null);
  const ports = [...(await Deno.readTextFile(header)).matchAll(/service name:\s+(\S+)/g)];
  assertEquals(ports.map(([, name]) => name), [
    "AuthenticatorAPISoap",
    "AuthenticatorAPISoap12",
    "AuthenticatorAPIHttpGet",
    "AuthenticatorAPIHttpPost",
  ]);
});

Deno.test("zeep and suds read every port of the WSDL without a warning", async () => {
  const operations = ["Pair", "ValidatePin"];
  const wsdl = `${server.url}/api.asmx?wsdl`;
  assertEquals(await runClient("/usr/bin/python3", "wsdl_zeep.py", [wsdl], ""), {
    warnings: [],
    ports: {
      AuthenticatorAPISoap: operations,
      AuthenticatorAPISoap12: operations,
      AuthenticatorAPIHttpGet: operations,
      AuthenticatorAPIHttpPost: operations,
    },
  });
});

Deno.test("zeep calls through a proxy that puts a path in front", async () => {
  const proxy = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, forward);
  const base = `http://127.0.0.1:${proxy.addr.port}/auth/v1`;
  let backend = "";
  async function forward(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    if (!pathname.startsWith("/auth/v1/")) return new Response(null, { status: 404 });
    const path = pathname.slice("/auth/v1".length);
    const { method, headers } = request;
    const body = method === "POST" ? await request.bytes() : null;
    return await fetch(`${backend}${path}${search}`, { method, headers, body });
  }
  try {
    await withProgram(["--port", "0", "--base-url", base], async ({ url }) => {
      backend = url;
      for (const binding of CONTRACT_BINDINGS) {
        const args = { pin: "000", secretCode: "s" };
        const outcome = await callWithZeep(base, binding, { operation: "ValidatePin", args });
        assertEquals([binding, outcome], [binding, { result: false }]);
      }
    });
  } finally {
    await proxy.shutdown();
  }
});
