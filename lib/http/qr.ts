/**
 * Route of `/qr.aspx`: any text as a QR code, drawn here; the Html of the original links to it.
 *
 * @module
 */

import type { Reply } from "../bindings/binding.ts";
import { FORM, type Pairs, readForm, readQuery } from "../bindings/form_urlencoded.ts";
import { charsetOf } from "../bindings/media_type.ts";
import { Fault, wrongParameter } from "../operations/fault.ts";
import { checkCharacters, duplicateParameter, missingParameter } from "../operations/operations.ts";
import { encodeForScreen, type QrCode } from "../qr/encode.ts";
import { type PictureSize, pngImage } from "../qr/png.ts";
import { svgElement } from "../qr/svg.ts";
import { writeCompact } from "../xml/writer.ts";
import { readBody } from "./body.ts";
import type { RequestContext } from "./route.ts";
import type { RouteResult } from "./response.ts";

/** Smallest and largest picture, in pixels per side. */
const PIXELS = { min: 21, max: 1000 };

const DEFAULT_SIZE = "300x300";

// Parameter names of the chart service that callers used before. Its `cht` can only be `qr` and is
// ignored, like all other names.
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["data", "data"],
  ["chl", "data"],
  ["size", "size"],
  ["chs", "size"],
  ["format", "format"],
]);

/**
 * Draws any text as a QR code. A form without a query holds the text in its body, so that a secret
 * need not be in a URL.
 */
export async function answerQr(
  context: RequestContext,
): Promise<RouteResult> {
  const { method, query, mediaType } = context;
  const isForm = method === "POST" && query === "" && mediaType.essence === FORM;
  const pairs = isForm ? readForm(await readBody(context), charsetOf(mediaType)) : readQuery(query);
  return { reply: qrPicture(pairs), outcome: "ok" };
}

// Draws the text `data` of a query string or form, with optional `size` such as `300x300` and
// `format` (`png` or `svg`).
function qrPicture(pairs: Pairs): Reply {
  const parameters = namedParameters(pairs);
  const data = parameters.get("data");
  if (!data) throw missingParameter("data");
  checkCharacters("data", data);
  const size = readSize(parameters.get("size") || DEFAULT_SIZE);
  const format = parameters.get("format") || "png";
  const code = encodeForScreen(data);
  if (code === undefined) throw new Fault("invalid", "The text is too long for a QR code.");
  switch (format.toLowerCase()) {
    case "png":
      return pngReply(code, size);
    case "svg":
      return svgReply(code, size);
    default:
      throw wrongParameter("format", "must be png or svg");
  }
}

function namedParameters(pairs: Pairs): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of pairs) {
    const parameter = ALIASES.get(name.toLowerCase());
    if (parameter === undefined) continue;
    if (parameters.has(parameter)) throw duplicateParameter(parameter);
    parameters.set(parameter, value);
  }
  return parameters;
}

function readSize(size: string): PictureSize {
  const [, width, height] = /^([0-9]{1,4})x([0-9]{1,4})$/i.exec(size)?.map(Number) ?? [];
  const isSide = (pixels: number | undefined): pixels is number =>
    pixels !== undefined && pixels >= PIXELS.min && pixels <= PIXELS.max;
  if (isSide(width) && isSide(height)) return { width, height };
  const { min, max } = PIXELS;
  throw new Fault("invalid", `Parameter size must be WIDTHxHEIGHT, each from ${min} to ${max}.`);
}

function pngReply(code: QrCode, size: PictureSize): Reply {
  const body = pngImage(code, size);
  if (body === undefined) {
    throw new Fault("invalid", "Parameter size has fewer pixels than the QR code has modules.");
  }
  return { status: 200, contentType: "image/png", body };
}

// Writes the SVG reply; SVG scales without loss, so any size will do, even below one pixel per
// module.
function svgReply(code: QrCode, size: PictureSize): Reply {
  return {
    status: 200,
    contentType: "image/svg+xml",
    body: writeCompact(svgElement(code, "QR code", size)),
  };
}
