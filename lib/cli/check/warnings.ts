/**
 * Warnings about the options and their environment, for `check` and for the start of `serve`.
 *
 * @module
 */

import { X509Certificate } from "node:crypto";
import { statSync } from "node:fs";
import process from "node:process";
import { readOptionText, type TlsFileOption } from "../../server/files/option_file.ts";
import { certificatesIn } from "../../server/files/tls.ts";
import type { OptionSource } from "../args/parse.ts";
import type { Config } from "../../config/config.ts";
import { flagOf } from "../../config/option.ts";
import { doubtfulLines } from "../../http/api_keys.ts";
import { readVariable } from "../io/io.ts";
import {
  type FileFacts,
  fileRisks,
  keyRisks,
  optionRisks,
  variableRisks,
  WATCHED_VARIABLES,
} from "./risks.ts";

/** Number of days before the expiry of a certificate during which a warning is given. */
const SOON_DAYS = 21;

const DAY_MS = 86_400_000;

/**
 * Finds the risks of the options, of their files and of the environment.
 *
 * @param sources The source of each option, by name.
 */
export function findRisks(
  config: Config,
  sources: ReadonlyMap<string, OptionSource>,
): readonly string[] {
  const variables = WATCHED_VARIABLES.map(({ name }) => ({ name, ...readVariable(name) }));
  const hidden = variables.filter(({ readable }) => !readable).map(({ name }) => name);
  return [
    ...optionRisks(config, sources),
    ...fileRisks(factsOfFiles(config)),
    ...keyRisks(doubtfulKeys(config)),
    ...variableRisks(variables),
    ...(hidden.length === 0
      ? []
      : [`this program has no permission to read from the environment: ${hidden.join(", ")}.`]),
  ];
}

/** Options with files, which `serve` reads before it listens. */
const FILE_OPTIONS = [
  ...["tlsCert", "tlsKey", "apiKeysFile", "guardKeyFile"] as const,
  ...["guardTlsCa", "guardTlsCert", "guardTlsKey"] as const,
];

function factsOfFiles(config: Config): readonly FileFacts[] {
  return FILE_OPTIONS.map((option) => ({ option, isPublic: isPublic(config[option]) }));
}

// Whether all users of this machine can read a file, by its permission bits for others; on Windows
// these are the same for all files. The reader of a file reports a failure.
function isPublic(path: string | undefined): boolean {
  if (path === undefined || process.platform === "win32") return false;
  try {
    return (statSync(path).mode & 0o004) !== 0;
  } catch {
    return false;
  }
}

// Finds the lines of the key file with a colon but without a name. The reader of the file reports a
// failure.
function doubtfulKeys(config: Config): readonly number[] {
  const { apiKeysFile: path } = config;
  if (path === undefined) return [];
  try {
    return doubtfulLines(readOptionText("apiKeysFile", path));
  } catch {
    return [];
  }
}

/** Findings about certificates. */
export interface CertificateFindings {
  /** Clauses about certificates that are not valid now. */
  readonly expired: readonly string[];
  /** Sentences about certificates that expire soon. */
  readonly expiring: readonly string[];
}

/**
 * Checks the validity of the certificates in the options' files. It skips unusable files, which
 * their reader reports.
 *
 * @param nowMs Milliseconds since 1970-01-01T00:00:00Z.
 */
export function certificateFindings(config: Config, nowMs: number): CertificateFindings {
  const expired: string[] = [];
  const expiring: string[] = [];
  for (const option of ["tlsCert", "guardTlsCert", "guardTlsCa"] as const) {
    const certificate = certificateIn(option, config);
    if (certificate === undefined) continue;
    const [fromMs, untilMs] = [certificate.validFrom, certificate.validTo].map(Date.parse);
    const subject = `the certificate of ${flagOf(option)}`;
    const days = Math.floor((untilMs! - nowMs) / DAY_MS);
    if (nowMs > untilMs!) expired.push(`${subject} expired on ${dayOf(untilMs!)}`);
    else if (nowMs < fromMs!) expired.push(`${subject} is not valid before ${dayOf(fromMs!)}`);
    else if (days < SOON_DAYS) {
      const left = days === 1 ? "1 day" : `${days} days`;
      expiring.push(`${subject} expires on ${dayOf(untilMs!)}, in ${left}.`);
    }
  }
  return { expired, expiring };
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

// Returns the certificate to check. The first certificate of a chain is the server's. Of CA
// certificates, the one with the latest expiry counts, since a new one is added before the old one
// expires.
function certificateIn(
  option: TlsFileOption,
  config: Config,
): X509Certificate | undefined {
  const path = config[option];
  if (path === undefined) return undefined;
  try {
    const text = readOptionText(option, path);
    const found = option === "guardTlsCa" ? certificatesIn(text) : [text];
    const endOf = ({ validTo }: X509Certificate): number => Date.parse(validTo);
    return found.map((pem) => new X509Certificate(pem)).sort((a, b) => endOf(b) - endOf(a))[0];
  } catch {
    return undefined;
  }
}
