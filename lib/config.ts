/**
 * The options of the service: one table, from which the parser, the usage text and the
 * table in docs/options.md are derived. A flag wins over its environment variable, and that over the
 * default.
 *
 * @module
 */

import { StoreUrl } from "./connection/store_url.ts";
import { isAuthority } from "./http/target.ts";
import type { SecretEncoding } from "./otp/secret.ts";
import { MAX_WINDOW, type OtpAlgorithm } from "./otp/totp.ts";
import type { HtmlForm } from "./service/context.ts";

/** The options, each checked. */
export interface Config {
  /** The address to listen on. */
  readonly host: string;
  /** The port to listen on; 0 for one that is free. */
  readonly port: number;
  /** Whether other servers of this user may listen on the same port, and take their share. */
  readonly sharePort: boolean;
  /** The path of a unix socket to listen on instead; undefined for host and port. */
  readonly socket: string | undefined;
  /** The permission bits of that socket. */
  readonly socketMode: number;
  /** The path of a unix socket over which the guard is shown and mended; undefined for none. */
  readonly adminSocket: string | undefined;
  /** The file with the TLS certificate chain, PEM; undefined for plain HTTP. */
  readonly tlsCert: string | undefined;
  /** The file with the private key of the certificate, PEM. */
  readonly tlsKey: string | undefined;
  /** The namespace name of the service. */
  readonly namespace: string;
  /** The public base URL without a slash at its end; undefined to take it from each request. */
  readonly baseUrl: string | undefined;
  /** Whether `X-Forwarded-Proto` and `X-Forwarded-Host` are believed. */
  readonly trustProxy: boolean;
  /** The file with the keys that callers must show; undefined when none must. */
  readonly apiKeysFile: string | undefined;
  /** Whether `/metrics` is answered. */
  readonly metrics: boolean;
  /** A port where health, readiness and metrics alone are answered; undefined for none, 0 for a free one. */
  readonly metricsPort: number | undefined;
  /** The address of that port. */
  readonly metricsHost: string;
  /** How lines of the log are written. */
  readonly logFormat: "text" | "json";
  /** Whether the server ends when its standard input does. */
  readonly exitWithParent: boolean;
  /** The form of the Html of a pairing. */
  readonly html: HtmlForm;
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
  /** Whether a code is accepted once only. */
  readonly singleUse: boolean;
  /** Where failures and used codes are remembered: in this process, or in a store that is shared. */
  readonly guard: "memory" | StoreUrl;
  /** Secrets that the guard remembers in the memory of this process, at most. */
  readonly guardEntries: number;
  /** The file with the key by which secrets are named there; undefined for one drawn at start. */
  readonly guardKeyFile: string | undefined;
  /** The file with the authorities that the store's certificate must be from, PEM. */
  readonly guardTlsCa: string | undefined;
  /** The file with the certificate chain that is shown to the store, PEM. */
  readonly guardTlsCert: string | undefined;
  /** The file with the private key of that certificate, PEM. */
  readonly guardTlsKey: string | undefined;
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
  /** All values, where they are few words. */
  readonly values?: readonly string[];
  /** Reads a value; undefined when it is not what is expected. */
  readonly parse: (text: string) => { readonly value: T } | undefined;
}

const SWITCH: Pick<Option<boolean>, "defaultText" | "expected" | "parse"> = {
  defaultText: "false",
  expected: "true or false",
  parse: (text) => {
    if (text === "true" || text === "1") return { value: true };
    return text === "false" || text === "0" || text === "" ? { value: false } : undefined;
  },
};

function oneOf<Value extends string>(
  ...values: readonly Value[]
): Required<Pick<Option<Value>, "values" | "expected" | "parse">> {
  return {
    values,
    expected: values.join(", ").replace(/, (?=[^,]*$)/, " or "),
    parse: (text) => {
      const value = values.find((known) => known === text);
      return value && { value };
    },
  };
}

const ADDRESS: Pick<Option<string>, "placeholder" | "defaultText" | "expected" | "parse"> = {
  placeholder: "ADDRESS",
  defaultText: "127.0.0.1",
  expected: "an IP address or a host name",
  parse: (text) => /^[A-Za-z0-9.:_-]+$/.test(text) ? { value: text } : undefined,
};

const PORT = wholeNumber(0, 65535);

const HASHES = oneOf("SHA1", "SHA256", "SHA512");

/** A command line or an environment that cannot be used; the message is a clause for a person. */
export class UsageError extends Error {
  /** The name of the class. */
  override readonly name = "UsageError";
}

/** A table of options by their names; the flag of each is its name with hyphens. */
export type OptionTable<T> = { readonly [Name in keyof T]: Option<T[Name]> };

