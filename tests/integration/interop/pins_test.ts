/** Pins that oathtool makes, for secrets of every length and from steps around now. */

import { assertEquals } from "@std/assert/equals";
import { referenceBase32 } from "../../support/reference_base32.ts";
import { type Binding, BINDINGS } from "./call.ts";
import { pair, validatePin } from "./clients.ts";
import { codeOf, codeOfSetupCode, currentStep, wrongCode } from "./oath.ts";
import { serverForTests } from "../../support/server_under_test.ts";

const server = serverForTests();

// The key of HMAC-SHA-1 is hashed first when it is longer than 64 bytes (RFC 2104 §2).
const SECRETS: readonly (readonly [description: string, secret: string])[] = [
  ["of 1 byte", "s"],
  ["of 6 bytes", "s3cr3t"],
  ["of 20 bytes", "12345678901234567890"],
  ["of 63 bytes", "a".repeat(63)],
  ["of 64 bytes", "b".repeat(64)],
  ["of 65 bytes", "c".repeat(65)],
  ["of 1,024 bytes", "0123456789abcdef".repeat(64)],
  ["with blanks around it", "  s3cr3t  "],
  ["with markup in it", `<&>"'&amp;]]>`],
  ["with what URLs escape", "a+b%20c=d&e;f#g/h?i"],
  ["of letters beyond ASCII", "zażółć gęślą jaźń"],
  ["of 64 bytes beyond ASCII", "ß".repeat(32)],
  ["of 66 bytes beyond ASCII", "鍵".repeat(22)],
  ["beyond the Basic Multilingual Plane", "🔑🙂𝒜"],
  ["of 1,024 bytes beyond ASCII", "🔑".repeat(256)],
  ["that looks like Base32", "JBSWY3DPEHPK3PXP"],
];

/** What each binding says. */
async function answers(pin: string, secretCode: string): Promise<Record<Binding, boolean>> {
  const all = BINDINGS.map(async (binding) =>
    [binding, await validatePin(server.url, binding, { pin, secretCode })] as const
  );
  return Object.fromEntries(await Promise.all(all)) as Record<Binding, boolean>;
}

function everywhere(answer: boolean): Record<Binding, boolean> {
  return Object.fromEntries(BINDINGS.map((binding) => [binding, answer])) as Record<
    Binding,
    boolean
  >;
}

for (const [description, secret] of SECRETS) {
  Deno.test(`oathtool's pin for a secret ${description} is right in all bindings`, async () => {
    assertEquals(await answers(await codeOf(secret, currentStep()), secret), everywhere(true));
  });

  Deno.test(`another pin for a secret ${description} is wrong in all bindings`, async () => {
    assertEquals(await answers(await wrongCode(secret), secret), everywhere(false));
  });

  Deno.test(`a ManualSetupCode for a secret ${description} gives oathtool the same`, async () => {
    const names = { appName: "Contoso", appInfo: "anna" };
    for (const binding of BINDINGS) {
      const { ManualSetupCode } = await pair(server.url, binding, { ...names, secretCode: secret });
      assertEquals(ManualSetupCode, referenceBase32(secret));
    }
    const pin = await codeOfSetupCode(referenceBase32(secret));
    assertEquals(await answers(pin, secret), everywhere(true));
  });
}

const DISTANCES: readonly (readonly [distance: number, accepted: boolean])[] = [
  [-2, false],
  [-1, true],
  [0, true],
  [1, true],
  [2, false],
];

for (const [distance, accepted] of DISTANCES) {
  const steps = distance === 0 ? "this step" : `${distance > 0 ? "+" : ""}${distance} steps off`;
  Deno.test(`oathtool's pin of ${steps} is ${accepted ? "right" : "wrong"}`, async () => {
    const secret = `steps ${distance}`;
    // Asked again when a new step began meanwhile, which would make it another distance.
    for (let step = -1; step !== currentStep();) {
      step = currentStep();
      const given = await answers(await codeOf(secret, step + distance), secret);
      if (step === currentStep()) assertEquals(given, everywhere(accepted));
    }
  });
}

Deno.test("oathtool's pin is right with blanks in it, as apps show it", async () => {
  const pin = await codeOf("blanks", currentStep());
  const shown = ` ${pin.slice(0, 3)} ${pin.slice(3)}\t`;
  assertEquals(await answers(shown, "blanks"), everywhere(true));
});
