/**
 * Parser of the command line and the environment, from the tables of commands and options.
 *
 * @module
 */

import { parseArgs } from "node:util";
import process from "node:process";
import type { Config } from "../../config/options.ts";
import {
  flagOf,
  namesOf,
  type Option,
  OptionFileError,
  type OptionSource,
  type OptionSources,
  parseOptions,
  sourcedText,
  UsageError,
  variableOf,
} from "../../config/option.ts";
import { OPTIONS, parseConfig } from "../../config/options.ts";
import {
  type CommandName,
  type CommandRow,
  COMMANDS,
  commandsOf,
  CONFIG_OPTION,
  type OptionsOf,
  optionsOf,
} from "./commands.ts";
import { editDistance, nearestOf } from "../../config/did_you_mean.ts";
import { type ConfigFiles, OF_INSTANCES, readConfigFiles } from "./config_file.ts";

/** Sources of the values of options, by name. */
export type OptionSourceMap = ReadonlyMap<string, OptionSource>;

/** Name of a command with the options of the service. */
export type ServiceCommand = Exclude<CommandName, "keygen" | "help" | "version" | "licenses">;

/** Parsed command line. */
export type Command =
  | {
    [Name in ServiceCommand]: {
      readonly kind: Name;
      readonly config: Config;
      /** The source of each option of the service, by name. */
      readonly sources: OptionSourceMap;
      /** The files of options; undefined without one. */
      readonly files: ConfigFiles | undefined;
      readonly options: OptionsOf<Name>;
      /** The operands as typed. */
      readonly operands: readonly string[];
    };
  }[ServiceCommand]
  | {
    readonly kind: "keygen";
    /** The kind of key. */
    readonly keyKind: "seal" | "api" | "guard";
    /** The path of the file. */
    readonly file: string;
    /** The name of the key; undefined without one. */
    readonly name: string | undefined;
  }
  | {
    readonly kind: "help";
    /** The name of a command, or its first word (`guard`); undefined for all commands. */
    readonly about: string | undefined;
  }
  | { readonly kind: "version" | "licenses" };

/** Parsed command line of one command. */
export type CommandOf<Kind extends Command["kind"]> = Extract<Command, { readonly kind: Kind }>;

/**
 * Parses a command line and the environment.
 *
 * @param args The words after the name of the program.
 * @param env Returns the value of an environment variable, or undefined.
 * @param variables The names of all environment variables, if the runtime lists them.
 * @throws {UsageError} At the first error; the message never quotes a value.
 */
export function parseCommand(
  args: readonly string[],
  env: (name: string) => string | undefined,
  variables: readonly string[] = [],
): Command {
  // npm users put two hyphens before the options, and deno task passes them on.
  const { name, rest } = commandOf(args[0] === "--" ? args.slice(1) : args);
  const command = COMMANDS.get(name ?? DEFAULT_COMMAND)!;
  const { flags, configs, operands } = readWords(rest, command);
  const [operand] = operands;
  if (flags.has("help")) return { kind: "help", about: name };
  if (flags.has("version")) return { kind: "version" };
  switch (name) {
    case "help":
      return { kind: "help", about: operand };
    case "keygen":
      return keygenOf(operands);
    case "licenses":
    case "version":
      return { kind: name };
  }
  const ownEnv = (variable: string): string | undefined => {
    const value = env(variable);
    return isServiceLink(variable, value) ? undefined : value;
  };
  checkVariables(variables, env);
  const files = configFilesOf(configs, env);
  const sources = { flags, env: ownEnv, ...(files && { file: files.lines }) };
  if (files !== undefined) checkConflicts(sources, files);
  const config = parseConfig(sources);
  // The options of a command have no variables, since they concern a single run.
  const ofCommand = { flags, env: () => undefined };
  return {
    kind: name ?? DEFAULT_COMMAND,
    config,
    sources: new Map(namesOf(OPTIONS).map((name) => [name, sourcedText(name, sources).source])),
    files,
    options: parseOptions(command.options, ofCommand),
    operands,
  } as Command;
}

const [DEFAULT_COMMAND = ""] = COMMANDS.keys();

function keygenOf([keyKind, file, name]: readonly string[]): Command {
  if (keyKind !== "seal" && keyKind !== "api" && keyKind !== "guard") {
    throw new UsageError("keygen needs a KIND: seal, api or guard");
  }
  if (file === undefined) throw new UsageError(`keygen ${keyKind} needs a FILE`);
  if (keyKind === "api" && name === undefined) throw new UsageError("keygen api needs a NAME");
  if (keyKind === "guard" && name !== undefined) throw new UsageError("keygen guard takes no NAME");
  return { kind: "keygen", keyKind, file, name };
}

