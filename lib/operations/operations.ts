/**
 * Table of the operations. Bindings and descriptions are derived from it; a new operation is a new
 * entry, and a section of the service page.
 *
 * @module
 */

import { type OpenedSecret, openSecret, UnopenedError } from "../sealing/seal_keys.ts";
import { isSealed, withoutBlanks } from "../sealing/sealed.ts";
import { findForbiddenCharacter } from "../xml/cursor.ts";
import type { CallContext, ServiceContext } from "./context.ts";
import type { Completed } from "./facts.ts";
import { Fault, wrongParameter } from "./fault.ts";
import { pair, type PairingInfo } from "./pair.ts";
import { secretBytes } from "./secret_code.ts";
import { validatePin } from "./validate_pin.ts";

/** Parameter of an operation; every parameter is a required string. */
export interface Parameter {
  /** The name, case as in XML. */
  readonly name: string;
  /** The greatest length of a value. */
  readonly max: number;
  /** The unit of `max`: Unicode characters, or bytes of UTF-8. */
  readonly unit: "characters" | "bytes";
  /** Whether an empty value is allowed. */
  readonly mayBeEmpty: boolean;
  /** Treatment of a sealed value; undefined for a parameter that is no secret. */
  readonly sealed?: "opened" | "refused";
  /** Writes its purpose under the settings of the service, in one or two sentences for callers. */
  readonly purpose: (service: ServiceContext) => string;
  /** Writes an example value. */
  readonly example: (service: ServiceContext) => string;
}

/** Type of a result: a boolean, a string, or a named record of strings. */
export type ResultType = { readonly kind: "boolean" | "string" } | RecordType;

/** Type of a record of strings. */
export interface RecordType {
  /** The discriminant of the type. */
  readonly kind: "record";
  /** The name, case as in XML. */
  readonly name: string;
  /** The names of the fields, in order. */
  readonly fields: readonly string[];
}

/** Result of a call; a record has all fields of its type. */
export type Result = boolean | string | Readonly<Record<string, string>>;

/** Arguments of a call by parameter name, as read by a binding. */
export type Arguments = ReadonlyMap<string, string>;

/** Operation of the service. */
export interface Operation<R extends Result = Result> {
  /** The name, case as in paths and XML. */
  readonly name: string;
  /** A description for people. */
  readonly documentation: string;
  /** The parameters, in the order of checks and descriptions. */
  readonly parameters: readonly Parameter[];
  /** The type of the result. */
  readonly result: ResultType;
  /** Whether pages of other sites may not call it without a key: it spends attempts, or seals. */
  readonly refusesOtherSites: boolean;
  /** Whether its replies leave in batches. */
  readonly repliesInBatches?: boolean;
  /**
   * Checks the arguments and runs the operation.
   *
   * @throws {Fault} When an argument is missing, empty, too long or malformed; at once, or by the
   * promise.
   */
  readonly invoke: (args: Arguments, context: CallContext) => Completed<R> | Promise<Completed<R>>;
}

const NAME_LIMITS = { max: 256, unit: "characters", mayBeEmpty: false } as const;
/** Longest sealed secretCode in bytes: room for the longest secretCode and name of a key. */
const MAX_SEALED_BYTES = 2048;
const SECRET_CODE = {
  name: "secretCode",
  max: 1024,
  sealed: "refused",
  unit: "bytes",
  mayBeEmpty: false,
  purpose: ({ secretEncoding }: ServiceContext) =>
    secretEncoding === "text"
      ? "Text, not Base32: its UTF-8 bytes are the key. Apps take the setup key, the same bytes in " +
        "Base32. Use 20 random characters or more."
      : "Base32: letters A to Z and digits 2 to 7. Use 32 random characters or more.",
  // Base32 of 20 bytes, so it is valid in both encodings.
  example: () => "REPLACETHISSECRETBY32RANDOMCHARS",
} as const;

