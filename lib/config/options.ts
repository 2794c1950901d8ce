/**
 * Table of the service's options, from which the parser, the usage text and docs/options.md are
 * derived.
 *
 * @module
 */

import { isIP, isIPv6 } from "node:net";
import { parseStoreUrl, type StoreUrl } from "../guard/redis/store_url.ts";
import { DEFAULT_ENTRIES } from "../guard/memory_store.ts";
import { MAX_WINDOW } from "../otp/totp.ts";
import {
  type DefaultedKind,
  flagOf,
  type Option,
  type OptionSources,
  type OptionTable,
  type Parsed,
  parseOptions,
  UsageError,
  type ValuesOf,
} from "./option.ts";
import { oneOf, optionalFile, optionalText, SWITCH, wholeNumber } from "./values.ts";

const ADDRESS: DefaultedKind<string> = {
  placeholder: "ADDRESS",
  defaultText: "127.0.0.1",
  expected: "an IP address or a host name, without a port",
  parse: (text) => isAddress(text) ? { value: text } : undefined,
};

// Whether a text is an address without a port. A colon begins a port, except in an IPv6 address.
function isAddress(text: string): boolean {
  return /^[A-Za-z0-9._-]+$/.test(text) || /^[A-Fa-f0-9.:]+$/.test(text) && isIPv6(text);
}

const PORT = wholeNumber(0, 65535);

const HASHES = oneOf("SHA1", "SHA256", "SHA512");

const TABLE = {
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
    ...optionalText("the path of a socket"),
  },
  socketMode: {
    placeholder: "MODE",
    defaultText: "0660",
    description: "Permissions of that socket, in octal",
    expected: "three or four octal digits",
    parse: (text) => /^0?[0-7]{3}$/.test(text) ? { value: parseInt(text, 8) } : undefined,
  },
  tlsCert: {
    description: "TLS certificate chain (PEM); read again on SIGHUP and when it has changed",
    ...optionalFile("public"),
  },
  tlsKey: {
    description: "Private key of the certificate (PEM)",
    ...optionalFile("secret"),
  },
  namespace: {
    isOfLibrary: true,
    placeholder: "URI",
    defaultText: "http://authenticatorapi.com/",
    description: "XML namespace of the service",
    expected: "an absolute URI that ends with a slash",
    parse: (text) => isNamespace(text) ? { value: text } : undefined,
  },
  baseUrl: {
    isOfLibrary: true,
    placeholder: "URL",
    defaultText: "",
    description: "Public base URL in the WSDL and picture links; by default that of each request",
    expected: "an http or https URL without user name, query and fragment",
    parse: (text: string): Parsed<string | undefined> =>
      text === "" ? { value: undefined } : parseBaseUrl(text),
  },
  trustProxy: {
    isOfLibrary: true,
    description: "Trust X-Forwarded-Proto and X-Forwarded-Host",
    ...SWITCH,
  },
  apiKeysFile: {
    description: "API keys, one per line; callers must send one; read again on SIGHUP",
    ...optionalFile("secret"),
  },
  sealKeysFile: {
    description: "Keys of sealed secrets, NAME:KEY per line; read again on SIGHUP",
    ...optionalFile("secret"),
  },
  metrics: {
    description: "Serve Prometheus metrics at /metrics",
    ...SWITCH,
  },
  metricsPort: {
    placeholder: "PORT",
    defaultText: "",
    description:
      "Operator port: health, metrics, status, guard; the main port then has no /metrics",
    expected: PORT.expected,
    parse: (text: string): Parsed<number | undefined> =>
      text === "" ? { value: undefined } : PORT.parse(text),
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
  logPeer: {
    description: "Log each caller's IP address; with --trust-proxy, the last of X-Forwarded-For",
    ...SWITCH,
  },
  logProbes: {
    description: "Log successful requests of /healthz, /readyz and /metrics too",
    ...SWITCH,
  },
  exitWithParent: {
    description: "Stop when standard input closes, for use as a sidecar",
    ...SWITCH,
  },
  html: {
    isOfLibrary: true,
    placeholder: "FORM",
    defaultText: "svg",
    description: "Html of a pairing: svg (inline), or image, as the hosted service has",
    ...oneOf("svg", "image"),
  },
  window: {
    isOfLibrary: true,
    placeholder: "STEPS",
    defaultText: "1",
    description: "Time steps accepted before and after now; the hosted service has 10",
    ...wholeNumber(0, MAX_WINDOW),
  },
  algorithm: {
    isOfLibrary: true,
    placeholder: "NAME",
    defaultText: "SHA1",
    description: "Hash of the codes: SHA1, SHA256 or SHA512; many apps know only SHA1",
    ...HASHES,
    parse: (text) => HASHES.parse(text.toUpperCase().replace("SHA-", "SHA")),
  },
  digits: {
    isOfLibrary: true,
    placeholder: "N",
    defaultText: "6",
    description: "Digits in a code, 6 to 8; many apps know only 6",
    ...wholeNumber(6, 8),
  },
  period: {
    isOfLibrary: true,
    placeholder: "SECONDS",
    defaultText: "30",
    description: "Length of a time step; many apps know only 30",
    ...wholeNumber(1, 3600),
  },
  secretEncoding: {
    isOfLibrary: true,
    placeholder: "NAME",
    defaultText: "text",
    description: "Encoding of a secretCode: text, whose UTF-8 bytes are the key, or base32",
    ...oneOf("text", "base32"),
  },
  maxFailures: {
    isOfLibrary: true,
    placeholder: "N",
    defaultText: "100",
    description: "Wrong pins before a secret is throttled; one is forgiven an hour; 0: no limit",
    ...wholeNumber(0, 1_000_000),
  },
  singleUse: {
    isOfLibrary: true,
    description: "Accept each code only once",
    ...SWITCH,
  },
  guard: {
    isOfLibrary: true,
    placeholder: "STORE",
    defaultText: "memory",
    description: "Where to count wrong pins: memory, or a Redis, Sentinel or Cluster URL",
    expected:
      "either memory, or a URL of redis, redis+sentinel or redis+cluster, with rediss for TLS",
    parse: (text: string): Parsed<"memory" | StoreUrl> => {
      if (text === "memory") return { value: text };
      const url = parseStoreUrl(text);
      return typeof url === "object" ? { value: url } : url;
    },
  },
  guardEntries: {
    isOfLibrary: true,
    placeholder: "N",
    defaultText: String(DEFAULT_ENTRIES),
    description: "Secrets that --guard memory remembers, 1 to 4 KB each",
    ...wholeNumber(1, 10_000_000),
  },
  guardKeyFile: {
    description: "Key of at least 32 random bytes, the same for all servers that share a store",
    ...optionalFile("secret"),
  },
  guardPasswordFile: {
    description: "Password of the store, in place of one in its URL",
    ...optionalFile("secret"),
  },
  guardTlsCa: {
    description: "CA certificates to trust for a rediss:// store (PEM), not the system's",
    ...optionalFile("public"),
  },
  guardTlsCert: {
    description: "Client certificate chain for a rediss:// store (PEM)",
    ...optionalFile("public"),
  },
  guardTlsKey: {
    description: "Private key of the client certificate (PEM)",
    ...optionalFile("secret"),
  },
} as const satisfies Readonly<Record<string, Option<unknown>>>;

