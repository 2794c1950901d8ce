/**
 * The operation Pair.
 *
 * @module
 */

import { formatKeyUri, nameWithoutColons, percentEncode } from "../otp/key_uri.ts";
import { setupCode } from "../otp/secret.ts";
import { encodeForScreen } from "../qr/encode.ts";
import { svgElement } from "../qr/svg.ts";
import { element, writeHtmlFragment } from "../xml/writer.ts";
import type { CallContext } from "./context.ts";
import { Fault } from "./fault.ts";
import { secretBytes } from "./secret_code.ts";

/** The arguments of Pair. */
export interface PairArguments {
  /** The issuer of the Key URI. */
  readonly appName: string;
  /** The account of the Key URI. */
  readonly appInfo: string;
  /** The shared secret. */
  readonly secretCode: string;
}

/**
 * What Pair returns. The Html is one line of ASCII, whatever the names hold: an anchor to the Key URI
 * around an inline SVG without style, script or anything to be fetched, so that it works under any
 * content security policy; or the original's, see `imageHtml`. The type is a record of strings for the
 * sake of the bindings.
 */
export type PairingInfo = Readonly<Record<"ManualSetupCode" | "Html", string>>;

/**
 * Makes what an authenticator app is paired with.
 *
 * @throws {Fault} When the secretCode gives no key, or the Key URI does not fit into a QR code.
 */
export function pair(args: PairArguments, context: CallContext): PairingInfo {
  const issuer = nameWithoutColons(args.appName);
  const account = nameWithoutColons(args.appInfo);
  const secret = setupCode(secretBytes(args.secretCode, context.secretEncoding));
  const uri = formatKeyUri({ issuer, account, secret, ...context.otp });
  const code = encodeForScreen(uri);
  if (code === undefined) {
    throw new Fault("invalid", "The pairing information is too long for a QR code.");
  }
  const title = `Manually pair with ${secret}`;
  if (context.html === "image") {
    return { ManualSetupCode: secret, Html: imageHtml(title, uri, context.base()) };
  }
  // HTML reads references to some control characters as other characters; as a name for the
  // picture, a blank serves as well.
  const label = `QR code for ${issuer} (${account})`.replace(/\p{Cc}/gu, " ");
  const svg = svgElement(code, label);
  return {
    ManualSetupCode: secret,
    Html: writeHtmlFragment(element("a", { title, href: uri }, svg)),
  };
}

// To the byte what callers of the original cut apart: single quotes around three values in this
// order, a bare ampersand, no quotes around the last value, no end of the img element. None of the
// values can hold a character that HTML would read otherwise: Base32, a checked base URL, and
// unreserved characters with percent signs.
function imageHtml(title: string, uri: string, base: string): string {
  const picture = `${base}/qr.aspx?size=300x300&data=${percentEncode(uri)}`;
  return `<a title='${title}' href='${base}'><img src='${picture}' border=0></a>`;
}
