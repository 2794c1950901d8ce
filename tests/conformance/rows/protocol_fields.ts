import { met, type Source, testsOf } from "../row.ts";

const fields = testsOf("exchanges/fields.md");
const base32 = testsOf("exchanges/base32_secrets.md");
const codes = testsOf("exchanges/codes.md");
const limits = testsOf("exchanges/limits.md");
const short = testsOf("conformance/short_routes_test.ts");
const svg = testsOf("qr/svg_test.ts");
const xml = testsOf("exchanges/xml.md");

/** What the fields mean, and how much of anything there may be. */
export const PROTOCOL_FIELDS: Source = {
  title: "The wire contract: fields and limits",
  note: "Sections 1 and 4 of `protocol.md`, which decides what the contract leaves open.",
  isChecked: () => true,
  rows: [
    met(
      "F-01",
      "§1, secretCode",
      "our rule",
      "A secretCode is text; its UTF-8 bytes are the key, also when it looks like Base32.",
      [
        fields("A secretCode is text, and its UTF-8 bytes are the key"),
      ],
    ),
    met("F-02", "§1, secretCode", "our rule", "A secretCode is never trimmed.", [
      fields("A secretCode is never trimmed"),
    ]),
    met(
      "F-03",
      "§1, secretCode",
      "our rule",
      "A secretCode never comes back in a reply but as ManualSetupCode and Key URI, and never goes to log or metrics.",
      [
        testsOf("http/canary_test.ts")(
          "no secret, pin or key comes out in log, metrics or errors, …",
        ),
      ],
    ),
    met("F-04", "§1, secretCode", "our rule", "An empty or missing secretCode is an error.", [
      fields("A secretCode must be there"),
    ]),
    met(
      "F-05",
      "§1, secretCode",
      "our rule",
      "With `--secret-encoding base32` it is decoded: lower case, spaces, dashes and missing padding are accepted.",
      [
        base32("A secretCode is Base32"),
      ],
    ),
    met(
      "F-06",
      "§1, secretCode",
      "our rule",
      "A secretCode that is not Base32 is refused then, and so is one of no byte.",
      [
        base32("A secretCode that is not Base32 is refused"),
        base32("A secretCode of no byte is empty"),
      ],
    ),
    met(
      "F-07",
      "§1, ManualSetupCode",
      "our rule",
      "ManualSetupCode is the key in Base32: upper case, no padding, no spaces.",
      [
        fields("A ManualSetupCode is Base32 without padding"),
        base32("The ManualSetupCode is the same key"),
      ],
    ),
    met(
      "F-08",
      "§1, pin",
      "our rule",
      "The code of an RFC 6238 time step with HMAC-SHA-1, six digits, 30 seconds and T0 = 0.",
      [
        fields("The pins of this, the last and the next time step are right"),
      ],
    ),
    met(
      "F-09",
      "§1, pin",
      "our rule",
      "Options give SHA-256 or SHA-512, six to eight digits, and another period.",
      [
        codes("Pins have the digits, the hash and the period of the options"),
        testsOf("exchanges/sha512.md")("Pins are those of SHA-512"),
      ],
    ),
    met(
      "F-10",
      "§1, pin",
      "our rule",
      "Blank, tab, CR and LF in a pin are dropped before it is compared.",
      [
        fields("Blanks, tabs and line ends in a pin are dropped"),
      ],
    ),
    met(
      "F-11",
      "§1, pin",
      "our rule",
      "Nothing else is dropped: hyphens and Unicode spaces make a pin wrong.",
      [
        fields("Other separators in a pin make it wrong"),
      ],
    ),
    met("F-12", "§1, pin", "our rule", "Full-width and Arabic-Indic digits are not digits.", [
      fields("Digits of other scripts are no digits"),
    ]),
    met(
      "F-13",
      "§1, pin",
      "our rule",
      "What is left must be exactly the digits of a code: no sign, no exponent, no digit more or fewer.",
      [
        fields("A pin must be exactly the digits of a code"),
      ],
    ),
    met("F-14", "§1, pin", "our rule", "An empty pin is `false`, a missing one an error.", [
      fields("An empty pin is wrong, a missing one an error"),
    ]),
    met(
      "F-15",
      "§1, window",
      "our rule",
      "One step on each side of now is accepted unless told otherwise.",
      [
        fields("The pins of this, the last and the next time step are right"),
        fields("The pins of two steps ago and two steps on are wrong"),
      ],
    ),
    met(
      "F-16",
      "§1, window",
      "our rule",
      "`--window 10` accepts what the original does, and no more.",
      [
        testsOf("exchanges/wide_window.md")("The pins of ten steps each side are right"),
        testsOf("exchanges/wide_window.md")("The pins of eleven steps off are wrong"),
      ],
    ),
    met("F-17", "§1, window", "our rule", "`--window 0` accepts the code of this step alone.", [
      testsOf("exchanges/no_window.md")("Only the pin of this time step is right"),
    ]),
    met("F-18", "§1, appName, appInfo", "our rule", "Empty or missing names are errors.", [
      fields("appName and appInfo must be there"),
    ]),
    met(
      "F-19",
      "§1, Key URI",
      "our rule",
      "`otpauth://totp/ISSUER:ACCOUNT?secret=KEY&issuer=ISSUER`, one literal colon between the parts.",
      [
        testsOf("otp/key_uri_test.ts")(
          "formatKeyUri() writes label, secret and issuer, and leaves defaults out",
        ),
      ],
    ),
    met(
      "F-20",
      "§1, Key URI",
      "our rule",
      "Each part is percent-encoded once as UTF-8; only letters, digits and `- _ . ~` stay.",
      [
        fields("A Key URI keeps only unreserved characters"),
        fields("A Key URI is UTF-8 and no name is normalised"),
      ],
    ),
    met("F-21", "§1, Key URI", "our rule", "Names are exact: not trimmed, not normalised.", [
      fields("Names are not trimmed"),
      fields("A Key URI is UTF-8 and no name is normalised"),
    ]),
    met(
      "F-22",
      "§1, Key URI",
      "our rule",
      "A colon in an issuer is dropped in both places, and a run of spaces that it leaves becomes one.",
      [
        fields("A colon in an issuer is dropped"),
        fields("An issuer of colons alone is refused"),
      ],
    ),
    met(
      "F-23",
      "§1, Key URI",
      "our rule",
      "`algorithm`, `digits` and `period` appear only when they are not the default.",
      [
        codes("A Key URI says what is not the default"),
        testsOf("exchanges/sha512.md")("A Key URI says so and no more"),
      ],
    ),
    met(
      "F-24",
      "§1, Html",
      "our rule",
      "One line: an anchor with title and href around an inline SVG, the same string in all bindings.",
      [
        testsOf("exchanges/contract.md")("Pair by HTTP GET"),
        testsOf("bindings_agree_test.ts")("Pair has the same result in all bindings for …"),
      ],
    ),
    met(
      "F-25",
      "§1, Html",
      "our rule",
      "An opaque white ground with a quiet zone of four modules, one black path, explicit colours, no style, script or reference.",
      [
        fields("The picture works under any policy and on any page"),
        svg("svgElement() gives an opaque ground over the whole picture and one path"),
        svg("svgElement() leaves a quiet zone of four modules on every side"),
      ],
    ),
    met(
      "F-26",
      "§1, Html",
      "our rule",
      "All five of `& < > \" '` are escaped for HTML, so that no name changes which elements and attributes there are.",
      [
        fields("No name changes the elements and attributes of the Html"),
      ],
    ),
    met(
      "F-27",
      "§1, QR",
      "our rule",
      "The smallest symbol that holds the Key URI at level M, else at level L, else an error.",
      [
        fields("A Key URI that does not fit at level M is encoded at level L"),
        fields("A Key URI that fits into no symbol is an error"),
      ],
    ),
    met(
      "F-28",
      "§1, `--html image`",
      "our rule",
      "The Html in the original's byte shape, in all bindings.",
      [
        short("--html image gives the original's fragment in every binding"),
        short("--html image and pair.aspx point to --base-url when there is one"),
      ],
    ),
    met(
      "F-29",
      "§1",
      "our rule",
      "The first parameter of the declaration that is wrong is the one named.",
      [
        fields("The first parameter that is wrong is named"),
      ],
    ),
    met(
      "F-30",
      "§4, limits",
      "our rule",
      "A body has at most 65,536 bytes, counted while it is read.",
      [
        limits("A SOAP 1.1 body has at most 65,536 bytes"),
        limits("A SOAP 1.2 body has at most 65,536 bytes"),
        limits("A form has at most 65,536 bytes"),
        limits("A chunked SOAP 1.1 body has no more"),
        limits("A chunked form has no more"),
      ],
    ),
    met("F-31", "§4, limits", "our rule", "A larger declared length is answered at once.", [
      limits("A declared length that is too large is answered at once"),
    ]),
    met("F-32", "§4, limits", "our rule", "Elements are nested at most 64 deep.", [
      xml("Elements are nested at most 64 deep"),
    ]),
    met("F-33", "§4, limits", "our rule", "A document has at most 1,024 elements.", [
      xml("A document has at most 1,024 elements"),
    ]),
    met("F-34", "§4, limits", "our rule", "An element has at most 64 attributes.", [
      xml("An element has at most 64 attributes"),
    ]),
    met("F-35", "§4, limits", "our rule", "At most 128 namespace declarations are in scope.", [
      xml("At most 128 namespace declarations are in scope"),
    ]),
    met("F-36", "§4, limits", "our rule", "A name has at most 256 characters.", [
      xml("A name has at most 256 characters"),
    ]),
    met("F-37", "§4, limits", "our rule", "appName and appInfo have at most 256 characters.", [
      fields("appName has at most 256 characters"),
      fields("appInfo has at most 256 characters"),
    ]),
    met(
      "F-38",
      "§4, limits",
      "our rule",
      "secretCode has at most 1,024 bytes, pin at most 64 characters.",
      [
        fields("secretCode has at most 1,024 bytes"),
        fields("pin has at most 64 characters"),
      ],
    ),
    met("F-39", "§4, limits", "our rule", "A query string has at most 8,192 characters.", [
      testsOf("exchanges/routes.md")("A query string has at most 8,192 characters"),
    ]),
    met(
      "F-40",
      "§4, limits",
      "our rule",
      "A body that takes longer than ten seconds is given up.",
      [
        testsOf("http/handler_test.ts")("createHandler() gives up on a body that does not come"),
        testsOf("body/body_test.ts")("readBody() gives up on a body that does not come"),
        testsOf("docs_test.ts")("docs/runtimes.md: the table of limits is the one that is kept"),
      ],
    ),
    met("F-41", "§4", "our rule", "No recursion on depth.", [
      testsOf("xml/tree_test.ts")("parseXml() does not recurse: depth costs no stack"),
    ]),
    met(
      "F-42",
      "§4",
      "our rule",
      "Any DOCTYPE is refused, and so is every entity but the five predefined ones.",
      [
        xml("A document type declaration is refused"),
        xml("Entities other than the five predefined are refused"),
      ],
    ),
    met(
      "F-43",
      "§4, limits",
      "our rule",
      "No more than 256 bodies are read at once; of more, those that stall are given up.",
      [
        testsOf("body/body_turns_test.ts")("BodyTurns lets 256 bodies be read at once"),
        testsOf("body/body_turns_test.ts")(
          "BodyTurns gives up the oldest of 256 bodies for one more",
        ),
        testsOf("body/body_turns_test.ts")(
          "BodyTurns gives up the oldest of short bodies that stall",
        ),
        testsOf("http/handler_test.ts")(
          "createHandler() answers 503 to a body that holds up others, in the form of its binding",
        ),
        testsOf("docs_test.ts")("docs/runtimes.md: the table of limits is the one that is kept"),
      ],
    ),
  ],
};
