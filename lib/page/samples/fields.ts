/**
 * Labels, hints and examples of the parameters. The parameters themselves come from `OPERATIONS`;
 * one without a row here is a plain text field.
 *
 * @module
 */

import type { ServiceContext } from "../../operations/context.ts";
import type { Arguments, Operation } from "../../operations/operations.ts";

/** A parameter as a field of a form. */
export interface Field {
  /** Label. */
  readonly label: string;
  /** Purpose, in one or two sentences. */
  readonly hint: string;
  /** Example value. */
  readonly example: string;
  /** Kind of its value; the example of a name is in the form from the start. */
  readonly kind: "name" | "secret" | "pin" | "text";
}

type Describe = (service: ServiceContext) => Field;

// The text asks to be replaced, and is Base32 of 20 bytes, so it is valid in both encodings.
const EXAMPLE_SECRET = "REPLACETHISSECRETBY32RANDOMCHARS";

const FIELDS: ReadonlyMap<string, Describe> = new Map<string, Describe>([
  ["appName", () => ({
    label: "App name",
    hint: "Your company or product: what the app shows above the code.",
    example: "Example Corp",
    kind: "name",
  })],
  ["appInfo", () => ({
    label: "Account",
    hint: "Who it is for: a user name or e-mail address.",
    example: "jane@example.com",
    kind: "name",
  })],
  ["secretCode", ({ secretEncoding }) => ({
    label: "Secret code",
    hint: secretEncoding === "text"
      ? "Text, not Base32: its UTF-8 bytes are the key. Apps take the setup key, the same bytes in " +
        "Base32. Use 20 random characters or more."
      : "Base32: letters A to Z and digits 2 to 7. Use 32 random characters or more.",
    example: EXAMPLE_SECRET,
    kind: "secret",
  })],
  ["pin", ({ otp: { digits } }) => ({
    label: "Pin",
    hint: `The ${digits} digits that the app shows now. Spaces are ignored.`,
    example: "12345678".slice(0, digits),
    kind: "pin",
  })],
]);

/** Returns the field of a parameter. */
export function fieldOf(name: string, service: ServiceContext): Field {
  return FIELDS.get(name)?.(service) ??
    { label: name, hint: "", example: "string", kind: "text" };
}

/** Returns example arguments of an operation. */
export function exampleArguments({ parameters }: Operation, service: ServiceContext): Arguments {
  return new Map(parameters.map(({ name }) => [name, fieldOf(name, service).example]));
}
