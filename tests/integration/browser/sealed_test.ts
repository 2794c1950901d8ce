/** Sealed secrets on the service page: a browser cannot open them. */

import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { pinOf } from "../../support/reference_totp.ts";
import { SEAL_KEYS_FILE, sealByJose } from "../../support/seal_keys.ts";
import { serverForTests } from "../../support/test_server.ts";
import { openFields, shows, visit } from "./browser.ts";

const server = serverForTests("--seal-keys-file", SEAL_KEYS_FILE);
const plain = serverForTests();

const SECRET = "correct horse battery";
const FIELD = "#ValidatePin-secretCode";
const CHECK = "form[data-operation=ValidatePin] button[type=submit]";
const SEALED =
  "This secret is sealed. Only a server with its key can open it, so this page computes no codes of " +
  "it, and no reasons of a wrong pin.";

Deno.test("the page checks pins of a sealed secret, and has neither codes nor reasons of it", async () => {
  await visit(`${server.url}/`, async (page) => {
    await page.fill(FIELD, await sealByJose(SECRET));
    await shows(page, "[data-operation=ValidatePin] .kind", SEALED);
    assert(await page.isDisabled(".now"));
    assertEquals((await page.innerText(".now .code")).replace(/\W/g, ""), "");
    await page.fill("#ValidatePin-pin", pinOf(SECRET));
    await page.click(CHECK);
    await page.locator(".answer b").waitFor();
    assertEquals(await page.innerText(".answer b"), "true");
    await page.fill("#ValidatePin-pin", "000000");
    await page.click(CHECK);
    await page.locator(".reasons").waitFor();
    await shows(page, ".reasons div", SEALED);
    // Pair, whose form has the same secret, refuses it: below the picture, and at the field, which may be closed.
    const refusal =
      "Parameter secretCode is sealed: pair with the secret itself, and seal it then.";
    await shows(page, ".status.bad", refusal);
    await openFields(page);
    await shows(page, "#Pair-secretCode-error", refusal);
    // A secret that is not sealed has its codes again.
    await page.fill(FIELD, SECRET);
    await page.locator(".now:not([disabled])").waitFor();
  }, { complaints: 1 });
});

Deno.test("a piece of a sealed secret has no codes on the page of a server without seal keys", async () => {
  await visit(`${plain.url}/`, async (page) => {
    await page.fill(FIELD, (await sealByJose(SECRET)).slice(0, 60));
    await shows(page, "[data-operation=ValidatePin] .kind", SEALED);
    assert(await page.isDisabled(".now"));
    // Pair refuses it.
    await page.locator(".status.bad").waitFor();
    await page.fill(FIELD, SECRET);
    await page.locator(".now:not([disabled])").waitFor();
  }, { complaints: 1 });
});
