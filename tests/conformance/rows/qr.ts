import { met, notApplicable, type Source, testsOf } from "../row.ts";

const encode = testsOf("qr/encode_test.ts");
const decode = testsOf("qr/decode_test.ts");
const tables = testsOf("qr/tables_test.ts");
const segments = testsOf("qr/segments_test.ts");
const penalty = testsOf("qr/penalty_test.ts");
const svg = testsOf("qr/svg_test.ts");

/** The standard of QR codes, for an encoder. */
export const QR: Source = {
  title: "ISO/IEC 18004 (QR Code)",
  note:
    "Edition of 2015, for an encoder of QR Code symbols of versions 1 to 40. Clauses and tables are those " +
    "that `lib/qr/` cites.",
  isChecked: () => false,
  rows: [
    met(
      "Q-01",
      "table 1",
      "MUST",
      "A symbol has 21 to 177 modules a side, and the codewords of the table.",
      [
        tables("symbolSize() gives 21 to 177 modules"),
        tables("codewordCount() gives the figures of table 1"),
      ],
    ),
    met(
      "Q-02",
      "6.3.3 to 6.3.5",
      "MUST",
      "Finder patterns, separators and timing patterns stand where they belong.",
      [
        encode(
          "encodeSegments() gives the symbol of another encoder in every version, level and mask pattern",
        ),
      ],
    ),
    met("Q-03", "6.3.6, table E.1", "MUST", "Alignment patterns stand where the table says.", [
      tables("alignmentPositions() gives the rows of table E.1"),
    ]),
    met("Q-04", "6.3.8", "MUST", "A quiet zone of four light modules on every side.", [
      svg("svgElement() leaves a quiet zone of four modules on every side"),
      testsOf("exchanges/fields.md")("The picture works under any policy and on any page"),
    ]),
    met("Q-05", "7.3, 7.4.3", "MUST", "Numeric mode: three digits in ten bits, and what is left.", [
      segments("bitLength() counts indicators and the last, incomplete groups of characters"),
      encode("encodeSegments() gives the symbol of another encoder for segments in all modes"),
    ]),
    met("Q-06", "7.4.4, table 5", "MUST", "Alphanumeric mode: 45 characters, two in eleven bits.", [
      segments("createSegment() gives characters the values of table 5"),
      encode("encodeSegments() gives the symbol of another encoder for segments in all modes"),
    ]),
    met(
      "Q-07",
      "7.4.5, 7.4.2, table 4",
      "MUST",
      "Byte mode: eight bits a byte, ISO 8859-1 unless an ECI header says otherwise. Text beyond ASCII is UTF-8, with the header of ECI 000026.",
      [
        decode("encodeSegments() makes symbols that give back any bytes"),
        decode("encodeQr() says that bytes are UTF-8 where one is not ASCII, and only there"),
        encode("encodeQr() counts the bytes of UTF-8 when characters are beyond ASCII"),
      ],
    ),
    met(
      "Q-08",
      "7.4, tables 2 and 3",
      "MUST",
      "Mode indicators, and character counts in the length that the version has.",
      [
        segments("bitLength() counts indicators and the last, incomplete groups of characters"),
        decode("encodeQr() makes symbols that a reader reads in every version and level"),
      ],
    ),
    met("Q-09", "annex J", "SHOULD", "Modes are changed where it saves bits.", [
      segments("optimalSegments() needs the fewest bits of all segmentations of short texts"),
      segments("optimalSegments() changes mode only where that pays"),
    ]),
    met(
      "Q-10",
      "7.4.9, 7.4.10",
      "MUST",
      "Terminator, filling to a byte, and the two padding codewords in turn.",
      [
        encode(
          "encodeSegments() gives the symbol of another encoder in every version, level and mask pattern",
        ),
        encode("encodeQr() takes one symbol of version 1 when the text is empty"),
      ],
    ),
    met("Q-11", "table 7", "MUST", "A symbol holds what the table says and no more.", [
      encode(
        "encodeSegments() holds just what another encoder holds in each version, level and mode",
      ),
      encode("encodeQr() takes the next version when a text is longer than table 7 allows"),
      encode("encodeQr() returns undefined when the text does not fit"),
    ]),
    met("Q-12", "7.5.1, table 9", "MUST", "Codewords fall into blocks as the table says.", [
      tables("blockLayout() shares all codewords of a symbol out among its blocks"),
      tables("blockLayout() gives more error correction the higher the level"),
    ]),
    met("Q-13", "7.5.2", "MUST", "Reed-Solomon error correction that puts damaged modules right.", [
      decode("encodeQr() makes symbols that a reader reads when modules are damaged"),
    ]),
    met(
      "Q-14",
      "7.6",
      "MUST",
      "Blocks are interleaved, shorter ones first, with remainder bits at the end.",
      [
        tables("templateOf() leaves a module free for each codeword bit and remainder bit"),
        encode(
          "encodeSegments() gives the symbol of another encoder in every version, level and mask pattern",
        ),
      ],
    ),
    met("Q-15", "7.7.3", "MUST", "Codewords go up and down in columns of two, from the right.", [
      tables("templateOf() gives no module two places"),
      encode(
        "encodeSegments() gives the symbol of another encoder in every version, level and mask pattern",
      ),
    ]),
    met("Q-16", "7.8", "MUST", "Each of the eight mask patterns can be applied.", [
      encode("encodeQr() takes the version and mask pattern asked for"),
      encode(
        "encodeSegments() gives the symbol of another encoder in every version, level and mask pattern",
      ),
    ]),
    met(
      "Q-17",
      "7.8.3.1, table 11",
      "MUST",
      "The mask pattern with the fewest penalty points is taken.",
      [
        penalty("encodeQr() takes the mask pattern with the lowest penalty, of equals the first"),
        penalty("penalty() equals the sum of the rules, module by module, for any modules"),
        penalty(
          "penalty() counts a finder-like pattern once, and the quiet zone as its light area",
        ),
      ],
    ),
    met("Q-18", "7.9, table C.1", "MUST", "Format information, twice, masked; the dark module.", [
      tables("formatInformation() gives the sequences of table C.1"),
    ]),
    met("Q-19", "7.10, table D.1", "MUST", "Version information from version 7 on.", [
      tables("versionInformation() gives the sequences of table D.1"),
    ]),
    met("Q-20", "the whole", "MUST", "A reader reads what was encoded.", [
      decode("encodeQr() makes symbols that a reader reads when the text is a Key URI"),
      testsOf("conformance/short_routes_test.ts")(
        "qr.aspx draws a PNG of one bit a pixel that a reader reads",
      ),
    ]),
    notApplicable(
      "Q-21",
      "7.4",
      "MAY",
      "Kanji mode, ECI other than UTF-8, FNC1 and structured append.",
      "A Key URI is ASCII; byte mode with the header of UTF-8 holds every other text.",
    ),
    notApplicable(
      "Q-22",
      "Micro QR",
      "MAY",
      "Micro QR symbols.",
      "They hold too little for a Key URI, and few apps read them.",
    ),
  ],
};
