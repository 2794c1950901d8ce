/**
 * The options of the service: one table, from which the parser, the usage text and the README's
 * table are derived. A flag wins over its environment variable, and that over the default.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { isAuthority } from "./http/target.ts";
import type { SecretEncoding } from "./otp/secret.ts";
import type { OtpAlgorithm } from "./otp/totp.ts";

/** The options, each checked. */
export interface Config {
  /** The address to listen on. */
  readonly host: string;
  /** The port to listen on; 0 for one that is free. */
  readonly port: number;
  /** The namespace name of the service. */
  readonly namespace: string;
  /** The public base URL without a slash at its end; undefined to take it from each request. */
  readonly baseUrl: string | undefined;
  /** Whether `X-Forwarded-Proto` and `X-Forwarded-Host` are believed. */
  readonly trustProxy: boolean;
  /** Time steps accepted on each side of the current one. */
  readonly window: number;
  /** The hash of the codes. */
  readonly algorithm: OtpAlgorithm;
  /** Digits in a code. */
  readonly digits: number;
  /** Seconds in a time step. */
  readonly period: number;
  /** How a secretCode becomes key bytes. */
  readonly secretEncoding: SecretEncoding;
  /** Consecutive failures for a secret before its pins are refused for a while; 0 for never. */
  readonly maxFailures: number;
}

/** One option. */
export interface Option<T> {
  /** What stands for the value in the usage text; a switch has none. */
  readonly placeholder?: string;
  /** The default as it would be typed; empty when there is none. */
  readonly defaultText: string;
  /** What it does: a clause that begins with a capital letter and has no full stop. */
  readonly description: string;
  /** What a value must be, to follow "must be". */
  readonly expected: string;
  /** Reads a value; undefined when it is not what is expected. */
  readonly parse: (text: string) => { readonly value: T } | undefined;
}

/** A command line or an environment that cannot be used; the message is a clause for a person. */
export class UsageError extends Error {
  /** The name of the class. */
  override readonly name = "UsageError";
}

