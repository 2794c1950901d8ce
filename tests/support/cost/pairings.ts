/**
 * The dearest pairings: the longest names and secrets that fit into a QR code, in every binding.
 *
 * @module
 */

import type { RawRequest } from "../http.ts";
import { type DearRequest, request } from "./request.ts";

/** A letter, and how often it stands in appName, appInfo and secretCode. */
type Row = readonly [of: string, letter: string, counts: readonly [number, number, number]];

const ROWS: readonly Row[] = [
  ["Latin letters, and a secretCode of 1,024 bytes", "a", [256, 256, 1024]],
  ["letters with marks", "é", [200, 60, 1]],
  ["Han", "漢", [140, 20, 1]],
  ["letters beyond U+FFFF", "🔑", [110, 10, 1]],
  ["letters beyond U+FFFF in appInfo alone", "🔑", [1, 220, 1]],
  ["ampersands", "&", [256, 256, 10]],
  ["quotes", "'", [256, 256, 10]],
  ["digits", "7", [256, 256, 1024]],
  ["blanks", " ", [256, 256, 1024]],
  ["colons", ":", [255, 256, 10]],
  ["more than fits", "漢", [256, 256, 340]],
];

const NAMESPACE = "http://authenticatorapi.com/";
const FORM = "application/x-www-form-urlencoded";

type Writer = (args: Readonly<Record<string, string>>) => RawRequest;

function soap(mediaType: string, envelope: string): Writer {
  return (args) => {
    const values = Object.entries(args)
      .map(([name, value]) => `<${name}>${value.replaceAll("&", "&amp;")}</${name}>`);
    const body = `<s:Envelope xmlns:s="${envelope}"><s:Body><Pair xmlns="${NAMESPACE}">` +
      `${values.join("")}</Pair></s:Body></s:Envelope>`;
    return request("POST /api.asmx", { "Content-Type": mediaType }, body);
  };
}

/** A pairing in each format. */
const FORMATS: Readonly<Record<string, Writer>> = {
  "SOAP 1.1": soap("text/xml; charset=utf-8", "http://schemas.xmlsoap.org/soap/envelope/"),
  "SOAP 1.2": soap("application/soap+xml", "http://www.w3.org/2003/05/soap-envelope"),
  "HTTP GET": (args) => request(`GET /api.asmx/Pair?${new URLSearchParams(args)}`, {}, ""),
  "HTTP POST": (args) =>
    request("POST /api.asmx/Pair", { "Content-Type": FORM }, String(new URLSearchParams(args))),
  "JSON": (args) =>
    request(
      "POST /api.asmx/Pair",
      { "Content-Type": "application/json" },
      JSON.stringify(args),
    ),
};

/** Pairings by the callers of each format; the size is in hundredths of the longest names. */
export const DEAR_PAIRINGS: readonly DearRequest[] = Object.entries(FORMATS).flatMap(
  ([format, write]) =>
    ROWS.map(([of, letter, counts]): DearRequest => ({
      of: `${of}, by ${format}`,
      size: 100,
      make: (size): RawRequest => {
        const [appName, appInfo, secretCode] = counts
          .map((count) => letter.repeat(Math.ceil(count * size / 100)));
        return write({
          appName: `x${appName!.slice(1)}`,
          appInfo: appInfo!,
          secretCode: secretCode!,
        });
      },
    })),
);
