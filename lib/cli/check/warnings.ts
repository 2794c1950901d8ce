/**
 * Warnings about the options and their environment, for `check` and for the start of `serve`.
 *
 * @module
 */

import { statSync } from "node:fs";
import process from "node:process";
import {
  readOptionText,
  type TlsFileOption,
  writableByOthers,
} from "../../server/files/option_file.ts";
import { certificatesIn, lacksIssuer, type Validity, validityOf } from "../../server/files/tls.ts";
import { isServiceLink, type OptionSourceMap } from "../args/parse.ts";
import { type Config, OPTIONS, optionText } from "../../config/options.ts";
import { flagOf, namesOf } from "../../config/option.ts";
import { parseKeys } from "../../http/api_keys.ts";
import { readGuardKey } from "../../server/keyed_guard.ts";
import { readVariable, variableNames } from "../io/io.ts";
import { guardKeyRisks, keyRisks } from "../../config/risks.ts";
import { optionRisks, variableRisks, WATCHED_VARIABLES } from "./risks.ts";

/**
 * Finds the risks of the options, of their files and of the environment.
 *
 * @param sources The source of each option, by name.
 * @param nowMs Milliseconds since 1970-01-01T00:00:00Z.
 */
export function findRisks(
  config: Config,
  sources: OptionSourceMap,
  nowMs: number,
): readonly string[] {
  const variables = WATCHED_VARIABLES.map(({ name }) => ({ name, ...readVariable(name) }));
  const hidden = variables.filter(({ readable }) => !readable).map(({ name }) => name);
  return [
    ...optionRisks(config, sources),
    ...fileRisksOf(config),
    ...writableFileRisks(config),
    ...keyFileRisks(config),
    ...guardKeyFileRisks(config),
    ...variableRisks(variables),
    ...serviceLinkRisks(),
    ...(hidden.length === 0
      ? []
      : [`this program has no permission to read from the environment: ${hidden.join(", ")}.`]),
    ...certificateRisks(config, nowMs),
  ];
}

// Names the variables that are ignored, in one line.
function serviceLinkRisks(): readonly string[] {
  const names = variableNames().filter((name) => isServiceLink(name, readVariable(name).value));
  if (names.length === 0) return [];
  return [
    `ignored: ${names.toSorted().join(", ")}. Kubernetes sets such a variable for a Service; ` +
    "enableServiceLinks: false stops that.",
  ];
}

const SECRET_FILES = namesOf(OPTIONS).filter((name) => OPTIONS[name].file === "secret");

/** Finds the files with secrets that other users of this machine can read. */
export function fileRisksOf(
  config: Config,
  options: readonly (keyof Config)[] = SECRET_FILES,
): readonly string[] {
  return options.filter((option) => isPublic(optionText(option, config)))
    .map((option) => `everybody on this machine can read the file that ${flagOf(option)} names.`);
}

const FILES = namesOf(OPTIONS).filter((name) => OPTIONS[name].file !== undefined);

/** Finds the files that other users of this machine can replace. */
function writableFileRisks(config: Config): readonly string[] {
  return FILES.flatMap((option) => {
    const clause = writableByOthers(optionText(option, config) ?? "");
    return clause === undefined ? [] : [`the file that ${flagOf(option)} names ${clause}.`];
  });
}

/** Finds the risks of the files that a running server reads again. */
export function reloadedRisks(config: Config): readonly string[] {
  return [
    ...fileRisksOf(config, ["tlsKey", "apiKeysFile", "sealKeysFile"]),
    ...keyFileRisks(config),
  ];
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

// Finds the risks of the file of API keys. It skips an unusable file, which its reader reports.
function keyFileRisks({ apiKeysFile: path }: Config): readonly string[] {
  if (path === undefined) return [];
  try {
    return keyRisks(readOptionText("apiKeysFile", path), "the file of --api-keys-file");
  } catch {
    return [];
  }
}

// Finds the risks of the guard's key. It skips unusable files, which their readers report.
function guardKeyFileRisks({ guardKeyFile, apiKeysFile }: Config): readonly string[] {
  if (guardKeyFile === undefined) return [];
  try {
    const key = readGuardKey(guardKeyFile);
    const callers = apiKeysFile === undefined
      ? []
      : parseKeys(readOptionText("apiKeysFile", apiKeysFile));
    return guardKeyRisks(key, callers, "the file of --guard-key-file", "--api-keys-file");
  } catch {
    return [];
  }
}

/**
 * Finds the certificates in the options' files that are not valid now, expire soon or come without
 * their issuer. It skips unusable files, which their reader reports.
 *
 * @param nowMs Milliseconds since 1970-01-01T00:00:00Z.
 */
export function certificateRisks(config: Config, nowMs: number): readonly string[] {
  const dated = (["tlsCert", "guardTlsCert", "guardTlsCa"] as const).flatMap((option) => {
    const validity = validityIn(option, config, nowMs);
    return validity?.isUrgent ? [`the certificate of ${flagOf(option)} ${validity.clause}.`] : [];
  });
  return isWithoutIssuer(config) ? [...dated, WITHOUT_ISSUER] : dated;
}

const WITHOUT_ISSUER =
  "the file of --tls-cert has one certificate: unless a root CA signed it, many callers " +
  "do not trust it. Put the intermediate certificates behind it.";

function isWithoutIssuer({ tlsCert: path }: Config): boolean {
  try {
    return path !== undefined && lacksIssuer(readOptionText("tlsCert", path));
  } catch {
    return false;
  }
}

// Returns the validity to check. The first certificate of a chain is the server's. Of CA
// certificates, the one with the latest expiry counts, since a new one is added before the old one
// expires.
function validityIn(option: TlsFileOption, config: Config, nowMs: number): Validity | undefined {
  const path = config[option];
  if (path === undefined) return undefined;
  try {
    const all = certificatesIn(readOptionText(option, path));
    const counted = option === "guardTlsCa" ? all : all.slice(0, 1);
    const validities = counted.map((pem) => validityOf(pem, nowMs));
    return validities.toSorted((one, other) => other.untilMs - one.untilMs)[0];
  } catch {
    return undefined;
  }
}