function configFilesOf(
  given: readonly string[],
  env: OptionSources["env"],
): ConfigFiles | undefined {
  const variable = variableOf(CONFIG_OPTION);
  const named = env(variable);
  // Unlike the variable of an option: without its file, a server could run without API keys by mistake.
  if (named === "") throw new UsageError(`${variable} must not be empty: name a file, or unset it`);
  const paths = given.length > 0 || named === undefined ? given : [named];
  return paths.length === 0 ? undefined : readConfigFiles(paths);
}

// Refuses a variable that beats a line: a forgotten one could switch a protection off.
function checkConflicts(sources: OptionSources, { lines }: ConfigFiles): void {
  for (const name of namesOf(OPTIONS)) {
    const line = lines.get(variableOf(name));
    const { source, text = "" } = sourcedText(name, sources);
    if (line === undefined || source !== "environment" || OF_INSTANCES.has(name)) continue;
    if (isSameValue(name, text, line.value)) continue;
    throw new OptionFileError(
      `${variableOf(name)} is set in the environment, and ${line.place} has another value: ` +
        "remove one of them",
    );
  }
}

function isSameValue(name: keyof Config, one: string, other: string): boolean {
  if (one === other) return true;
  const [first, second] = [one, other].map((text) => OPTIONS[name].parse(text));
  return typeof first === "object" && typeof second === "object" &&
    typeof first.value !== "object" && first.value === second.value;
}

// Splits the name of a command, if there is one, from the words after it.
function commandOf(args: readonly string[]): {
  readonly name: string | undefined;
  readonly rest: readonly string[];
} {
  const [first, second] = args;
  if (first === undefined || first.startsWith("-")) return { name: undefined, rest: args };
  const both = `${first} ${second}`;
  if (COMMANDS.has(both)) return { name: both, rest: args.slice(2) };
  if (COMMANDS.has(first)) return { name: first, rest: args.slice(1) };
  const ofGroup = commandsOf(first);
  if (ofGroup.length === 0) throw noSuchCommand(first, [...COMMANDS.keys()]);
  if (second === "--help" || second === "-h") return { name: "help", rest: [first] };
  if (second !== undefined && !second.startsWith("-")) throw noSuchCommand(both, ofGroup);
  const seconds = ofGroup.map((name) => name.slice(first.length + 1));
  throw new UsageError(
    `${first} needs ${new Intl.ListFormat("en-GB", { type: "disjunction" }).format(seconds)}`,
  );
}

function noSuchCommand(typed: string, known: readonly string[]): UsageError {
  const near = nearestOf(typed, known);
  const advice = near === undefined
    ? `the commands are ${new Intl.ListFormat("en-GB").format(known)}`
    : `did you mean ${near}?`;
  return new UsageError(`unknown command; ${advice}`);
}

// Variables that Kubernetes sets for a service of this name.
const OF_KUBERNETES =
  /^AUTHENTICATOR_(?:\w+_)?(?:SERVICE_(?:HOST|PORT)|PORT_[0-9]+_(?:TCP|UDP|SCTP))(?:_\w+)?$/;

const PREFIX = "AUTHENTICATOR_";

/**
 * Recognizes the address that Kubernetes sets for a service whose name begins with `authenticator`: an
 * option of ours may have the same name.
 */
export function isServiceLink(variable: string, value: string | undefined): boolean {
  return /^AUTHENTICATOR_(?:\w+_)?PORT$/.test(variable) && isLink(value);
}

function isLink(value: string | undefined): boolean {
  return value !== undefined && /^(?:tcp|udp|sctp):\/\//.test(value);
}

// Refuses unknown variables: a misspelt one would have no effect, and a server could run without
// API keys by mistake.
function checkVariables(variables: readonly string[], env: OptionSources["env"]): void {
  for (const variable of variables) {
    // Windows does not tell the cases of a name apart.
    const name = process.platform === "win32" ? variable.toUpperCase() : variable;
    if (VARIABLES.has(name) || OF_KUBERNETES.test(name)) continue;
    if (/_PORT$/.test(name) && isLink(env(variable))) continue;
    const isOurs = name.startsWith(PREFIX);
    const near = isOurs ? nearVariable(name) : mistypedVariable(name);
    if (!isOurs && near === undefined) continue;
    const advice = near === undefined ? "" : `; did you mean ${near}?`;
    const shown = /^[!-~]+$/.test(variable) ? variable : JSON.stringify(variable);
    throw new UsageError(`${shown} is set, but there is no such variable${advice}`);
  }
}

const VARIABLES: ReadonlySet<string> = new Set(
  [CONFIG_OPTION, ...namesOf(OPTIONS)].map(variableOf),
);

