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

/** A story, the pin, the first sentence of the diagnosis (none for a right pin), secret, settings. */
type Case = readonly [
  story: string,
  pin: string,
  sentence: string,
  secretCode?: string,
  settings?: Partial<PinSettings>,
];

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

// deno-fmt-ignore
const CASES: readonly Case[] = [
  // The pin
  ["a right pin", shown(SECRET), ""],
  ["a right pin as the app shows it", shown(SECRET).replace(/(?=...$)/, " "), ""],
  ["a hyphen in the pin", shown(SECRET).replace(/(?=...$)/, "-"), HYPHENS],
  ["an en dash", shown(SECRET).replace(/(?=...$)/, "\u2013"), HYPHENS],
  ["a no-break space", shown(SECRET).replace(/(?=...$)/, "\xA0"), SPACES],
  ["a zero width space, copied along", `\u200B${shown(SECRET)}`, SPACES],
  ["full-width digits of an input method", shown(SECRET).replace(/[0-9]/g, (d) => String.fromCharCode(d.charCodeAt(0) + 0xfee0)), FOREIGN],
  ["an empty field", "", "The pin is empty."],
  ["an O for a zero", "12345O", "The pin has a letter that looks like a digit: O for 0, or l for 1."],
  ["seven digits", "1234567", "The pin has 7 digits; a code has 6."],
  ["five digits", "12345", "The pin has 5 digits; a code has 6."],
  ["a number that lost its zero, to be sure beside its length", shown(decodeBase32(SECRET)).replace(/^0+/, ""), "The pin has 4 digits; a code has 6."],
  ["a recovery code", "abcd-efgh", HYPHENS],
  ["pin and secret swapped", SECRET, SWAPPED, shown(SECRET)],
  ["a wrong pin and the secret, swapped", SECRET, SWAPPED, "000001"],
  // The clock
  ["typed slowly", shown(SECRET, -2), EXPIRED("59 s to 1 min 29 s")],
  ["a clock behind", shown(SECRET, -9), EXPIRED("4 min 29 s to 4 min 59 s")],
  ["a clock ahead", shown(SECRET, 4), TO_COME("1 min 31 s to 2 min 1 s")],
  ["another time zone", shown(SECRET, 120), TO_COME("59 min 31 s to 1 h 1 s")],
  ["a date that is a day off", shown(SECRET, 2880), TO_COME("23 h 59 min 31 s to 24 h 1 s")],
  ["a date that is a day behind", shown(SECRET, -2880), EXPIRED("23 h 59 min 59 s to 24 h 29 s")],
  ["no window at all", shown(SECRET, 1), TO_COME("1 s to 31 s"), SECRET, { window: 0 }],
  // The encoding of the secret
  ["the secret typed into the app", shown(decodeBase32(SECRET)), BASE32],
  ["a step late as well", shown(decodeBase32(SECRET), -1), BASE32],
  ["text where the server takes Base32", shown(SECRET), AS_TEXT, SECRET, { secretEncoding: "base32" }],
  ["a hexadecimal key, decoded by the app", shown("12345678901234567890"), HEX, HEX_SECRET],
  ["a hexadecimal key with colons", shown("12345678901234567890"), HEX, HEX_SECRET.replace(/..(?=.)/g, "$&:")],
  ["a Base64 key, decoded by the app", shown("hello, world!?>~"), BASE64, "aGVsbG8sIHdvcmxkIT8+fg=="],
  ["a Base64url key without padding", shown("hello, world!?>~"), BASE64, "aGVsbG8sIHdvcmxkIT8-fg"],
  ["a whole Key URI as the secret", shown(decodeBase32(SECRET)), "The secret that is sent is a whole otpauth address.", `otpauth://totp/Acme:jane?secret=${SECRET}&issuer=Acme`],
  ["a Key URI whose secret stands last", shown(decodeBase32(SECRET)), "The secret that is sent is a whole otpauth address.", `otpauth://totp/Acme:jane?issuer=Acme&secret=${SECRET.toLowerCase()}`],
  // White space, quotes and capital letters
  ["spaces around the secret", shown(SECRET), TRIMMED, ` ${SECRET} `],
  ["a line end after the secret", shown(SECRET), TRIMMED, `${SECRET}\n`],
  ["paired with a line end", shown(`${SECRET}\n`), LINE_END],
  ["paired with CR LF", shown(`${SECRET}\r\n`), LINE_END],
  ["paired with a space", shown(`${SECRET} `), LINE_END],
  ["two line ends after it", shown(SECRET), TRIMMED, `${SECRET}\n\n`],
  ["paired with two line ends", shown(`${SECRET}\n\n`), LINE_END],
  ["one line end of two is missing", shown(`${SECRET}\n\n`), LINE_END, `${SECRET}\n`],
  ["a line end was added to one", shown(`${SECRET}\n`), LINE_END, `${SECRET}\n\n`],
  // XML 1.0 §2.11: the same text is another one in SOAP than in a form.
  ["paired with CR LF by a form, and asked by SOAP", shown(`${SECRET}\r\n`), LINE_END, `${SECRET}\n`],
  ["paired with two line ends by SOAP, and asked by a form", shown(`${SECRET}\n\n`), LINE_END, `${SECRET}\r\n\r\n`],
  ["quotes around it", shown(SECRET), QUOTES, `"${SECRET}"`],
  ["apostrophes around it", shown(SECRET), QUOTES, `'${SECRET}'`],
  ["quotes around it in the app", shown(`"${SECRET}"`), QUOTES],
  ["a zero width space after it", shown(SECRET), TRIMMED, `${SECRET}\u200B`],
  ["a quote that was escaped", shown("it's 9!"), BACKSLASH, "it\\'s 9!"],
  ["paired with an escaped one", shown('a \\"b\\"'), BACKSLASH, 'a "b"'],
  ["a column that was too short when the app was paired", shown("a secret of more than 20 characters".slice(0, 20)), CUT, "a secret of more than 20 characters"],
  ["capital letters in the app", shown("A-SECRET-9"), CASE, "a-secret-9"],
  ["small letters in the app", shown("a-secret-9"), CASE, "A-SECRET-9"],
  // Encodings on the way
  ["a plus sign became a space", shown("a+b/c=9!"), PLUS, "a b/c=9!"],
  ["a space became a plus sign", shown("pass phrase!"), PLUS, "pass+phrase!"],
  ["percent-encoded twice", shown("p@ss/wd!"), PERCENT, "p%40ss%2Fwd!"],
  ["paired with a percent-encoded secret", shown("p%40ss%2Fwd"), PERCENT, "p@ss/wd"],
  ["composed when paired", shown("caf\u00e9-secret"), FORMS, "cafe\u0301-secret"],
  ["decomposed when paired", shown("cafe\u0301-secret"), FORMS, "caf\u00e9-secret"],
  ["ISO 8859-1 when paired", shown(latin1("caf\u00e9-secret")), LATIN1, "caf\u00e9-secret"],
  ["UTF-8 read as ISO 8859-1 when paired", shown("caf\u00c3\u00a9-secret"), LATIN1, "caf\u00e9-secret"],
  ["a hyphenated GUID, paired without hyphens", shown(GUID.replaceAll("-", "")), OTHER_GUID, GUID],
  ["a GUID of a database, paired as .NET wrote it", shown(GUID.replaceAll("-", "")), OTHER_GUID, GUID.toUpperCase()],
  ["a bare GUID, paired in braces", shown(`{${GUID}}`), OTHER_GUID, GUID.replaceAll("-", "")],
  ["escaped for HTML", shown("a<b&c'd"), HTML, "a&lt;b&amp;c&#39;d"],
  ["paired with HTML", shown("a&amp;b!"), HTML, "a&b!"],
  ["a key made by Encoding.Unicode", shown(Uint8Array.from([...SECRET].flatMap((c) => [c.charCodeAt(0), 0]))), "The app has the secret as UTF-16, as Encoding.Unicode makes it in .NET."],
  ["a counter-based app", referenceHotp(SECRET, 0), COUNTED],
  ["a counter-based app that had the secret typed in", referenceHotp(decodeBase32(SECRET), 1), COUNTED],
  ["an app that ignores all parameters", shown(SECRET), "The pin has 6 digits; a code has 8.", SECRET, { algorithm: "SHA256", digits: 8, period: 60 }],
  ["a counter-based app, looked at often", referenceHotp(SECRET, 7), COUNTED],
  ["one digit wrong", shown(SECRET).replace(/.$/, (digit) => String((Number(digit) + 3) % 10)), "One digit of the pin is wrong."],
  ["two digits swapped", shown(SECRET).replace(/^(.)(.)/, "$2$1"), "Two digits of the pin are swapped."],
  // The algorithm
  ["an app that knows SHA1 alone", shown(SECRET), "The app makes codes with SHA1, and the server expects SHA256.", SECRET, { algorithm: "SHA256" }],
  ["eight digits in the app", shown(SECRET, 0, { digits: 8 }), "The pin has 8 digits; a code has 6."],
  ["a code every minute", shown(SECRET, 0, { period: 60 }), "The app makes a new code every 60 seconds, and the server expects 30."],
  // Nothing explains it
  ["another account", "000001", OTHER],
  ["another account, again", shown("another secret"), OTHER],
  ["a match so far off that chance explains it as well", shown(decodeBase32(SECRET), 1300, { algorithm: "SHA512", period: 60 }), OTHER],
];

