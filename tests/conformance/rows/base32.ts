import { deviates, met, type Source, testsOf } from "../row.ts";

const secret = testsOf("otp/secret_test.ts");
const fields = testsOf("exchanges/fields.md");
const base32 = testsOf("exchanges/base32_secrets.md");

/** RFC 4648, Base32. */
export const BASE32: Source = {
  title: "RFC 4648 (Base32)",
  note:
    "Sections 3, 6 and 10: written as ManualSetupCode, and read with `--secret-encoding base32`.",
  isChecked: () => true,
  rows: [
    met("R-01", "§6", "MUST", "The alphabet A to Z, 2 to 7; eight characters for five bytes.", [
      fields("A ManualSetupCode is Base32 without padding"),
      secret("setupCode() and secretKey() follow RFC 4648 §10 for …"),
    ]),
    deviates(
      "R-02",
      "§3.2",
      "MUST",
      "Padding is written.",
      "The Key URI format wants none, and apps stumble over it; section 3.2 lets a specification say so.",
      [
        fields("A ManualSetupCode is Base32 without padding"),
      ],
    ),
    deviates(
      "R-03",
      "§3.3",
      "MUST",
      "Characters outside the alphabet are refused.",
      "Spaces and dashes are ignored, as people copy keys with them; section 3.3 lets a specification say so. All else is refused.",
      [
        base32("A secretCode is Base32"),
        secret("secretKey() takes Base32 as people copy it"),
        base32("A secretCode that is not Base32 is refused"),
      ],
    ),
    met("R-04", "§3.1", "MUST", "No line feeds are written.", [
      secret("setupCode() of the text …"),
    ]),
    met(
      "R-05",
      "§3.5",
      "MUST",
      "Bits left over are written as zero; other ones may be refused when read.",
      [
        secret("setupCode() and secretKey() follow RFC 4648 §10 for …"),
      ],
    ),
    met("R-06", "§6, §3.4", "our rule", "Lower case letters of ASCII are read as upper case.", [
      secret("secretKey() takes Base32 as people copy it"),
      secret("secretKey() folds ASCII letters alone"),
    ]),
    met("R-07", "§6", "MUST", "A last group that is no whole byte is refused.", [
      base32("A secretCode that is not Base32 is refused"),
      secret("secretKey() gives nothing for what is not Base32"),
    ]),
    met("R-08", "§10", "MUST", "The test vectors.", [
      secret("setupCode() and secretKey() follow RFC 4648 §10 for …"),
    ]),
  ],
};
