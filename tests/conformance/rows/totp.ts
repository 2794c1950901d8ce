import { deviates, met, notApplicable, type Source, testsOf } from "../row.ts";

const totp = testsOf("otp/totp_test.ts");
const fields = testsOf("exchanges/fields.md");
const codes = testsOf("exchanges/codes.md");

/** RFC 6238 with its erratum. */
export const TOTP: Source = {
  title: "RFC 6238 (TOTP)",
  note:
    "With erratum 2866: the seeds of appendix B are 20, 32 and 64 bytes long, one for each hash.",
  isChecked: (id) => id !== "TO-13",
  rows: [
    met("TO-01", "§1.2", "MAY", "HMAC-SHA-256 and HMAC-SHA-512 may take the place of HMAC-SHA-1.", [
      totp("hotp() gives the code of RFC 6238 appendix B for SHA256 at … s"),
      totp("hotp() gives the code of RFC 6238 appendix B for SHA512 at … s"),
      codes("Pins have the digits, the hash and the period of the options"),
    ]),
    met("TO-02", "§3 R1", "MUST", "The server computes from Unix time.", [
      fields("The pins of this, the last and the next time step are right"),
    ]),
    met(
      "TO-03",
      "§3 R2, R3",
      "MUST",
      "Both sides share a secret, and use HOTP as their algorithm.",
      [
        totp("hotp() gives the code of RFC 6238 appendix B for SHA1 at … s"),
      ],
    ),
    met(
      "TO-04",
      "§3 R4",
      "MUST",
      "Both sides use the same time step; a Key URI says so when it is not 30 seconds.",
      [
        codes("A Key URI says what is not the default"),
      ],
    ),
    met("TO-05", "§4.1", "MUST", "30 seconds and T0 = 0 are the defaults.", [
      testsOf("config/options_test.ts")("parseCommand() gives every default"),
      totp("timeStep() changes exactly at the beginning of a step"),
    ]),
    met("TO-06", "§4.2", "MUST", "T is rounded down.", [
      totp("timeStep() changes exactly at the beginning of a step"),
    ]),
    met("TO-07", "§4.2", "MUST", "T is larger than 32 bits when the time is beyond 2038.", [
      totp("hotp() gives the code of RFC 6238 appendix B for SHA1 at 20000000000 s"),
    ]),
    met("TO-08", "§5.2", "SHOULD", "At most one step is accepted for the delay of the network.", [
      fields("The pins of two steps ago and two steps on are wrong"),
    ]),
    met("TO-09", "§5.2", "SHOULD", "A step of 30 seconds.", [
      testsOf("config/options_test.ts")("parseCommand() gives every default"),
    ]),
    deviates(
      "TO-10",
      "§5.2",
      "MUST",
      "A code is not accepted again after a success.",
      "The contract's ValidatePin is a question that may be asked twice, so it is off unless the operator says `--single-use`.",
      [
        fields("A pin may be asked about twice"),
        testsOf("guard/guard_test.ts")(
          "decide() accepts with single use no code of the same or an earlier step",
        ),
        testsOf("guard/memory_store_test.ts")(
          "64 checks of the same right pin at once are true exactly once with single use",
        ),
      ],
    ),
    met("TO-11", "§6", "SHOULD", "The steps accepted forward and backward are limited.", [
      totp("matchTimeStep() accepts … steps on each side of now and no more"),
      totp("matchTimeStep() computes no step before the first"),
      testsOf("exchanges/wide_window.md")("The pins of eleven steps off are wrong"),
    ]),
    met("TO-12", "Appendix B", "MUST", "All 18 codes of the appendix.", [
      totp("hotp() gives the code of RFC 6238 appendix B for …"),
    ]),
    met(
      "TO-13",
      "Appendix B, erratum 2866",
      "MUST",
      "The seeds for SHA-256 and SHA-512 are 32 and 64 bytes.",
      [
        totp("hotp() gives the code of RFC 6238 appendix B for SHA256 at 59 s"),
        totp("hotp() gives the code of RFC 6238 appendix B for SHA512 at 59 s"),
      ],
    ),
    notApplicable(
      "TO-14",
      "§6",
      "MAY",
      "The server remembers how far a clock is off.",
      "Nothing is stored for a secret.",
    ),
    notApplicable(
      "TO-15",
      "§3 R5",
      "MUST",
      "Each prover has a secret of its own.",
      "Callers choose secrets. The service computes with what it is given.",
    ),
    notApplicable(
      "TO-17",
      "§3 R6, R7; §5.1",
      "SHOULD",
      "Secrets are random, as long as the hash, and protected.",
      "Callers choose and keep them; the README asks for twenty random characters.",
    ),
    notApplicable(
      "TO-18",
      "§5.1",
      "MUST",
      "The store of keys is in a secure area.",
      "The service stores none: each call brings its own.",
    ),
    notApplicable(
      "TO-16",
      "§5.1",
      "SHOULD",
      "The channel is secure, TLS for instance.",
      "It is the operator's: `--tls-cert`, or a proxy in front.",
    ),
  ],
};
