/**
 * Command `pair`: shows the QR code of a secret.
 *
 * @module
 */

import process from "node:process";
import type { Config } from "../config/options.ts";
import { flagOf, UsageError } from "../config/option.ts";
import { formatKeyUri, nameWithoutColons } from "../otp/key_uri.ts";
import { MAX_TOKEN_KEY_BYTES, MIN_KEY_BYTES, newSecret } from "../otp/secret.ts";
import { DEFAULT_TOTP } from "../otp/totp.ts";
import { encodeForScreen, type QrCode } from "../qr/encode.ts";
import { pngImage } from "../qr/png.ts";
import { QUIET_ZONE_MODULES } from "../qr/tables.ts";
import { terminalColumns, terminalPicture } from "../qr/terminal.ts";
import { PAIR } from "../operations/operations.ts";
import type { PairingInfo } from "../operations/pair.ts";
import { printable } from "../system/foreign_text.ts";
import type { OptionsOf } from "./args/commands.ts";
import { readSecret, readVariable, warn, writeNewFiles } from "./io/io.ts";
import { callContext, inWordsOfOptions } from "./operation_call.ts";

const PNG_MODULE_PIXELS = 8;

/**
 * Prints the pairing of an authenticator app, and writes the picture files. The files come first,
 * so that a new secret is shown only after success.
 *
 * @param print Writes lines to stdout.
 * @returns The exit code.
 * @throws {UsageError} When the service refuses the names or the secret.
 * @throws {CommandError} When a file cannot be read or written.
 */
export async function pairCommand(
  config: Config,
  options: OptionsOf<"pair">,
  print: (text: string) => void,
): Promise<number> {
  const { appName, appInfo, secretFile, svg, png } = options;
  if (appName === undefined) throw new UsageError("pair needs --app-name");
  if (appInfo === undefined) throw new UsageError("pair needs --app-info");
  if (options.newSecret && secretFile !== undefined) {
    throw new UsageError("--new-secret and --secret-file cannot be used together");
  }
  const secretCode = options.newSecret
    ? newSecret(config.secretEncoding, crypto)
    : await readSecret(secretFile);
  const info = await askService({ appName, appInfo, secretCode }, config);
  const secret = info.ManualSetupCode;
  const uri = formatKeyUri({ ...config, issuer: appName, account: appInfo, secret });
  // The operation Pair, with the same call, refuses a URI that does not fit.
  const code = encodeForScreen(uri)!;
  await writeNewFiles([svg, `${svgOf(info)}\n`], [png, pngOf(code)]);
  if (options.newSecret) {
    print(`Secret code: ${secretCode}`);
    print("             (what the calling application sends; keep it, it is shown only here)");
  }
  const { digits, period, algorithm } = config;
  print(`Setup key:   ${secret.match(/.{1,4}/g)!.join(" ")}`);
  print(`Issuer:      ${printable(nameWithoutColons(appName), Infinity)}`);
  print(`Account:     ${printable(nameWithoutColons(appInfo), Infinity)}`);
  print(`Codes:       time-based, ${digits} digits, every ${period} seconds, ${algorithm}`);
  print(`Key URI:     ${uri}`);
  printPicture(code, print);
  warnOfRisks(secret, config);
  return 0;
}

async function askService(args: object, config: Config): Promise<PairingInfo> {
  try {
    return (await PAIR.invoke(new Map(Object.entries(args)), callContext(config, 0))).result;
  } catch (error) {
    throw inWordsOfOptions(error);
  }
}

/** Returns the SVG element in the Html, without the anchor around it. */
function svgOf({ Html }: PairingInfo): string {
  return Html.slice(Html.indexOf("<svg"), Html.lastIndexOf("</a>"));
}

/**
 * Draws the PNG image with whole pixels for each module, which printers and screens do not blur.
 */
function pngOf(code: QrCode): Uint8Array {
  const side = (code.size + 2 * QUIET_ZONE_MODULES) * PNG_MODULE_PIXELS;
  return pngImage(code, { width: side, height: side })!;
}

function printPicture(code: QrCode, print: (text: string) => void): void {
  // Some terminals do not know their width and report 0.
  const columns = process.stdout.isTTY && process.stdout.columns || Infinity;
  const needed = terminalColumns(code);
  print("");
  if (columns < needed) {
    print(`(The QR code takes ${needed} columns; this terminal has ${columns}. Make it wider,`);
    print(" or use --svg or --png.)");
    return;
  }
  print(terminalPicture(code, coloursAllowed()));
}

/** Whether stdout takes colours, by NO_COLOR (https://no-color.org), FORCE_COLOR and isTTY. */
function coloursAllowed(): boolean {
  const has = (name: string): boolean => (readVariable(name) ?? "") !== "";
  if (has("NO_COLOR")) return false;
  // Bun leaves isTTY undefined for a pipe.
  const isTerminal = process.stdout.isTTY === true;
  return has("FORCE_COLOR") || isTerminal && readVariable("TERM") !== "dumb";
}

function warnOfRisks(secret: string, config: Config): void {
  const keyBytes = Math.floor(secret.length * 5 / 8);
  if (keyBytes < MIN_KEY_BYTES) {
    warn(
      `this secret has fewer than ${MIN_KEY_BYTES} bytes: it can be guessed from a few codes, and some ` +
        "apps refuse it. Use 20 random characters or more.",
    );
  }
  if (keyBytes > MAX_TOKEN_KEY_BYTES) {
    warn(
      `this secret has more than ${MAX_TOKEN_KEY_BYTES} bytes: hardware tokens and some libraries refuse it.`,
    );
  }
  const unusual = (["algorithm", "digits", "period"] as const)
    .filter((name) => config[name] !== DEFAULT_TOTP[name]);
  if (unusual.length > 0) {
    const flags = unusual.map(flagOf).join(", ");
    warn(`many apps ignore ${flags} and then show other codes; try one before you pair many.`);
  }
}
