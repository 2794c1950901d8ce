import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import { DEFAULTS } from "../../../lib/config/options.ts";
import { Fault } from "../../../lib/operations/fault.ts";
import { pair } from "../../../lib/operations/pair.ts";

Deno.test("no option replaces the names and the secret of a Key URI", () => {
  // Rows that the table of options could have.
  const options = { ...DEFAULTS, issuer: "Other", account: "Other", secret: "OTHER" };
  const context = { ...options, now: () => 0, base: () => "" };
  const { Html } = pair({ appName: "Acme", appInfo: "jane", secretCode: "a" }, context);
  assert(Html.includes("otpauth://totp/Acme:jane?secret=ME&amp;issuer=Acme"), Html.slice(0, 200));
});

Deno.test("a pairing that fits no QR code is a fault in either form of the Html", () => {
  const args = { appName: "\u00e9".repeat(256), appInfo: "\u00e9".repeat(256), secretCode: "a" };
  for (const html of ["svg", "image"] as const) {
    const context = { ...DEFAULTS, html, now: () => 0, base: () => "" };
    assertThrows(() => pair(args, context), Fault, "too long for a QR code");
  }
});

Deno.test("the picture of a pairing is named by what the app will show", () => {
  const context = { ...DEFAULTS, now: () => 0, base: () => "" };
  const args = { appName: "Acme: Corp", appInfo: "root@10.0.0.1:8443\n", secretCode: "a" };
  const [, label] = / aria-label="([^"]*)"/.exec(pair(args, context).Html.replaceAll("'", '"'))!;
  assertEquals(label, "QR code for Acme Corp (root@10.0.0.1-8443 )");
});