/** The options of the service. */
export const OPTIONS: OptionTable<Config> = {
  host: {
    ...ADDRESS,
    description: "Address to listen on; 0.0.0.0 or :: for all",
  },
  port: {
    placeholder: "PORT",
    defaultText: "8080",
    description: "Port to listen on; 0 picks a free one",
    ...PORT,
  },
  sharePort: {
    description: "Share the port, and the work, with other servers (Linux)",
    ...SWITCH,
  },
  socket: {
    placeholder: "PATH",
    description: "Unix socket to listen on instead of an address",
    ...path("the path of a socket"),
  },
  socketMode: {
    placeholder: "MODE",
    defaultText: "0660",
    description: "Permissions of that socket, in octal",
    expected: "three or four octal digits",
    parse: (text) => /^0?[0-7]{3}$/.test(text) ? { value: parseInt(text, 8) } : undefined,
  },
  adminSocket: {
    placeholder: "PATH",
    description: "Unix socket for guard status, unlock and name, which only this user can use",
    ...path("the path of a socket"),
  },
  tlsCert: {
    placeholder: "FILE",
    description: "TLS certificate chain (PEM); read again on SIGHUP",
    ...path("the path of a file"),
  },
  tlsKey: {
    placeholder: "FILE",
    description: "Private key of the certificate (PEM)",
    ...path("the path of a file"),
  },
  namespace: {
    placeholder: "URI",
    defaultText: "http://authenticatorapi.com/",
    description: "XML namespace of the service",
    expected: "an absolute URI that ends with a slash",
    parse: (text) => isNamespace(text) ? { value: text } : undefined,
  },
  baseUrl: {
    placeholder: "URL",
    defaultText: "",
    description: "Public base URL in the WSDL; by default the address of each request",
    expected: "an http or https URL without query and fragment",
    parse: (text) => text === "" ? { value: undefined } : parseBaseUrl(text),
  },
  trustProxy: {
    description: "Trust X-Forwarded-Proto and X-Forwarded-Host",
    ...SWITCH,
  },
  apiKeysFile: {
    placeholder: "FILE",
    description: "API keys, one per line; callers must send one; read again on SIGHUP",
    ...path("the path of a file"),
  },
  metrics: {
    description: "Serve Prometheus metrics at /metrics",
    ...SWITCH,
  },
  metricsPort: {
    placeholder: "PORT",
    defaultText: "",
    description: "Port for /metrics, /healthz and /readyz alone; /metrics is then nowhere else",
    expected: PORT.expected,
    parse: (text) => text === "" ? { value: undefined } : PORT.parse(text),
  },
  metricsHost: {
    ...ADDRESS,
    description: "Address of that port",
  },
  logFormat: {
    placeholder: "FORMAT",
    defaultText: "text",
    description: "Log lines as text or json",
    ...oneOf("text", "json"),
  },
  exitWithParent: {
    description: "End when standard input ends, for use as a sidecar",
    ...SWITCH,
  },
  html: {
    placeholder: "FORM",
    defaultText: "svg",
    description: "Html of a pairing: an inline svg, or an image as the hosted service has",
    ...oneOf("svg", "image"),
  },
  window: {
    placeholder: "STEPS",
    defaultText: "1",
    description: "Time steps accepted before and after now; the hosted service has 10",
    ...wholeNumber(0, MAX_WINDOW),
  },
  algorithm: {
    placeholder: "NAME",
    defaultText: "SHA1",
    description: "Hash of the codes: SHA1, SHA256 or SHA512; many apps know only SHA1",
    ...HASHES,
    parse: (text) => HASHES.parse(text.toUpperCase().replace("SHA-", "SHA")),
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
    description: "What a secretCode is: text, whose UTF-8 bytes are the key, or base32",
    ...oneOf("text", "base32"),
  },
  maxFailures: {
    placeholder: "N",
    defaultText: "100",
    description: "Wrong pins after which a secret waits; one is forgotten an hour; 0: never",
    ...wholeNumber(0, 1_000_000),
  },
  singleUse: {
    description: "Accept each code only once",
    ...SWITCH,
  },
  guard: {
    placeholder: "STORE",
    defaultText: "memory",
    description: "Where wrong pins are counted: memory, or a Redis, Sentinel or Cluster URL",
    expected: "memory, or a URL of redis, redis+sentinel or redis+cluster, with rediss for TLS",
    parse: (text) => {
      const value = text === "memory" ? text : StoreUrl.parse(text);
      return value === undefined ? undefined : { value };
    },
  },
  guardEntries: {
    placeholder: "N",
    defaultText: "100000",
    description: "Secrets that --guard memory remembers, about 200 bytes each",
    ...wholeNumber(1, 10_000_000),
  },
  guardKeyFile: {
    placeholder: "FILE",
    description: "Key of at least 32 random bytes, the same for all servers that share a store",
    ...path("the path of a file"),
  },
  guardTlsCa: {
    placeholder: "FILE",
    description: "CA certificates to trust for a rediss:// store (PEM), not the system's",
    ...path("the path of a file"),
  },
  guardTlsCert: {
    placeholder: "FILE",
    description: "Client certificate chain for a rediss:// store (PEM)",
    ...path("the path of a file"),
  },
  guardTlsKey: {
    placeholder: "FILE",
    description: "Private key of the client certificate (PEM)",
    ...path("the path of a file"),
  },
};

