import { deviates, met, notApplicable, type Source, testsOf } from "../row.ts";

const totp = testsOf("otp/totp_test.ts");
const fields = testsOf("exchanges/fields.md");

/** RFC 4226. */
export const HOTP: Source = {
  title: "RFC 4226 (HOTP)",
  note: "For a validation server that computes codes.",
  isChecked: () => true,
  rows: [
    met("HO-01", "§4 R4; §5.3", "MUST", "A code is a number of at least six digits.", [
      fields("A pin must be exactly the digits of a code"),
      testsOf("config/options_test.ts")(
        "parseCommand() names --digits and what is expected, never the value",
      ),
    ]),
    deviates(
      "HO-02",
      "§4 R6",
      "MUST",
      "The shared secret has at least 128 bits; 160 are recommended.",
      "Callers bring their secrets, and many of the original's are shorter; the README asks for twenty random characters.",
      [
        fields("A secretCode may be short"),
      ],
    ),
    met("HO-03", "§5.1, §5.2", "MUST", "The counter is eight bytes, the highest first.", [
      totp("hotp() gives the codes of RFC 4226 appendix D"),
      totp("hotp() gives the code of RFC 6238 appendix B for SHA1 at 20000000000 s"),
    ]),
    met("HO-04", "§5.2, §5.3 step 1", "MUST", "HMAC-SHA-1 of key and counter.", [
      totp("hotp() gives the codes of RFC 4226 appendix D"),
      totp("hotp() agrees with an independent HMAC for a key …, SHA1"),
    ]),
    met(
      "HO-05",
      "§5.3 step 2",
      "MUST",
      "Dynamic truncation: the low four bits of the last byte choose four bytes, whose first bit is dropped.",
      [
        totp("hotp() gives the codes of RFC 4226 appendix D"),
        totp("hotp() agrees with an independent HMAC for a key …"),
      ],
    ),
    met(
      "HO-06",
      "§5.3 step 3, appendix C",
      "MUST",
      "The rest by a power of ten, leading zeros kept.",
      [
        totp("hotp() keeps leading zeros"),
      ],
    ),
    met("HO-07", "§5.3", "MAY", "Codes of seven and eight digits come from the same number.", [
      testsOf("exchanges/codes.md")("Pins have the digits, the hash and the period of the options"),
    ]),
    met("HO-08", "§7.2", "MUST", "The server computes the code and compares it with what came.", [
      fields("Another pin is wrong"),
      fields("The pin of another secret is wrong"),
    ]),
    met(
      "HO-09",
      "§7.4",
      "SHOULD",
      "The window is as small as possible: one time step on each side, unless told otherwise.",
      [
        testsOf("config/options_test.ts")("parseCommand() gives every default"),
        fields("The pins of this, the last and the next time step are right"),
        fields("The pins of two steps ago and two steps on are wrong"),
      ],
    ),
    met("HO-10", "Appendix D", "MUST", "The ten codes of the appendix.", [
      totp("hotp() gives the codes of RFC 4226 appendix D"),
    ]),
    met(
      "HO-11",
      "§5.2 (RFC 2104 §2)",
      "MUST",
      "Keys shorter and longer than a block are used as HMAC says.",
      [
        totp(
          "hotp() agrees with an independent HMAC for a key one byte longer than the SHA-1 block, SHA1",
        ),
        totp("hotp() agrees with an independent HMAC for a key of one byte, SHA1"),
      ],
    ),
    met(
      "HO-15",
      "§7.1 RP2, §7.3",
      "SHOULD",
      "Guesses are throttled, by a limit or a growing delay.",
      [
        testsOf("guard/guard_test.ts")(
          "decide() looks at one pin after each wait, which doubles from 30 s to an hour",
        ),
      ],
    ),
    deviates(
      "HO-17",
      "§7.3",
      "SHOULD",
      "The limit is as low as people can live with.",
      "It is 100 unless told otherwise, the most that NIST SP 800-63B §5.2.2 allows, so that nobody who moves here waits for the sake of a typing mistake; docs/security.md has the chances, also of `--max-failures 5`.",
      [
        testsOf("config/options_test.ts")("parseCommand() gives every default"),
      ],
    ),
    deviates(
      "HO-18",
      "§7.2",
      "SHOULD",
      "At the limit the account is locked and its user told.",
      "Pins are delayed and never locked out, since anybody could lock somebody else out; the operator sees it in log and metrics.",
      [
        testsOf("guard/guard_test.ts")(
          "whatever comes when, calls without a source never wait longer than an hour",
        ),
      ],
    ),
    met(
      "HO-16",
      "§7.3",
      "MUST",
      "The throttle holds over all sessions at once.",
      [
        testsOf("guard/memory_store_test.ts")(
          "no more than the allowed wrong pins are told apart, however many come at once",
        ),
      ],
    ),
    notApplicable(
      "HO-12",
      "§7.2, §7.4",
      "SHOULD",
      "The counter moves on after a success, and is found again after a loss.",
      "The counter is the time; nothing is stored for a secret.",
    ),
    notApplicable(
      "HO-13",
      "§7.5",
      "MUST",
      "How secrets are stored and protected.",
      "The service stores none: each call brings its own.",
    ),
    notApplicable(
      "HO-19",
      "§7.1 RP1, RP3",
      "MUST",
      "The code is the second factor beside something that the user knows, over a secure channel.",
      "That is the calling application's, and its operator's.",
    ),
    notApplicable(
      "HO-14",
      "§4 R1 to R3, R5",
      "MUST",
      "Demands on the device that shows codes.",
      "The service is the validating side.",
    ),
  ],
};