/** The operation Pair. */
export const PAIR: Operation<PairingInfo> = defineOperation({
  name: "Pair",
  documentation:
    "Pairs an authenticator app with a secret code. Returns the setup key, and an HTML fragment " +
    "with the QR code.",
  parameters: [
    {
      name: "appName",
      ...NAME_LIMITS,
      purpose: () => "Your company or product: what the app shows above the code.",
      example: () => "Example Corp",
    },
    {
      name: "appInfo",
      ...NAME_LIMITS,
      purpose: () => "Who it is for: a user name or e-mail address.",
      example: () => "jane@example.com",
    },
    SECRET_CODE,
  ],
  result: {
    kind: "record",
    name: "PairingInfo",
    fields: ["ManualSetupCode", "Html"],
  },
  refusesOtherSites: false,
  run: (args, context) => ({ result: pair(args, context) }),
});

/** The operation ValidatePin. */
export const VALIDATE_PIN: Operation<boolean> = defineOperation({
  name: "ValidatePin",
  documentation:
    "Checks a pin: true if the authenticator app that was paired with the secret code shows it " +
    "now.",
  parameters: [
    {
      name: "pin",
      max: 64,
      unit: "characters",
      mayBeEmpty: true,
      purpose: ({ digits }) => `The ${digits} digits that the app shows now. Spaces are ignored.`,
      example: ({ digits }) => "12345678".slice(0, digits),
    },
    { ...SECRET_CODE, sealed: "opened" },
  ],
  result: { kind: "boolean" },
  refusesOtherSites: true,
  repliesInBatches: true,
  run: async ({ pin, secretCode }, context) => {
    const { text, form } = openedSecret(secretCode, context);
    const { result, facts } = await validatePin({ pin, secretCode: text }, context);
    return { result, facts: { ...facts, form } };
  },
});

/** Arguments of Seal. */
export interface SealArguments {
  /** The secret, checked as by Pair, or a sealed one. */
  readonly secretCode: string;
}

/** The operation behind `/seal`. It is in no description of the service's two operations. */
export const SEAL: Operation<string> = defineOperation({
  name: "Seal",
  documentation:
    "Seals a secret code: returns a text that only this service can open, to store in its place " +
    "and to send as the secretCode of ValidatePin. A sealed one comes back sealed with the key in " +
    "use now.",
  parameters: [{ ...SECRET_CODE, sealed: "opened" }],
  result: { kind: "string" },
  refusesOtherSites: true,
  run: ({ secretCode }, context) => {
    const { sealKeys, secretEncoding } = context;
    if (sealKeys === undefined) throw new TypeError("The service has no keys of sealed secrets.");
    const secret = openedSecret(secretCode, context);
    secretBytes(secret.text, secretEncoding);
    return { result: sealKeys.reseal(secret) };
  },
});

/** The name of the service, and the stem of the names of its ports, bindings and types. */
export const SERVICE_NAME = "AuthenticatorAPI";

/** All operations by name, in the order of descriptions. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  [PAIR, VALIDATE_PIN].map((operation) => [operation.name, operation]),
);

/**
 * Finds an operation by its name.
 *
 * @throws {Fault} When no operation has the name.
 */
export function operationNamed(name: string): Operation {
  const operation = OPERATIONS.get(name);
  if (operation === undefined) {
    const names = [...OPERATIONS.keys()].join(" or ");
    throw new Fault(
      "unknown-operation",
      `Web Service method name is not valid. Expected ${names}; names are case sensitive.`,
    );
  }
  return operation;
}

interface Definition<Name extends string, R extends Result>
  extends Omit<Operation<R>, "invoke" | "parameters"> {
  readonly parameters: readonly (Parameter & { readonly name: Name })[];
  readonly run: (
    args: Readonly<Record<Name, string>>,
    context: CallContext,
  ) => Completed<R> | Promise<Completed<R>>;
}

// Types `run` by the names of the parameters, so that a misspelt name does not compile, and checks
// the arguments before `run`, which checks a secret that it opens.
function defineOperation<const Name extends string, R extends Result>(
  { run, ...described }: Definition<Name, R>,
): Operation<R> {
  const { parameters } = described;
  return { ...described, invoke: (args, context) => run(checked(parameters, args), context) };
}

