import { assertEquals } from "@std/assert/equals";
import { OPERATIONS } from "../../../lib/operations/operations.ts";

const SECRET_CODE = { name: "secretCode", max: 1024, unit: "bytes", mayBeEmpty: false } as const;
const [REFUSED, OPENED] = (["refused", "opened"] as const)
  .map((sealed) => ({ ...SECRET_CODE, sealed }));

// What WSDL and OpenAPI tell of the operations, word for word; of the parameters, what checks them.
const DESCRIBED = [
  {
    name: "Pair",
    documentation: "Pairs an authenticator app with a secret code. " +
      "Returns the setup key, and an HTML fragment with the QR code.",
    parameters: [
      { name: "appName", max: 256, unit: "characters", mayBeEmpty: false },
      { name: "appInfo", max: 256, unit: "characters", mayBeEmpty: false },
      REFUSED,
    ],
    result: { kind: "record", name: "PairingInfo", fields: ["ManualSetupCode", "Html"] },
    refusesOtherSites: false,
  },
  {
    name: "ValidatePin",
    documentation: "Checks a pin: true if the authenticator app that was paired with the secret " +
      "code shows it now.",
    parameters: [
      { name: "pin", max: 64, unit: "characters", mayBeEmpty: true },
      OPENED,
    ],
    result: { kind: "boolean" },
    refusesOtherSites: true,
  },
];

Deno.test("the operations of the contract come first, described to callers as they are", () => {
  const operations = [...OPERATIONS.values()].slice(0, DESCRIBED.length);
  const described = operations.map((
    { invoke: _, repliesInBatches: _1, parameters, ...rest },
  ) => ({
    ...rest,
    parameters: parameters.map(({ purpose: _, example: _2, ...checked }) => checked),
  }));
  assertEquals(described, DESCRIBED as unknown as typeof described);
});
