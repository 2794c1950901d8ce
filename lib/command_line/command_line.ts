/**
 * The command line: the commands, their options beside those of the service, and the usage text.
 *
 * @module
 */

import { parseArgs } from "node:util";
import {
  type Config,
  flagOf,
  namesOf,
  type Option,
  OPTIONS,
  type OptionSources,
  type OptionTable,
  parseConfig,
  parseOptions,
  UsageError,
  variableOf,
} from "../config.ts";
import { nearestOf } from "./nearest.ts";

/** The options of the command `pair`. */
export interface PairOptions {
  /** The issuer that the app shows. */
  readonly appName: string | undefined;
  /** The account that the app shows. */
  readonly appInfo: string | undefined;
  /** The file with the secret; undefined for standard input. */
  readonly secretFile: string | undefined;
  /** Whether to make a secret and print it. */
  readonly newSecret: boolean;
  /** The file to write the picture to as SVG. */
  readonly svg: string | undefined;
  /** The file to write the picture to as PNG. */
  readonly png: string | undefined;
}

/** The options of the command `doctor`. */
export interface DoctorOptions {
  /** The moment to look at, in milliseconds since 1970; undefined for now. */
  readonly at: number | undefined;
}

const PAIR_OPTIONS: OptionTable<PairOptions> = {
  appName: { placeholder: "TEXT", description: "The application, as the app shows it", ...text() },
  appInfo: { placeholder: "TEXT", description: "The account, as the app shows it", ...text() },
  secretFile: {
    placeholder: "FILE",
    description: "Where the secret is, instead of standard input",
    ...text(),
  },
  newSecret: { ...OPTIONS.metrics, description: "Make a random secret of 160 bits and print it" },
  svg: { placeholder: "FILE", description: "Write the QR code as SVG too", ...text() },
  png: { placeholder: "FILE", description: "Write the QR code as PNG too", ...text() },
};

const DOCTOR_OPTIONS: OptionTable<DoctorOptions> = {
  at: {
    placeholder: "TIME",
    defaultText: "",
    description: "When the pin was typed, as 2026-01-31T12:00:00Z or seconds since 1970",
    expected: "a time as 2026-01-31T12:00:00Z, or seconds since 1970",
    parse: parseTime,
  },
};

/** Where the value of an option is from. */
export type OptionSource = "flag" | "environment" | "default";

/** What a command line asks for. */
export type Command =
  | { readonly kind: "serve" | "healthcheck"; readonly config: Config }
  | {
    readonly kind: "check";
    readonly config: Config;
    /** Where each option of the service is from, by its name. */
    readonly sources: ReadonlyMap<string, OptionSource>;
  }
  | { readonly kind: "pair"; readonly config: Config; readonly options: PairOptions }
  | { readonly kind: "doctor"; readonly config: Config; readonly options: DoctorOptions }
  | { readonly kind: "help" | "version" };

interface CommandFacts {
  readonly description: string;
  readonly options: Readonly<Record<string, Option<unknown>>>;
}

/** The commands by name; the first is the one that runs when none is named. */
const COMMANDS: ReadonlyMap<string, CommandFacts> = new Map([
  ["serve", { description: "Serve until told to stop; the default command", options: {} }],
  ["pair", {
    description: "Show a QR code for a secret from standard input",
    options: { ...PAIR_OPTIONS },
  }],
  ["doctor", {
    description: "Say why a pin fails; pin and secret on two lines of standard input",
    options: { ...DOCTOR_OPTIONS },
  }],
  ["healthcheck", { description: "Ask the running server whether it is well", options: {} }],
  ["check", { description: "Show the options in effect and what is risky in them", options: {} }],
]);

/**
 * Reads a command line and the environment.
 *
 * @param args What was typed behind the name of the program.
 * @param env Gives the value of an environment variable, or undefined.
 * @param variables The names of all environment variables, as far as they can be known.
 * @throws {UsageError} At the first thing that is wrong; it never repeats a value.
 */
export function parseCommand(
  args: readonly string[],
  env: (name: string) => string | undefined,
  variables: readonly string[] = [],
): Command {
  const [name, rest] = commandOf(args);
  if (name === "help" || name === "version") return { kind: name };
  const { options } = COMMANDS.get(name)!;
  const flags = readFlags(rest, { ...OPTIONS, ...options });
  if (flags.has("help")) return { kind: "help" };
  if (flags.has("version")) return { kind: "version" };
  checkVariables(variables);
  const config = parseConfig({ flags, env });
  // The options of one command are about one call, so they have no variables.
  const ofCommand = { flags, env: () => undefined };
  switch (name) {
    case "pair":
      return { kind: "pair", config, options: parseOptions(PAIR_OPTIONS, ofCommand) };
    case "doctor":
      return { kind: "doctor", config, options: parseOptions(DOCTOR_OPTIONS, ofCommand) };
    case "check":
      return { kind: "check", config, sources: sourcesOf({ flags, env }) };
    case "healthcheck":
      return { kind: "healthcheck", config };
    default:
      return { kind: "serve", config };
  }
}

function sourcesOf({ flags, env }: OptionSources): ReadonlyMap<string, OptionSource> {
  return new Map(
    namesOf(OPTIONS).map((name) => {
      if (flags.has(flagOf(name).slice(2))) return [name, "flag"];
      // As where the options are read, a variable that is set to nothing is not set.
      return [name, env(variableOf(name)) ? "environment" : "default"];
    }),
  );
}