function nearVariable(name: string): string | undefined {
  // Compare them as flags, since `nearestOf` separates words at hyphens.
  const hyphenated = (text: string): string =>
    text.slice(PREFIX.length).toLowerCase().replaceAll("_", "-");
  const known = new Map([...VARIABLES].map((variable) => [hyphenated(variable), variable]));
  return known.get(nearestOf(hyphenated(name), known.keys()) ?? "");
}

// Finds the variable that a name without the prefix is meant for: one edit away, or the same letters.
function mistypedVariable(name: string): string | undefined {
  const letters = (text: string): string => text.toUpperCase().replace(/[^A-Z]/g, "");
  return [...VARIABLES].find((known) =>
    letters(known) === letters(name) ||
    Math.abs(known.length - name.length) <= 1 && editDistance(name.toUpperCase(), known) <= 1
  );
}

/** Words after the name of a command. */
interface Words {
  /** The values of options, by flag without hyphens. */
  readonly flags: ReadonlyMap<string, string>;
  /** The files of options, which may be several. */
  readonly configs: readonly string[];
  /** The operands. */
  readonly operands: readonly string[];
}

function readWords(args: readonly string[], command: CommandRow): Words {
  const options = optionsOf(command);
  const known = new Map(namesOf(options).map((name) => [flagOf(name).slice(2), options[name]!]));
  const types = [...known].map(([flag, { placeholder }]) =>
    [flag, { type: placeholder === undefined ? "boolean" : "string" }] as const
  );
  const { tokens } = parseArgs({
    args: [...args],
    options: {
      ...Object.fromEntries(types),
      help: { type: "boolean", short: "h" },
      version: { type: "boolean", short: "V" },
    },
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const flags = new Map<string, string>();
  const configs: string[] = [];
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    if (token.name === CONFIG_OPTION && known.has(token.name)) {
      configs.push(flagValue(token, known));
      continue;
    }
    if (flags.has(token.name)) throw new UsageError(`--${token.name} is given twice`);
    flags.set(token.name, flagValue(token, known));
  }
  const { operands = [] } = command;
  if (flags.has("help")) return { flags, configs, operands: [] };
  const word = tokens.findIndex(({ kind }) => kind === "positional");
  if (operands.length === 0 && word >= 0) {
    const before = tokens.slice(0, word)
      .flatMap((token) => token.kind === "option" ? [token.name] : []);
    throw unexpectedWord(before.at(-1), known);
  }
  if (operands[0] === "[COMMAND]") {
    const typed = words.join(" ");
    if (typed !== "" && !COMMANDS.has(typed) && commandsOf(typed).length === 0) {
      throw noSuchCommand(typed, [...COMMANDS.keys()]);
    }
    return { flags, configs, operands: typed === "" ? [] : [typed] };
  }
  if (words.length > operands.length) {
    const all = operands.join(" ");
    throw new UsageError(`unexpected word: give ${all}, and quotes around a value with spaces`);
  }
  return { flags, configs, operands: words };
}

// Makes the error for an unexpected word. The message has the place of the word but not the word,
// which may be a secret.
function unexpectedWord(
  before: string | undefined,
  known: ReadonlyMap<string, Option<unknown>>,
): UsageError {
  const option = before === undefined ? undefined : known.get(before);
  if (option === undefined) {
    return new UsageError("unexpected word: the command comes first, and options begin with --");
  }
  const flag = `--${before}`;
  return new UsageError(
    option.placeholder === undefined
      ? `unexpected word after ${flag}: write ${flag}, ${flag}=true or ${flag}=false`
      : `unexpected word after the value of ${flag}: put quotes around a value with spaces; ` +
        "a command comes first",
  );
}

function flagValue(
  { name, rawName, value, inlineValue }: {
    readonly name: string;
    readonly rawName: string;
    readonly value: string | undefined;
    readonly inlineValue: boolean | undefined;
  },
  known: ReadonlyMap<string, Option<unknown>>,
): string {
  if (name === "help" || name === "version") return "";
  const option = known.get(name);
  if (option === undefined) {
    const [hyphens, names] = rawName.startsWith("--")
      ? ["--", [...known.keys(), "help", "version"]]
      : ["-", ["h", "V"]];
    const near = nearestOf(name, names);
    throw new UsageError(
      `unknown option ${rawName}${near ? `; did you mean ${hyphens}${near}?` : ""}`,
    );
  }
  // An empty value is mostly an unset variable of the shell: a server could run without API keys by
  // mistake.
  if (value === "") throw new UsageError(`--${name} must not be empty`);
  if (option.placeholder === undefined) return value ?? "true";
  // After a blank, hyphens begin the next option; after =, they belong to the value.
  if (value === undefined || value.startsWith("--") && inlineValue !== true) {
    throw new UsageError(`--${name} needs a value: ${option.placeholder}`);
  }
  return value;
}
