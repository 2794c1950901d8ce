import { deviates, met, notApplicable, type Source, testsOf } from "../row.ts";

const uri = testsOf("otp/key_uri_test.ts");
const fields = testsOf("exchanges/fields.md");
const codes = testsOf("exchanges/codes.md");

/** The Key URI format. */
export const KEY_URI: Source = {
  title: "Key URI format",
  note:
    "The page of that name in the wiki of google/google-authenticator, and RFC 3986 for its encoding.",
  isChecked: (id) => id !== "K-09",
  rows: [
    met("K-01", "Format", "MUST", "`otpauth://TYPE/LABEL?PARAMETERS`, the type being totp.", [
      uri("formatKeyUri() writes label, secret and issuer, and leaves defaults out"),
    ]),
    met(
      "K-02",
      "Label",
      "MUST",
      "The label is the account, with the issuer and a colon before it.",
      [
        uri("formatKeyUri() writes label, secret and issuer, and leaves defaults out"),
      ],
    ),
    met(
      "K-03",
      "Label",
      "MUST",
      "Neither issuer nor account holds a colon that could be the separator.",
      [
        fields("A colon in an issuer is dropped"),
        uri("issuerWithoutColons() makes …"),
      ],
    ),
    deviates(
      "K-04",
      "Label",
      "MUST",
      "The account holds no colon, encoded or not.",
      "It is encoded as `%3A`: an account may be a URL, apps split at the first colon, and dropping it would make two accounts one.",
      [
        fields("A colon in an account is encoded"),
      ],
    ),
    met("K-05", "Label", "SHOULD", "The prefix of the label and the parameter issuer are equal.", [
      fields("A colon in an issuer is dropped"),
      uri("formatKeyUri() encodes a colon in the account and drops it from the issuer"),
    ]),
    met("K-06", "Secret", "MUST", "secret is the key in Base32 without padding.", [
      fields("A ManualSetupCode is Base32 without padding"),
    ]),
    met("K-07", "Issuer", "SHOULD", "issuer is there, percent-encoded.", [
      uri("formatKeyUri() encodes … once, as UTF-8"),
    ]),
    met(
      "K-08",
      "Algorithm, digits, period",
      "MAY",
      "They are left out when they are SHA1, 6 and 30, and said otherwise.",
      [
        uri("formatKeyUri() says algorithm, digits and period when they are not the default"),
        codes("A Key URI says what is not the default"),
      ],
    ),
    met(
      "K-09",
      "RFC 3986 §2.1, §2.3",
      "MUST",
      "Everything but unreserved characters is encoded, once, as UTF-8; a space is `%20`.",
      [
        fields("A Key URI keeps only unreserved characters"),
        fields("A Key URI is UTF-8 and no name is normalised"),
      ],
    ),
    deviates(
      "K-11",
      "Digits",
      "MUST",
      "`digits` is 6 or 8.",
      "`--digits 7` is possible, as RFC 4226 §5.3 has it; the default is 6, and the table of options says that many apps know only that.",
      [
        uri("formatKeyUri() says algorithm, digits and period when they are not the default"),
      ],
    ),
    notApplicable(
      "K-10",
      "Counter",
      "MUST",
      "counter, for the type hotp.",
      "Codes depend on time alone.",
    ),
  ],
};
