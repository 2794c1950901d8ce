/**
 * Checks of a unit of systemd by root: of the folder whose files the server has copies of, and of the
 * variables of drop-ins and environment files, which systemd drops without an error.
 *
 * @module
 */

import { globSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Config, OPTIONS, optionText } from "../../config/options.ts";
import { namesOf, type OptionLine, variableOf } from "../../config/option.ts";
import { IN_OPEN_FOLDER, writableByOthers } from "../../server/files/option_file.ts";

/** Folder of the options and keys of all units. */
const FOLDER = "/etc/authenticator";

/** File of options of all units, in that folder. */
const OPTIONS_FILE = "authenticator.conf";

/** Files that the unit hands over as credentials, with the option for each. */
const UNIT_FILES: ReadonlyMap<string, keyof Config> = new Map([
  ["api-keys", "apiKeysFile"],
  ["seal-keys", "sealKeysFile"],
  ["guard.key", "guardKeyFile"],
  ["guard-password", "guardPasswordFile"],
  ["cert.pem", "tlsCert"],
  ["key.pem", "tlsKey"],
  ["guard-ca.pem", "guardTlsCa"],
  ["guard-cert.pem", "guardTlsCert"],
  ["guard-key.pem", "guardTlsKey"],
]);

/** Folders with the drop-ins of units. */
const DROP_INS = ["/etc", "/run", "/usr/local/lib", "/usr/lib"].map((base) =>
  `${base}/systemd/system`
);

