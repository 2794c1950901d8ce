import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { decodeBase32 } from "@std/encoding/base32";
import { OPTIONS } from "../../../../lib/config/options.ts";
import { causesOf, OTHER_REASONS } from "../../../../lib/otp/diagnosis/causes.ts";
import { diagnose, type PinSettings } from "../../../../lib/otp/diagnosis/diagnosis.ts";
import { referenceHotp } from "../../../support/reference_totp.ts";

// RFC 6238 appendix B: the last second of a time step of 30 s.
const NOW_MS = 1_111_111_109_000;
const USUAL: PinSettings = {
  algorithm: "SHA1",
  digits: 6,
  period: 30,
  window: 1,
  secretEncoding: "text",
};
const SECRET = "MYSECRETMYSECRET";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The code that an app with a key shows, so many steps from now. */
function shown(
  key: string | Uint8Array,
  steps = 0,
  { algorithm = "SHA1", digits = 6, period = 30 }: Partial<PinSettings> = {},
): string {
  const counter = Math.floor(NOW_MS / 1000 / period) + steps;
  return referenceHotp(typeof key === "string" ? utf8(key) : key, counter, { algorithm, digits });
}

interface Case {
  /** What happened. */
  readonly story: string;
  /** What is sent as the pin. */
  readonly pin: string;
  /** What is sent as the secret. */
  readonly sent?: string;
  readonly settings?: Partial<PinSettings>;
  /** The first sentence that a person reads about it; empty when the pin is right. */
  readonly says: string;
}

const EXPIRED = (ago: string): string => `The pin has expired: it was right ${ago} ago.`;
const TO_COME = (away: string): string =>
  `The pin will be right in ${away}: the phone's clock is that far ahead of the server's.`;
const BASE32 = "The app takes the secret as Base32, and the server takes it as text.";
const AS_TEXT = "The app takes the secret as text, and the server takes it as Base32.";
const OTHER = "The phone's clock is wrong: compare the phone's date and time with the server time.";
const TRIMMED =
  "The app has the secret without the spaces, line breaks or invisible characters around it.";
const LINE_END =
  "The app was paired with other line breaks or spaces after the secret than are sent now.";
const PLUS = "A plus sign became a space on the way, or a space a plus sign.";
const PERCENT =
  "The secret was percent-encoded one time too many or too few, now or when the app was paired.";
const CASE = "The app has the secret with different upper and lower case.";
const HEX = "The app takes the secret as hexadecimal, and the server takes it as it is written.";
const BASE64 = "The app takes the secret as Base64, and the server takes it as it is written.";
const FORMS =
  "A letter with an accent is one character in one place and two in the other (Unicode NFC and NFD).";
const LATIN1 =
  "A letter outside ASCII was sent in ISO 8859-1 in one place and in UTF-8 in the other.";
const QUOTES = "The secret has quotes around it in one place and not in the other.";
const BACKSLASH =
  "A backslash was put before quotes or backslashes of the secret, now or when the app was paired.";
const CUT = "The app has only the beginning of the secret.";
const SWAPPED = "The pin and the secret are swapped.";
const HYPHENS = "The pin contains hyphens or dashes.";
const SPACES =
  "The pin contains spaces or invisible characters other than ASCII, as copied text often does.";
const FOREIGN = "The pin has full-width digits or those of another script.";

const GUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
const OTHER_GUID = "The secret is a GUID, and the app has it with other hyphens, braces or case.";
const HTML =
  "The secret was escaped for HTML (&amp; for an ampersand) now or when the app was paired.";
const COUNTED = "The app makes counter-based codes (HOTP), and the server expects time-based ones.";

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0));
const HEX_SECRET = "3132333435363738393031323334353637383930";

