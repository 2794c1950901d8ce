import { randomBytes } from "node:crypto";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import project from "../../../../deno.json" with { type: "json" };
import { Validator } from "@seriousme/openapi-schema-validator";
import { FAULTS } from "../../../../lib/bindings/faults.ts";
import { openApi, type OpenApiSettings } from "../../../../lib/bindings/description/openapi.ts";
import { type Operation, OPERATIONS } from "../../../../lib/operations/operations.ts";
import { parseSealKeys, SealKeys } from "../../../../lib/sealing/seal_keys.ts";
import { handlerWith } from "../../../support/handler.ts";
import { SEAL_KEY_LINES } from "../../../support/seal_keys.ts";
import { operation } from "../operation.ts";

const FACTS: OpenApiSettings = {
  base: "http://localhost",
  wantsKey: false,
  service: {
    algorithm: "SHA1",
    digits: 6,
    period: 30,
    window: 1,
    secretEncoding: "text",
    html: "svg",
    now: () => 0,
  },
};

const PATHS = [...OPERATIONS.keys()].map((name) => `/api.asmx/${name}`);

// As far as the tests look.
type Document = {
  readonly info: { readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security?: readonly object[];
  readonly paths: Readonly<Record<string, { readonly post: OperationObject }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly responses: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly securitySchemes?: Readonly<Record<string, unknown>>;
  };
};
type OperationObject = {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly object[];
  readonly responses: Readonly<Record<string, unknown>>;
};
type Schema = {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

function documentWith(
  facts: Partial<OpenApiSettings> = {},
  more: readonly Operation[] = [],
): Document {
  return JSON.parse(openApi({ ...FACTS, ...facts }, [...OPERATIONS.values(), ...more]));
}

const MANY = [
  operation("Info", { kind: "record", name: "InfoRecord", fields: ["A"] }),
];

for (const wantsKey of [false, true]) {
  Deno.test(`openApi() is valid OpenAPI 3.0${wantsKey ? " with keys" : ""}`, async () => {
    const validator = new Validator();
    const verdict = await validator.validate(documentWith({ wantsKey }, MANY));
    assertEquals([verdict.errors, verdict.valid], [undefined, true]);
    assertEquals(validator.version, "3.0");
    // A validator that accepts everything would show nothing.
    const { paths: _, ...broken } = documentWith({ wantsKey });
    assert(!(await validator.validate({ ...broken, paths: { "/x": { post: [] } } })).valid);
  });
}

Deno.test("openApi() has its version, and a path for each operation with its parameters and limits", () => {
  const { info, paths, components: { schemas } } = documentWith();
  assertEquals(info.version, project.version);
  assertEquals(Object.keys(paths), PATHS);
  for (const { name, documentation, parameters } of OPERATIONS.values()) {
    const { operationId, summary } = paths[`/api.asmx/${name}`]!.post;
    assertEquals([operationId, summary], [name, documentation]);
    const names = parameters.map((parameter) => parameter.name);
    const required = parameters.filter(({ mayBeEmpty }) => !mayBeEmpty);
    // OpenAPI 3.0 knows no empty list.
    assertEquals(schemas[name]!.required ?? [], required.map((parameter) => parameter.name));
    assertEquals(Object.keys(schemas[name]!.properties!), names);
    for (const { name: parameter, max, mayBeEmpty, example: exampleFor } of parameters) {
      const { type, nullable, maxLength, minLength, example } = schemas[name]!
        .properties![parameter]!;
      assertEquals(example, exampleFor(FACTS.service), parameter);
      assertEquals([maxLength, minLength], [max, mayBeEmpty ? undefined : 1], parameter);
      assertEquals([type, nullable], ["string", mayBeEmpty ? true : undefined], parameter);
    }
  }
});

Deno.test("openApi() has /seal, and the length of a sealed secret, where the service has seal keys", async () => {
  const sealKeys = new SealKeys(parseSealKeys(SEAL_KEY_LINES.join("\n")), randomBytes);
  const document = documentWith({ service: { ...FACTS.service, sealKeys } });
  assertEquals((await new Validator().validate(document)).errors, undefined);
  const { paths, components: { schemas } } = document;
  assertEquals(Object.keys(paths), [...PATHS, "/seal"]);
  assertEquals(paths["/seal"]!.post.operationId, "Seal");
  const lengthIn = (name: string): unknown => {
    const { maxLength, description } = schemas[name]!.properties!["secretCode"]!;
    assertMatch(String(description), RegExp(` At most ${maxLength} bytes\\.$`), name);
    return maxLength;
  };
  assertEquals(["Pair", "ValidatePin", "Seal"].map(lengthIn), [1024, 2048, 2048]);
  assertEquals(schemas["SealResponse"]!.properties!["d"], { type: "string" });
});

Deno.test("openApi() has the field that names a source, in every operation", () => {
  const { paths, components: { parameters } } = documentWith({}, MANY);
  for (const { post } of Object.values(paths)) {
    assertEquals(post.parameters, [{ $ref: "#/components/parameters/Source" }]);
  }
  const { name, in: place, required } = parameters["Source"]!;
  assertEquals([name, place, required], ["X-Authenticator-Source", "header", false]);
});

Deno.test("openApi() has a type for each kind of result", () => {
  const { components: { schemas } } = documentWith({}, MANY);
  const typeOf = (name: string): unknown => schemas[`${name}Response`]!.properties!["d"];
  assertEquals(typeOf("ValidatePin"), { type: "boolean" });
  assertEquals(typeOf("Info"), { $ref: "#/components/schemas/InfoRecord" });
  assertEquals(schemas["PairingInfo"]!.required, ["__type", "ManualSetupCode", "Html"]);
  assertEquals(schemas["PairingInfo"]!.properties!["__type"], {
    type: "string",
    example: "AuthenticatorAPI.PairingInfo",
  });
});

Deno.test("openApi() has every status of an error that a call as JSON can get", () => {
  const statuses = (wantsKey: boolean): string[] =>
    Object.keys(documentWith({ wantsKey }).paths["/api.asmx/Pair"]!.post.responses);
  // Not 404: the path is there. Not 414: there is no query.
  const others = ["version-mismatch", "must-understand", "unknown-operation", "query-too-long"];
  const expected = new Set(
    Object.entries(FAULTS).filter(([code]) => !others.includes(code)).map(([, fault]) =>
      String(fault.status)
    ),
  );
  assertEquals(statuses(true), ["200", ...[...expected].sort()]);
  assertEquals(statuses(false), statuses(true).filter((status) => status !== "401"));
});

Deno.test("openApi() has for every error its cause, its form and its header fields", () => {
  const { paths, components } = documentWith({ wantsKey: true }, MANY);
  const { responses } = components;
  for (const { post } of Object.values(paths)) {
    const { 200: _, ...errors } = post.responses;
    assertEquals(Object.keys(errors), Object.keys(responses));
    for (const [status, reply] of Object.entries(errors)) {
      assertEquals(reply, { $ref: `#/components/responses/${status}` });
    }
  }
  const more: Readonly<Record<string, string>> = { 401: "WWW-Authenticate", 503: "Retry-After" };
  for (const [status, { description, headers, content }] of Object.entries(responses)) {
    assertMatch(String(description), /^[A-Z].*\.$/, status);
    assertEquals(content, {
      "application/json": { schema: { $ref: "#/components/schemas/Error" } },
    });
    const names = ["jsonerror", ...(more[status] === undefined ? [] : [more[status]])];
    assertEquals(Object.keys(headers as object), names, status);
  }
});

Deno.test("openApi() lists the ways to send an API key where one is required, and each works", async () => {
  const { security, components } = documentWith();
  assertEquals([security, components.securitySchemes], [[], undefined]);
  const wanted = documentWith({ wantsKey: true });
  assertEquals(wanted.security, [{ ApiKey: [] }, { Bearer: [] }, { Basic: [] }]);
  const key = "0123456789abcdef";
  const shown: Readonly<Record<string, readonly [string, string]>> = {
    ApiKey: ["X-Api-Key", key],
    Bearer: ["Authorization", `Bearer ${key}`],
    Basic: ["Authorization", `Basic ${btoa(`any:${key}`)}`],
  };
  assertEquals(Object.keys(wanted.components.securitySchemes!), Object.keys(shown));
  const handler = handlerWith({ apiKeys: [key] });
  for (const header of Object.values(shown)) {
    const headers = [[...header], ["content-type", "application/json"]] as [string, string][];
    const body = '{"pin":"1","secretCode":"x"}';
    const reply = await handler(
      new Request("http://localhost/api.asmx/ValidatePin", { method: "POST", headers, body }),
    );
    assertEquals(await reply.json(), { d: false });
  }
});

Deno.test("replies in JSON are valid by the description", async () => {
  const { components: { schemas } } = documentWith();
  const ask = async (name: string, args: object): Promise<Readonly<Record<string, unknown>>> => {
    const headers = { "content-type": "application/json" };
    const reply = await handlerWith()(
      new Request(`http://localhost/api.asmx/${name}`, {
        method: "POST",
        headers,
        body: JSON.stringify(args),
      }),
    );
    return await reply.json();
  };
  const { d } = await ask("Pair", { appName: "a", appInfo: "b", secretCode: "c" });
  assertEquals(Object.keys(d as object), schemas["PairingInfo"]!.required!);
  assertEquals(Object.keys(await ask("Pair", {})), schemas["Error"]!.required!);
});

Deno.test("errors of a call as JSON have a status that the description has, and its form", async () => {
  const key = "0123456789abcdef";
  const handler = handlerWith({ apiKeys: [key] });
  const { paths, components: { schemas } } = documentWith({ wantsKey: true });
  const rows: readonly (readonly [number, Readonly<Record<string, string>>, string])[] = [
    [400, {}, "{}"],
    [400, {}, "nonsense"],
    [401, { "x-api-key": `${key}f` }, "{}"],
    [413, {}, " ".repeat(70_000)],
    [415, { "content-encoding": "gzip" }, "{}"],
  ];
  for (const [status, more, body] of rows) {
    const headers = { "content-type": "application/json", "x-api-key": key, ...more };
    const url = "http://localhost/api.asmx/Pair";
    const reply = await handler(new Request(url, { method: "POST", headers, body }));
    assertEquals(reply.status, status, body.slice(0, 10));
    assert(`${status}` in paths["/api.asmx/Pair"]!.post.responses);
    assertEquals(Object.keys(await reply.json()), schemas["Error"]!.required!);
    assertEquals(reply.headers.get("jsonerror"), "true");
  }
});
