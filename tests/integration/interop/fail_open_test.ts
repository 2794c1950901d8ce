/**
 * Public callers that accept a login unless they read the text `False` (wire.md §9.10, callers 16 and
 * 17): they must refuse whatever is wrong with a pin.
 */

import { assertEquals } from "@std/assert/equals";
import { FIRST_WAIT_MS } from "../../../lib/guard/budget.ts";
import {
  compileCallers,
  PUBLIC_CALLERS,
  type PublicCaller,
  removeCallers,
  validateFailingOpen,
} from "./callers/callers.ts";
import { codeOf, currentStep, wrongCode } from "./oath.ts";
import { withFolder } from "../../support/folder.ts";
import { withProgram } from "../../support/program.ts";
import { PATIENT, serverForTests } from "../../support/test_server.ts";

const server = serverForTests();
Deno.test.beforeAll(compileCallers);
Deno.test.afterAll(removeCallers);

const FAILING_OPEN = PUBLIC_CALLERS.filter(({ row }) => row === 16 || row === 17);
const SECRET = "a secret of sixteen";

/** Pin and secret to send, given the right pin and a wrong one. */
type Situation = (pin: string, wrong: string) => readonly [pin: string, secretCode: string];

// The text of both parameters is put into the address by the callers, the pin as it is.
const SITUATIONS: readonly (readonly [string, Situation])[] = [
  ["a wrong pin", (_, wrong) => [wrong, SECRET]],
  ["an empty pin", () => ["", SECRET]],
  ["a pin that is no number", () => ["abcdef", SECRET]],
  ["a pin that is too long", (pin) => [`${pin}${" ".repeat(64)}`, SECRET]],
  ["a secret that is too long", (pin) => [pin, "x".repeat(1_025)]],
  ["an empty secret", (pin) => [pin, ""]],
  ["a secret with a character that XML forbids", (pin) => [pin, `${SECRET}\u0001`]],
  ["a query that is too long", (pin) => [pin, "é".repeat(4_000)]],
];

for (const { row, what, validate } of FAILING_OPEN) {
  const name = `public caller ${row} (${what})`;

  for (const [situation, make] of SITUATIONS) {
    Deno.test(`${name} refuses ${situation}`, async () => {
      const pin = await codeOf(SECRET, currentStep());
      const [sentPin, secretCode] = make(pin, await wrongCode(SECRET));
      assertEquals(await validate!(server.url, { pin: sentPin, secretCode }), false);
    });
  }

  Deno.test(`${name} refuses the right pin without the key that callers need`, async () => {
    await withFolder(async (folder) => {
      const keys = `${folder}/keys`;
      await Deno.writeTextFile(keys, "correct-horse-battery-staple\n");
      await withProgram(["--port", "0", "--api-keys-file", keys], async ({ url }) => {
        const pin = await codeOf(SECRET, currentStep());
        assertEquals(await validate!(url, { pin, secretCode: SECRET }), false);
      });
    });
  });

  Deno.test(`${name} refuses even the right pin while its secret is throttled`, async () => {
    // Asked again where the secret was not throttled any more when a slow machine came to the end.
    while (!await wasThrottled(validate!));
  });
}

async function wasThrottled(validate: NonNullable<PublicCaller["validate"]>): Promise<boolean> {
  let isThrottled = false;
  await withProgram(["--port", "0", "--max-failures", "2", ...PATIENT], async ({ url }) => {
    const wrong = { pin: await wrongCode(SECRET), secretCode: SECRET };
    const right = { pin: await codeOf(SECRET, currentStep()), secretCode: SECRET };
    assertEquals(await validate(url, wrong), false);
    // The wait begins at the last wrong pin, and the caller may take long to start.
    const start = performance.now();
    for (let i = 0; i < 2; i++) assertEquals(await validateFailingOpen(url, wrong), false);
    const isAccepted = await validate(url, right);
    isThrottled = performance.now() - start < FIRST_WAIT_MS;
    if (!isThrottled) return;
    assertEquals(isAccepted, false);
    // Another secret is not.
    const other = await codeOf("another secret", currentStep());
    assertEquals(await validate(url, { pin: other, secretCode: "another secret" }), true);
  });
  return isThrottled;
}
