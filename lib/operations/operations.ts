/**
 * The two operations of the service as data. Bindings, WSDL and pages are derived from this table;
 * another operation is another entry.
 *
 * @module
 */

import { findForbiddenCharacter } from "../xml/cursor.ts";
import type { CallContext } from "./context.ts";
import type { Facts } from "./facts.ts";
import { Fault } from "./fault.ts";
import { pair } from "./pair.ts";
import { validatePin } from "./validate_pin.ts";

/** A parameter of an operation; every parameter is a string and required. */
export interface Parameter {
  /** The name, case as in XML. */
  readonly name: string;
  /** The longest value allowed. */
  readonly max: number;
  /** What `max` counts: Unicode characters, or bytes of UTF-8. */
  readonly unit: "characters" | "bytes";
  /** Whether an empty value is a value. */
  readonly mayBeEmpty: boolean;
}

/** The type of a result: one value, or a record of strings with a name of its own. */
export type ResultType =
  | { readonly kind: "boolean" | "string" | "integer" }
  | RecordType;

/** The type of a record of strings. */
export interface RecordType {
  /** What tells it from the other types. */
  readonly kind: "record";
  /** The name, case as in XML. */
  readonly name: string;
  /** The names of the fields, in order. */
  readonly fields: readonly string[];
  /** What the fields of a pairing are; the service page shows a record that has it as a picture. */
  readonly picture?: PictureFields;
}

/** Which fields of a record are what a person pairs an app with. */
export interface PictureFields {
  /** The field with the markup of the picture, inside a link to what it says. */
  readonly html: string;
  /** The field with the text to type in by hand. */
  readonly text: string;
}

/**
 * A result; of a record, every field that its type names. An integer is one of 32 bits, the `int`
 * of XML Schema part 2 §3.3.17.
 */
export type Result = boolean | string | number | Readonly<Record<string, string>>;

/** A call carried out: the result for the caller, and facts for the operator alone. */
export interface Completed<R extends Result = Result> {
  /** The result. */
  readonly result: R;
  /** Facts for log and metrics. */
  readonly facts?: Facts | undefined;
}

/** The arguments of a call by parameter name, as a binding read them. */
export type Arguments = ReadonlyMap<string, string>;

/** An operation. */
export interface Operation {
  /** The name, case as in paths and XML. */
  readonly name: string;
  /** What it does, for people. */
  readonly documentation: string;
  /** The parameters in the order in which they are checked and described. */
  readonly parameters: readonly Parameter[];
  /** The type of the result. */
  readonly result: ResultType;
  /**
   * Checks the arguments and carries the operation out.
   *
   * @throws {Fault} When an argument is missing, empty, too long, or not what it should be; at once,
   * or by the promise.
   */
  readonly invoke: (args: Arguments, context: CallContext) => Completed | Promise<Completed>;
}

const NAME_LIMITS = { max: 256, unit: "characters", mayBeEmpty: false } as const;
const SECRET_CODE = { name: "secretCode", max: 1024, unit: "bytes", mayBeEmpty: false } as const;

/** The operation Pair. */
export const PAIR: Operation = defineOperation({
  name: "Pair",
  documentation:
    "Pairs an authenticator app with a secret code. Returns the setup key, and an HTML fragment " +
    "with the QR code.",
  parameters: [
    { name: "appName", ...NAME_LIMITS },
    { name: "appInfo", ...NAME_LIMITS },
    SECRET_CODE,
  ],
  result: {
    kind: "record",
    name: "PairingInfo",
    fields: ["ManualSetupCode", "Html"],
    picture: { html: "Html", text: "ManualSetupCode" },
  },
  run: (args, context) => ({ result: pair(args, context) }),
});

/** The operation ValidatePin. */
export const VALIDATE_PIN: Operation = defineOperation({
  name: "ValidatePin",
  documentation:
    "Checks a pin: true if the authenticator app that was paired with the secret code shows it " +
    "now.",
  parameters: [
    { name: "pin", max: 64, unit: "characters", mayBeEmpty: true },
    SECRET_CODE,
  ],
  result: { kind: "boolean" },
  run: validatePin,
});

