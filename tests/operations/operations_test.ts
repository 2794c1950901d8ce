import { assertEquals } from "@std/assert/equals";
import { assertRejects } from "@std/assert/rejects";
import { assertThrows } from "@std/assert/throws";
import { Fault } from "../../lib/operations/fault.ts";
import {
  checkCharacters,
  duplicateParameter,
  missingParameter,
  type Operation,
  operationNamed,
  OPERATIONS,
  PAIR,
  SERVICE_NAME,
  VALIDATE_PIN,
} from "../../lib/operations/operations.ts";

const CONTEXT = {
  otp: { algorithm: "SHA1", digits: 6, period: 30, window: 1 },
  secretEncoding: "text",
  html: "svg",
  now: () => 0,
  base: () => "http://localhost",
} as const;

/** The fault of a call of Pair whose arguments are right but for one; undefined when there is none. */
async function faultOf(name: string, value: string | undefined): Promise<string | undefined> {
  const args = new Map([["appName", "a"], ["appInfo", "b"], ["secretCode", "c"]]);
  if (value === undefined) args.delete(name);
  else args.set(name, value);
  try {
    await PAIR.invoke(args, CONTEXT);
    return undefined;
  } catch (error) {
    return error instanceof Fault && error.code === "invalid" ? error.message : String(error);
  }
}

const KEY = "\u{1F511}";

/** What is counted: characters of names, whatever they are made of, and bytes of secrets. */
const LIMITS: readonly (readonly [string, string, number, string])[] = [
  ["appName", "a", 256, "characters"],
  ["appName", "\u00e9", 256, "characters"],
  ["appInfo", "\u20ac", 256, "characters"],
  ["secretCode", "a", 1024, "bytes"],
  ["secretCode", "\u00e9", 512, "bytes"],
  ["secretCode", KEY, 256, "bytes"],
];

for (const [name, unit, count, what] of LIMITS) {
  Deno.test(`${name} may hold ${count} times ${JSON.stringify(unit)} and no more`, async () => {
    const max = what === "bytes" ? 1024 : 256;
    const tooLong = `Parameter ${name} is longer than ${max} ${what}.`;
    const fits = await faultOf(name, unit.repeat(count));
    assertEquals(fits === undefined || fits.includes("QR code"), true, fits);
    assertEquals(await faultOf(name, unit.repeat(count + 1)), tooLong);
  });
}

Deno.test("a character beyond 16 bits counts once, though it is two of a string's units", async () => {
  const fault = await faultOf("appName", KEY.repeat(256));
  assertEquals(fault, "The pairing information is too long for a QR code.");
  assertEquals(
    await faultOf("appName", KEY.repeat(257)),
    "Parameter appName is longer than 256 characters.",
  );
});

Deno.test("parameters are checked in their order: missing, empty, too long, characters", async () => {
  for (const name of ["appName", "appInfo", "secretCode"]) {
    assertEquals(await faultOf(name, undefined), `Missing parameter: ${name}.`);
    assertEquals(await faultOf(name, ""), `Parameter ${name} must not be empty.`);
    const forbidden = `Parameter ${name} holds a character that XML forbids.`;
    assertEquals(await faultOf(name, "a\u0000"), forbidden);
    assertEquals(await faultOf(name, "\uFFFF"), forbidden);
  }
  const { message } = await assertRejects(async () => await PAIR.invoke(new Map(), CONTEXT), Fault);
  assertEquals(message, "Missing parameter: appName.");
});

Deno.test("a pin may be empty, and 64 characters long", async () => {
  const answer = async (pin: string): Promise<unknown> =>
    await VALIDATE_PIN.invoke(new Map([["pin", pin], ["secretCode", "c"]]), CONTEXT);
  assertEquals(await answer(""), { result: false, facts: { outcome: "empty" } });
  assertEquals(await answer("1".repeat(64)), {
    result: false,
    facts: { reason: "The pin has 64 digits, not 6." },
  });
  const { message } = await assertRejects(() => answer("1".repeat(65)), Fault);
  assertEquals(message, "Parameter pin is longer than 64 characters.");
});

Deno.test("operationNamed() knows two names, in their own case", () => {
  assertEquals([...OPERATIONS.keys()], ["Pair", "ValidatePin"]);
  assertEquals(["Pair", "ValidatePin"].map(operationNamed), [PAIR, VALIDATE_PIN]);
  assertEquals(SERVICE_NAME, "AuthenticatorAPI");
  for (const name of ["", "pair", "PAIR", "constructor"]) {
    const { code, message } = assertThrows(() => operationNamed(name), Fault);
    assertEquals(code, "unknown-operation");
    assertEquals(
      message,
      "Web Service method name is not valid. Expected Pair or ValidatePin; names are case sensitive.",
    );
  }
});

const SECRET_CODE = { name: "secretCode", max: 1024, unit: "bytes", mayBeEmpty: false } as const;

// What WSDL, OpenAPI and the service page tell of the operations, word for word.
const DESCRIBED: readonly Omit<Operation, "invoke">[] = [
  {
    name: "Pair",
    documentation: "Pairs an authenticator app with a secret code. " +
      "Returns the setup key, and an HTML fragment with the QR code.",
    parameters: [
      { name: "appName", max: 256, unit: "characters", mayBeEmpty: false },
      { name: "appInfo", max: 256, unit: "characters", mayBeEmpty: false },
      SECRET_CODE,
    ],
    result: {
      kind: "record",
      name: "PairingInfo",
      fields: ["ManualSetupCode", "Html"],
      picture: { html: "Html", text: "ManualSetupCode" },
    },
  },
  {
    name: "ValidatePin",
    documentation: "Checks a pin: true if the authenticator app that was paired with the secret " +
      "code shows it now.",
    parameters: [
      { name: "pin", max: 64, unit: "characters", mayBeEmpty: true },
      SECRET_CODE,
    ],
    result: { kind: "boolean" },
  },
];

Deno.test("the operations are described to callers as they are", () => {
  const described = [...OPERATIONS.values()].map(({ invoke: _, ...rest }) => rest);
  assertEquals(described, DESCRIBED);
});

Deno.test("a fault for a parameter names it and says what is wrong with it", () => {
  const faults = [missingParameter("pin"), duplicateParameter("pin")];
  faults.push(assertThrows(() => checkCharacters("pin", "a\u0000"), Fault));
  checkCharacters("pin", "");
  checkCharacters("pin", `a\t\r\n${KEY}`);
  assertEquals(faults.map(({ code, message }) => [code, message]), [
    ["invalid", "Missing parameter: pin."],
    ["invalid", "Duplicate parameter: pin."],
    ["invalid", "Parameter pin holds a character that XML forbids."],
  ]);
});