const CASES: readonly Case[] = [
  // The pin
  { story: "a right pin", pin: shown(SECRET), says: "" },
  {
    story: "a right pin as the app shows it",
    pin: shown(SECRET).replace(/(?=...$)/, " "),
    says: "",
  },
  { story: "a hyphen in the pin", pin: shown(SECRET).replace(/(?=...$)/, "-"), says: HYPHENS },
  { story: "an en dash", pin: shown(SECRET).replace(/(?=...$)/, "\u2013"), says: HYPHENS },
  { story: "a no-break space", pin: shown(SECRET).replace(/(?=...$)/, "\xA0"), says: SPACES },
  { story: "a zero width space, copied along", pin: `\u200B${shown(SECRET)}`, says: SPACES },
  {
    story: "full-width digits of an input method",
    pin: shown(SECRET).replace(/[0-9]/g, (d) => String.fromCharCode(d.charCodeAt(0) + 0xfee0)),
    says: FOREIGN,
  },
  { story: "an empty field", pin: "", says: "The pin is empty." },
  {
    story: "an O for a zero",
    pin: "12345O",
    says: "The pin has a letter that looks like a digit: O for 0, or l for 1.",
  },
  { story: "seven digits", pin: "1234567", says: "The pin has 7 digits; a code has 6." },
  { story: "five digits", pin: "12345", says: "The pin has 5 digits; a code has 6." },
  {
    story: "a number that lost its zero, to be sure beside its length",
    pin: shown(decodeBase32(SECRET)).replace(/^0+/, ""),
    says: "The pin has 4 digits; a code has 6.",
  },
  { story: "a recovery code", pin: "abcd-efgh", says: HYPHENS },
  { story: "pin and secret swapped", pin: SECRET, sent: shown(SECRET), says: SWAPPED },
  { story: "a wrong pin and the secret, swapped", pin: SECRET, sent: "000001", says: SWAPPED },
  // The clock
  { story: "typed slowly", pin: shown(SECRET, -2), says: EXPIRED("59 s to 1 min 29 s") },
  { story: "a clock behind", pin: shown(SECRET, -9), says: EXPIRED("4 min 29 s to 4 min 59 s") },
  { story: "a clock ahead", pin: shown(SECRET, 4), says: TO_COME("1 min 31 s to 2 min 1 s") },
  {
    story: "another time zone",
    pin: shown(SECRET, 120),
    says: TO_COME("59 min 31 s to 1 h 1 s"),
  },
  {
    story: "a date that is a day off",
    pin: shown(SECRET, 2880),
    says: TO_COME("23 h 59 min 31 s to 24 h 1 s"),
  },
  {
    story: "no window at all",
    pin: shown(SECRET, 1),
    settings: { window: 0 },
    says: TO_COME("1 s to 31 s"),
  },
  // The encoding of the secret
  { story: "the secret typed into the app", pin: shown(decodeBase32(SECRET)), says: BASE32 },
  {
    story: "a step late as well",
    pin: shown(decodeBase32(SECRET), -1),
    says: BASE32,
  },
  {
    story: "text where the server takes Base32",
    pin: shown(SECRET),
    settings: { secretEncoding: "base32" },
    says: AS_TEXT,
  },
  {
    story: "a hexadecimal key, decoded by the app",
    pin: shown("12345678901234567890"),
    sent: HEX_SECRET,
    says: HEX,
  },
  {
    story: "a hexadecimal key with colons",
    pin: shown("12345678901234567890"),
    sent: HEX_SECRET.replace(/..(?=.)/g, "$&:"),
    says: HEX,
  },
  {
    story: "a Base64 key, decoded by the app",
    pin: shown("hello, world!?>~"),
    sent: "aGVsbG8sIHdvcmxkIT8+fg==",
    says: BASE64,
  },
  {
    story: "a Base64url key without padding",
    pin: shown("hello, world!?>~"),
    sent: "aGVsbG8sIHdvcmxkIT8-fg",
    says: BASE64,
  },
  {
    story: "a whole Key URI as the secret",
    pin: shown(decodeBase32(SECRET)),
    sent: `otpauth://totp/Acme:jane?secret=${SECRET}&issuer=Acme`,
    says: "The secret that is sent is a whole otpauth address.",
  },
  {
    story: "a Key URI whose secret stands last",
    pin: shown(decodeBase32(SECRET)),
    sent: `otpauth://totp/Acme:jane?issuer=Acme&secret=${SECRET.toLowerCase()}`,
    says: "The secret that is sent is a whole otpauth address.",
  },
  // White space, quotes and capital letters
  { story: "spaces around the secret", pin: shown(SECRET), sent: ` ${SECRET} `, says: TRIMMED },
  { story: "a line end after the secret", pin: shown(SECRET), sent: `${SECRET}\n`, says: TRIMMED },
  { story: "paired with a line end", pin: shown(`${SECRET}\n`), says: LINE_END },
  { story: "paired with CR LF", pin: shown(`${SECRET}\r\n`), says: LINE_END },
  { story: "paired with a space", pin: shown(`${SECRET} `), says: LINE_END },
  { story: "two line ends after it", pin: shown(SECRET), sent: `${SECRET}\n\n`, says: TRIMMED },
  { story: "paired with two line ends", pin: shown(`${SECRET}\n\n`), says: LINE_END },
  {
    story: "one line end of two is missing",
    pin: shown(`${SECRET}\n\n`),
    sent: `${SECRET}\n`,
    says: LINE_END,
  },
  {
    story: "a line end was added to one",
    pin: shown(`${SECRET}\n`),
    sent: `${SECRET}\n\n`,
    says: LINE_END,
  },
  // XML 1.0 §2.11: the same text is another one in SOAP than in a form.
  {
    story: "paired with CR LF by a form, and asked by SOAP",
    pin: shown(`${SECRET}\r\n`),
    sent: `${SECRET}\n`,
    says: LINE_END,
  },
  {
    story: "paired with two line ends by SOAP, and asked by a form",
    pin: shown(`${SECRET}\n\n`),
    sent: `${SECRET}\r\n\r\n`,
    says: LINE_END,
  },
  { story: "quotes around it", pin: shown(SECRET), sent: `"${SECRET}"`, says: QUOTES },
  { story: "apostrophes around it", pin: shown(SECRET), sent: `'${SECRET}'`, says: QUOTES },
  { story: "quotes around it in the app", pin: shown(`"${SECRET}"`), says: QUOTES },
  {
    story: "a zero width space after it",
    pin: shown(SECRET),
    sent: `${SECRET}\u200B`,
    says: TRIMMED,
  },
  { story: "a quote that was escaped", pin: shown("it's 9!"), sent: "it\\'s 9!", says: BACKSLASH },
  { story: "paired with an escaped one", pin: shown('a \\"b\\"'), sent: 'a "b"', says: BACKSLASH },
  {
    story: "a column that was too short when the app was paired",
    pin: shown("a secret of more than 20 characters".slice(0, 20)),
    sent: "a secret of more than 20 characters",
    says: CUT,
  },
  { story: "capital letters in the app", pin: shown("A-SECRET-9"), sent: "a-secret-9", says: CASE },
  { story: "small letters in the app", pin: shown("a-secret-9"), sent: "A-SECRET-9", says: CASE },
  // Encodings on the way
  { story: "a plus sign became a space", pin: shown("a+b/c=9!"), sent: "a b/c=9!", says: PLUS },
  {
    story: "a space became a plus sign",
    pin: shown("pass phrase!"),
    sent: "pass+phrase!",
    says: PLUS,
  },
  { story: "percent-encoded twice", pin: shown("p@ss/wd!"), sent: "p%40ss%2Fwd!", says: PERCENT },
  {
    story: "paired with a percent-encoded secret",
    pin: shown("p%40ss%2Fwd"),
    sent: "p@ss/wd",
    says: PERCENT,
  },
  {
    story: "composed when paired",
    pin: shown("caf\u00e9-secret"),
    sent: "cafe\u0301-secret",
    says: FORMS,
  },
  {
    story: "decomposed when paired",
    pin: shown("cafe\u0301-secret"),
    sent: "caf\u00e9-secret",
    says: FORMS,
  },
  {
    story: "ISO 8859-1 when paired",
    pin: shown(latin1("caf\u00e9-secret")),
    sent: "caf\u00e9-secret",
    says: LATIN1,
  },
  {
    story: "UTF-8 read as ISO 8859-1 when paired",
    pin: shown("caf\u00c3\u00a9-secret"),
    sent: "caf\u00e9-secret",
    says: LATIN1,
  },
  {
    story: "a hyphenated GUID, paired without hyphens",
    pin: shown(GUID.replaceAll("-", "")),
    sent: GUID,
    says: OTHER_GUID,
  },
  {
    story: "a GUID of a database, paired as .NET wrote it",
    pin: shown(GUID.replaceAll("-", "")),
    sent: GUID.toUpperCase(),
    says: OTHER_GUID,
  },
  {
    story: "a bare GUID, paired in braces",
    pin: shown(`{${GUID}}`),
    sent: GUID.replaceAll("-", ""),
    says: OTHER_GUID,
  },
  { story: "escaped for HTML", pin: shown("a<b&c'd"), sent: "a&lt;b&amp;c&#39;d", says: HTML },
  { story: "paired with HTML", pin: shown("a&amp;b!"), sent: "a&b!", says: HTML },
  {
    story: "a key made by Encoding.Unicode",
    pin: shown(Uint8Array.from([...SECRET].flatMap((c) => [c.charCodeAt(0), 0]))),
    says: "The app has the secret as UTF-16, as Encoding.Unicode makes it in .NET.",
  },
  { story: "a counter-based app", pin: referenceHotp(SECRET, 0), says: COUNTED },
  {
    story: "a counter-based app that had the secret typed in",
    pin: referenceHotp(decodeBase32(SECRET), 1),
    says: COUNTED,
  },
  {
    story: "an app that ignores all parameters",
    pin: shown(SECRET),
    settings: { algorithm: "SHA256", digits: 8, period: 60 },
    says: "The pin has 6 digits; a code has 8.",
  },
  { story: "a counter-based app, looked at often", pin: referenceHotp(SECRET, 7), says: COUNTED },
  {
    story: "one digit wrong",
    pin: shown(SECRET).replace(/.$/, (digit) => String((Number(digit) + 3) % 10)),
    says: "One digit of the pin is wrong.",
  },
  {
    story: "two digits swapped",
    pin: shown(SECRET).replace(/^(.)(.)/, "$2$1"),
    says: "Two digits of the pin are swapped.",
  },
  // The algorithm
  {
    story: "an app that knows SHA1 alone",
    pin: shown(SECRET),
    settings: { algorithm: "SHA256" },
    says: "The app makes codes with SHA1, and the server expects SHA256.",
  },
  {
    story: "eight digits in the app",
    pin: shown(SECRET, 0, { digits: 8 }),
    says: "The pin has 8 digits; a code has 6.",
  },
  {
    story: "a code every minute",
    pin: shown(SECRET, 0, { period: 60 }),
    says: "The app makes a new code every 60 seconds, and the server expects 30.",
  },
  // Nothing explains it
  { story: "another account", pin: "000001", says: OTHER },
  { story: "another account, again", pin: shown("another secret"), says: OTHER },
  {
    story: "a match so far off that chance explains it as well",
    pin: shown(decodeBase32(SECRET), 1300, { algorithm: "SHA512", period: 60 }),
    says: OTHER,
  },
];

