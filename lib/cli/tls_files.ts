/**
 * The files of a TLS certificate and its key.
 *
 * @module
 */

import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Config, flagOf, UsageError } from "../config.ts";
import type { Tls } from "../runtime/runtime.ts";

/**
 * Reads the certificate and the key that the options name, and checks that they belong together:
 * each runtime has errors of its own for that, and Bun only shows some to callers.
 *
 * @returns Undefined when the options name none.
 * @throws {UsageError} When a file cannot be read, or not be used.
 */
export function readTls({ tlsCert, tlsKey }: Config): Tls | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const tls = { cert: read(tlsCert, "tlsCert"), key: read(tlsKey, "tlsKey") };
  const certificate = parse(() => new X509Certificate(tls.cert), "tlsCert", "a PEM certificate");
  const key = parse(
    () => createPrivateKey(tls.key),
    "tlsKey",
    "a PEM private key without password",
  );
  if (!certificate.checkPrivateKey(key)) {
    throw new UsageError(
      `the key of ${flagOf("tlsKey")} is not the one of the certificate of ${flagOf("tlsCert")}`,
    );
  }
  return tls;
}

function read(path: string, option: keyof Config): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new UsageError(`the file of ${flagOf(option)} cannot be read`);
  }
}

function parse<T>(attempt: () => T, option: keyof Config, expected: string): T {
  try {
    return attempt();
  } catch {
    throw new UsageError(`the file of ${flagOf(option)} does not hold ${expected}`);
  }
}
