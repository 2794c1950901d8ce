/** The WSDL by schemas, profiles and generators that others wrote, and the addresses in it. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { clientFile, run, runClient } from "../../support/client_program.ts";
import { curl } from "./curl.ts";
import { type Server, serverForTests, startServer } from "../../support/server_under_test.ts";
import { callWithZeep } from "./stacks.ts";

const server = serverForTests();

let folder = "";
let found = "";

// The schemas come with Mono: that of WSDL 1.1, and that of its SOAP binding.
Deno.test.beforeAll(async () => {
  folder = await Deno.makeTempDir({ prefix: "wsdl" });
  const program = `${folder}/Wsdl.exe`;
  await run("mcs", ["-r:System.Web.Services", `-out:${program}`, clientFile("Wsdl.cs")]);
  const wsdl = await curl([`${server.url}/api.asmx?wsdl`]);
  await Deno.writeTextFile(`${folder}/api.wsdl`, wsdl.output);
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

// That the schemas are the right ones, and look where they should.
const BROKEN: readonly (readonly [what: string, from: string, to: string])[] = [
  ["a portType without a name", "<wsdl:portType name", "<wsdl:portType nam"],
  ["a SOAP binding without a transport", "<soap:binding transport", "<soap:binding transports"],
  ["a SOAP style that there is not", 'style="document"', 'style="documents"'],
  ["a SOAP body of a use that there is not", 'use="literal"', 'use="literally"'],
  ["an address without a location", "<soap:address location", "<soap:address locations"],
  [
    "an element of WSDL that there is not",
    "<wsdl:input>",
    "<wsdl:inputs></wsdl:inputs><wsdl:input>",
  ],
];

for (const [what, from, to] of BROKEN) {
  Deno.test(`xmllint would find ${what}`, async () => {
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

/** The addresses in the WSDL and in the discovery document that curl gets. */
async function addresses(url: string, ...args: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const [key, count] of [["wsdl", 4], ["disco", 4]] as const) {
    const { output } = await curl(["--globoff", ...args, `${url}/api.asmx?${key}`]);
    const matches = [...output.matchAll(/(?:location|address|ref|docRef)="(http[^"]*)"/g)];
    assertEquals(matches.length, count);
    for (const [, address] of matches) found.add(address!.replace(/\?wsdl$/, ""));
  }
  return found;
}

const FORWARDED = [
  ...["-H", "X-Forwarded-Proto: https"],
  ...["-H", "X-Forwarded-Host: login.example.com:8443"],
];

// The options of the server, the arguments of curl, and where the addresses lead.
const BASES: readonly (readonly [string, readonly string[], readonly string[], string])[] = [
  ["a Host with a port", [], ["-H", "Host: auth.example.com:8081"], "http://auth.example.com:8081"],
  ["a Host without one", [], ["-H", "Host: auth.example.com"], "http://auth.example.com"],
  ["an IPv6 Host", [], ["-H", "Host: [2001:db8::1]:8080"], "http://[2001:db8::1]:8080"],
  ["an IPv6 Host without a port", [], ["-H", "Host: [::1]"], "http://[::1]"],
  [
    "a proxy that is not trusted",
    [],
    ["-H", "Host: auth.example.com", ...FORWARDED],
    "http://auth.example.com",
  ],
  ["a proxy that is trusted", ["--trust-proxy"], FORWARDED, "https://login.example.com:8443"],
  [
    "a trusted proxy with an IPv6 host",
    ["--trust-proxy"],
    ["-H", "X-Forwarded-Host: [2001:db8::2]"],
    "http://[2001:db8::2]",
  ],
  [
    "--base-url with a path",
    ["--base-url", "https://example.com/auth/v1"],
    [],
    "https://example.com/auth/v1",
  ],
  [
    "--base-url and a trusted proxy",
    ["--base-url", "https://example.com/auth", "--trust-proxy"],
    FORWARDED,
    "https://example.com/auth",
  ],
  [
    "--base-url with an IPv6 host",
    ["--base-url", "http://[2001:db8::3]:81"],
    [],
    "http://[2001:db8::3]:81",
  ],
];

async function withServer(
  options: readonly string[],
  use: (started: Server) => Promise<void>,
): Promise<void> {
  const started = await startServer(options);
  try {
    await use(started);
  } finally {
    await started.stop();
  }
}

for (const [what, options, args, base] of BASES) {
  Deno.test(`the addresses are right behind ${what}`, async () => {
    const check = async (url: string): Promise<void> =>
      assertEquals(await addresses(url, ...args), new Set([`${base}/api.asmx`]));
    if (options.length === 0) await check(server.url);
    else await withServer(options, (started) => check(started.url));
  });
}

Deno.test("the addresses have the port that the caller used", async () => {
  assertEquals(await addresses(server.url), new Set([`${server.url}/api.asmx`]));
});

Deno.test("the addresses are right over IPv6", async () => {
  await withServer(["--host", "::1"], async ({ url }) => {
    const { port } = new URL(url);
    const address = `http://[::1]:${port}`;
    assertEquals(await addresses(address), new Set([`${address}/api.asmx`]));
  });
});

Deno.test("the addresses are right over TLS", async () => {
  const files = [`${folder}/cert.pem`, `${folder}/key.pem`] as const;
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const out = ["-keyout", files[1], "-out", files[0]];
  await run("openssl", ["req", "-x509", ...kind, "-days", "2", ...subject, ...out]);
  await withServer(["--tls-cert", files[0], "--tls-key", files[1]], async ({ url }) => {
    assert(url.startsWith("https://"), `It serves on ${url}`);
    const address = `https://localhost:${new URL(url).port}`;
    const trust = ["--cacert", files[0], "--resolve", `localhost:${new URL(url).port}:127.0.0.1`];
    assertEquals(await addresses(address, ...trust), new Set([`${address}/api.asmx`]));
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
    await withServer(["--base-url", base], async ({ url }) => {
      backend = url;
      for (const binding of ["SOAP 1.1", "SOAP 1.2", "HTTP GET", "HTTP POST"] as const) {
        const args = { pin: "000", secretCode: "s" };
        const outcome = await callWithZeep(base, binding, { operation: "ValidatePin", args });
        assertEquals([binding, outcome], [binding, { result: false }]);
      }
    });
  } finally {
    await proxy.shutdown();
  }
});
