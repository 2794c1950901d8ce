/**
 * The operation Pair.
 *
 * @module
 */

import { formatKeyUri, issuerWithoutColons } from "../otp/key_uri.ts";
import { setupCode } from "../otp/secret.ts";
import { encodeQr } from "../qr/encode.ts";
import { svgElement } from "../qr/svg.ts";
import { element, writeHtmlFragment } from "../xml/writer.ts";
import type { ServiceContext } from "./context.ts";
import { Fault } from "./fault.ts";
import { keyOf } from "./key.ts";

/** The arguments of Pair. */
export interface PairArguments {
  /** The issuer of the Key URI. */
  readonly appName: string;
  /** The account of the Key URI. */
  readonly appInfo: string;
  /** The shared secret. */
  readonly secretCode: string;
}

/** What Pair returns; the type is a record of strings for the sake of the bindings. */
export type PairingInfo = Readonly<Record<"ManualSetupCode" | "Html", string>>;

/**
 * Makes what an authenticator app is paired with.
 *
 * The Html is one line of ASCII, whatever the names hold: an anchor to the Key URI around an inline
 * SVG, without style, script or anything to be fetched, so that it works under any content security
 * policy.
 *
 * @throws {Fault} When the secretCode gives no key, the appName is colons alone, or the Key URI does
 * not fit into a QR code.
 */
export function pair(args: PairArguments, context: ServiceContext): PairingInfo {
  const issuer = issuerWithoutColons(args.appName);
  if (issuer === "") {
    throw new Fault("invalid", "Parameter appName must hold more than colons.");
  }
  const secret = setupCode(keyOf(args.secretCode, context.secretEncoding));
  const uri = formatKeyUri({ issuer, account: args.appInfo, secret, ...context.otp });
  const code = encodeQr(uri, "M") ?? encodeQr(uri, "L");
  if (code === undefined) {
    throw new Fault("invalid", "The pairing information is too long for a QR code.");
  }
  // HTML reads references to some control characters as other characters; as a name for the
  // picture, a blank serves as well.
  const label = `QR code for ${issuer} (${args.appInfo})`.replace(/\p{Cc}/gu, " ");
  const attributes = { title: `Manually pair with ${secret}`, href: uri };
  const html = writeHtmlFragment(element("a", attributes, svgElement(code, label)));
  return { ManualSetupCode: secret, Html: html };
}