function commandOf(args: readonly string[]): readonly [string, readonly string[]] {
  const [first, ...rest] = args;
  if (first === undefined || first.startsWith("-")) return ["serve", args];
  if (COMMANDS.has(first) || WORDS.includes(first)) return [first, rest];
  const near = nearestOf(first, COMMANDS.keys());
  const advice = near === undefined
    ? `the commands are ${commandNames()}`
    : `did you mean ${near}?`;
  throw new UsageError(`there is no such command; ${advice}`);
}

/** Words that stand for `--help` and `--version`. */
const WORDS: readonly string[] = ["help", "version"];

// What Kubernetes sets for a service of this name; none of it is meant for this program.
const OF_KUBERNETES =
  /^AUTHENTICATOR_(?:\w+_)?(?:SERVICE_(?:HOST|PORT)|PORT_[0-9]+_(?:TCP|UDP|SCTP))(?:_\w+)?$/;

// A variable with a mistake in its name would else be no variable at all: a server that was meant to
// ask for keys would ask for none.
function checkVariables(variables: readonly string[]): void {
  const known = new Set(namesOf(OPTIONS).map((name) => variableOf(name)));
  for (const variable of variables) {
    if (!variable.startsWith("AUTHENTICATOR_") || known.has(variable)) continue;
    if (OF_KUBERNETES.test(variable)) continue;
    const near = nearestOf(variable, known);
    throw new UsageError(
      `${variable} is set, and there is no such variable${near ? `; did you mean ${near}?` : ""}`,
    );
  }
}

function commandNames(): string {
  return [...COMMANDS.keys()].join(", ").replace(/, (?=[^,]*$)/, " and ");
}

function readFlags(
  args: readonly string[],
  options: Readonly<Record<string, Option<unknown>>>,
): ReadonlyMap<string, string> {
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
  for (const token of tokens) {
    if (token.kind === "positional") {
      throw new UsageError(
        "a word stands where an option is expected: the command comes first, and options begin " +
          "with --",
      );
    }
    if (token.kind !== "option") continue;
    if (flags.has(token.name)) throw new UsageError(`--${token.name} stands twice`);
    flags.set(token.name, flagValue(token, known));
  }
  return flags;
}

function flagValue(
  { name, value, inlineValue }: {
    readonly name: string;
    readonly value: string | undefined;
    readonly inlineValue: boolean | undefined;
  },
  known: ReadonlyMap<string, Option<unknown>>,
): string {
  if (name === "help" || name === "version") return "";
  const option = known.get(name);
  if (option === undefined) {
    const near = nearestOf(name, known.keys());
    throw new UsageError(
      `there is no option --${name} here${near ? `; did you mean --${near}?` : ""}`,
    );
  }
  if (option.placeholder === undefined) return value ?? "true";
  // Behind a blank, hyphens begin the next option; behind =, they belong to the value.
  if (value === undefined || value.startsWith("--") && inlineValue !== true) {
    throw new UsageError(`--${name} needs a value: ${option.placeholder}`);
  }
  return value;
}

function text(): Pick<Option<string | undefined>, "defaultText" | "expected" | "parse"> {
  return { defaultText: "", expected: "a text", parse: (value) => ({ value: value || undefined }) };
}

function parseTime(text: string): { readonly value: number | undefined } | undefined {
  if (text === "") return { value: undefined };
  const ms = /^[0-9]{1,11}$/.test(text)
    ? Number(text) * 1000
    : /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9]{2}:[0-9]{2})$/.test(text)
    ? Date.parse(text)
    : NaN;
  return Number.isNaN(ms) ? undefined : { value: ms };
}

/** The usage text: one screen. */
export function usage(): string {
  const commands = [...COMMANDS].flatMap(([name, { description, options }]) => [
    row(name, description),
    ...namesOf(options).map((option) => optionRow(option, options[option]!, "  ")),
  ]);
  return [
    "Pairs authenticator apps and checks their pins, over SOAP 1.1, SOAP 1.2, HTTP GET and HTTP POST.",
    "",
    "Usage: authenticator [command] [options]",
    "",
    "Commands:",
    ...commands,
    "",
    "Options (defaults in brackets):",
    ...namesOf(OPTIONS).map((name) => optionRow(name, OPTIONS[name])),
    row("-h, --help", "Show this text"),
    row("-V, --version", "Show version, commit, runtime and target"),
    "",
    `The options of the second list can be set in the environment too: ${flagOf("baseUrl")} as`,
    `${variableOf("baseUrl")}. A flag wins over its variable.`,
    "",
    "Examples:",
    "  authenticator --port 9000",
    "  authenticator --host 0.0.0.0 --base-url https://pin.example.com --window 2",
    "  authenticator pair --app-name Example --app-info jane --new-secret",
    "  printf '%s\\n' 123456 'the secret' | authenticator doctor --at 2026-01-31T12:00:00Z",
    "  authenticator healthcheck --port 9000",
    "  authenticator check --host 0.0.0.0",
    "",
    "Exit codes: 0 done, or stopped when asked to; 1 could not, or not well; 2 wrong usage.",
  ].join("\n");
}

function optionRow(name: string, option: Option<unknown>, indent = ""): string {
  const { placeholder = "", defaultText, description } = option;
  const shown = defaultText === "" || placeholder === "" ? "" : ` (${defaultText})`;
  return row(`${indent}${flagOf(name)} ${placeholder}`, description + shown);
}

function row(left: string, right: string): string {
  return `  ${left.padEnd(24)} ${right}`;
}