/** The sentences of the diagnosis, in order. */
async function sentencesFor(
  [, pin, , secretCode = SECRET, settings = {}]: Case,
): Promise<readonly string[]> {
  const whole = { ...USUAL, ...settings };
  const { flaws, match, canBeCode } = await diagnose({ pin, secretCode }, whole, NOW_MS);
  const others = canBeCode ? OTHER_REASONS : [];
  const causes = match === undefined ? others : causesOf(match, whole);
  return [...flaws, ...causes];
}

for (const row of CASES) {
  const [story, , sentence] = row;
  Deno.test(`the diagnosis of ${story} begins with its cause`, async () => {
    const [first = ""] = await sentencesFor(row);
    assertEquals(/^.*?[.](?= |$)/.exec(first)?.[0] ?? "", sentence);
  });
}

Deno.test("there are fifty cases, each with a cause of its own", () => {
  assert(CASES.length >= 50, String(CASES.length));
  assertEquals(new Set(CASES.map(([story]) => story)).size, CASES.length);
});

Deno.test("no sentence repeats pin or secret", async () => {
  for (const row of CASES) {
    const [story, pin, , secretCode = SECRET] = row;
    const text = (await sentencesFor(row)).join(" ");
    assert(!text.includes(secretCode), story);
    assert(pin.length < 6 || !text.includes(pin), story);
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
