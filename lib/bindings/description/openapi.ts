/**
 * The OpenAPI 3.0 description of the JSON form, derived from `OPERATIONS`. Importers of API managers
 * refuse 3.1.
 *
 * @module
 */

import project from "../../../deno.json" with { type: "json" };
import { SOURCE_FIELD } from "../binding.ts";
import { type FaultRow, FAULTS } from "../faults.ts";
import { ERROR_MEMBERS, JSON_TYPE, typeNameOf } from "../json.ts";
import type { ServiceContext } from "../../operations/context.ts";
import {
  greatestLength,
  type Operation,
  OPERATIONS,
  type Parameter,
  SEAL,
  SERVICE_NAME,
} from "../../operations/operations.ts";

/** Settings of the document, beside the operations. */
export interface OpenApiSettings {
  /** Public base URL, without a slash at the end. */
  readonly base: string;
  /** Whether callers must show a key. */
  readonly wantsKey: boolean;
  /** Settings on which the purpose of a parameter depends. */
  readonly service: ServiceContext;
}

type Json = { readonly [name: string]: unknown };

/** Writes the document; by default, of all operations. */
export function openApi(
  { base, wantsKey, service }: OpenApiSettings,
  described: readonly Operation[] = [...OPERATIONS.values()],
): string {
  const ofPaths = described.map((operation) => [`/api.asmx/${operation.name}`, operation] as const);
  const paths = service.sealKeys === undefined ? ofPaths : [...ofPaths, ["/seal", SEAL] as const];
  const operations = paths.map(([, operation]) => operation);
  const errors = [...ERRORS].filter(([status]) => status !== "401" || wantsKey);
  const schemas = Object.assign({}, ...operations.map((known) => schemasOf(known, service)));
  const document = {
    openapi: "3.0.3",
    info: {
      title: SERVICE_NAME,
      version: project.version,
      description: "Pairs authenticator apps and checks their pins.",
      license: { name: project.license },
    },
    servers: [{ url: base }],
    // An empty list says that callers need no key (OpenAPI 3.0.3 §4.8.1).
    security: wantsKey ? Object.keys(KEY_SCHEMES).map((name) => ({ [name]: [] })) : [],
    paths: Object.fromEntries(
      paths.map(([path, operation]) => [
        path,
        { post: operationObject(operation, errors.map(([status]) => status)) },
      ]),
    ),
    components: {
      schemas: { ...schemas, Error: ERROR_SCHEMA },
      parameters: { Source: SOURCE_PARAMETER },
      responses: Object.fromEntries(errors.map(([status, row]) => [status, errorReply(row)])),
      ...(wantsKey && { securitySchemes: KEY_SCHEMES }),
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function operationObject({ name, documentation }: Operation, statuses: readonly string[]): Json {
  return {
    operationId: name,
    summary: documentation,
    parameters: [{ $ref: "#/components/parameters/Source" }],
    requestBody: { required: true, content: { [JSON_TYPE]: { schema: reference(name) } } },
    responses: {
      200: {
        description: "The result.",
        content: { [JSON_TYPE]: { schema: reference(`${name}Response`) } },
      },
      ...Object.fromEntries(
        statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }]),
      ),
    },
  };
}

const SOURCE_PARAMETER: Json = {
  name: SOURCE_FIELD,
  in: "header",
  required: false,
  description: "Who asks, for instance the address of the user who types a pin. Wrong pins are " +
    "counted for each source, so that a guesser does not keep the user out. Never send what the " +
    "user can choose. It is hashed at once, and never logged.",
  schema: { type: "string", example: "203.0.113.7" },
};

// Writes the schemas of an operation; a record result has one under its own name, as in the WSDL.
function schemasOf(
  { name, parameters, result }: Operation,
  service: ServiceContext,
): Json {
  return {
    [name]: objectOf(
      Object.fromEntries(
        parameters.map((parameter) => [parameter.name, parameterSchema(parameter, service)]),
      ),
      parameters.filter(({ mayBeEmpty }) => !mayBeEmpty).map((parameter) => parameter.name),
    ),
    [`${name}Response`]: objectOf({
      d: result.kind === "record" ? reference(result.name) : { type: result.kind },
    }),
    ...(result.kind === "record" && {
      [result.name]: objectOf({
        // No `enum`: generators make an enumeration of it, whose value with a dot some cannot read.
        __type: { type: "string", example: typeNameOf(result) },
        ...Object.fromEntries(result.fields.map((field) => [field, { type: "string" }])),
      }),
    }),
  };
}

function parameterSchema(
  parameter: Parameter,
  service: ServiceContext,
): Json {
  const { unit, mayBeEmpty, purpose, example } = parameter;
  const max = greatestLength(parameter, service);
  return {
    type: "string",
    // Empty, null and absent mean the same.
    ...(mayBeEmpty && { nullable: true }),
    description: `${purpose(service)} At most ${max} ${unit}.`,
    ...(mayBeEmpty ? {} : { minLength: 1 }),
    // JSON Schema counts characters, and a text never has more characters than bytes.
    maxLength: max,
    example: example(service),
  };
}

function objectOf(properties: Json, required = Object.keys(properties)): Json {
  // OpenAPI 3.0 allows no empty list.
  return { type: "object", ...(required.length > 0 && { required }), properties };
}

function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

/** Faults that the JSON form has, by status. */
const ERRORS: ReadonlyMap<string, FaultRow> = new Map(
  Object.values(FAULTS).filter(({ when }) => when !== undefined)
    .map((row) => [String(row.status), row]),
);

const ERROR_SCHEMA: Json = {
  ...objectOf(Object.fromEntries(ERROR_MEMBERS.map((name) => [name, { type: "string" }]))),
  description: "Message is one sentence that says what is wrong; the others are empty.",
};

function errorReply({ when, headers = [] }: FaultRow): Json {
  const fields = Object.fromEntries(
    ["jsonerror", ...headers].map((name) => [name, { schema: { type: "string" } }]),
  );
  return {
    description: when,
    headers: fields,
    content: { [JSON_TYPE]: { schema: reference("Error") } },
  };
}

const KEY_SCHEMES: Json = {
  ApiKey: { type: "apiKey", in: "header", name: "X-Api-Key" },
  Bearer: { type: "http", scheme: "bearer" },
  Basic: {
    type: "http",
    scheme: "basic",
    description: "Any user name, and the key as the password.",
  },
};
