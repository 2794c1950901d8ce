import { assertEquals } from "@std/assert/equals";
import { assertMatch } from "@std/assert/match";
import { DEFAULT_TOTP } from "../../../lib/otp/totp.ts";
import { keyIn, kindOf, SEALED } from "../../../lib/page/browser/secret_kind.ts";
import { referenceBase32 } from "../../support/reference_base32.ts";

const TEXT = "12345678901234567890";
const SETUP_KEY = referenceBase32(TEXT);
const BASE32 = "JBSWY3DPEHPK3PXP";
const HEX = "0123456789abcdef0123456789abcdef";
const GUID = "7a3f0c1e-9b5d-4c2a-8e6f-1d2c3b4a5f60";
const BASE64 = "q83vEjRWeJCrze8SNFZ4kKvN7xI=";
const SEAL = `${btoa('{"alg":"dir"}')}..a.b.c`;
const NOTHING = /^$/;

const settings = {
  ...DEFAULT_TOTP,
  window: 1,
  maxFailures: 0,
  singleUse: false,
  secretEncoding: "text",
} as const;

// A secret, and what is said about it where secrets are text, and where they are Base32.
const KINDS: readonly (readonly [secret: string, forText: RegExp, forBase32: RegExp])[] = [
  [TEXT, NOTHING, NOTHING],
  ["correcthorsebatterystaple", NOTHING, NOTHING],
  [SEAL, /^This secret is sealed\./, /^This secret is sealed\./],
  ["otpauth-migration://offline?data=a", /export of an app/, /export of an app/],
  ["see otpauth-migration://", NOTHING, NOTHING],
  [
    ` otpauth://totp/a:b?secret=${SETUP_KEY}&issuer=a`,
    /Key URI: the whole of it would be the secret\. The secret .*: 12345678901234567890$/,
    /Key URI, and not Base32\. The secret code is only its secret: GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ$/,
  ],
  [
    `otpauth://totp/a?secret=${BASE32}#b`,
    /--secret-encoding base32\.$/,
    /secret: JBSWY3DPEHPK3PXP$/,
  ],
  [`otpauth://hotp/a?secret=${BASE32}&counter=1`, /counter-based/, /counter-based/],
  [
    `otpauth://totp/a?secret=${BASE32}&digits=8&ALGORITHM=sha1&period=60#digits=6`,
    /by digits, period\. This/,
    /by digits, period\. The/,
  ],
  ["otpauth://totp/a:b?issuer=a", /Key URI without a secret/, /Key URI without a secret/],
  ["my otpauth://totp/a?secret=b", NOTHING, NOTHING],
  [GUID, /is a GUID, taken as text/, /is a GUID, and not Base32/],
  [`{${GUID.toUpperCase()}}`, /is a GUID/, /is a GUID/],
  [`${GUID}0`, NOTHING, NOTHING],
  [`x${GUID}`, NOTHING, NOTHING],
  [SETUP_KEY, /setup key .* made from: 12345678901234567890$/, NOTHING],
  [BASE32, /setup key .* and not this\.$/, NOTHING],
  ["jbsw y3dp ehpk 3pxp", /setup key/, NOTHING],
  ["JBSW-Y3DP-EHPK-3PXP==", /setup key/, NOTHING],
  [`${BASE32}1`, NOTHING, NOTHING],
  [`1${BASE32}`, NOTHING, NOTHING],
  [HEX, /hexadecimal digits, taken as text/, /hexadecimal digits, and not Base32/],
  [`0X${HEX.toUpperCase()}`, /hexadecimal/, /hexadecimal/],
  [`${HEX}gh`, NOTHING, NOTHING],
  [`h${HEX}`, NOTHING, NOTHING],
  [HEX.slice(2), NOTHING, NOTHING],
  ["ABCDEF".repeat(6), /hexadecimal|setup key/, NOTHING],
  [BASE64, /looks like Base64, taken as text/, /looks like Base64, and not Base32/],
  [`${BASE64}!`, NOTHING, NOTHING],
  [`!${BASE64}`, NOTHING, NOTHING],
  ["Ab/1", NOTHING, NOTHING],
  ["user/secret/with/slashes", NOTHING, NOTHING],
];

Deno.test("the page names the kind of a secret, and nothing that only resembles one", () => {
  for (const [secret, forText, forBase32] of KINDS) {
    assertMatch(kindOf(secret, settings), forText, secret);
    assertMatch(kindOf(secret, { ...settings, secretEncoding: "base32" }), forBase32, secret);
  }
});

Deno.test("a browser has the key bytes of each secret that is not sealed", () => {
  assertEquals(kindOf(SEAL, settings), SEALED);
  assertEquals(keyIn(SEAL, settings), undefined);
  assertEquals(keyIn("ab", settings), new Uint8Array([0x61, 0x62]));
  assertEquals(keyIn("ME", { ...settings, secretEncoding: "base32" }), new Uint8Array([0x61]));
});
