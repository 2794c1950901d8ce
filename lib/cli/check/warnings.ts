/**
 * What an operator should know of the options and their surroundings: what `check` says, and `serve`
 * when it starts.
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

/** How long before its end a certificate is said to expire soon, in days. */
const SOON_DAYS = 21;

const DAY_MS = 86_400_000;

/**
 * What is risky: in the options, in the files that they name, and in the environment.
 *
 * @param sources Where each option is from, by its name.
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

/** The options that name files, which the command that serves reads before it listens. */
const FILE_OPTIONS = [
  ...["tlsCert", "tlsKey", "apiKeysFile", "guardKeyFile"] as const,
  ...["guardTlsCa", "guardTlsCert", "guardTlsKey"] as const,
];

function factsOfFiles(config: Config): readonly FileFacts[] {
  return FILE_OPTIONS.map((option) => ({ option, isPublic: isPublic(config[option]) }));
}

// The bits of everybody; Windows has none, and shows the same for all files. A file that cannot be
// looked at cannot be read either, which its reader says.
function isPublic(path: string | undefined): boolean {
  if (path === undefined || process.platform === "win32") return false;
  try {
    return (statSync(path).mode & 0o004) !== 0;
  } catch {
    return false;
  }
}

// A file that cannot be read is reported by its reader.
function doubtfulKeys(config: Config): readonly number[] {
  const { apiKeysFile: path } = config;
  if (path === undefined) return [];
  try {
    return doubtfulLines(readOptionText("apiKeysFile", path));
  } catch {
    return [];
  }
}

/** What is to be said of certificates. */
export interface CertificateFindings {
  /** Of those that are not valid now: clauses. */
  readonly expired: readonly string[];
  /** Of those that will not be soon: sentences. */
  readonly expiring: readonly string[];
}

/**
 * Looks at the times of the certificates that the options name. A file that cannot be read is the
 * business of whoever uses it.
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

// In a chain, the first is that of the server. Of authorities, the one that is valid the longest: a
// new one is put beside the old one before that ends.
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
