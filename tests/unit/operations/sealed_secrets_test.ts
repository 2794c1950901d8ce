import { randomBytes } from "node:crypto";
import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import type { CallContext } from "../../../lib/operations/context.ts";
import type { CallFacts } from "../../../lib/operations/facts.ts";
import { Fault } from "../../../lib/operations/fault.ts";
import { PAIR, SEAL, VALIDATE_PIN } from "../../../lib/operations/operations.ts";
import { parseSealKeys, SealKeys } from "../../../lib/sealing/seal_keys.ts";
import { referenceHotp } from "../../support/reference_totp.ts";
import { openByJose, SEAL_KEY_LINES, sealByJose } from "../../support/seal_keys.ts";

const OTP = { algorithm: "SHA1", digits: 6, period: 30, window: 0 } as const;

function contextWith(...lines: readonly string[]): CallContext {
  const sealKeys = lines.length === 0
    ? undefined
    : new SealKeys(parseSealKeys(lines.join("\n")), randomBytes);
  const now = (): number => 0;
  return { ...OTP, secretEncoding: "text", html: "svg", now, base: () => "", sealKeys };
}

const WITH_KEYS = contextWith(...SEAL_KEY_LINES);

async function factsOf(pin: string, secretCode: string): Promise<CallFacts | undefined> {
  const args = new Map([["pin", pin], ["secretCode", secretCode]]);
  return (await VALIDATE_PIN.invoke(args, WITH_KEYS)).facts;
}

Deno.test("ValidatePin has the form of a checked secret as a fact, whatever its pin", async () => {
  const forms = [
    ["plain", "secret"],
    ["sealed", await sealByJose("secret")],
    ["older-key", await sealByJose("secret", SEAL_KEY_LINES[1])],
  ] as const;
  for (const [form, secretCode] of forms) {
    const right = await factsOf(referenceHotp("secret", 0), secretCode);
    assertEquals(right, { distance: 0, form });
    assertEquals((await factsOf("", secretCode))?.form, form);
    assertEquals((await factsOf(referenceHotp("secret", 9), secretCode))?.form, form);
  }
});

Deno.test("a wrong pin has the reason that its secret begins or ends with white space, plain or sealed", async () => {
  const reason = "The secret begins or ends with white space.";
  const wrong = referenceHotp("other", 0);
  assertEquals((await factsOf(wrong, " secret"))?.reason, reason);
  assertEquals((await factsOf(wrong, await sealByJose("secret\n")))?.reason, reason);
  // Blanks around a sealed secret are dropped.
  assertEquals((await factsOf(wrong, ` ${await sealByJose("secret")}\n`))?.reason, undefined);
});

Deno.test("Pair refuses a secret with a seal anywhere in it, and no other one", async () => {
  const sealed = await sealByJose("secret");
  const pairWith = (secretCode: string): unknown =>
    PAIR.invoke(new Map(Object.entries({ appName: "a", appInfo: "b", secretCode })), WITH_KEYS);
  for (const text of [sealed, ` ${sealed}`, `"${sealed}"`, sealed.slice(0, 30).toUpperCase()]) {
    const { clause } = assertThrows(() => pairWith(text), Fault);
    assertEquals(clause, "is sealed: pair with the secret itself, and seal it then", text);
  }
  pairWith("eyJ and more");
});

Deno.test("Seal holds what it opens to the limits of a secret, as Pair does", async () => {
  const seal = (secretCode: string, context = WITH_KEYS): unknown =>
    SEAL.invoke(new Map([["secretCode", secretCode]]), context);
  for (
    const [text, clause] of [
      ["", "must not be empty"],
      ["x".repeat(1025), "is longer than 1024 bytes"],
      ["\u20ac".repeat(342), "is longer than 1024 bytes"],
      ["x\x01", "holds a character that XML forbids"],
    ] as const
  ) {
    for (const line of SEAL_KEY_LINES) {
      const sealed = await sealByJose(text, line);
      assertEquals(assertThrows(() => seal(sealed), Fault).clause, clause);
    }
  }
  const base32 = { ...WITH_KEYS, secretEncoding: "base32" } as const;
  const sealed = await sealByJose("secret!");
  assertEquals(
    assertThrows(() => seal(sealed, base32), Fault).clause,
    "is not Base32: character 7 is no letter A to Z and no digit 2 to 7",
  );
});

Deno.test("Seal seals anew what an older key has sealed, and keeps what the first one has", async () => {
  const sealed = await sealByJose("secret", SEAL_KEY_LINES[1]);
  const seal = async (context: CallContext): Promise<string> =>
    (await SEAL.invoke(new Map([["secretCode", `\t${sealed} `]]), context)).result as string;
  assertEquals((await openByJose(await seal(WITH_KEYS))).text, "secret");
  assertEquals(await seal(contextWith(SEAL_KEY_LINES[1], SEAL_KEY_LINES[0])), sealed);
});
