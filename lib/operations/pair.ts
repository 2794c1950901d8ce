/**
 * The operation Pair.
 *
 * @module
 */

import { formatKeyUri, nameWithoutColons, percentEncode, setupCode } from "../otp/key_uri.ts";
import { encodeForScreen, fitsScreen } from "../qr/encode.ts";
import { svgElement } from "../qr/svg.ts";
import { element, writeHtmlFragment } from "../xml/writer.ts";
import type { CallContext } from "./context.ts";
import { Fault } from "./fault.ts";
import { secretBytes } from "./secret_code.ts";

/** Arguments of Pair. */
export interface PairArguments {
  /** The issuer of the Key URI. */
  readonly appName: string;
  /** The account of the Key URI. */
  readonly appInfo: string;
  /** The shared secret. */
  readonly secretCode: string;
}

/**
 * Result of Pair. The Html is one line of ASCII: an anchor to the Key URI around an inline SVG
 * without style, script and external resources, for any content security policy; or the original's
 * form, see `imageHtml`. The bindings require a record of strings.
 */
export type PairingInfo = Readonly<Record<"ManualSetupCode" | "Html", string>>;

/**
 * Makes the setup code and the Html for an authenticator app.
 *
 * @throws {Fault} When the secretCode gives no key, or the Key URI does not fit into a QR code.
 */
export function pair(args: PairArguments, context: CallContext): PairingInfo {
  const { appName: issuer, appInfo: account } = args;
  const secret = setupCode(secretBytes(args.secretCode, context.secretEncoding));
  const { algorithm, digits, period } = context;
  const uri = formatKeyUri({ issuer, account, secret, algorithm, digits, period });
  const title = `Manually pair with ${secret}`;
  const Html = context.html === "image"
    ? fitsScreen(uri) && imageHtml(title, uri, context.base())
    : svgHtml(title, uri, args);
  if (!Html) {
    throw new Fault("invalid", "The pairing information is too long for a QR code.", {
      parameters: ["appName", "appInfo", "secretCode"],
      clause: "too long for a QR code",
    });
  }
  return { ManualSetupCode: secret, Html };
}

function svgHtml(title: string, uri: string, args: PairArguments): string | undefined {
  const code = encodeForScreen(uri);
  if (code === undefined) return undefined;
  const [issuer, account] = [args.appName, args.appInfo].map(nameWithoutColons);
  // HTML maps references to some control characters to other characters; a label needs no control
  // characters.
  const label = `QR code for ${issuer} (${account})`.replace(/\p{Cc}/gu, " ");
  return writeHtmlFragment(element("a", { title, href: uri }, svgElement(code, label)));
}

// Writes the exact bytes that callers of the original parse: single quotes around three values in
// this order, a bare ampersand, no quotes around the last value, no end-tag of img. No value needs
// escaping in HTML: Base32, a checked base URL, and unreserved characters with percent signs.
function imageHtml(title: string, uri: string, base: string): string {
  const picture = `${base}/qr.aspx?size=300x300&data=${percentEncode(uri)}`;
  return `<a title='${title}' href='${base}'><img src='${picture}' border=0></a>`;
}
