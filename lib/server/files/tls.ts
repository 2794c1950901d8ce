/**
 * Files of TLS: certificates and their keys.
 *
 * @module
 */

import { createPrivateKey, X509Certificate } from "node:crypto";
import { statSync } from "node:fs";
import type { Config } from "../../config/options.ts";
import { flagOf, OptionFileError } from "../../config/option.ts";
import type { StoreFiles } from "../../guard/redis/connect.ts";
import { currentRuntime } from "../runtime/current.ts";
import type { Tls } from "../runtime/runtime.ts";
import { type FileOption, readOptionText, type TlsFileOption } from "./option_file.ts";

/**
 * Reads the certificate and the key of the server.
 *
 * @returns Undefined when the options name no certificate.
 * @throws {OptionFileError} When a file cannot be read or is invalid.
 */
export function readTls(config: Config): Tls | undefined {
  const tls = readPair(config, "tlsCert", "tlsKey");
  if (tls === undefined) return undefined;
  try {
    currentRuntime().tryTls(tls);
  } catch {
    throw new OptionFileError(
      "the certificate of --tls-cert cannot be used with the key of " +
        "--tls-key: it must be of X.509 version 3, and the key of RSA with 2048 bits " +
        "or more, P-256, P-384, P-521 or Ed25519",
    );
  }
  return tls;
}

/**
 * Returns the version of the server's certificate and key, by the facts of their files. Take it
 * before the files are read: a later change then gives another version.
 */
export function tlsVersion({ tlsCert, tlsKey }: Config): string {
  return [tlsCert, tlsKey].map((path) => {
    try {
      const stat = statSync(path!);
      // A pipe is read once, and changes when it is read.
      return stat.isFIFO() ? "pipe" : `${stat.mtimeMs} ${stat.size} ${stat.ino}`;
    } catch {
      return "none";
    }
  }).join();
}

/**
 * Reads the files for the store of the guard.
 *
 * @throws {OptionFileError} When a file cannot be read or is invalid.
 */
export function readStoreFiles(config: Config): StoreFiles {
  const { guardTlsCa } = config;
  const ca = guardTlsCa === undefined ? undefined : readOptionText("guardTlsCa", guardTlsCa);
  if (ca !== undefined) readCertificate(ca, "guardTlsCa");
  const pair = readPair(config, "guardTlsCert", "guardTlsKey");
  const password = readPassword(config);
  return { ...(ca !== undefined && { ca }), ...pair, ...(password !== undefined && { password }) };
}

/**
 * Reads the certificates of authorities from the file of `--ca`.
 *
 * @throws {OptionFileError} When it cannot be read or does not begin with a certificate.
 */
export function readAuthorities(path: string): readonly string[] {
  const pem = readOptionText("ca", path);
  readCertificate(pem, "ca");
  return certificatesIn(pem);
}

function readPassword({ guardPasswordFile: path }: Config): string | undefined {
  if (path === undefined) return undefined;
  const password = readOptionText("guardPasswordFile", path).replace(/\r?\n$/, "");
  if (password !== "" && !/[\r\n]/.test(password)) return password;
  throw new OptionFileError(
    "the file of --guard-password-file must hold one line, the password",
  );
}

/** Number of days before the expiry of a certificate during which a warning is given. */
const SOON_DAYS = 21;

const DAY_MS = 86_400_000;

/** Validity of a certificate at a time. */
export interface Validity {
  /** End of the validity, in milliseconds since 1970. */
  readonly untilMs: number;
  /** Clause about it, for instance `expires on 2027-01-31, in 5 days`. */
  readonly clause: string;
  /** Whether the certificate is not valid now, or expires within three weeks. */
  readonly isUrgent: boolean;
}

/**
 * Returns the validity of a certificate.
 *
 * @param nowMs Milliseconds since 1970-01-01T00:00:00Z.
 * @throws {Error} When the PEM text holds no certificate.
 */
export function validityOf(pem: string, nowMs: number): Validity {
  const { validFrom, validTo } = new X509Certificate(pem);
  const [fromMs, untilMs] = [Date.parse(validFrom), Date.parse(validTo)];
  const days = Math.floor((untilMs - nowMs) / DAY_MS);
  const isUrgent = nowMs < fromMs || days < SOON_DAYS;
  const until = dayOf(untilMs);
  let clause = `is valid until ${until}`;
  if (nowMs > untilMs) clause = `expired on ${until}`;
  else if (nowMs < fromMs) clause = `is not valid before ${dayOf(fromMs)}`;
  else if (days < SOON_DAYS) {
    clause = `expires on ${until}, in ${days === 1 ? "1 day" : `${days} days`}`;
  }
  return { untilMs, clause, isUrgent };
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/**
 * Whether a PEM file has one certificate, and not that of its issuer, whose address it names (RFC
 * 5280 §4.2.2.1): many callers do not fetch it.
 */
export function lacksIssuer(pem: string): boolean {
  const [first, second] = certificatesIn(pem);
  return second === undefined &&
    /^CA Issuers\b/m.test(new X509Certificate(first!).infoAccess ?? "");
}

/** Splits a PEM file into its certificates, including a truncated last one. */
export function certificatesIn(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^]*?(?:-----END CERTIFICATE-----|$)/g) ?? [pem];
}

// Reads a certificate and its key, and checks that they match: each runtime has its own errors for
// that, and Bun shows some to callers only.
function readPair(
  config: Config,
  certOption: TlsFileOption,
  keyOption: TlsFileOption,
): Tls | undefined {
  const [certPath, keyPath] = [config[certOption], config[keyOption]];
  if (certPath === undefined || keyPath === undefined) return undefined;
  const tls = {
    cert: readOptionText(certOption, certPath),
    key: readOptionText(keyOption, keyPath),
  };
  const certificate = readCertificate(tls.cert, certOption);
  // Deno would serve a chain with a broken certificate, and all callers would reject it.
  for (const pem of certificatesIn(tls.cert)) readCertificate(pem, certOption);
  const key = parse(tls.key, keyOption, {
    read: createPrivateKey,
    expected: "a PEM private key without password",
  });
  if (!certificate.checkPrivateKey(key)) {
    throw new OptionFileError(
      `the key of ${flagOf(keyOption)} does not match the first certificate of ${
        flagOf(certOption)
      }`,
    );
  }
  return tls;
}

function readCertificate(pem: string, option: FileOption): X509Certificate {
  return parse(pem, option, {
    read: (pem) => new X509Certificate(pem),
    expected: "a PEM certificate",
  });
}

function parse<T>(text: string, option: FileOption, { read, expected }: {
  readonly read: (text: string) => T;
  readonly expected: string;
}): T {
  try {
    return read(text);
  } catch {
    throw new OptionFileError(`the file of ${flagOf(option)} does not hold ${expected}`);
  }
}