/**
 * Checked options of a service: a value for each row of the table.
 *
 * @internal
 */
export type Config = ValuesOf<typeof TABLE>;

/**
 * Name of an option that the library has too.
 *
 * @internal
 */
export type LibraryOption = {
  [Name in keyof Config]: typeof TABLE[Name] extends { readonly isOfLibrary: true } ? Name : never;
}[keyof Config];

/** The options of the service. */
export const OPTIONS: OptionTable<Config> = TABLE;

/** The options where none is given. */
export const DEFAULTS: Config = parseOptions(OPTIONS, { flags: new Map(), env: () => undefined });

/**
 * Reads the options of the service.
 *
 * @throws {UsageError} At the first wrong value; the message has the flag or variable and the
 * requirement, never the value.
 */
export function parseConfig(sources: OptionSources): Config {
  const config = parseOptions(OPTIONS, sources);
  mustBeGivenTogether(config, "tlsCert", "tlsKey");
  mustBeGivenTogether(config, "guardTlsCert", "guardTlsKey");
  const { guard, guardPasswordFile, guardTlsCa, guardTlsCert } = config;
  if (guardPasswordFile !== undefined && (guard === "memory" || guard.login().password)) {
    const wanted = "needs a URL without a password in";
    throw new UsageError(`--guard-password-file ${wanted} --guard`);
  }
  const wantsTls = guardTlsCa !== undefined || guardTlsCert !== undefined;
  if (wantsTls && (guard === "memory" || !guard.isEncrypted)) {
    const flag = flagOf(guardTlsCa === undefined ? "guardTlsCert" : "guardTlsCa");
    throw new UsageError(`${flag} needs a rediss:// URL in --guard`);
  }
  const { host, port, socket, metricsHost, metricsPort } = config;
  const isOnePort = socket === undefined && port !== 0 && port === metricsPort;
  if (isOnePort && !areApart(host, metricsHost)) {
    throw new UsageError("--port and --metrics-port must be different");
  }
  // Deno has no TLS on a socket.
  if (socket !== undefined && config.tlsCert !== undefined) {
    throw new UsageError("--socket and --tls-cert cannot be used together");
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

// Whether two addresses are different, and none of them is that of all addresses. A name can have any.
function areApart(...hosts: readonly [string, string]): boolean {
  const [one, other] = hosts.map((host) =>
    isIPv6(host) ? new URL(`http://[${host}]`).hostname : host
  );
  return one !== other && hosts.every((host) => isIP(host) !== 0) &&
    ![one, other].some((host) => host === "0.0.0.0" || host === "[::]");
}

/** Returns the value of an option as typed, without passwords; undefined when it has no value. */
export function optionText(name: keyof Config, config: Config): string | undefined {
  if (name === "socketMode") return config.socketMode.toString(8).padStart(4, "0");
  return config[name] === undefined ? undefined : String(config[name]);
}

// Whether a text is an absolute URI (RFC 3986 §4.3) that ends with a slash. Two namespace names
// with their own meaning in XML are refused.
function isNamespace(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:[\w\-.~:/?#[\]@!$&'()*+,;=%]*\/$/.test(text) &&
    text !== "http://www.w3.org/2000/xmlns/" &&
    text !== "http://schemas.xmlsoap.org/soap/envelope/";
}

// Host with an optional port, then a path of RFC 3986 §3.3 without quotes and ampersands.
const BASE_URL =
  /^https?:\/\/(?:\[[\dA-F:.]+\]|[\w-]+(?:\.[\w-]+)*\.?)(?::\d+)?(?:\/[\w\-.~!$()*+,;=:@%]*)*$/i;

function parseBaseUrl(text: string): Parsed<string> {
  // URL.canParse checks the port, and refuses a host that resembles an IP address or an IDNA name
  // but is invalid.
  const isUrl = BASE_URL.test(text) && URL.canParse(text);
  return isUrl ? { value: text.replace(/\/+$/, "") } : undefined;
}