/** Options in a drop-in, and attempts at one: a name before a =. */
const IN_DROP_IN = [
  /\bAUTHENTICATOR_[A-Z_]*[A-Z]\b/g,
  /(?<![^\s="'])authenticator[^\s="':/]*(?==)/gi,
];

/** Environment file of versions that had no file of options. */
const OLD_OPTIONS = "/etc/authenticator.env";

/** Unit to check, and the command that runs in its environment. */
export interface UnitSettings {
  /** Name of the unit, for instance `authenticator@1.service`. */
  readonly unit: string;
  /** Options in force. */
  readonly config: Config;
  /** Lines of the files of options. */
  readonly lines: ReadonlyMap<string, OptionLine>;
  /** Returns the value of an environment variable. */
  readonly env: (name: string) => string | undefined;
  /** Root folder of the machine; empty outside of tests. */
  readonly root?: string;
}

/** Findings about a unit. */
export interface UnitFindings {
  /** Reasons against a start, as clauses. */
  readonly problems: readonly string[];
  /** Risks, as sentences. */
  readonly risks: readonly string[];
}

/** Checks the files and variables of a unit. */
export function checkUnit(settings: UnitSettings): UnitFindings {
  const { root = "", unit } = settings;
  const instance = /@(.+)\.service$/.exec(unit)?.[1];
  const own = instance === undefined ? [] : [`authenticator@${instance}.conf`];
  const files = [OPTIONS_FILE, ...own, ...UNIT_FILES.keys()].map((name) => `${FOLDER}/${name}`);
  const found = files.map((path) => [path, findingsOf(`${root}${path}`)] as const);
  const used = filePaths(settings.config);
  // The copy that a drop-in names may have another original.
  const required = files.filter((path, index) => index === 0 || used.includes(path));
  const isInUse = (name: string): boolean =>
    used.some((path) => basename(path) === name && isInFolder(path));
  return {
    problems: [
      ...found.flatMap(([path, { problem }]) =>
        problem === undefined ? [] : [`${path} ${problem}`]
      ),
      ...required.filter((path) => !isEntry(`${root}${path}`)).map((path) => `${path} is missing`),
      ...[...UNIT_FILES].filter(([name]) => !isInUse(name) && isEntry(`${root}${FOLDER}/${name}`))
        .map(([name, option]) =>
          `${FOLDER}/${name} is there and not used: add ${variableOf(option)}=${name} to ` +
          `${FOLDER}/${OPTIONS_FILE}, or move the file away`
        ),
      ...unknownFiles(settings),
      ...ignoredVariables(settings),
    ],
    risks: found.flatMap(([path, { risk }]) => risk === undefined ? [] : [`${path} ${risk}.`]),
  };
}

// Whether there is anything at a path, also a link to nothing.
function isEntry(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Finding about the original of a file, as a clause. */
interface FileFinding {
  readonly problem?: string;
  readonly risk?: string;
}

function findingsOf(path: string): FileFinding {
  if (!isEntry(path)) return {};
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { problem: "is a link to a file that is missing" };
  if (!stat.isFile()) return { problem: "is no file" };
  const writable = writableByOthers(path);
  if (writable !== undefined) return { problem: `${writable}: chmod o-w` };
  const folder = statSync(dirname(path));
  if ((folder.mode & 0o002) !== 0) return { problem: `${IN_OPEN_FOLDER}: chmod o-w` };
  if ([stat, folder, statSync(dirname(realpathSync(path)))].some(({ uid }) => uid !== 0)) {
    return { risk: "is not root's alone: its owner can change it" };
  }
  if ((stat.mode & 0o004) !== 0 && !/cert\.pem|ca\.pem/.test(path)) {
    return { risk: "can be read by every user: chmod 600" };
  }
  return {};
}

/** Whether a path names a file of the folder, or the copy of one. */
function isInFolder(path: string): boolean {
  return dirname(path) === FOLDER || /^\/run\/credentials\/[^/]+\/[^/]+$/.test(path);
}

// Returns the paths of all files of the options.
function filePaths(config: Config): readonly string[] {
  return namesOf(OPTIONS).filter((option) => OPTIONS[option].file !== undefined)
    .flatMap((option) => optionText(option, config) ?? []);
}

// Finds lines with a file of the folder that the unit does not hand over.
function unknownFiles(settings: UnitSettings): readonly string[] {
  return namesOf(OPTIONS).flatMap((option) => {
    const line = settings.lines.get(variableOf(option));
    if (line === undefined || OPTIONS[option].file === undefined) return [];
    if (UNIT_FILES.has(basename(line.value)) || !isInFolder(line.value)) return [];
    return [
      `${line.place} names a file that the unit does not hand over: call it ` +
      `${[...UNIT_FILES].find(([, of]) => of === option)?.[0]}`,
    ];
  });
}

// Finds variables in drop-ins and environment files that are not in force.
function ignoredVariables(settings: UnitSettings): readonly string[] {
  const { unit, root = "", env } = settings;
  const units = [unit, unit.replace(/@.+\.service$/, "@.service"), "service"];
  const dropIns = DROP_INS.flatMap((folder) =>
    [...new Set(units)].flatMap((name) => filesBelow(`${root}${folder}/${name}.d`))
  );
  const named = dropIns.flatMap((path) => environmentFiles(path, settings));
  const old = `${root}${OLD_OPTIONS}`;
  const problems = isEntry(old) && !isFile(old)
    ? [`${OLD_OPTIONS} is no file, so that systemd ignores it`]
    : [];
  return [
    ...problems,
    ...named.flatMap(({ problem }) => problem ?? []),
    ...dropIns.flatMap((path) => ignoredIn(path, IN_DROP_IN)),
    // Here, a name is all text before the =, in any spelling.
    ...[...new Set([old, ...named.flatMap(({ files }) => files)])].flatMap((path) =>
      ignoredIn(path, [/^[^=\n]*authenticator[^=\n]*/gi])
    ),
  ];

  function ignoredIn(path: string, patterns: readonly RegExp[]): string[] {
    return textOf(path).split(/\r\n?|\n/).flatMap((line, index) => {
      if (/^[ \t]*[#;]/.test(line)) return [];
      const names = patterns.flatMap((pattern) => [...line.matchAll(pattern)])
        .map(([name]) => name.trim());
      const isEmpty = (name: string): boolean => new RegExp(`${name}=["']?(?:\\s|$)`).test(line);
      const ignored = names.filter((name) =>
        isVariable(name) ? !(env(name) || isEmpty(name) && env(name) === "") : true
      );
      const shown = path.slice(root.length);
      return ignored.length === 0 ? [] : [
        `line ${index + 1} of ${shown} is not in force${reasonOf(line)}: put the option into ` +
        `${FOLDER}/${OPTIONS_FILE}, and remove the line`,
      ];
    });
  }
}

/** Files that a line with EnvironmentFile= names, or the reason why they cannot be read. */
interface EnvironmentFiles {
  readonly files: readonly string[];
  readonly problem?: string;
}

// Finds the environment files of a drop-in, as systemd does: it reads the rest of a line as a path.
function environmentFiles(path: string, settings: UnitSettings): readonly EnvironmentFiles[] {
  const { root = "", unit } = settings;
  return textOf(path).split(/\r\n?|\n/).flatMap((line, index) => {
    const [, mark, value] = /^[ \t]*EnvironmentFile[ \t]*=[ \t]*(-?)(.+?)[ \t]*$/.exec(line) ?? [];
    if (value === undefined) return [];
    const named = resolved(value, unit);
    const isAbsolute = named?.startsWith("/") ?? true;
    const files = named === undefined || !isAbsolute ? [] : filesOf(named, root);
    if (files.length > 0 || mark === "-" && isAbsolute) return { files };
    const flaw = named === undefined
      ? "a path that check cannot resolve: of the specifiers, use %i or %I, or none"
      : isAbsolute
      ? "a file that is missing: begin the path with - if it may be"
      : "no absolute path, so that systemd ignores it: write it without quotes";
    const place = `line ${index + 1} of ${path.slice(root.length)}`;
    return { files, problem: `${place} names as EnvironmentFile ${flaw}` };
  });
}

// Replaces the specifiers of a path; undefined with one that only systemd knows.
function resolved(path: string, unit: string): string | undefined {
  const instance = /@(.+)\.service$/.exec(unit)?.[1] ?? "";
  const values = new Map([["%i", instance], ["%I", unescaped(instance)], ["%%", "%"]]);
  const parts = path.split(/(%.?)/);
  if (parts.some((part) => part.startsWith("%") && !values.has(part))) return undefined;
  return parts.map((part) => values.get(part) ?? part).join("");
}

// Decodes the name of an instance, as systemd-escape --unescape does.
function unescaped(instance: string): string {
  return instance.replaceAll("-", "/").replace(
    /\\x([0-9a-f]{2})/gi,
    (_, code) => String.fromCharCode(parseInt(code, 16)),
  );
}

function filesOf(path: string, root: string): readonly string[] {
  const paths = /[*?[]/.test(path) ? globSync(path.slice(1), { cwd: `${root}/` }) : [path];
  return paths.map((name) => join(root || "/", name))
    // A device such as /dev/null is read, too.
    .filter((name) => statSync(name, { throwIfNoEntry: false })?.isDirectory() === false);
}

// The server reads no option in small letters, which systemd hands over.
function isVariable(name: string): boolean {
  return /^\w+$/.test(name) && (!/^authenticator/i.test(name) || name === name.toUpperCase());
}

function reasonOf(line: string): string {
  return /=%d\//.test(line) ? ", since systemd knows %d from version 250 on" : "";
}

function filesBelow(folder: string): readonly string[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.map((name) => join(folder, name)).filter(isFile);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

// Reads a file without zero bytes: systemd ignores options in UTF-16, and here they are to be found.
function textOf(path: string): string {
  return isFile(path) ? new TextDecoder().decode(readFileSync(path)).replaceAll("\0", "") : "";
}
