/**
 * Command `code`: prints the code of a secret, as an authenticator app would show it.
 *
 * @module
 */

import type { Config } from "../config/options.ts";
import type { OptionsOf } from "./args/commands.ts";
import { UsageError } from "../config/option.ts";
import { secretKey } from "../otp/secret.ts";
import { hotp, importOtpKey, timeStep } from "../otp/totp.ts";
import { checkSecretCode } from "../operations/operations.ts";
import { isSealed } from "../sealing/sealed.ts";
import { readSecret } from "./io/io.ts";
import { writeStderr } from "./io/output.ts";
import { inWordsOfOptions } from "./operation_call.ts";

/**
 * Prints the code on stdout, and its remaining seconds on stderr.
 *
 * @param print Writes a line to stdout.
 * @returns The exit code.
 * @throws {UsageError} When the service refuses the secret.
 * @throws {CommandError} When the secret cannot be read.
 */
export async function code(
  config: Config,
  { at, secretFile }: OptionsOf<"code">,
  print: (text: string) => void,
): Promise<number> {
  const { algorithm, digits, period, secretEncoding } = config;
  const secretCode = await readSecret(secretFile);
  const nowMs = at ?? Date.now();
  checkSecret(secretCode, config);
  const key = await importOtpKey(secretKey(secretCode, secretEncoding)!, algorithm);
  const step = timeStep(nowMs, period);
  print(await hotp(key, step, digits));
  const seconds = Math.ceil((step + 1) * period - nowMs / 1000);
  const moment = at === undefined ? "" : "at that moment, ";
  const unit = seconds === 1 ? "second" : "seconds";
  writeStderr(`${moment}${seconds} ${unit} left\n`);
  return 0;
}

function checkSecret(secretCode: string, config: Config): void {
  if (isSealed(secretCode)) {
    throw new UsageError("the secret is sealed: give the secret itself");
  }
  try {
    checkSecretCode(secretCode, config);
  } catch (error) {
    throw inWordsOfOptions(error);
  }
}
