import { assertEquals } from "@std/assert/equals";
import { factKinds, type Facts } from "../../lib/service/facts.ts";
import { Fault } from "../../lib/service/fault.ts";
import { validatePin } from "../../lib/service/validate_pin.ts";
import { referenceHotp } from "../support/reference_totp.ts";

const OTP = { algorithm: "SHA1", digits: 6, period: 30, window: 2 } as const;

async function told(pin: string): Promise<readonly [boolean, readonly Facts[]]> {
  const facts: Facts[] = [];
  const result = await validatePin({ pin, secretCode: "secret" }, {
    otp: OTP,
    secretEncoding: "text",
    now: () => 300_000,
    report: (fact) => void facts.push(fact),
  });
  return [result, facts];
}

Deno.test("validatePin() without a guard tells how far off a right pin is, and of a wrong one nothing", async () => {
  for (const distance of [-2, 0, 1]) {
    assertEquals(await told(referenceHotp("secret", 10 + distance)), [true, [{ distance }]]);
  }
  assertEquals(await told(referenceHotp("secret", 13)), [false, []]);
});

Deno.test("factKinds() counts each distance in the window on its own", () => {
  const [distances] = factKinds(3);
  assertEquals("bounds" in distances! && distances.bounds, [-3, -2, -1, 0, 1, 2, 3]);
});

Deno.test("a Fault is an error by its own name", () => {
  assertEquals(
    String(new Fault("invalid", "Missing parameter: pin.")),
    "Fault: Missing parameter: pin.",
  );
});
