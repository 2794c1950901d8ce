/**
 * Warnings about the options and their environment, for `check` and for the start of `serve`.
 *
 * @module
 */

import { statSync } from "node:fs";
import process from "node:process";
import { readOptionText, writableByOthers } from "../../server/files/option_file.ts";
import { certificatesIn, lacksIssuer, validityOf } from "../../server/files/tls.ts";
import { isServiceLink, type OptionSourceMap } from "../args/parse.ts";
import { type Config, OPTIONS, optionText } from "../../config/options.ts";
import { flagOf, namesOf } from "../../config/option.ts";
import { parseKeys } from "../../http/api_keys.ts";
import { readGuardKey } from "../../server/keyed_guard.ts";
import { readVariable, variableNames } from "../io/io.ts";
import { guardKeyRisks, keyRisks } from "../../config/risks.ts";
import { optionRisks, variableRisks } from "./risks.ts";

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
  return [
    ...optionRisks(config, sources),
    ...fileRisksOf(config),
    ...writableFileRisks(config),
    ...keyFileRisks(config),
    ...guardKeyFileRisks(config),
    ...variableRisks(readVariable),
    ...serviceLinkRisks(),
    ...certificateRisks(config, nowMs),
  ];
}

// Names the variables that are ignored, in one line.
function serviceLinkRisks(): readonly string[] {
  const names = variableNames().filter((name) => isServiceLink(name, readVariable(name)));
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
  // On Windows, the permission bits are the same for all files.
  if (process.platform === "win32") return [];
  return options.flatMap((option) =>
    risksOfFile(
      option,
      config,
      (path) =>
        (statSync(path).mode & 0o004) === 0
          ? []
          : [`everybody on this machine can read the file that ${flagOf(option)} names.`],
    )
  );
}

// Finds the risks of an option's file; none without a file, or of an unusable one, which its reader
// reports.
function risksOfFile(
  option: keyof Config,
  config: Config,
  find: (path: string) => readonly string[],
): readonly string[] {
  const path = optionText(option, config);
  if (path === undefined) return [];
  try {
    return find(path);
  } catch {
    return [];
  }
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

function keyFileRisks(config: Config): readonly string[] {
  return risksOfFile(
    "apiKeysFile",
    config,
    (path) => keyRisks(readOptionText("apiKeysFile", path), "the file of --api-keys-file"),
  );
}

function guardKeyFileRisks(config: Config): readonly string[] {
  return risksOfFile("guardKeyFile", config, (path) => {
    const key = readGuardKey(path);
    const { apiKeysFile } = config;
    const callers = apiKeysFile === undefined
      ? []
      : parseKeys(readOptionText("apiKeysFile", apiKeysFile));
    return guardKeyRisks(key, callers, "the file of --guard-key-file", "--api-keys-file");
  });
}

/**
 * Finds the certificates in the options' files that are not valid now, expire soon or come without
 * their issuer.
 *
 * @param nowMs Milliseconds since 1970-01-01T00:00:00Z.
 */
export function certificateRisks(config: Config, nowMs: number): readonly string[] {
  const dated = (["tlsCert", "guardTlsCert", "guardTlsCa"] as const).flatMap((option) =>
    risksOfFile(option, config, (path) => {
      const all = certificatesIn(readOptionText(option, path));
      // The first certificate of a chain is the server's. Of CA certificates, the one with the latest
      // expiry counts, since a new one is added before the old one expires.
      const counted = option === "guardTlsCa" ? all : all.slice(0, 1);
      const validities = counted.map((pem) => validityOf(pem, nowMs));
      const latest = validities.toSorted((one, other) => other.untilMs - one.untilMs)[0]!;
      return latest.isUrgent ? [`the certificate of ${flagOf(option)} ${latest.clause}.`] : [];
    })
  );
  const incomplete = risksOfFile(
    "tlsCert",
    config,
    (path) => lacksIssuer(readOptionText("tlsCert", path)) ? [WITHOUT_ISSUER] : [],
  );
  return [...dated, ...incomplete];
}

const WITHOUT_ISSUER =
  "the file of --tls-cert has one certificate: unless a root CA signed it, many callers " +
  "do not trust it. Put the intermediate certificates behind it.";