function checked<Name extends string>(
  parameters: readonly (Parameter & { readonly name: Name })[],
  args: Arguments,
): Readonly<Record<Name, string>> {
  const values: Partial<Record<Name, string>> = {};
  for (const parameter of parameters) {
    const { name, sealed } = parameter;
    const value = args.get(name);
    if (value === undefined) throw missingParameter(name);
    // A reply must not show the secret in it.
    if (sealed === "refused" && isSealed(value)) {
      throw wrongParameter(name, "is sealed: pair with the secret itself, and seal it then");
    }
    values[name] = sealed === "opened" ? value : checkValue(parameter, value);
  }
  return values as Record<Name, string>;
}

/**
 * Opens a secretCode if it is sealed, and checks it.
 *
 * @throws {Fault} When it cannot be opened, with the same sentence for all causes, or is empty, too long
 * or malformed.
 */
function openedSecret(secretCode: string, { sealKeys }: ServiceContext): OpenedSecret {
  if (isSealed(secretCode)) checkLength(SECRET_CODE, withoutBlanks(secretCode), MAX_SEALED_BYTES);
  let secret: OpenedSecret;
  try {
    secret = openSecret(secretCode, sealKeys);
  } catch (error) {
    if (!(error instanceof UnopenedError)) throw error;
    const clause = "is sealed, and this server cannot open it";
    throw wrongParameter("secretCode", clause, error.code);
  }
  checkValue(SECRET_CODE, secret.text);
  return secret;
}

function checkValue(parameter: Parameter, value: string): string {
  const { name, mayBeEmpty } = parameter;
  if (value === "" && !mayBeEmpty) {
    throw wrongParameter(name, "must not be empty");
  }
  checkLength(parameter, value);
  checkCharacters(name, value);
  return value;
}

/**
 * Checks a secretCode as Pair does.
 *
 * @throws {Fault} When it is empty, too long or malformed.
 */
export function checkSecretCode(
  secretCode: string,
  { secretEncoding }: Pick<ServiceContext, "secretEncoding">,
): void {
  checkValue(SECRET_CODE, secretCode);
  secretBytes(secretCode, secretEncoding);
}

/** Returns the greatest length of a value, with that of a sealed one where the service opens it. */
export function greatestLength({ max, sealed }: Parameter, { sealKeys }: ServiceContext): number {
  return sealed === "opened" && sealKeys !== undefined ? MAX_SEALED_BYTES : max;
}

/**
 * Checks that every binding can carry the characters of a value.
 *
 * @throws {Fault} When XML forbids a character.
 */
export function checkCharacters(name: string, value: string): void {
  if (findForbiddenCharacter(value) >= 0) {
    throw wrongParameter(name, "holds a character that XML forbids");
  }
}

function checkLength({ name, unit, max }: Parameter, value: string, most = max): void {
  if (isLongerThan(value, most, unit)) {
    throw wrongParameter(name, `is longer than ${most} ${unit}`);
  }
}

// Whether a value is too long. A text has at most three bytes for each UTF-16 unit, so almost no
// value needs counting.
function isLongerThan(value: string, max: number, unit: Parameter["unit"]): boolean {
  if (value.length * 3 <= max) return false;
  return unit === "bytes"
    ? new TextEncoder().encode(value).length > max
    : value.length > max && [...value].length > max;
}

/**
 * Makes the fault for a missing parameter.
 *
 * @param hint A sentence with the expected place, if the parameter is in another.
 */
export function missingParameter(name: string, hint?: string): Fault {
  const message = `Missing parameter: ${name}.${hint === undefined ? "" : ` ${hint}`}`;
  return new Fault("invalid", message, { parameters: [name], isMissing: true });
}

/** Makes the fault for a repeated parameter. */
export function duplicateParameter(name: string): Fault {
  return new Fault("invalid", `Duplicate parameter: ${name}.`, { parameters: [name] });
}
