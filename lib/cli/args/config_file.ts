/**
 * File of `--config`: options, one `AUTHENTICATOR_NAME=value` a line. A line is literal, and one that
 * the `EnvironmentFile=` of systemd would read as another value is an error, since the same file may
 * be read by both.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import process from "node:process";
import {
  flagOf,
  namesOf,
  OptionFileError,
  type OptionLine,
  variableOf,
} from "../../config/option.ts";
import { type Config, OPTIONS } from "../../config/options.ts";
import {
  isUtf16,
  readOptionFile,
  UTF_16,
  writableByOthers,
} from "../../server/files/option_file.ts";
import { utf8Text } from "../../system/foreign_text.ts";
import { CONFIG_OPTION } from "./commands.ts";
import { nearestOf } from "../../config/did_you_mean.ts";

/** Files of options. */
export interface ConfigFiles {
  /** The paths as given. */
  readonly paths: readonly string[];
  /** The lines in force, by variable. */
  readonly lines: ReadonlyMap<string, OptionLine>;
}

/** Options that differ from one instance to the next: a variable or a later file may beat a line. */
export const OF_INSTANCES: ReadonlySet<keyof Config> = new Set(
  ["host", "port", "sharePort", "socket", "socketMode", "metricsHost", "metricsPort"] as const,
);

const FLAG = flagOf(CONFIG_OPTION);

/**
 * Reads files of options. A later one may change only the address, ports and sockets of an earlier one.
 *
 * @throws {OptionFileError} When one cannot be read, others may write it, or a line is wrong. The message
 * has the number of the line and never its text, which may hold a password.
 */
export function readConfigFiles(paths: readonly string[]): ConfigFiles {
  const lines = new Map<string, OptionLine>();
  paths.forEach((path, index) => {
    const ordinal = paths.length === 1 ? "" : `${["first", "second"][index] ?? `${index + 1}th`} `;
    for (const [variable, line] of readConfigFile(path, `the ${ordinal}file of ${FLAG}`)) {
      const earlier = lines.get(variable);
      const name = NAMES.get(variable)!;
      if (earlier !== undefined && !OF_INSTANCES.has(name) && earlier.value !== line.value) {
        throw new OptionFileError(
          `${variable} has another value in ${line.place} than in ${earlier.place}: remove one of them`,
        );
      }
      lines.set(variable, line);
    }
  });
  return { paths, lines };
}

function readConfigFile(path: string, subject: string): ReadonlyMap<string, OptionLine> {
  const bytes = readOptionFile(CONFIG_OPTION, path);
  const writable = writableByOthers(path);
  if (writable !== undefined) throw new OptionFileError(`${subject} ${writable}: chmod o-w`);
  return parseConfigFile(bytes, { path, subject, isWindows: process.platform === "win32" });
}

/**
 * Reads files of options again.
 *
 * @returns The variables whose lines differ.
 * @throws {OptionFileError} As `readConfigFiles`.
 */
export function changedLines({ paths, lines: before }: ConfigFiles): readonly string[] {
  const { lines: now } = readConfigFiles(paths);
  return [...NAMES.keys()].filter((variable) =>
    before.get(variable)?.value !== now.get(variable)?.value
  );
}

/** Place of a file of options. */
export interface Place {
  /** The path, beside which plain names of files are. */
  readonly path: string;
  /** The file in errors. */
  readonly subject: string;
  /** Whether a backslash separates folders. */
  readonly isWindows: boolean;
}

/**
 * Parses the bytes of a file of options.
 *
 * @throws {OptionFileError} At the first wrong line.
 */
export function parseConfigFile(
  bytes: Uint8Array,
  place: Place,
): ReadonlyMap<string, OptionLine> {
  const { subject, isWindows } = place;
  if (isUtf16(bytes)) throw new OptionFileError(`${subject} ${UTF_16}`);
  const lines = new Map<string, OptionLine>();
  // In UTF-8, no byte of another character is a line feed.
  const texts = Buffer.from(bytes).toString("latin1").split(/\r\n?|\n/);
  texts.forEach((latin1, index) => {
    const where = `line ${index + 1} of ${subject}`;
    const fail = (clause: string): never => {
      throw new OptionFileError(`${where} ${clause}`);
    };
    const decoded = utf8Text(Buffer.from(latin1, "latin1")) ?? fail("is not UTF-8 text");
    const text = index === 0 ? decoded.replace(/^\uFEFF/, "") : decoded;
    const flaw = flawOf(text, isWindows);
    if (flaw !== undefined) fail(flaw);
    if (/^[ \t]*(?:$|[#;])/.test(text)) return;
    const equals = text.indexOf("=");
    const [variable, value] = [text.slice(0, equals), text.slice(equals + 1)];
    const name = NAMES.get(variable);
    if (name === undefined) return fail(unknownName(variable));
    const earlier = lines.get(variable);
    if (earlier !== undefined) {
      fail(`repeats ${variable} of ${earlier.place.replace(/ of .*/, "")}`);
    }
    if (value === "") fail(`has no value for ${variable}: give one, or remove the line`);
    lines.set(variable, { place: where, value: besideFile(name, value, place) ?? value });
  });
  return lines;
}

const NAMES: ReadonlyMap<string, keyof Config> = new Map(
  namesOf(OPTIONS).map((name) => [variableOf(name), name]),
);

const EXPECTED = "write AUTHENTICATOR_NAME=value";

const FLAWS: readonly (readonly [pattern: RegExp, clause: string])[] = [
  [/(?!\t)\p{Cc}/u, "has a control character"],
  [/^[ \t]*(?:$|[#;])/, ""],
  [/^[ \t]*export[ \t]/, `begins with export: ${EXPECTED}`],
  [/^[^=]*$/, `has no =: ${EXPECTED}`],
  [/^[ \t]|^[^=]*[ \t]=/, `has white space before or behind its name: ${EXPECTED}`],
  [/=[ \t]+$/, "has white space for a value"],
  [/^[^=]*=[ \t]|[ \t]$/, "has white space before or behind its value: remove it"],
  [/^[^=]*=["']/, "has a value in quotes: remove them"],
];

/** Finds the flaw that makes a line no literal one, as a clause. */
function flawOf(text: string, isWindows: boolean): string | undefined {
  // systemd reads `\` as an escape, and one at the end of a comment hides the next line (before 254).
  const isComment = /^[ \t]*[#;]/.test(text);
  if (!isWindows && (isComment ? text.endsWith("\\") : text.includes("\\"))) {
    return isComment
      ? "is a comment that ends in a backslash: remove that"
      : "has a backslash, which systemd would read as an escape: write the value without one";
  }
  return FLAWS.find(([pattern]) => pattern.test(text))?.[1] || undefined;
}

function unknownName(variable: string): string {
  if (variable === variableOf(CONFIG_OPTION)) return "names a file of options: give only one";
  const near = nearestOf(variable.toUpperCase(), NAMES.keys());
  return `has a name that is no option's${near === undefined ? "" : `; did you mean ${near}?`}`;
}

// Returns the path of a file that is named without a folder: it is beside the file of options.
function besideFile(name: keyof Config, value: string, place: Place): string | undefined {
  if (OPTIONS[name].file === undefined) return undefined;
  const separator = place.isWindows ? /[/\\]/ : /\//;
  if (separator.test(value)) return undefined;
  return place.path.slice(0, -(place.path.split(separator).at(-1)!.length) || undefined) + value;
}
