/**
 * Labels, hints and examples of the parameters. The parameters themselves come from `OPERATIONS`;
 * one without a row here is a plain text field.
 *
 * @module
 */

import type { ServiceContext } from "../../operations/context.ts";
import type { Arguments, Operation } from "../../operations/operations.ts";
import { type Markup, markup } from "../markup.ts";

/** A parameter as a field of a form. */
export interface Field {
  /** Label. */
  readonly label: string;
  /** Purpose, in one or two sentences. */
  readonly hint: string;
  /** Example value. */
  readonly example: string;
  /** Whether the example is in the form from the start. */
  readonly isPrefilled: boolean;
  /** Whether an empty field gets a random value on request. */
  readonly isSecret?: boolean;
  /** Attributes of the input beside its type, which is text: a number would lose leading zeros. */
  readonly attributes?: Markup;
}

type Describe = (service: ServiceContext) => Field;

const CODE_LIKE = markup`class="code" autocapitalize="off" autocorrect="off" spellcheck="false"`;

const NAME_LIKE = markup`autocomplete="off" dir="auto"`;

// The text asks to be replaced, and is Base32 of 20 bytes, so it is valid in both encodings.
const EXAMPLE_SECRET = "REPLACETHISSECRETBY32RANDOMCHARS";

const FIELDS: ReadonlyMap<string, Describe> = new Map<string, Describe>([
  ["appName", () => ({
    label: "App name",
    hint: "Your company or product: what the app shows above the code.",
    example: "Example Corp",
    isPrefilled: true,
    attributes: NAME_LIKE,
  })],
  ["appInfo", () => ({
    label: "Account",
    hint: "Who it is for: a user name or e-mail address.",
    example: "jane@example.com",
    isPrefilled: true,
    attributes: NAME_LIKE,
  })],
  ["secretCode", ({ secretEncoding }) => ({
    label: "Secret code",
    hint: secretEncoding === "text"
      ? "Text, not Base32: its UTF-8 bytes are the key. Apps take the setup key, the same bytes in " +
        "Base32. Use 20 random characters or more."
      : "Base32: letters A to Z and digits 2 to 7. Use 32 random characters or more.",
    example: EXAMPLE_SECRET,
    isPrefilled: false,
    isSecret: true,
    attributes: markup`autocomplete="off" ${CODE_LIKE}`,
  })],
  ["pin", ({ otp: { digits } }) => ({
    label: "Pin",
    hint: `The ${digits} digits that the app shows now. Spaces are ignored.`,
    example: "12345678".slice(0, digits),
    isPrefilled: false,
    attributes: markup`inputmode="numeric" autocomplete="one-time-code" ${CODE_LIKE}`,
  })],
]);

/** Returns the field of a parameter. */
export function fieldOf(name: string, service: ServiceContext): Field {
  return FIELDS.get(name)?.(service) ??
    { label: name, hint: "", example: "string", isPrefilled: false };
}

/** Returns example arguments of an operation. */
export function exampleArguments({ parameters }: Operation, service: ServiceContext): Arguments {
  return new Map(parameters.map(({ name }) => [name, fieldOf(name, service).example]));
}
