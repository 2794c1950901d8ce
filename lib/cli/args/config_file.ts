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
import { CONFIG_OPTION } from "./commands.ts";
import { nearestOf } from "./did_you_mean.ts";

/** File of options. */
export interface ConfigFile {
  /** The path as given. */
  readonly path: string;
  /** The lines by variable. */
  readonly lines: ReadonlyMap<string, OptionLine>;
}

/** Subject of every error of the file. */
const FILE = `the file of ${flagOf(CONFIG_OPTION)}`;

/**
 * Reads a file of options.
 *
 * @throws {OptionFileError} When it cannot be read, others may write it, or a line is wrong. The message
 * has the number of the line and never its text, which may hold a password.
 */
export function readConfigFile(path: string): ConfigFile {
  const bytes = readOptionFile(CONFIG_OPTION, path);
  const isWindows = process.platform === "win32";
  const writable = writableByOthers(path);
  if (writable !== undefined) throw new OptionFileError(`${FILE} ${writable}: chmod o-w`);
  return { path, lines: parseConfigFile(bytes, { path, isWindows }) };
}

/**
 * Reads a file of options again.
 *
 * @returns The variables whose lines differ.
 * @throws {OptionFileError} As `readConfigFile`.
 */
export function changedLines({ path, lines: before }: ConfigFile): readonly string[] {
  const { lines: now } = readConfigFile(path);
  return [...NAMES.keys()].filter((variable) =>
    before.get(variable)?.value !== now.get(variable)?.value
  );
}

/** Place of a file of options. */
export interface Place {
  /** The path, beside which plain names of files are. */
  readonly path: string;
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
  if (isUtf16(bytes)) throw new OptionFileError(`${FILE} ${UTF_16}`);
  const lines = new Map<string, OptionLine>();
  // In UTF-8, no byte of another character is a line feed.
  const texts = Buffer.from(bytes).toString("latin1").split(/\r\n?|\n/);
  texts.forEach((latin1, index) => {
    const number = index + 1;
    const fail = (clause: string): never => {
      throw new OptionFileError(`line ${number} of ${FILE} ${clause}`);
    };
    let text = "";
    try {
      // The decoder drops a byte order mark, which can only be the file's in line 1.
      text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: number > 1 })
        .decode(Buffer.from(latin1, "latin1"));
    } catch {
      fail("is not UTF-8 text");
    }
    const flaw = flawOf(text, place.isWindows);
    if (flaw !== undefined) fail(flaw);
    if (/^[ \t]*(?:$|[#;])/.test(text)) return;
    const equals = text.indexOf("=");
    const [variable, value] = [text.slice(0, equals), text.slice(equals + 1)];
    const name = NAMES.get(variable);
    if (name === undefined) return fail(unknownName(variable));
    const earlier = lines.get(variable);
    if (earlier !== undefined) fail(`repeats ${variable} of line ${earlier.number}`);
    if (value === "") fail(`has no value for ${variable}: give one, or remove the line`);
    lines.set(variable, { number, value: isPlainFile(name, value, place) ?? value });
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

/** Finds what makes a line no literal one, as a clause. */
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
function isPlainFile(name: keyof Config, value: string, place: Place): string | undefined {
  if (OPTIONS[name].file === undefined) return undefined;
  const separator = place.isWindows ? /[/\\]/ : /\//;
  if (separator.test(value)) return undefined;
  return place.path.slice(0, -(place.path.split(separator).at(-1)!.length) || undefined) + value;
}
