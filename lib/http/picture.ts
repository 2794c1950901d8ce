/**
 * Route of `/qr.aspx`: any text as a picture.
 *
 * @module
 */

import { FORM, readForm, readQuery } from "../bindings/form_urlencoded.ts";
import { charsetOf, parseMediaType } from "../bindings/media_type.ts";
import { qrPicture } from "../bindings/qr_aspx.ts";
import { readBody } from "./body.ts";
import type { RouteHandler } from "./exchange.ts";
import type { ResolvedOptions } from "./options.ts";
import { textRoute } from "./probes.ts";

/**
 * Draws any text as a QR code. A form without a query holds the text in its body, so that a secret
 * need not be in a URL.
 */
export function picture(state: ResolvedOptions): RouteHandler {
  const { bodyLimit: limit } = state;
  return textRoute(state, async ({ request, method, target }) => {
    const mediaType = parseMediaType(request.headers.get("content-type"));
    const isForm = method === "POST" && target.query === "" && mediaType.essence === FORM;
    if (!isForm) return { reply: qrPicture(readQuery(target.query)), outcome: "ok" };
    const bytes = await readBody(request, mediaType, { mediaTypes: [FORM], limit });
    return { reply: readForm(bytes, charsetOf(mediaType), qrPicture), outcome: "ok" };
  });
}
