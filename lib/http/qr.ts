/**
 * Route of `/qr.aspx`: any text as a picture.
 *
 * @module
 */

import { FORM, readForm, readQuery } from "../bindings/form_urlencoded.ts";
import { charsetOf, parseMediaType } from "../bindings/media_type.ts";
import { qrPicture } from "../bindings/qr_aspx.ts";
import { readBody } from "./body.ts";
import type { RequestContext } from "./route.ts";
import type { RouteResult } from "./response.ts";

/**
 * Draws any text as a QR code. A form without a query holds the text in its body, so that a secret
 * need not be in a URL.
 */
export async function answerQr(
  { request, method, target, parts: { bodyLimit: limit } }: RequestContext,
): Promise<RouteResult> {
  const mediaType = parseMediaType(request.headers.get("content-type"));
  const isForm = method === "POST" && target.query === "" && mediaType.essence === FORM;
  if (!isForm) return { reply: qrPicture(readQuery(target.query)), outcome: "ok" };
  const bytes = await readBody(request, mediaType, { mediaTypes: [FORM], limit });
  return { reply: qrPicture(readForm(bytes, charsetOf(mediaType))), outcome: "ok" };
}