/** The name of the service; the names of its ports, bindings and types are made from it. */
export const SERVICE_NAME = "AuthenticatorAPI";

/** All operations by name, in the order in which they are described. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  [PAIR, VALIDATE_PIN].map((operation) => [operation.name, operation]),
);

/**
 * The operation with a name.
 *
 * @throws {Fault} When there is none.
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

interface Definition<Name extends string> extends Omit<Operation, "invoke" | "parameters"> {
  readonly parameters: readonly (Parameter & { readonly name: Name })[];
  readonly run: (
    args: Readonly<Record<Name, string>>,
    context: CallContext,
  ) => Completed | Promise<Completed>;
}

// Ties the names of the parameters to the names that the function takes, so that a typing error in
// either does not compile, and puts the checks in front of it.
function defineOperation<const Name extends string>(definition: Definition<Name>): Operation {
  const { run, ...described } = definition;
  const invoke = (args: Arguments, context: CallContext): Completed | Promise<Completed> =>
    run(checked(definition.parameters, args), context);
  return { ...described, invoke };
}

function checked<Name extends string>(
  parameters: readonly (Parameter & { readonly name: Name })[],
  args: Arguments,
): Readonly<Record<Name, string>> {
  const values: Partial<Record<Name, string>> = {};
  for (const parameter of parameters) values[parameter.name] = check(parameter, args);
  return values as Record<Name, string>;
}

function check(parameter: Parameter, args: Arguments): string {
  const { name, max, unit, mayBeEmpty } = parameter;
  const value = args.get(name);
  if (value === undefined) throw missingParameter(name);
  if (value === "" && !mayBeEmpty) {
    throw new Fault("invalid", `Parameter ${name} must not be empty.`);
  }
  if (isLongerThan(value, max, unit)) {
    throw new Fault("invalid", `Parameter ${name} is longer than ${max} ${unit}.`);
  }
  checkCharacters(name, value);
  return value;
}

/**
 * Checks that a value holds only characters that every binding can carry.
 *
 * @throws {Fault} When XML forbids one of them.
 */
export function checkCharacters(name: string, value: string): void {
  if (findForbiddenCharacter(value) >= 0) {
    throw new Fault("invalid", `Parameter ${name} holds a character that XML forbids.`);
  }
}

// No text has more characters or bytes than three for each of its UTF-16 units, and none has fewer
// bytes than units: so almost no value is counted.
function isLongerThan(value: string, max: number, unit: Parameter["unit"]): boolean {
  if (value.length * 3 <= max) return false;
  return unit === "bytes"
    ? new TextEncoder().encode(value).length > max
    : value.length > max && [...value].length > max;
}

/** The fault for a parameter that a call does not have. */
export function missingParameter(name: string): Fault {
  return new Fault("invalid", `Missing parameter: ${name}.`);
}

/**
 * The value of a parameter that a call of SOAP or JSON leaves out or sends as null. Client libraries
 * write an empty text that way, so it is empty where it may be.
 *
 * @param hint Where the parameter is expected, one sentence, when the call holds one of its name in
 * another case or namespace; undefined when it does not.
 * @returns Undefined when the parameter is missing.
 * @throws {Fault} When the call holds it elsewhere.
 */
export function valueLeftOut(
  { name, mayBeEmpty }: Parameter,
  hint: string | undefined,
): string | undefined {
  if (hint !== undefined) {
    const { code, message } = missingParameter(name);
    throw new Fault(code, `${message} ${hint}`);
  }
  return mayBeEmpty ? "" : undefined;
}

/** The fault for a parameter that a call has more than once. */
export function duplicateParameter(name: string): Fault {
  return new Fault("invalid", `Duplicate parameter: ${name}.`);
}