/** What a person reads, in order. */
async function sentencesFor(
  { pin, sent = SECRET, settings = {} }: Case,
): Promise<readonly string[]> {
  const whole = { ...USUAL, ...settings };
  const { flaws, match, canBeCode } = await diagnose({ pin, secretCode: sent }, whole, NOW_MS);
  const others = canBeCode ? OTHER_REASONS : [];
  const causes = match === undefined ? others : causesOf(match, whole);
  return [...flaws, ...causes];
}

for (const row of CASES) {
  Deno.test(`a person learns of ${row.story}`, async () => {
    const [first = ""] = await sentencesFor(row);
    assertEquals(/^.*?[.](?= |$)/.exec(first)?.[0] ?? "", row.says);
  });
}

Deno.test("there are fifty cases, each with a cause of its own", () => {
  assert(CASES.length >= 50, String(CASES.length));
  assertEquals(new Set(CASES.map(({ story }) => story)).size, CASES.length);
});

Deno.test("no sentence repeats pin or secret", async () => {
  for (const row of CASES) {
    const text = (await sentencesFor(row)).join(" ");
    assert(!text.includes(row.sent ?? SECRET), row.story);
    assert(row.pin.length < 6 || !text.includes(row.pin), row.story);
  }
});

Deno.test("the options that the sentences name are options", async () => {
  const flags = new Set(
    (await Promise.all(CASES.map(sentencesFor))).flat().join(" ").match(/--[a-z0-9-]+/g),
  );
  assertEquals([...flags].sort(), ["--secret-encoding", "--window"]);
  assert(OPTIONS.secretEncoding.parse("base32") !== undefined);
});

Deno.test("a secret that no encoding can hold is searched for all the same", async () => {
  const { canBeCode } = await diagnose({ pin: "000001", secretCode: "\ud800" }, USUAL, NOW_MS);
  assertEquals(canBeCode, true);
});
