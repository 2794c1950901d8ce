import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import { formatKeyUri } from "../../lib/otp/key_uri.ts";
import { encodeQr } from "../../lib/qr/encode.ts";
import { svgElement } from "../../lib/qr/svg.ts";
import type { CallContext } from "../../lib/operations/context.ts";
import { Fault } from "../../lib/operations/fault.ts";
import { pair } from "../../lib/operations/pair.ts";
import { writeHtmlFragment } from "../../lib/xml/writer.ts";

const OTP = { algorithm: "SHA1", digits: 6, period: 30, window: 1 } as const;
const CONTEXT: CallContext = {
  otp: OTP,
  secretEncoding: "text",
  html: "svg",
  now: () => 0,
  base: () => "http://localhost",
};

// Each character is six of the URI, which are alphanumeric; the issuer stands there twice.
function argumentsOf(issuerLength: number): Parameters<typeof pair>[0] {
  return { appName: "\u00e9".repeat(issuerLength), appInfo: "\u00e9".repeat(256), secretCode: "x" };
}

function pictureOf(issuerLength: number, level: "M" | "L"): string | undefined {
  const { appName: issuer, appInfo: account } = argumentsOf(issuerLength);
  const code = encodeQr(formatKeyUri({ issuer, account, secret: "PA", ...OTP }), level);
  return code && writeHtmlFragment(svgElement(code, `QR code for ${issuer} (${account})`));
}

Deno.test("pair() draws at level M what fits, and at level L what fits only there", () => {
  const small = pair(argumentsOf(100), CONTEXT).Html;
  assert(small.includes(pictureOf(100, "M")!));
  assertEquals(pictureOf(200, "M"), undefined);
  assert(pair(argumentsOf(200), CONTEXT).Html.includes(pictureOf(200, "L")!));
});

Deno.test("pair() refuses what does not fit at level L either", () => {
  assertEquals(pictureOf(256, "L"), undefined);
  const fault = assertThrows(() => pair(argumentsOf(256), CONTEXT), Fault);
  assertEquals(
    [fault.code, fault.message],
    ["invalid", "The pairing information is too long for a QR code."],
  );
});

Deno.test("pair() names the picture after issuer and account, with blanks for control characters", () => {
  const names = { appName: "My\tApp", appInfo: "jo\u0085\nhn", secretCode: "x" };
  assert(pair(names, CONTEXT).Html.includes("aria-label='QR code for My App (jo  hn)'"));
});

const NAMES = { appName: "A&B's", appInfo: "jane@b.example", secretCode: "x" };
const URI = "otpauth://totp/A%26B%27s:jane%40b.example?secret=PA&issuer=A%26B%27s";

Deno.test("pair() gives the setup key, and a link to the Key URI around a picture of it", () => {
  const { ManualSetupCode, Html } = pair(NAMES, CONTEXT);
  assertEquals(ManualSetupCode, "PA");
  const link = `<a title='Manually pair with PA' href='${
    URI.replace("&issuer", "&amp;issuer")
  }'><svg `;
  assertEquals(Html.slice(0, link.length), link);
  assert(Html.endsWith("</svg></a>"), Html);
  const { otp, ...rest } = CONTEXT;
  const longer = pair(NAMES, { ...rest, otp: { ...otp, digits: 8 } });
  assert(longer.Html.includes("&amp;digits=8'"));
});

Deno.test("pair() writes neither name with a colon, in the URI and beside the picture", () => {
  const names = { appName: "127.0.0.1:8000", appInfo: "Acme: jane", secretCode: "x" };
  const { Html } = pair(names, CONTEXT);
  const uri = "otpauth://totp/127.0.0.1-8000:Acme%20jane?secret=PA&amp;issuer=127.0.0.1-8000";
  assert(Html.includes(` href='${uri}'`), Html);
  assert(Html.includes(" aria-label='QR code for 127.0.0.1-8000 (Acme jane)'"), Html);
});

Deno.test("pair() gives a link in the original's shape, where that is wanted", () => {
  const { ManualSetupCode, Html } = pair(NAMES, { ...CONTEXT, html: "image" });
  const data = encodeURIComponent(URI);
  const base = "http://localhost";
  assertEquals([ManualSetupCode, Html], [
    "PA",
    `<a title='Manually pair with PA' href='${base}'>` +
    `<img src='${base}/qr.aspx?size=300x300&data=${data}' border=0></a>`,
  ]);
});

Deno.test("pair() refuses a secret that is no key", () => {
  const messageOf = (
    changes: Partial<typeof NAMES>,
    context: Partial<CallContext> = {},
  ): string => {
    const call = (): unknown => pair({ ...NAMES, ...changes }, { ...CONTEXT, ...context });
    const { code, message } = assertThrows(call, Fault);
    assertEquals(code, "invalid");
    return message;
  };
  const base32 = { secretEncoding: "base32" } as const;
  assertEquals(
    messageOf({ secretCode: "a1" }, base32),
    "Parameter secretCode is not Base32 (letters A to Z, digits 2 to 7).",
  );
  assertEquals(messageOf({ secretCode: " - " }, base32), "Parameter secretCode must not be empty.");
});