/** Where the values of options come from. */
export interface OptionSources {
  /** What was typed, by flag without its hyphens. */
  readonly flags: ReadonlyMap<string, string>;
  /** Gives the value of an environment variable, or undefined. */
  readonly env: (name: string) => string | undefined;
}

/** The flag of an option, with its hyphens. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The environment variable of an option. */
export function variableOf(name: string): string {
  return `AUTHENTICATOR_${flagOf(name).slice(2).replaceAll("-", "_").toUpperCase()}`;
}

/** The value of an option as it would be typed; undefined when there is none. No password is in it. */
export function optionText(name: keyof Config, config: Config): string | undefined {
  if (name === "socketMode") return config.socketMode.toString(8).padStart(4, "0");
  return config[name] === undefined ? undefined : String(config[name]);
}

/** The names of the options in a table, in its order. */
export function namesOf<T>(table: OptionTable<T>): readonly (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[];
}

/**
 * Reads the options of the service.
 *
 * @throws {UsageError} At the first value that is wrong; it names the flag or variable and what is
 * expected, never the value.
 */
export function parseConfig(sources: OptionSources): Config {
  const config = parseOptions(OPTIONS, sources);
  mustBeGivenTogether(config, "tlsCert", "tlsKey");
  mustBeGivenTogether(config, "guardTlsCert", "guardTlsKey");
  const { guard, guardTlsCa, guardTlsCert } = config;
  const wantsTls = guardTlsCa !== undefined || guardTlsCert !== undefined;
  if (wantsTls && (guard === "memory" || !guard.isEncrypted)) {
    const flag = flagOf(guardTlsCa === undefined ? "guardTlsCert" : "guardTlsCa");
    throw new UsageError(`${flag} needs a rediss:// URL in ${flagOf("guard")}`);
  }
  const { port, socket, metricsPort } = config;
  if (socket === undefined && port !== 0 && port === metricsPort) {
    throw new UsageError(`${flagOf("port")} and ${flagOf("metricsPort")} must be different`);
  }
  // Deno has no TLS on a socket.
  if (socket !== undefined && config.tlsCert !== undefined) {
    throw new UsageError(`${flagOf("socket")} and ${flagOf("tlsCert")} cannot be used together`);
  }
  return config;
}

function mustBeGivenTogether(
  config: Config,
  ...[one, other]: readonly [keyof Config, keyof Config]
): void {
  if ((config[one] === undefined) !== (config[other] === undefined)) {
    throw new UsageError(`${flagOf(one)} and ${flagOf(other)} must be given together`);
  }
}

/**
 * Reads the options of a table.
 *
 * @throws {UsageError} At the first value that is wrong.
 */
export function parseOptions<T>(table: OptionTable<T>, { flags, env }: OptionSources): T {
  const entries = namesOf(table).map((name) => {
    const typed = flags.get(flagOf(name).slice(2));
    // A variable that is set to nothing is one that is not set: container files often write it so.
    const inherited = env(variableOf(name)) || undefined;
    const source = typed === undefined && inherited !== undefined ? variableOf(name) : flagOf(name);
    const parsed = table[name].parse(typed ?? inherited ?? table[name].defaultText);
    if (parsed === undefined) throw new UsageError(`${source} must be ${table[name].expected}`);
    return [name, parsed.value];
  });
  return Object.freeze(Object.fromEntries(entries));
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

function path(
  expected: string,
): Pick<Option<string | undefined>, "defaultText" | "expected" | "parse"> {
  return {
    defaultText: "",
    expected,
    parse: (text) => text.includes("\0") ? undefined : { value: text || undefined },
  };
}

// RFC 3986 §4.3, with a scheme; two of the names that end so have a meaning of their own in XML.
function isNamespace(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:[\w\-.~:/?#[\]@!$&'()*+,;=%]*\/$/.test(text) &&
    text !== "http://www.w3.org/2000/xmlns/" &&
    text !== "http://schemas.xmlsoap.org/soap/envelope/";
}

function parseBaseUrl(text: string): { readonly value: string } | undefined {
  const match = /^https?:\/\/([^/]+)((?:\/[\w\-.~!$()*+,;=:@%]*)*)$/i.exec(text);
  return match !== null && isAuthority(match[1]!) ? { value: text.replace(/\/+$/, "") } : undefined;
}