/** All options by their name in `Config`; the flag is the same name with hyphens. */
export const OPTIONS: { readonly [Name in keyof Config]: Option<Config[Name]> } = {
  host: {
    placeholder: "ADDRESS",
    defaultText: "127.0.0.1",
    description: "Address to listen on; 0.0.0.0 or :: for all",
    expected: "an IP address or a host name",
    parse: (text) => /^[A-Za-z0-9.:_-]+$/.test(text) ? { value: text } : undefined,
  },
  port: {
    placeholder: "PORT",
    defaultText: "8080",
    description: "Port to listen on; 0 picks a free one",
    ...wholeNumber(0, 65535),
  },
  namespace: {
    placeholder: "URI",
    defaultText: "http://authenticatorapi.com/",
    description: "XML namespace of the service",
    expected: "an absolute URI that ends with a slash",
    parse: (text) =>
      /^[A-Za-z][A-Za-z0-9+.-]*:[\w\-.~:/?#[\]@!$&'()*+,;=%]*\/$/.test(text)
        ? { value: text }
        : undefined,
  },
  baseUrl: {
    placeholder: "URL",
    defaultText: "",
    description: "Public base URL in the WSDL; without it, the one each request was sent to",
    expected: "an http or https URL without query and fragment",
    parse: (text) => text === "" ? { value: undefined } : parseBaseUrl(text),
  },
  trustProxy: {
    defaultText: "false",
    description: "Believe X-Forwarded-Proto and X-Forwarded-Host",
    expected: "true or false",
    parse: (text) => {
      if (text === "true" || text === "1") return { value: true };
      return text === "false" || text === "0" || text === "" ? { value: false } : undefined;
    },
  },
  window: {
    placeholder: "STEPS",
    defaultText: "1",
    description: "Time steps accepted on each side of now; the hosted service has 10",
    ...wholeNumber(0, 100),
  },
  algorithm: {
    placeholder: "NAME",
    defaultText: "SHA1",
    description: "Hash of the codes: SHA1, SHA256 or SHA512; many apps know only SHA1",
    expected: "SHA1, SHA256 or SHA512",
    parse: (text) => {
      const name = text.toUpperCase().replace("SHA-", "SHA");
      return name === "SHA1" || name === "SHA256" || name === "SHA512"
        ? { value: name }
        : undefined;
    },
  },
  digits: {
    placeholder: "N",
    defaultText: "6",
    description: "Digits in a code, 6 to 8; many apps know only 6",
    ...wholeNumber(6, 8),
  },
  period: {
    placeholder: "SECONDS",
    defaultText: "30",
    description: "Length of a time step; many apps know only 30",
    ...wholeNumber(1, 3600),
  },
  secretEncoding: {
    placeholder: "NAME",
    defaultText: "text",
    description: "What a secretCode is: text, its UTF-8 bytes are the key; or base32",
    expected: "text or base32",
    parse: (text) => text === "text" || text === "base32" ? { value: text } : undefined,
  },
  maxFailures: {
    placeholder: "N",
    defaultText: "100",
    description: "Accepted, and without effect until the guard is there",
    ...wholeNumber(0, 1_000_000),
  },
};

/** What a command line asks for. */
export type Command =
  | { readonly kind: "serve"; readonly config: Config }
  | { readonly kind: "help" | "version" };

const NAMES = Object.keys(OPTIONS) as readonly (keyof Config)[];

/** The flag of an option, with its hyphens. */
export function flagOf(name: keyof Config): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The environment variable of an option. */
export function variableOf(name: keyof Config): string {
  return `AUTHENTICATOR_${flagOf(name).slice(2).replaceAll("-", "_").toUpperCase()}`;
}

/**
 * Reads a command line and the environment.
 *
 * @param args What was typed behind the name of the program.
 * @param env Gives the value of an environment variable, or undefined.
 * @throws {UsageError} At the first thing that is wrong; it names the flag or variable and what is
 * expected, never the value.
 */
export function parseCommand(
  args: readonly string[],
  env: (name: string) => string | undefined,
): Command {
  const flags = parseFlags(args);
  if (flags.has("help")) return { kind: "help" };
  if (flags.has("version")) return { kind: "version" };
  const entries = NAMES.map((name) => {
    const flag = flagOf(name);
    const typed = flags.get(flag.slice(2));
    const inherited = env(variableOf(name));
    if (typed !== undefined) return [name, parseValue(name, typed, flag)];
    if (inherited !== undefined) return [name, parseValue(name, inherited, variableOf(name))];
    return [name, parseValue(name, OPTIONS[name].defaultText, flag)];
  });
  return { kind: "serve", config: Object.freeze(Object.fromEntries(entries)) };
}

function parseFlags(args: readonly string[]): ReadonlyMap<string, string> {
  const known = new Map(NAMES.map((name) => [flagOf(name).slice(2), OPTIONS[name]]));
  const options = Object.fromEntries(
    [...known].map(([flag, { placeholder }]) => [
      flag,
      { type: placeholder === undefined ? "boolean" : "string" } as const,
    ]),
  );
  const { tokens } = parseArgs({
    args: [...args],
    options: {
      ...options,
      help: { type: "boolean", short: "h" },
      version: { type: "boolean", short: "V" },
    },
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const flags = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === "positional" && (token.index > 0 || token.value !== "serve")) {
      throw new UsageError("the only command is serve; options begin with --");
    }
    if (token.kind !== "option") continue;
    flags.set(token.name, flagValue(token.name, token.value, known));
  }
  return flags;
}

function flagValue(
  name: string,
  value: string | undefined,
  known: ReadonlyMap<string, Option<Config[keyof Config]>>,
): string {
  if (name === "help" || name === "version") return "";
  const option = known.get(name);
  if (option === undefined) throw new UsageError(`there is no option --${name}`);
  if (option.placeholder === undefined) return value ?? "true";
  if (value === undefined || value.startsWith("--")) {
    throw new UsageError(`--${name} needs a value: ${option.placeholder}`);
  }
  return value;
}

function parseValue(name: keyof Config, text: string, source: string): Config[keyof Config] {
  const option: Option<Config[keyof Config]> = OPTIONS[name];
  const parsed = option.parse(text);
  if (parsed === undefined) throw new UsageError(`${source} must be ${option.expected}`);
  return parsed.value;
}

function wholeNumber(min: number, max: number): Pick<Option<number>, "expected" | "parse"> {
  return {
    expected: `a whole number from ${min} to ${max}`,
    parse: (text) => {
      const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : NaN;
      return value >= min && value <= max ? { value } : undefined;
    },
  };
}

function parseBaseUrl(text: string): { readonly value: string } | undefined {
  const match = /^https?:\/\/([^/]+)((?:\/[\w\-.~!$&()*+,;=:@%]*)*)$/i.exec(text);
  return match !== null && isAuthority(match[1]!) ? { value: text.replace(/\/+$/, "") } : undefined;
}

/** The usage text: one screen. */
export function usage(): string {
  const rows = NAMES.map((name) => {
    const { placeholder = "", defaultText, description } = OPTIONS[name];
    const shown = defaultText === "" || placeholder === "" ? "" : ` (${defaultText})`;
    return `  ${`${flagOf(name)} ${placeholder}`.padEnd(26)}${description}${shown}`;
  });
  return [
    "Pairs authenticator apps and checks their pins, over SOAP 1.1, SOAP 1.2, HTTP GET and HTTP POST.",
    "",
    "Usage: authenticator [serve] [options]",
    "",
    "Options (defaults in brackets):",
    ...rows,
    `  ${"-h, --help".padEnd(26)}Show this text`,
    `  ${"-V, --version".padEnd(26)}Show the version`,
    "",
    `Each option can be given as an environment variable too: ${flagOf("baseUrl")} as`,
    `${variableOf("baseUrl")}. A flag wins over its variable.`,
    "",
    "Examples:",
    "  authenticator --port 9000",
    "  authenticator --host 0.0.0.0 --base-url https://pin.example.com --window 2",
    "",
    "Exit codes: 0 stopped when asked to, 1 could not run, 2 wrong usage.",
  ].join("\n");
}
